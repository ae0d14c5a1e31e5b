# SPDX-License-Identifier: Apache-2.0
"""Small plots as SVG, with Python's standard library: lines or dots, linear or logarithmic axes."""

import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 440, 80, 150, 40, 60
COLORS = "#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #000000 #999999".split()
LEAST = 1e-14  # what is not above 0 is drawn here on a logarithmic axis


class Axis:
    def __init__(self, values, log, begin, end):
        self.log, self.begin, self.end = log, begin, end
        scaled = [self.scaled(v) for v in values]
        self.low, self.high = min(scaled), max(scaled)
        if self.high - self.low < 1e-9:
            self.low, self.high = self.low - 1, self.high + 1

    def scaled(self, value):
        return math.log10(max(value, LEAST)) if self.log else value

    def at(self, value):
        return self.begin + (self.scaled(value) - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self):
        """Ticks at powers of ten, or at round steps."""
        rough = (self.high - self.low) / 6
        unit = 10 ** math.floor(math.log10(rough))
        step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough)
        step = max(1, round(step)) if self.log else step
        first = math.ceil(self.low / step)
        marks = [k * step for k in range(first, math.floor(self.high / step) + 1)]
        return [(10**mark if self.log else mark) for mark in marks]


def text(x, y, words, anchor="middle", turn=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turn}>{html.escape(words)}</text>'


def frame(x, y, title, x_label, y_label):
    size = f'width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}"'
    yield f'<rect x="{LEFT}" y="{TOP}" {size} fill="none" stroke="#888"/>'
    yield text(WIDTH / 2, 24, title)
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x_label)
    yield text(20, HEIGHT / 2, y_label, turn=f' transform="rotate(-90 20 {HEIGHT / 2})"')
    for value in x.ticks():
        yield text(x.at(value), HEIGHT - BOTTOM + 18, f"{value:g}")
    for value in y.ticks():
        yield text(LEFT - 6, y.at(value) + 4, f"{value:g}", "end")


def marks(points, x, y, color, lines):
    places = [(x.at(a), y.at(b)) for a, b in points]
    if lines:
        yield f'<polyline fill="none" stroke="{color}" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in places)}"/>'
    if len(places) < 40:
        yield from (f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{color}"/>' for a, b in places)


def write(path, title, labels, series, log=(True, True), lines=True):
    """series: {name: [(x, y), ...]}; labels: of both axes."""
    values = [point for points in series.values() for point in points]
    x = Axis([v for v, _ in values], log[0], LEFT + 10, WIDTH - RIGHT - 10)
    y = Axis([v for _, v in values], log[1], HEIGHT - BOTTOM - 10, TOP + 10)
    parts = [*frame(x, y, title, *labels)]
    for k, (name, points) in enumerate(series.items()):
        color = COLORS[k % len(COLORS)]
        parts += marks(points, x, y, color, lines)
        parts.append(f'<circle cx="{WIDTH - RIGHT + 16}" cy="{TOP + 16 + 18 * k}" r="4" fill="{color}"/>')
        parts.append(text(WIDTH - RIGHT + 26, TOP + 20 + 18 * k, name, "start"))
    path.parent.mkdir(parents=True, exist_ok=True)
    style = 'font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {style}>'
    path.write_text("\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>\n"]))
