"""python -m weft: the command line."""

import os
import sys


def find_command():
    """The command that came with this package: beside it in a build folder, else where its installer put it."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "weft")
    if os.path.exists(beside):
        return beside
    from importlib.metadata import PackageNotFoundError, files

    try:
        for file in files("weft-cuda") or ():
            if file.name == "weft" and file.parent.name == "bin":
                return str(file.locate())
    except PackageNotFoundError:
        pass
    return None


def main():
    command = find_command()
    if command is None:
        print("weft: the command is not installed with this package", file=sys.stderr)
        return 1
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
