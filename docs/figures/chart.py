# SPDX-License-Identifier: Apache-2.0
"""Charts in a part of a picture: a frame with ticks, curves and dots. A ring is published, a dot measured."""

import sys

from svg import DOCS, SOFT

sys.path.insert(0, str(DOCS.parent / "bench"))
from figures import latest, table_of, value_of  # noqa: E402, F401
from plot import COLORS, Axis  # noqa: E402, F401

GRID = "#e4e8eb"


def numeral(value):
    text = f"{value:.0e}" if value >= 1e5 else f"{value:g}"
    return text.replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def ticks(axis):
    """Between powers of ten too, where an axis has less than two of them."""
    if not axis.log or axis.high - axis.low >= 2:
        return axis.ticks()
    first, last = int(axis.low) - 1, int(axis.high) + 1
    marks = [digit * 10.0**power for power in range(first, last + 1) for digit in (1, 2, 5)]
    return [mark for mark in marks if axis.low - 0.02 <= axis.scaled(mark) <= axis.high + 0.02]


class Chart:
    """`box`: left, top, width and height of the frame; the title and the name of y are above it, that of x below."""

    def __init__(self, picture, box, title, names, xs, ys, log=(True, True)):
        self.picture, (left, top, width, height) = picture, box
        self.x = Axis(xs, log[0], left + 8, left + width - 8)
        self.y = Axis(ys, log[1], top + height - 8, top + 8)
        picture.words(left, top - 22, title, size=12, anchor="start", weight="bold")
        picture.words(left, top - 7, names[1], size=11, color=SOFT, anchor="start")
        picture.words(left + width / 2, top + height + 31, names[0], size=11, color=SOFT)
        for value in ticks(self.x):
            picture.line([(self.x.at(value), top), (self.x.at(value), top + height)], GRID)
            picture.words(self.x.at(value), top + height + 15, numeral(value), size=10, color=SOFT)
        for value in ticks(self.y):
            picture.line([(left, self.y.at(value)), (left + width, self.y.at(value))], GRID)
            picture.words(left - 5, self.y.at(value) + 4, numeral(value), size=10, color=SOFT, anchor="end")

    def places(self, points):
        return [(self.x.at(a), self.y.at(b)) for a, b in sorted(points)]

    def curve(self, points, color, dashed=False, dots=True):
        self.picture.line(self.places(points), color, 1.4, dashed)
        if dots:
            self.dots(points, color)

    def dots(self, points, color):
        for a, b in self.places(points):
            self.picture.dot(a, b, 2.6, color)

    def rings(self, points, color):
        for a, b in self.places(points):
            self.picture.ring(a, b, 4, color)

    def name(self, point, text, color=SOFT, above=False):
        ((x, y),) = self.places([point])
        self.picture.words(x + (0 if above else 8), y - (9 if above else -4), text, size=10, color=color,
                           anchor="middle" if above else "start")  # fmt: skip


def legend(picture, x, y, entries, step=18):
    """entries: name, color and look: dot, ring, line or dashed."""
    for i, (name, color, look) in enumerate(entries):
        middle = y + step * i
        if look in ("line", "dashed"):
            picture.line([(x - 9, middle), (x + 9, middle)], color, 1.4, look == "dashed")
        if look in ("line", "dot", "dashed"):
            picture.dot(x, middle, 2.6, color)
        if look == "ring":
            picture.ring(x, middle, 4, color)
        picture.words(x + 16, middle + 4, name, size=11, anchor="start")


def shares(picture, left, top, width, bars, colors, step=34):
    """Bars that are cut into parts: {bar: {part: amount}}, with the colors of the parts above them."""
    x = left
    for name, color in colors.items():
        picture.bar(x, top, 11, 11, color)
        picture.words(x + 16, top + 10, name, size=11, anchor="start")
        x += 34 + 5.5 * len(name)
    for i, (bar, parts) in enumerate(bars.items()):
        y, x, total = top + 24 + step * i, left, sum(parts.values())
        picture.words(left - 10, y + 15, bar, size=11, anchor="end")
        for name, part in parts.items():
            picture.bar(x, y, width * part / total, 22, colors[name])
            if width * part / total > 30:
                picture.words(
                    x + width * part / total / 2, y + 15, f"{100 * part / total:.0f}%", size=10, color="#ffffff"
                )
            x += width * part / total
