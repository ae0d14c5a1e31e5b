# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/laws.md from the table of calls, between its markers: `python page.py` with the package and
this folder in PYTHONPATH."""

import pathlib
import re

import calls  # noqa: F401
import calls_maps  # noqa: F401
from commands import TABLE
from entry import ENTRIES, LAWS
from generate import UNTIED
from known import KNOWN

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/laws.md"


def shortened(form, reasons):
    """The text of a form, with the number of its reason; reasons: number of each, to which a new one is added."""
    text = form.text().removesuffix(form.reason).rstrip(": ").replace(f"[{', '.join(UNTIED)}]", "[untied]")
    return f"{text} ^{reasons.setdefault(form.reason, len(reasons) + 1)}" if form.reason else text


def entries():
    """A row for each call: by which doors, what it is free of, and the laws that it obeys otherwise than to the byte; and
    the reasons by their numbers."""
    lines = ["| call | inputs | unchanged by | otherwise than to the byte |", "|---|---|---|---|"]
    groups, reasons = {}, {}
    for entry in ENTRIES:
        laws = "; ".join(f"*{law}* {shortened(entry.laws[law], reasons)}" for law in LAWS if law in entry.laws)
        door = entry.name + (" ‡" if entry.name in TABLE else "")
        groups.setdefault((" ".join(entry.takes), " ".join(entry.free), laws), []).append(door)
    for (takes, free, laws), names in groups.items():
        lines.append(f"| {', '.join(names)} | {takes} | {free} | {laws} |".replace("||", "|").replace("X|", "X\\|"))
    return "\n".join([*lines, "", *(f"{number}. {reason}" for reason, number in reasons.items())])


def known():
    if not KNOWN:
        return "None."
    lines = ["| test | calls | reason |", "|---|---|---|"]
    for test, cases, reason in KNOWN:
        lines.append(f"| {test} | {', '.join(cases) or 'all'} | {reason} |")
    return "\n".join(lines)


def written(text):
    for name, table in (("entries", entries()), ("known", known())):
        text = re.sub(rf"(<!-- laws: {name} -->\n).*?(<!-- end -->)", lambda found: f"{found[1]}{table}\n{found[2]}", text, flags=re.S)
    return text


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
