#!/bin/sh
# One line for the state of a job of Slurm: running, success or failed.
# squeue knows a job until MinJobAge seconds after its end (300 by default), sacct, where there is one, for longer.
answer=$(squeue --noheader --states all --format %T --jobs "$1" 2>&1)
case $answer in
    *"Invalid job id"* | "") answer=$(sacct --noheader --parsable2 --allocations --format State --jobs "$1" 2> /dev/null) ;;
esac
case $answer in
    COMPLETED) echo success ;;
    BOOT_FAIL | CANCELLED* | DEADLINE | FAILED | NODE_FAIL | OUT_OF_MEMORY | PREEMPTED | REVOKED | TIMEOUT) echo failed ;;
    "") echo failed ;; # forgotten: what it finished is kept, so one attempt more costs little
    *) echo running ;; # also where the controller does not answer for a while
esac
