# SPDX-License-Identifier: Apache-2.0
"""Pointer and keyboard in pages that `dunlin draw -o FILE.html` writes. DUNLIN_COMMAND names the command."""

import os
import unittest

from browser import BrowserCase
from maps import MapFile

COMMAND = os.environ["DUNLIN_COMMAND"]


def inside(corners, x, y):
    result = False
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1]):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            result = not result
    return result


class Hands(BrowserCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.map = MapFile(cls.folder, "map", 5000)
        cls.page = cls.map.draw(COMMAND, ".html").as_uri()

    def setUp(self):
        self.browser.size(800, 700)
        self.browser.media(prefers_color_scheme="light")

    def nearest(self, x, y):
        """The nearest point of the map to a place of the page, by all distances."""
        return self.js(
            """const {scene} = dunlin, {n} = scene.cloud;
            let best = Infinity, found = -1;
            for (let i = 0; i < n; ++i) {
              const [a, b] = scene.pixel(i), d = Math.hypot(a - arguments[0], b - arguments[1]);
              if (d < best) { best = d; found = i; }
            }
            return [best, found]""", x, y)

    def test_hovered_points_are_the_nearest(self):
        for dim in (2, 3):
            page = MapFile(self.folder, f"hover{dim}", 3000, dim=dim).draw(COMMAND, ".html").as_uri()
            self.browser.open(page)
            if dim == 3:
                self.js("rotateBy(dunlin.scene, 50, 70)")
            for i in range(25):
                x, y = 100 + 24 * i, 130 + (i * 137) % 420
                best, found = self.nearest(x, y)
                here = self.js("return dunlin.pointAt(dunlin.scene, arguments[0], arguments[1], 300)", x, y)
                self.assertEqual(here, found if best <= 300 else -1)

    def test_a_click_on_the_name_of_a_label_selects_its_points(self):
        self.browser.open(self.page)
        names = self.js("return dunlin.overlay.visibleNames().map(({name, x, y}) => [name.label, x, y])")
        self.assertGreater(len(names), 0)
        for label, x, y in names:
            self.browser.drag([(x, y)])
            wrong, chosen = self.js(
                """const {scene} = dunlin, {labels} = scene.cloud;
                let wrong = 0;
                for (let i = 0; i < scene.cloud.n; ++i) if ((scene.chosen?.[i] === 1) !== (labels[i] === arguments[0])) ++wrong;
                return [wrong, scene.selected]""", label)
            self.assertEqual(wrong, 0)
            self.assertGreater(chosen, 0)
            self.assertEqual(self.js("return dunlin.scene.marked"), -1)
        self.js("dunlin.overlay.showNames = false")
        x, y = names[0][1:]
        self.assertEqual(self.js("return dunlin.overlay.labelAt(arguments[0], arguments[1])", x, y), -1)

    def test_tip_names_the_point(self):
        self.browser.open(self.page)
        for i in (0, 17, 4999):
            place = self.js("return dunlin.scene.cloud.ids.indexOf(arguments[0])", self.map.ids[i])
            x, y = self.js("return dunlin.scene.pixel(arguments[0])", place)
            self.browser.mouse("mouseMoved", x, y)
            self.browser.until("return document.getElementById('tip').style.display === 'block'")
            hit = self.nearest(x, y)[1]
            text = self.js("return document.getElementById('tip').textContent")
            self.assertIn(self.js("return dunlin.scene.cloud.ids[arguments[0]]", hit), text)
            for got, wanted in zip(self.js("return dunlin.scene.coordinates(arguments[0])", place), self.map.points[i]):
                self.assertAlmostEqual(got, wanted, places=4)
            self.browser.mouse("mouseMoved", 5, 690)

    def test_lasso_has_the_points_of_its_polygon(self):
        for dim in (2, 3):
            page = self.page if dim == 2 else MapFile(self.folder, "lasso3", 3000, dim=3).draw(COMMAND, ".html").as_uri()
            self.browser.open(page)
            corners = [[200, 150], [560, 180], [500, 520], [380, 300], [240, 560]]
            self.browser.key("l", text="l")
            self.browser.drag(corners)
            chosen = set(self.js("return Array.from(dunlin.scene.chosen || []).flatMap((v, i) => v ? [i] : [])"))
            pixels = self.js("return Array.from({length: dunlin.scene.cloud.n}, (_, i) => dunlin.scene.pixel(i))")
            wanted = {i for i, (x, y) in enumerate(pixels) if inside(corners, x, y)}
            self.assertGreater(len(wanted), 100)
            self.assertEqual(chosen, wanted)
            self.assertIn(f"{len(wanted):,} selected", self.js("return document.getElementById('picked').textContent"))
            table = self.js("return selectionAsCsv(dunlin.scene)").splitlines()
            self.assertEqual(table[0], "id,row,label,x,y" + (",z" if dim == 3 else ""))
            self.assertEqual(len(table), len(wanted) + 1)

    def test_keyboard_draws_a_lasso(self):
        for dim in (2, 3):
            self.browser.open(self.page if dim == 2 else MapFile(self.folder, "keys3", 3000, dim=3).draw(COMMAND, ".html").as_uri())
            view, middle = self.js("const {view: {x, y, scale, turn}} = dunlin.scene; return [x, y, scale, ...turn]"), self.js("return [innerWidth / 2, innerHeight / 2]")
            state = "return [dunlin.scene.lasso.length, dunlin.scene.selected, document.getElementById('lasso').getAttribute('aria-pressed')]"
            # Escape, and L again, end a lasso without a selection
            for ending in ({"key": "Escape"}, {"key": "l", "text": "l"}):
                self.browser.key("l", text="l")
                self.browser.key("Enter")
                self.browser.move_cross(0, 20)
                self.browser.key("Enter")
                self.assertEqual(self.js(state), [2, 0, "true"])
                self.browser.key(**ending)
                self.assertEqual(self.js(state), [0, 0, "false"])
                self.browser.key("Tab", modifiers=1)  # any key: the cross is not there when no tool is on
                self.assertIsNone(self.js("return dunlin.overlay.cross"))
            corners = [middle]
            self.browser.key("l", text="l")
            self.assertEqual(self.js("const {x, y} = dunlin.overlay.cross; return [x, y]"), middle)
            self.browser.key("Enter")
            # A key that is held sets no second corner, which would end the lasso
            self.browser.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "autoRepeat": True})
            for across, down in ((123, 0), (0, 141), (-160, -90)):
                self.browser.move_cross(across, down)
                self.browser.key("Enter")
                corners.append([corners[-1][0] + across, corners[-1][1] + down])
            self.assertEqual(self.js("return dunlin.scene.lasso"), corners)
            self.browser.key("Enter")
            self.assertEqual(self.js("return dunlin.scene.lasso"), [])
            chosen = set(self.js("return Array.from(dunlin.scene.chosen || []).flatMap((v, i) => v ? [i] : [])"))
            pixels = self.js("return Array.from({length: dunlin.scene.cloud.n}, (_, i) => dunlin.scene.pixel(i))")
            self.assertEqual(chosen, {i for i, (x, y) in enumerate(pixels) if inside(corners, x, y)})
            self.assertGreater(len(chosen), 10)
            # The map has not moved; afterwards arrows move it again
            self.assertEqual(self.js("const {view: {x, y, scale, turn}} = dunlin.scene; return [x, y, scale, ...turn]"), view)
            self.browser.key("ArrowRight")
            self.assertNotEqual(self.js("const {view: {x, y, scale, turn}} = dunlin.scene; return [x, y, scale, ...turn]"), view)

    def test_keyboard_reaches_everything(self):
        self.browser.open(self.page)
        # Before anything has the focus
        self.browser.key("v", text="v")
        self.assertGreater(self.js("return dunlin.scene.selected"), 0)
        self.browser.key("Enter")
        self.browser.until("return dunlin.scene.marked >= 0")
        self.browser.key("Escape")
        self.js("document.querySelector('#legend button').focus()")
        self.browser.key("v", text="v")
        self.assertGreater(self.js("return dunlin.scene.selected"), 0)
        self.browser.key("Escape")
        self.browser.key("Enter", modifiers=8)
        self.assertEqual(self.js("return dunlin.scene.groups.map(g => g.shown)"), [True] + [False] * 7)
        self.browser.key("Enter", modifiers=8)
        self.assertEqual(self.js("return dunlin.scene.groups.map(g => g.shown)"), [True] * 8)
        self.js("document.activeElement.blur()")
        reached = set()
        for _ in range(40):
            self.browser.key("Tab")
            reached.add(self.js("return document.activeElement.id || document.activeElement.parentElement.id"))
        for wanted in ("map", "legend", "search", "all", "lasso", "names", "list", "dark", "picture", "help"):
            self.assertIn(wanted, reached)
        self.js("document.getElementById('map').focus()")
        before = self.js("return [dunlin.scene.view.x, dunlin.scene.view.scale]")
        self.browser.key("ArrowRight")
        self.browser.key("+", text="+")
        after = self.js("return [dunlin.scene.view.x, dunlin.scene.view.scale]")
        self.assertGreater(after[0], before[0])
        self.assertGreater(after[1], before[1])
        self.browser.key("Enter")
        self.browser.until("return dunlin.scene.marked >= 0 && !document.getElementById('card').hidden")
        self.browser.key("v", text="v")
        self.assertGreater(self.js("return dunlin.scene.selected"), 0)
        self.browser.key("Escape")
        self.assertEqual(self.js("return [dunlin.scene.marked, dunlin.scene.selected]"), [-1, 0])
        self.browser.key("/", text="/")
        self.assertEqual(self.js("return document.activeElement.id"), "search")

    def test_a_narrow_page_is_usable(self):
        self.browser.size(320, 568)
        self.browser.open(self.page)
        boxes = self.js("return [...document.querySelectorAll('#tools button, #search')].filter(e => e.offsetWidth).map(e => [e.id, e.getBoundingClientRect().left, e.getBoundingClientRect().right, e.offsetHeight])")
        for name, left, right, height in boxes:
            self.assertGreaterEqual(left, 0, name)
            self.assertLessEqual(right, 320, name)
            self.assertGreaterEqual(height, 24, name)
        self.js("document.getElementById('list').click()")
        self.assertLessEqual(self.js("return document.getElementById('legend').getBoundingClientRect().right"), 320)
        self.browser.key("?", text="?")
        top, bottom = self.js("const {top, bottom} = document.getElementById('keys').getBoundingClientRect(); return [top, bottom]")
        self.assertGreaterEqual(top, 0)
        self.assertLessEqual(bottom, 568)
        # The line about the selection is below legend and card
        self.browser.key("Escape")
        self.browser.key("v", text="v")
        self.browser.key("Enter")
        self.browser.until("return dunlin.scene.marked >= 0")
        bottoms = self.js("return ['legend', 'card', 'picked'].map(id => document.getElementById(id).getBoundingClientRect()).map(({top, bottom}, i) => i < 2 ? bottom : top)")
        self.assertLessEqual(max(bottoms[:2]), bottoms[2])


if __name__ == "__main__":
    unittest.main(verbosity=2)
