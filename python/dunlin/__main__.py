# SPDX-License-Identifier: Apache-2.0
"""python -m dunlin: the command ``dunlin`` of the same build; `kmeans --scheduler` is done here, on a Dask cluster."""

import os
import sys
import tempfile

from . import _columnar, _relay


def command():
    """Path of the command: in the wheel, or of the build that the module links."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.path.join(here, "bin", "dunlin"), os.path.join(here, "..", "..", "build", "cpu", "dunlin")):
        if os.access(path, os.X_OK):
            return os.path.realpath(path)
    sys.exit("dunlin: the command is not installed beside the package")


def main():
    if sys.argv[1:2] == ["kmeans"] and any(word.split("=")[0] == "--scheduler" for word in sys.argv[2:]):
        from dunlin._shards.command import kmeans

        sys.exit(kmeans(sys.argv[2:]))
    path = command()
    if not any(_columnar.may_be_columnar(word) for word in sys.argv[1:]):
        os.execv(path, ["dunlin", *sys.argv[1:]])
    with tempfile.TemporaryDirectory() as folder:
        words, renamed = _columnar.with_tables(sys.argv[1:], os.path.realpath(folder))
        code = _relay.run([path, *words], [(os.fsencode(old), os.fsencode(new)) for old, new in renamed])
        _columnar.rename_in_reports(words, renamed)
    sys.exit(code)


if __name__ == "__main__":
    main()
