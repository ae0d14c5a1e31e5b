#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the picture of waves in docs/lab/several-gpus.md: the layers that three GPUs hold, and which of them a step
leaves valid."""

from svg import LINE, SOFT, TEXT, Picture, publish

LEFT, TOP, LAYER, ROW = 120, 56, 8, 13
OWN, DEPTH, RANKS = 24, 4, 3
FILL = {"own": "#2a6f3c", "valid": "#9cc8a8", "invalid": "#f3d9d4"}


def layer(picture, position, y, kind):
    picture.bar(LEFT + LAYER * position, y, LAYER - 1, ROW - 2, FILL[kind])


def rank(picture, number, top):
    """The layers of a rank after 0, 1, .. DEPTH steps; the ends of the line have no halo."""
    begin, end = number * OWN, (number + 1) * OWN
    low, high = max(begin - DEPTH, 0), min(end + DEPTH, RANKS * OWN)
    picture.words(LEFT - 14, top + ROW * (DEPTH + 1) / 2 + 4, f"GPU {number}", anchor="end", weight="bold")
    for step in range(DEPTH + 1):
        first = low + step if low > 0 else low
        last = high - step if high < RANKS * OWN else high
        for position in range(low, high):
            own = begin <= position < end
            kind = "own" if own else "valid" if first <= position < last else "invalid"
            layer(picture, position, top + ROW * step, kind)
    return top + ROW * (DEPTH + 1)


def halos():
    picture = Picture(LEFT + LAYER * RANKS * OWN + 150, TOP + 3 * (ROW * (DEPTH + 1) + 34) + 40)
    picture.words(LEFT, TOP - 26, "layers of the domain", anchor="start", color=SOFT)
    right = LEFT + LAYER * RANKS * OWN
    picture.line([(LEFT, TOP - 14), (right, TOP - 14)], LINE)
    y = TOP
    for number in range(RANKS):
        bottom = rank(picture, number, y)
        picture.words(right + 12, y + ROW - 3, "after an exchange", size=11, color=SOFT, anchor="start")
        picture.words(right + 12, bottom - 3, f"after {DEPTH} steps", size=11, color=SOFT, anchor="start")
        if number + 1 < RANKS:
            border = LEFT + LAYER * (number + 1) * OWN
            picture.arrow(border - LAYER * DEPTH / 2, bottom + 3, border - LAYER * DEPTH / 2, bottom + 31)
            picture.arrow(border + LAYER * DEPTH / 2, bottom + 31, border + LAYER * DEPTH / 2, bottom + 3)
        y = bottom + 34
    for k, (kind, words) in enumerate([("own", "its own"), ("valid", "halo, valid"), ("invalid", "halo, used up")]):
        picture.bar(LEFT + 150 * k, y, 14, 14, FILL[kind])
        picture.words(LEFT + 150 * k + 20, y + 12, words, size=12, color=TEXT, anchor="start")
    return picture


if __name__ == "__main__":
    publish({"halos": halos()})
