"""Prints Vega-Embed with Vega-Lite and Vega, in a process of its own and without a limit of addresses.

V8, which bundles them, reserves more than the check of somebody else's report may have.
"""

import resource
import sys

import vl_convert


def main() -> None:
    """Write the bundle to standard output."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())  # type: ignore[call-arg]


if __name__ == "__main__":
    main()
