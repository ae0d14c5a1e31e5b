#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/waves.svg: a pulse on a line that splits in two, by Heun's method in plain Python, and the sawtooth of
a step beyond the limit that the reaction sets."""

from math import exp

from svg import SOFT, Picture, publish

THRESHOLD, EPSILON, GAMMA, SPACING = 0.01, 0.01, 2, 0.5
NODES = 401
CURVE, RECOVERY, FAULT = "#4878a8", "#c9b36b", "#c4654e"


def euler(v, w, dt, epsilon):
    """A step with ghost nodes: the node beyond an end equals the one before it."""
    rate = dt / SPACING**2
    left, right = [v[1], *v[:-1]], [*v[1:], v[-2]]
    f = [a + dt * (a * (1 - a) * (a - THRESHOLD) - b) for a, b in zip(v, w)]
    new = [a + rate * (one - 2 * b + other) for a, b, one, other in zip(f, v, left, right)]
    return new, [b + dt * epsilon * (a - GAMMA * b) for a, b in zip(v, w)]


def heun(v, w, dt, epsilon):
    twice = euler(*euler(v, w, dt, epsilon), dt, epsilon)
    return [(a + b) / 2 for a, b in zip(v, twice[0])], [(a + b) / 2 for a, b in zip(w, twice[1])]


def start():
    return [exp(-((SPACING * i - 100) ** 2) / 10) for i in range(NODES)], [0.0] * NODES


def curve(picture, left, width, base, height, values, color, line=1.5):
    step = width / (len(values) - 1)
    picture.line([(left + i * step, base - height * value) for i, value in enumerate(values)], color, line)


def pulse(picture, left, top):
    """v at equal times, one curve below the other."""
    picture.words(left + 190, top, "v on a line, t = 0 to 150: a pulse splits in two", size=13, weight="bold")
    v, w = start()
    for shown in range(6):
        base = top + 62 + 56 * shown
        picture.line([(left, base), (left + 380, base)], "#e4e4e4")
        curve(picture, left, 380, base, 40, w, RECOVERY, 1)
        curve(picture, left, 380, base, 40, v, CURVE)
        picture.words(left - 8, base + 4, str(30 * shown), size=11, color=SOFT, anchor="end")
        for _ in range(300 if shown < 5 else 0):
            v, w = heun(v, w, 0.1, EPSILON)


def sawtooth(picture, left, top):
    """v without recovery at t = 60 for two steps of Euler's method, around the limit with the reaction."""
    picture.words(left + 190, top, "Euler without recovery, t = 60, around x = 100", size=13, weight="bold")
    for row, ratio in enumerate((0.47, 0.48)):
        v, w = start()
        dt = ratio * SPACING**2
        for _ in range(round(60 / dt)):
            v, w = euler(v, w, dt, 0)
        base = top + 170 + 165 * row
        middle = v[NODES // 2 - 15 : NODES // 2 + 16]
        picture.line([(left, base), (left + 380, base)], "#e4e4e4")
        curve(picture, left, 380, base, 110, middle, CURVE if row == 0 else FAULT)
        picture.words(left + 190, base + 18, f"dt = {ratio} dx², the limit is 0.4709 dx²", size=12, color=SOFT)


def page():
    picture = Picture(900, 400)
    pulse(picture, 40, 24)
    sawtooth(picture, 490, 24)
    return picture


if __name__ == "__main__":
    publish({"waves": page()})
