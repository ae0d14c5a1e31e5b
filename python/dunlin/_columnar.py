# SPDX-License-Identifier: Apache-2.0
"""Files of Parquet and Feather for the command, which reads text: as tables in a temporary folder."""

import os
import sys

_BEGINNINGS = (b"PAR1", b"ARROW1\0\0", b"FEA1")


def is_columnar(path):
    try:
        with open(path, "rb") as file:
            return file.read(8).startswith(_BEGINNINGS)
    except OSError:
        return False


def _split(word):
    """(the columnar file that an argument names, what is around it), or None: FILE, FILE:COLUMN or --option=FILE."""
    before, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
    path = value
    while path:
        if is_columnar(path):
            return path, before + equals, value[len(path) :]
        path = path.rpartition(":")[0]
    return None


def may_be_columnar(word):
    return _split(word) is not None


def with_tables(words, folder):
    """The arguments of the command with each such file replaced by a table of text in the folder, of the same stem."""
    found = []
    for number, word in enumerate(words):
        named = _split(word)
        if named is None:
            found.append(word)
            continue
        path, before, after = named
        below = os.path.join(folder, str(number))
        os.mkdir(below)
        table = os.path.join(below, os.path.splitext(os.path.basename(path))[0] + ".csv")
        _write(path, table)
        found.append(before + table + after)
    return found


def _write(path, table):
    try:
        from pyarrow import csv, feather, parquet
    except ImportError:
        sys.exit(f"dunlin: {path} is Parquet or Feather, which is read by pyarrow, and pyarrow is not installed; install it")
    try:
        with open(path, "rb") as file:
            read = parquet if file.read(4) == b"PAR1" else feather
        columns = read.read_table(path)
        csv.write_csv(columns, table)
    except Exception as error:  # noqa: BLE001  pyarrow's errors have no common class
        sys.exit(f"dunlin: {path} cannot be read as a table by pyarrow: {error}")
    print(f"note: {path} is read by pyarrow, as a table of {columns.num_rows} rows", file=sys.stderr)
