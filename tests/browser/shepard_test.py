# SPDX-License-Identifier: Apache-2.0
"""The Shepard diagram of a served map, and its brush. DUNLIN_COMMAND names the command."""

import json
import math
import random
import unittest

from browser import BrowserCase
from maps import MapFile
from view_test import Server

COLUMNS = 48


class Diagram(BrowserCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # 120 points have 7,140 pairs, all of which are in the diagram; the map tears off points 3 and 90
        cls.map = MapFile(cls.folder, "map", 120, clusters=1)
        source = random.Random(3)
        cls.data = [[float(f"{v:.4f}") for v in (x, y, source.gauss(0, 0.1))] for x, y in cls.map.points]
        cls.torn = (3, 90)
        points = cls.folder / "points.csv"
        rows = cls.map.path.read_text().splitlines()
        for row in cls.torn:
            cls.map.points[row][0] += 5
            name, _, *rest = rows[row + 1].split(",")
            rows[row + 1] = ",".join([name, f"{cls.map.points[row][0]:.5f}", *rest])
        cls.map.path.write_text("\n".join(rows) + "\n")
        points.write_text("a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in cls.data))
        cls.server = Server(cls.map.path, "--of", points)
        cls.addClassCleanup(cls.server.stop)
        cls.pairs = [(math.dist(cls.data[i], cls.data[j]), math.dist(cls.map.points[i], cls.map.points[j]), i, j) for i in range(120) for j in range(i + 1, 120)]
        cls.most = [max(pair[axis] for pair in cls.pairs) for axis in (0, 1)]

    def open(self):
        self.browser.errors()
        self.browser.size(900, 700)
        self.browser.driver.get("about:blank")
        self.browser.open(self.server.url)
        self.js("dunlin.shepard.button.click()")
        self.browser.until("return dunlin.shepard.diagram !== null")

    def cell(self, pair):
        return tuple(min(int(pair[axis] / self.most[axis] * COLUMNS), COLUMNS - 1) for axis in (0, 1))

    def selected(self):
        return sorted(self.js("const {chosen, cloud} = dunlin.scene; return Array.from(cloud.rows).filter((_, i) => chosen?.[i])"))

    def until_said(self, words):
        self.browser.until(f"return dunlin.shepard.said.textContent.includes('{words}')")

    def test_cells_count_the_pairs(self):
        self.open()
        diagram = self.js("return dunlin.shepard.diagram")
        self.assertEqual([diagram["pairs"], diagram["of"], diagram["columns"]], [len(self.pairs), 120, COLUMNS])
        for axis in (0, 1):
            self.assertLess(abs(diagram["most"][axis] - self.most[axis]), 1e-4)
        wanted = [0] * COLUMNS ** 2
        for pair in self.pairs:
            column, row = self.cell(pair)
            wanted[row * COLUMNS + column] += 1
        # Pairs at the border of two cells may be in either
        self.assertLess(sum(abs(a - b) for a, b in zip(diagram["cells"], wanted)), 0.01 * len(self.pairs))
        self.assertEqual(sum(diagram["cells"]), len(self.pairs))

    def test_brushing_selects_the_points_of_the_pairs(self):
        self.open()
        box = self.js("const b = dunlin.shepard.canvas.getBoundingClientRect(), [l, t, w, h] = dunlin.shepard.area; return [b.left + l, b.top + t, w, h]")
        at = lambda column, row: (box[0] + box[2] * (column + 0.5) / COLUMNS, box[1] + box[3] * (1 - (row + 0.5) / COLUMNS))
        self.browser.drag([at(0, 47), at(10, 40), at(12, 30)])
        self.until_said("most of them have")
        self.assertEqual(self.js("return dunlin.shepard.brush"), [0, 30, 12, 47])
        inside = [pair for pair in self.pairs if self.cell(pair)[0] <= 12 and self.cell(pair)[1] >= 30]
        sure = [pair for pair in self.pairs if pair[0] / self.most[0] * COLUMNS < 12.99 and pair[1] / self.most[1] * COLUMNS > 30.01]
        self.assertGreater(len(sure), 20)
        selected = set(self.selected())
        self.assertTrue({row for pair in sure for row in pair[2:]} <= selected)
        self.assertLessEqual(len(selected), len({row for pair in inside for row in pair[2:]}) + 2)
        # Those that are torn off have the most of these pairs
        self.assertEqual(set(self.js("return [...dunlin.shepard.often.querySelectorAll('button')].slice(0, 2).map(b => b.textContent)")), {self.map.ids[row] for row in self.torn})
        lines = self.js("const s = dunlin.scene; return s.pairs.map(place => s.cloud.rows[place])")
        self.assertLessEqual(len(lines), 400)
        self.assertTrue(set(lines) <= selected)
        # A name leads to its point; Escape clears points and lines
        self.js("dunlin.shepard.often.querySelector('button').click()")
        self.browser.until("return dunlin.scene.marked >= 0")
        self.assertIn(self.js("return dunlin.scene.cloud.rows[dunlin.scene.marked]"), self.torn)
        self.browser.key("Escape")
        self.assertEqual(self.js("return [dunlin.scene.selected, dunlin.scene.pairs.length]"), [0, 0])
        self.assertEqual(self.browser.errors(), [])

    def test_buttons_and_keys_do_what_the_pointer_does(self):
        self.open()
        ratios = sorted(self.pairs, key=lambda pair: pair[1] / pair[0] if pair[0] > 0 else math.inf)
        for words, wanted in (("too far apart", ratios[-72:]), ("too close", ratios[:72])):
            self.js("[...dunlin.shepard.panel.querySelectorAll('button')].find(b => b.textContent === arguments[0]).click()", words)
            self.browser.until(f"return dunlin.shepard.said.textContent.startsWith('72 pairs') && dunlin.scene.selected === {len({row for pair in wanted for row in pair[2:]})}")
            self.assertEqual(self.selected(), sorted({row for pair in wanted for row in pair[2:]}))
        # By keys only: G closes and opens, Tab leads to the diagram, arrows move the brush
        self.js("document.activeElement.blur()")
        for hidden in (True, False):
            self.browser.key("g", "KeyG", "g")
            self.browser.until(f"return dunlin.shepard.panel.hidden === {str(hidden).lower()}")
        self.js("dunlin.shepard.canvas.focus()")
        view = self.js("return {...dunlin.scene.view}")
        self.browser.key("ArrowDown")
        self.browser.until("return String(dunlin.shepard.brush) === '0,36,11,47' && dunlin.scene.selected > 0")
        self.browser.key("ArrowDown")
        self.browser.key("ArrowRight")
        self.browser.until("return String(dunlin.shepard.brush) === '1,35,12,46'")
        self.js("dunlin.shepard.canvas.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowUp', shiftKey: true}))")
        self.browser.until("return String(dunlin.shepard.brush) === '1,35,12,47'")
        self.assertEqual(self.js("return {...dunlin.scene.view}"), view)

    def test_cells_have_the_colors_of_the_page(self):
        self.open()
        brightness = "const c = dunlin.shepard.canvas, d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let most = 0, least = 255; for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 200) { most = Math.max(most, d[i]); least = Math.min(least, d[i]); } return [least, most]"
        self.assertLess(self.js(brightness)[0], 60)
        self.js("document.getElementById('dark').click()")
        self.browser.until("return document.documentElement.classList.contains('dark')")
        self.browser.whole()
        self.assertGreater(self.js(brightness)[1], 200)

    def test_wrong_questions_are_answered_with_errors(self):
        self.server.hello()
        for asked in ({"cells": 3}, {"cells": [0, 0, 48, 1]}, {"cells": [0, -1, 2, 3]}, {"cells": [0, 1, 2]}, {"cells": [0.5, 1, 2, 3]}, {"worst": "best"}, {"worst": 1}, {"cells": None}):
            self.server.message(json.dumps({"ask": "shepard", "serial": 1, **asked}).encode())
            self.assertIn("error", json.loads(self.server.received()[1]), asked)
        # Cells in the wrong order have no pairs
        self.server.message(json.dumps({"ask": "shepard", "serial": 2, "cells": [9, 9, 3, 3]}).encode())
        answer = json.loads(self.server.received()[1])
        self.assertEqual([answer["pairs"], answer["places"], answer["lines"], answer["often"]], [0, [], [], []])
        self.server.disconnect()

    def test_few_equal_and_many_points(self):
        def ask(name, rows, data):
            path = self.folder / f"{name}.csv"
            path.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
            points = self.folder / f"{name}.points.csv"
            points.write_text("a,b\n" + "".join(f"{x},{y}\n" for x, y in data))
            server = Server(path, "--of", points)
            try:
                server.hello()
                answers = []
                for asked in ({}, {"worst": "apart"}, {"worst": "together"}, {"cells": [0, 0, 47, 47]}):
                    server.message(json.dumps({"ask": "shepard", "serial": 1, **asked}).encode())
                    answers.append(json.loads(server.received()[1]))
                return answers
            finally:
                server.stop()
        one = ask("one", [(1, 2)], [(0, 0)])
        self.assertEqual([answer["pairs"] for answer in one], [0, 0, 0, 0])
        two = ask("two", [(0, 0), (3, 4)], [(0, 0), (0, 2)])
        self.assertEqual([two[0]["pairs"], two[0]["most"]], [1, [2, 5]])
        self.assertEqual([sorted(answer["places"]) for answer in two[1:]], [[0, 1]] * 3)
        equal = ask("equal", [(1, 1)] * 30, [(2, 2)] * 30)
        self.assertEqual([equal[0]["pairs"], equal[1]["pairs"], equal[3]["pairs"]], [435, 0, 435])
        source = random.Random(5)
        places = [(source.random(), source.random()) for _ in range(30000)]
        many = ask("many", places, places)
        self.assertEqual(many[0]["of"], 20000)
        self.assertGreater(many[0]["pairs"], 49000)
        self.assertLessEqual(many[0]["pairs"], 50000)
        self.assertEqual(sum(many[0]["cells"]), many[0]["pairs"])
        self.assertEqual(many[3]["pairs"], many[0]["pairs"])
        # A perfect map: all pairs are on the diagonal, but for rounding
        self.assertGreaterEqual(sum(many[0]["cells"][49 * i] for i in range(COLUMNS)), many[0]["pairs"] - 50)

    def test_only_maps_whose_data_are_known_have_one(self):
        server = Server(self.map.path)
        try:
            hello, _ = server.hello()
            self.assertFalse(hello["server"]["shepard"])
            server.message(b'{"ask":"shepard","serial":1}')
            self.assertIn("--of", json.loads(server.received()[1])["error"])
            server.disconnect()
            self.browser.open(server.url)
            self.assertTrue(self.js("return dunlin.shepard.button.hidden"))
        finally:
            server.stop()
        self.browser.errors()


if __name__ == "__main__":
    unittest.main(verbosity=2)
