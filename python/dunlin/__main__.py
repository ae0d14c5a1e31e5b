# SPDX-License-Identifier: Apache-2.0
"""python -m dunlin: the command ``dunlin`` of the same build."""

import os
import sys


def command():
    """Path of the command: in the wheel, or of the build that the module links."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.path.join(here, "bin", "dunlin"), os.path.join(here, "..", "..", "build", "cpu", "dunlin")):
        if os.access(path, os.X_OK):
            return os.path.realpath(path)
    sys.exit("dunlin: the command is not installed beside the package")


def main():
    path = command()
    os.execv(path, ["dunlin", *sys.argv[1:]])


if __name__ == "__main__":
    main()
