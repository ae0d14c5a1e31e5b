# SPDX-License-Identifier: Apache-2.0
"""Names in pictures and pages, by their boxes in a real browser: none leaves the picture or covers another text, and none
of a point covers a disc. DUNLIN_COMMAND names the command. With arguments, TABLE or TABLE=GRAPH each, it prints the same
of these maps: names_test.py words.map.csv lesmis.map.csv=lesmis.gml"""

import csv
import gzip
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from browser import Browser, BrowserCase

COMMAND = os.environ["DUNLIN_COMMAND"]
SOURCE = pathlib.Path(os.environ.get("DUNLIN_SOURCE", pathlib.Path(__file__).parents[2]))
ZOOMS = (1, 3, 8, 64)

# Boxes of ink across a line's advance: left, top, right, bottom
TEXTS = """
const context = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas').getContext('2d');
return [...document.querySelectorAll('text')].map(text => {
  const [x, y, size] = ['x', 'y', 'font-size'].map(name => Number(text.getAttribute(name))), family = getComputedStyle(text).fontFamily;
  context.font = `${10 * size}px ${family}`;  // of which the box is rounded to pixels
  context.textRendering = getComputedStyle(text).textRendering;
  const ink = context.measureText(text.textContent);
  return [text.textContent, x, y - ink.actualBoundingBoxAscent / 10, x + text.getComputedTextLength(), y + ink.actualBoundingBoxDescent / 10];
});"""
DISCS = "return [...document.querySelectorAll('circle')].map(c => ['cx', 'cy', 'r'].map(name => Number(c.getAttribute(name))))"
PAGE = """
const {scene, overlay} = dunlin, high = 0.8 * overlay.fontSize(), radius = dunlin.lookOf(scene).diameter / 2;
scene.view.scale = scene.fitted * arguments[0];
overlay.findItems();
const box = (text, x, y, wide, high) => [text, x - wide / 2, y - high / 2, x + wide / 2, y + high / 2];
const items = overlay.items.names.map(({place, text, dx, dy, wide}) => { const [x, y] = scene.pixel(place); return box(text, x + dx, y + dy, wide, high); });
const groups = overlay.visibleNames().map(({name, x, y, wide, high}) => box(name.text, x, y, wide, high));
const discs = [];
for (let i = 0; i < scene.cloud.n; ++i) { const [x, y] = scene.pixel(i); discs.push([x, y, radius]); }
const panels = overlay.panels().filter(panel => panel.width > 0).map(panel => ['a panel', panel.left, panel.top, panel.right, panel.bottom]);
return [items, groups, panels, discs, [scene.size.w, scene.size.h]];"""


def overlap(a, b, slack=0.05):
    return a[1] < b[3] - slack and b[1] < a[3] - slack and a[2] < b[4] - slack and b[2] < a[4] - slack


def covers(box, disc, slack=0.05):
    x, y, r = disc
    return math.hypot(min(max(x, box[1]), box[3]) - x, min(max(y, box[2]), box[4]) - y) < r - slack


def violations(points, others, discs, size):
    """What is wrong with boxes of names of points and of other texts."""
    found, boxes = [], points + others
    for i, box in enumerate(boxes):
        if not (box[1] >= 0 and box[2] >= 0 and box[3] <= size[0] and box[4] <= size[1]):
            found.append(f"{box[0]!r} leaves the page")
        found += [f"{box[0]!r} covers {other[0]!r}" for other in boxes[:i] if overlap(box, other)]
    return found + [f"{box[0]!r} covers a disc" for box in points for disc in discs if covers(box, disc)]


def in_picture(browser, svg, ids):
    """(number of names of points, what is wrong with the texts of a picture)."""
    browser.driver.get(svg.as_uri())
    texts, discs = browser.run(TEXTS), browser.run(DISCS)
    names = [text for text in texts if text[0] in ids]
    width, height = browser.run("const {width, height} = document.documentElement.viewBox.baseVal; return [width, height]")
    return len(names), violations(names, [text for text in texts if text[0] not in ids], discs, (width, height))


def in_page(browser, html):
    """The same of a page, by zoom."""
    browser.size(1280, 800)
    browser.open(html.as_uri())
    found = {}
    for zoom in ZOOMS:
        items, groups, panels, discs, size = browser.run(PAGE, zoom)
        covered = [f"{item[0]!r} is below a panel" for item in items for panel in panels if overlap(item, panel)]
        found[zoom] = len(items), violations(items, groups, discs, size) + covered
    return found


