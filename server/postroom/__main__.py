"""The command `postroom`, also as `python -m postroom`."""

import sys

from postroom.cli.root import run


def main() -> None:
    """Run the command line and leave with its exit status."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
