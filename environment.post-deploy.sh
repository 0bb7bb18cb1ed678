#!/usr/bin/env bash
# `snakemake --sdm conda` runs this in the environment that it makes of environment.yml: the packages of this project are
# not in it yet. The workflow says in PROSET_STUDY where they are.
set -euo pipefail
python -m pip install --quiet --no-deps --editable "$PROSET_STUDY"  # what is edited runs
