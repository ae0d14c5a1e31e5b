# SPDX-License-Identifier: Apache-2.0
"""Files of Parquet and Feather for the command, which reads text: as tables in a temporary folder."""

import json
import os
import sys

from . import _columnar_cells
from ._output import replacing

_BEGINNINGS = (b"PAR1", b"ARROW1\0\0", b"FEA1")
_WRITTEN = ("-o", "--output", "--report", "--checkpoint")


def is_columnar(path):
    try:
        with open(path, "rb") as file:
            return file.read(8).startswith(_BEGINNINGS)
    except OSError:
        return False


def _split(word):
    """(the columnar file that an argument names, what is around it), or None: FILE, FILE:COLUMN or --option=FILE."""
    before, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
    path = "" if before in _WRITTEN else value
    while path:
        if is_columnar(path):
            return path, before + equals, value[len(path) :]
        path = path.rpartition(":")[0]
    return None


def may_be_columnar(word):
    return _split(word) is not None


def with_tables(words, folder):
    """(words, renamed): the arguments of the command with each such file replaced by a table of text in the folder; and [(path in the folder, path that was given)]."""
    found, renamed, tables = [], [], {}
    quiet = any(word.split("=")[0] == "--quiet" for word in words)
    for last, word in zip(["", *words], words):
        named = None if last in _WRITTEN else _split(word)
        if named is None:
            found.append(word)
            continue
        path, before, after = named
        if path not in tables:
            below = os.path.join(folder, str(len(tables)))
            os.mkdir(below)
            tables[path] = _table_for(path, below, renamed)
            _write(path, tables[path], quiet)
        found.append(before + tables[path] + after)
    return found, renamed


def _table_for(path, below, renamed):
    """A path with the file's stem, which is in the names of outputs, and .csv, by which files of labels and maps are read."""
    name = os.path.basename(path)
    table = os.path.join(below, os.path.splitext(name)[0] + ".csv")
    renamed.append((table, path))
    renamed.append((os.path.join(below, ""), path[: -len(name)]))  # where a name is shortened or escaped
    return table


def _write(path, table, quiet):
    try:
        from pyarrow import ArrowException, csv, feather, parquet
    except ImportError:
        _refuse(f"{path} is Parquet or Feather, which is read by pyarrow, and pyarrow is not installed; install it")
    try:
        with open(path, "rb") as file:
            read = parquet if file.read(4) == b"PAR1" else feather
        columns = read.read_table(path)
        csv.write_csv(_columnar_cells.of_text(columns), table)
    except _columnar_cells.Unwritable as error:
        _refuse(f"{path}: {error}")
    except (ArrowException, OSError, ValueError, TypeError, KeyError, NotImplementedError) as error:
        _refuse(f"{path} cannot be read as a table by pyarrow: {error}")
    if not quiet:
        print(f"note: {path} is read by pyarrow, as a table of {columns.num_rows} rows", file=sys.stderr, flush=True)


def _refuse(sentence):
    print(f"dunlin: {sentence}", file=sys.stderr)
    sys.exit(3)  # the command's exit code for files


def rename_in_reports(words, renamed):
    """Puts the paths that were given into the reports that the command has written."""
    given = [value for last, value in zip(words, words[1:]) if last == "--report"]
    given += [word.partition("=")[2] for word in words if word.startswith("--report=")]
    for path in map(os.path.realpath, given):
        if not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            before = text = file.read()
        for old, new in renamed:
            text = text.replace(_in_json(old), _in_json(new))
        if text == before:
            continue
        with replacing(path) as file:
            file.write(text)


def _in_json(path):
    return os.fsencode(json.dumps(path, ensure_ascii=False)[1:-1])
