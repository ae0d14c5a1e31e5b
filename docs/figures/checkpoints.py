#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the picture of docs/checkpoints.md: a run that is killed and resumed beside one that is not, and the parts of a
file."""

from svg import LINE, SOFT, Picture, publish

LEFT, SCALE, TOP = 150, 58, 46
STAGES = [("read", 0.8), ("neighbors", 1.9), ("affinities", 1.9)]
LOOP = 6.6  # interval of the iterations, in the picture's unit of time
WRITE = 1.5  # interval of the writes
KILLED = 4.0  # after the beginning of the loop


def stages(picture, x, y):
    for name, length in STAGES:
        picture.box(x, y, SCALE * length, 30, name)
        x += SCALE * length
    return x


def loop(picture, x, y, first, last):
    """The iterations from first to last with the marks of their writes; returns the last of these."""
    picture.box(x, y, SCALE * (last - first), 30, "", fill="both")
    picture.words(x + 40, y + 20, "optimize", weight="bold")
    at = first
    while at + WRITE < last:
        at += WRITE
        picture.line([(x + SCALE * (at - first), y - 6), (x + SCALE * (at - first), y + 30)], "#2a6f3c", 2)
    return at


def runs():
    picture = Picture(LEFT + round(SCALE * (4.6 + LOOP)) + 100, TOP + 320)
    width = picture.width - 100
    picture.words(LEFT - 12, TOP + 20, "one run", anchor="end")
    x = stages(picture, LEFT, TOP)
    loop(picture, x, TOP, 0, LOOP)
    picture.words(x + SCALE * WRITE, TOP - 12, "a write every minute", size=11, color=SOFT, anchor="start")

    y = TOP + 76
    picture.words(LEFT - 12, y + 20, "killed", anchor="end")
    x = stages(picture, LEFT, y)
    last = loop(picture, x, y, 0, KILLED)
    picture.bar(x + SCALE * last + 1, y + 1, SCALE * (KILLED - last) - 2, 28, "#f3d9d4")
    picture.words(x + SCALE * KILLED + 8, y + 17, "kill -9: the iterations after", size=11, color=SOFT,
                  anchor="start")  # fmt: skip
    picture.words(x + SCALE * KILLED + 8, y + 33, "the last write are lost", size=11, color=SOFT, anchor="start")

    y += 76
    picture.words(LEFT - 12, y + 20, "resumed", anchor="end")
    x = stages(picture, LEFT, y)
    picture.words((LEFT + x) / 2, y + 46, "computed again, to the same bytes", size=11, color=SOFT)
    loop(picture, x, y, last, LOOP)
    picture.line([(x, y - 46), (x, y)], "#2a6f3c", 2)
    picture.words(x + 6, y - 10, "state of the last write", size=11, color=SOFT, anchor="start")
    picture.words(x + SCALE * (LOOP - last) + 8, y + 20, "the same map", size=11, color=SOFT, anchor="start")

    y += 92
    picture.words(LEFT - 12, y + 24, "a file", anchor="end")
    x = LEFT
    for name, line, share in [("header", "written last", 0.13), ("run", "key, iteration", 0.17),
                              ("ended", "earlier loops", 0.17), ("loop", "state of the loop that runs", 0.35),
                              ("table", "lengths, checksums", 0.18)]:  # fmt: skip
        picture.box(x, y, share * (width - LEFT), 40, name, [line])
        x += share * (width - LEFT)
    picture.line([(LEFT, y + 56), (width, y + 56)], LINE)
    picture.words((LEFT + width) / 2, y + 72, "a new file, then renamed to FILE; the former FILE is FILE.previous", size=11,
                  color=SOFT)  # fmt: skip
    return picture


if __name__ == "__main__":
    publish({"checkpoints": runs()})
