"""A command of the study; `cli` has the table of all of them."""

from proset_study.base.environment import pin_libraries
from proset_study.study.fork_server import hand_over

if __name__ == "__main__":
    hand_over()  # does not return where a process forks for this run
pin_libraries()  # before NumPy is imported, however the command is started

from proset_study.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
