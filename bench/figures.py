#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the figures of README.md and docs from bench/results/*.csv; with --check says which of them differ.

A comment before a table, <!-- figures: NAME -->, names the file docs/figures/queries/NAME.txt. It has a line for the whole
table, if there is something that holds for all of it, and one for each row of the table's body, cell by cell:

    mnist70k.csv stage=whole
    |* | system=dunlin median_s .3g | system=dunlin kl .4g |
    | | | system=dunlin kl .4g; - ; speedup .2g |
    | stage=loop |

These lines may also stand in the comment itself, behind `figures:`. The words of the first line hold for the table, those
of a row's first cell for that row. Each further cell fills the numbers of the table's cell in their order: `;` parts them,
`-` leaves one as it is. An empty cell takes what the line that begins with |* says for its column, if there is one; cells of
the table without a number stay so.

NAME.csv is a file; COLUMN=VALUE and COLUMN!=VALUE select its rows; a last word like .3g (significant digits), .2f
(decimals), .1% or .2g% (per cent, whose sign stays in the text) is the format, and `text` the digits of the file, for rows
that were written by hand; what is left is the column, perhaps times a number. Of the selected rows those of the latest date,
and of its last commit, count. They must agree in the column, unless it is median:COLUMN, mean:, min: or max: of them.
`A / B` is the ratio of two values. Only Python's own library is used here.
"""

import csv
import functools
import math
import re
import shlex
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
QUERIES = ROOT / "docs" / "figures" / "queries"

TABLE = re.compile(
    r"<!-- figures:(?: (?P<name>[\w-]+) |(?P<shared>[^|]*?)\n(?P<rows>(?:\|.*\n)+))-->\n\n?"
    r"(?P<head>\|.*\n\|[-| :]*\|\n)(?P<body>(?:\|.*\n)+)"
)
NUMBER = re.compile(r"(?<![\w.,])(?:(?<!\S)-)?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e-?\d+)?|(?<![\w.])\.\d+")
FORMAT = re.compile(r"\.(\d+)(g%|[gf%])$")
COLUMN = re.compile(r"(?:(median|mean|min|max):)?([a-z_]\w*)(?:\*([\d.e-]+))?$")


class Wrong(Exception):
    """An invalid mark, with the reason."""


# A value


@functools.cache
def table_of(name):
    with open(RESULTS / name, newline="") as file:
        return list(csv.DictReader(file))


def latest(words):
    """The rows of a mark: those with the date and commit of the last row of the latest date."""
    files = [word for word in words if word.endswith(".csv")]
    if not files:
        raise Wrong("no file is named")
    wanted = dict(word.split("=", 1) for word in words if "=" in word)
    rows = table_of(files[-1])
    unknown = [column for column in wanted if column.rstrip("!") not in rows[0]]
    if unknown:
        raise Wrong(f"{files[-1]} has no column {unknown[0]}")

    def selected(row):
        return all((row[column.rstrip("!")] == value) != column.endswith("!") for column, value in wanted.items())

    rows = [row for row in rows if selected(row)]
    if not rows:
        raise Wrong(f"{files[-1]} has no row with {wanted}")
    last = max(enumerate(rows), key=lambda numbered: (numbered[1]["date"], numbered[0]))[1]
    return [row for row in rows if (row["date"], row["commit"]) == (last["date"], last["commit"])]


def column_of(words):
    columns = [word for word in words if COLUMN.match(word) and "=" not in word and not word.endswith(".csv")]
    if len(columns) != 1:
        raise Wrong(f"one column is to be named, not {columns}")
    return COLUMN.match(columns[0]).groups()


def value_of(words):
    whole, column, factor = column_of(words)
    numbers = [float(row[column]) for row in latest(words) if row.get(column)]
    if not numbers:
        raise Wrong(f"the row has no {column}")
    take = {"median": statistics.median, "mean": statistics.mean, "min": min, "max": max}.get(whole)
    if take is None and len(set(numbers)) > 1:
        raise Wrong(f"{' '.join(words)}: rows of one date and commit have {len(set(numbers))} different values")
    return (take(numbers) if take else numbers[-1]) * float(factor or 1)


def text_of(words):
    """The digits of a number as in the file, with commas between thousands."""
    whole, column, factor = column_of(words)
    texts = {row[column] for row in latest(words) if row.get(column)}
    if whole or factor or "/" in words or len(texts) != 1:
        raise Wrong(f"{' '.join(words)}: text is that of a column with one value, not of {len(texts)}")
    text = texts.pop()
    float(text)
    digits = text.partition(".")[0]
    return f"{int(digits):,}" + text[len(digits) :] if digits.isdecimal() else text


def in_words(value, form):
    match = FORMAT.match(form)
    if not match:
        raise Wrong(f"the last word is to be a format, not {form}")
    digits, kind = int(match[1]), match[2]
    value *= 100 if kind.endswith("%") else 1
    if not kind.startswith("g"):
        return f"{value:,.{digits}f}"
    rounded = float(f"{value:.{digits - 1}e}")
    if rounded == 0:
        return "0"
    decimals = digits - 1 - math.floor(math.log10(abs(rounded)))
    if 1e-4 <= abs(rounded) < 1e9:
        return f"{round(rounded, decimals):,.{max(0, decimals)}f}"
    return re.sub(r"e([+-])0*", lambda m: "e" + m[1].strip("+"), f"{value:.{digits - 1}e}")


def figure(words, shared=()):
    """`words`: of one mark; `shared`: those that hold for its row and table."""
    *rest, form = words
    if form == "text":
        return text_of([*shared, *rest])
    if "/" in rest:
        cut = rest.index("/")
        value = value_of([*shared, *rest[:cut]]) / value_of([*shared, *rest[cut + 1 :]])
    else:
        value = value_of([*shared, *rest])
    return in_words(value, form)


# A document


def cells_of(line):
    return line.strip().removeprefix("|").removesuffix("|").split("|")


def filled_cell(cell, marks, shared):
    marks = [shlex.split(mark) for mark in marks.split(";")]
    for words, number in reversed(list(zip(marks, NUMBER.finditer(cell)))):
        if words and words != ["-"]:
            text = figure(words, shared)
            text = text[1:] if number[0].startswith(".") and text.startswith("0.") else text
            cell = cell[: number.start()] + text + cell[number.end() :]
    return cell


def filled_row(line, marks, defaults, shared):
    first, *further = cells_of(marks)
    cells = cells_of(line)
    shared = [*shared, *shlex.split(first)]
    if not marks.strip().strip("|").strip():
        return line
    for place in range(1, len(cells)):
        own = further[place - 1].strip() if place <= len(further) else ""
        mark = own or (defaults[place].strip() if place < len(defaults) else "")
        if own and own != "-" and len(own.split(";")) > len(NUMBER.findall(cells[place])):
            raise Wrong(f"fewer numbers in '{cells[place].strip()}' than in '{own}'")
        if mark:
            cells[place] = filled_cell(cells[place], mark, shared)
    return "|" + "|".join(cells) + "|"


def queries_of(match):
    """The words for the whole table, and the lines of its rows."""
    if not match["name"]:
        return match["shared"], match["rows"].splitlines()
    path = QUERIES / f"{match['name']}.txt"
    if not path.exists():
        raise Wrong(f"{path.relative_to(ROOT)} is not there")
    lines = path.read_text().splitlines()
    rows = [line for line in lines if line.startswith("|")]
    return " ".join(lines[: len(lines) - len(rows)]), rows


def filled_table(match):
    shared, rows = queries_of(match)
    body = match["body"].splitlines()
    defaults = cells_of(rows.pop(0)) if rows[0].startswith("|*") else []
    if len(rows) != len(body):
        raise Wrong(f"{len(rows)} lines of marks for {len(body)} rows, of which the first is {body[0]}")
    shared = shlex.split(shared)
    lines = [filled_row(line, marks, defaults, shared) + "\n" for line, marks in zip(body, rows)]
    return match[0][: match.start("body") - match.start()] + "".join(lines)


def filled(text):
    if text.count("<!-- figures:") != len(TABLE.findall(text)):
        raise Wrong("a comment with figures is not followed by a table")
    return TABLE.sub(filled_table, text)


def main(words):
    check, good = words == ["--check"], True
    if words and not check:
        sys.exit(__doc__)
    unused = {path.stem for path in QUERIES.glob("*.txt")}
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text, name = path.read_text(), path.relative_to(ROOT)
        unused -= {match["name"] for match in TABLE.finditer(text)}
        try:
            new = filled(text)
        except (Wrong, ValueError) as reason:
            print(f"{name}: {reason}")
            good = False
            continue
        for old_line, new_line in zip(text.splitlines(), new.splitlines()):
            if old_line != new_line:
                print(f"{name}:\n  {old_line}\n  {new_line}")
        good = good and (not check or new == text)
        if not check:
            path.write_text(new)
    for name in sorted(unused):
        print(f"docs/figures/queries/{name}.txt: no table names it")
        good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