def drawn(folder, table, graph=None):
    """A picture and a page of a map with all its names, and its ids."""
    options = ["--graph", str(graph)] if graph else []
    files = [folder / f"{pathlib.Path(table).name}.svg", folder / f"{pathlib.Path(table).name}.html"]
    for file in files:
        subprocess.run([COMMAND, "draw", str(table), "-o", str(file), "--names", "all", "--quiet", *options], check=True)
    with open(table, newline="") as text:
        return *files, {row["id"] for row in csv.DictReader(text)}


class Names(BrowserCase):
    def check(self, table, least, graph=None, ids=None):
        svg, html, own = drawn(self.folder, table, graph)
        count, wrong = in_picture(self.browser, svg, ids or own)
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(count, least)
        for zoom, (count, wrong) in in_page(self.browser, html).items():
            self.assertEqual(wrong, [], zoom)

    def table(self, name, rows, header="id,x,y"):
        path = self.folder / f"{name}.csv"
        path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
        return path

    def made(self, name, source, *arguments):
        path = self.folder / f"{name}.map.csv"
        subprocess.run([COMMAND, *arguments, str(source), "-o", str(path), "--quiet"], check=True)
        return path

    def test_of_words(self):
        self.check(self.made("numbers", SOURCE / "examples/numbers.txt", "mds", "--metric", "edit"), 60)

    def test_of_classes_and_rows(self):
        with gzip.open(SOURCE / "examples/digits.csv.gz", "rt") as digits:
            rows = list(csv.reader(digits))
        table = self.table("digits", [(f"row {i}", *row) for i, row in enumerate(rows[1:])], ",".join(["id", *rows[0]]))
        self.check(self.made("digits", table, "tsne", "--iterations", "250"), 50)

    def test_of_a_graph(self):
        edges = [(f"n{i}", f"n{(i * i + 7) % 60}") for i in range(60)] + [(f"n{i}", f"n{i + 1}") for i in range(59)]
        graph = self.folder / "net.csv"
        graph.write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in edges if a != b))
        self.check(self.made("net", graph, "layout"), 50, graph)

    def test_of_a_tight_row_and_of_points_on_one_place(self):
        self.check(self.table("row", [(f"name {i}", i, i % 2) for i in range(80)]), 20)
        self.check(self.table("one", [(f"name {i}", 0, 0) for i in range(30)] + [("far", 1, 1)]), 1)

    def test_of_long_names_and_long_labels(self):
        rows = [(f"the name of item {i} which is rather long", math.sin(i) * i, math.cos(i * 1.7) * i, f"a label of several words/{i % 9}") for i in range(200)]
        self.check(self.table("long", rows, "id,x,y,label"), 20)

    def test_of_columns_of_other_tables(self):
        rows = [(i, math.sin(i) * i, math.cos(i * 1.7) * i) for i in range(100)]
        table, names = self.table("plain", rows), self.table("names", [(i, f"name of {i}", i) for i in reversed(range(100))], "id,name,size")
        for ending in ("svg", "html"):
            subprocess.run([COMMAND, "draw", str(table), "-o", str(self.folder / f"from.{ending}"), "--names-from", f"{names}:name",
                            "--names-by", f"{names}:size", "--names", "12", "--quiet"], check=True)
        count, wrong = in_picture(self.browser, self.folder / "from.svg", {f"name of {i}" for i in range(100)})
        self.assertEqual((count, wrong), (12, []))
        self.assertEqual({text[0] for text in self.browser.run(TEXTS)} - {f"name of {i}" for i in range(80, 100)}, {"plain, 100 points"})
        self.browser.open((self.folder / "from.html").as_uri())
        self.assertIn("name of 99", self.js("dunlin.overlay.findItems(); return dunlin.overlay.items.names.map(name => name.text)"))
        self.js("dunlin.scene.select(new Uint8Array(100).fill(1))")
        self.assertEqual(self.js("return selectionAsCsv(dunlin.scene)").splitlines()[:2][0], "name,row,x,y")


def main(files):
    """Prints the number of names and of violations in each map."""
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for file in files:
                table, _, graph = file.partition("=")
                svg, html, ids = drawn(pathlib.Path(folder), table, graph)
                count, wrong = in_picture(browser, svg, ids)
                print(f"{table}: picture {count} of {len(ids)} names, {len(wrong)} violations {wrong[:3] or ''}")
                for zoom, (count, wrong) in in_page(browser, html).items():
                    print(f"{table}: page {zoom}x {count} names, {len(wrong)} violations {wrong[:3] or ''}")
    finally:
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-") and os.path.exists(sys.argv[1].partition("=")[0]):
        main(sys.argv[1:])
    else:
        unittest.main()
