# SPDX-License-Identifier: Apache-2.0
"""What the pictures of docs are drawn with: boxes, arrows and words as SVG. Only Python's own library is used here."""

import sys
from html import escape
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
FILLS = {"plain": "#ffffff", "both": "#eef3f8", "cpu": "#e3f0e3", "gpu": "#efe6f5", "outside": "#f6f1e4"}
LINE, TEXT, SOFT = "#5f6b76", "#1d2329", "#5f6b76"


class Picture:
    """Shapes in pixels, y downwards."""

    def __init__(self, width, height):
        self.width, self.height, self.shapes = width, height, []

    def words(self, x, y, text, size=13, color=TEXT, anchor="middle", weight="normal"):
        self.shapes.append(f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{color}" text-anchor="{anchor}" '
                           f'font-weight="{weight}">{escape(text)}</text>')  # fmt: skip

    def box(self, x, y, width, height, title, lines=(), fill="plain"):
        """A title and, below it, smaller lines."""
        self.shapes.append(f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="5" '
                           f'fill="{FILLS[fill]}" stroke="{LINE}"/>')  # fmt: skip
        top = y + height / 2 - 8 * len(lines) + 5
        self.words(x + width / 2, top, title, weight="bold")
        for i, line in enumerate(lines):
            self.words(x + width / 2, top + 16 * (i + 1), line, size=11, color=SOFT)

    def bar(self, x, y, width, height, color):
        self.shapes.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{color}"/>')

    def line(self, points, color, width=1, dashed=False):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = ' stroke-dasharray="5 3"' if dashed else ""
        self.shapes.append(f'<polyline points="{places}" fill="none" stroke="{color}" stroke-width="{width}"{dashes}/>')

    def dot(self, x, y, radius, color):
        self.shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{color}"/>')

    def ring(self, x, y, radius, color):
        self.shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="#ffffff" stroke="{color}" '
                           f'stroke-width="1.6"/>')  # fmt: skip

    def dots(self, points, diameter, color):
        """Many dots of one color, as the round ends of lines of no length."""
        marks = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in points)
        self.shapes.append(f'<path d="{marks}" stroke="{color}" stroke-width="{diameter}" stroke-linecap="round"/>')

    def map(self, left, top, size, points, colors, diameter=2.6):
        """Points (x, y, class) in a square, both axes in the same scale; a color for each class."""
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        scale = (size - 20) / (max(max(xs) - min(xs), max(ys) - min(ys)) or 1)
        x0, y0 = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
        for k, color in enumerate(colors):
            members = [p for p in points if p[2] % len(colors) == k]
            self.dots(
                [(left + size / 2 + scale * (x - x0), top + size / 2 - scale * (y - y0)) for x, y, _ in members],
                diameter,
                color,
            )

    def arrow(self, x1, y1, x2, y2):
        self.shapes.append(f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="{LINE}" '
                           f'marker-end="url(#tip)"/>')  # fmt: skip

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif">')  # fmt: skip
        tip = ('<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
               f'orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="{LINE}"/></marker></defs>')  # fmt: skip
        ground = f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>'
        return "\n".join([head, tip, ground, *self.shapes, "</svg>", ""])


def publish(pictures):
    """Writes docs/images/NAME.svg; with --check says which differ, and ends with 1 if any does."""
    check, good = sys.argv[1:] == ["--check"], True
    for name, picture in pictures.items():
        path = DOCS / "images" / f"{name}.svg"
        if not check:
            path.write_text(picture.svg())
        elif not path.exists() or path.read_text() != picture.svg():
            print(f"docs/images/{path.name} is not what docs/figures draws now")
            good = False
    sys.exit(0 if good else 1)
