# SPDX-License-Identifier: Apache-2.0
"""Landscapes and hulls in pages, in a real browser. DUNLIN_COMMAND names the command."""

import base64
import json
import os
import re
import subprocess
import unittest

from browser import BrowserCase
from maps import MapFile
from view_test import Server

COMMAND = os.environ["DUNLIN_COMMAND"]
HIDE = "for (const id of ['legend', 'foot', 'title', 'note', 'tip', 'over']) document.getElementById(id).style.display = 'none'; "
NO_POINTS = "for (const group of dunlin.scene.groups) group.shown = false; dunlin.scene.changed(); "
TILT = "rotateBy(dunlin.scene, 40, -120); dunlin.pace.request(); "


def at(rows, x, y):
    return tuple(rows[int(y)][3 * int(x):3 * int(x) + 3])


def apart(a, b):
    return max(abs(p - q) for p, q in zip(a, b))


class Relief(BrowserCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.map = MapFile(cls.folder, "map", 3000)
        cls.cube = MapFile(cls.folder, "cube", 1500, dim=3, clusters=3)

    def setUp(self):
        self.browser.size(900, 700)
        self.browser.media(prefers_reduced_motion="reduce", prefers_color_scheme="light")
        self.browser.errors()

    def page(self, *arguments, name="page.html", source=None):
        path = self.folder / name
        subprocess.run([COMMAND, "draw", (source or self.map).path, "-o", path, "--quiet", *arguments], check=True)
        return path

    def landscape(self, *arguments):
        page = self.page("--style", "landscape", *arguments)
        self.browser.open(page.as_uri())
        return page

    def picture(self, script=""):
        self.js(script + "dunlin.pace.request()")
        self.browser.whole()
        return self.browser.pixels()

    def pixel_of(self, row):
        return self.js("const {scene} = dunlin; return scene.pixel(scene.cloud.rows.indexOf(arguments[0]))", row)

    # Landscapes

    def test_plan_has_the_bands_of_the_density(self):
        self.landscape("--no-hillshade", "--no-contours", "--nodes", "300")
        rows = self.picture(HIDE + NO_POINTS)
        samples, levels, colors, water, rise = self.js(
            """const {scene} = dunlin, {relief} = scene, {facts} = relief, samples = [];
            for (let y = 20; y < 680; y += 7) for (let x = 20; x < 880; x += 7) {
              const at = [(x + 0.5 - 450) / scene.view.scale + scene.view.x, (350 - y - 0.5) / scene.view.scale + scene.view.y];
              samples.push([x, y, relief.heightAt(at[0] + scene.center[0], at[1] + scene.center[1]) / relief.lift]);
            }
            return [samples, facts.levels, facts.colors, facts.water, scene.rise];""")
        self.assertEqual(rise, 0)
        counts, wrong = {}, 0
        for x, y, height in samples:
            if height <= water + 1e-9:
                color = at(rows, x, y)
                self.assertGreater(color[2], color[0] + 20)  # water is blue
                counts["water"] = counts.get("water", 0) + 1
                continue
            if min(abs(height - level) for level in levels) < 0.02:
                continue  # lines between bands are smoothed
            band = sum(height >= level for level in levels)
            wanted = tuple(bytes.fromhex(colors[band][1:]))
            counts[band] = counts.get(band, 0) + 1
            wrong += apart(at(rows, x, y), wanted) > 2
        self.assertEqual(wrong, 0)
        self.assertGreaterEqual(len(counts), 6, counts)
        self.assertGreater(counts["water"], sum(counts.values()) / 2)
        self.assertEqual(self.browser.errors(), [])

    def test_water_of_another_percentage(self):
        blue = []
        for percentage in ("95", "50"):
            self.landscape("--water", percentage)
            rows = self.picture(HIDE + NO_POINTS)
            blue.append(sum(row[x + 2] > row[x] + 20 for row in rows for x in range(0, len(row), 12)))
        self.assertGreater(blue[1], 1.05 * blue[0])

    def test_points_and_names_are_on_it(self):
        self.landscape()
        drawn = self.js("return [dunlin.scene.cloud.n, dunlin.scene.peaks.length, dunlin.scene.cloud.ids.length]")
        self.assertEqual(drawn[0], 3000)
        self.assertGreaterEqual(drawn[1], 8)
        self.assertEqual(drawn[2], 3000)
        with_points, without = self.picture(HIDE), self.picture(NO_POINTS)
        changed = sum(a != b for a, b in zip(with_points, without))
        self.assertGreater(changed, 100)
        bands = self.js("return [...document.querySelectorAll('#legend .band')].map(e => e.textContent)")
        self.assertEqual(bands, ["densest 10%", "to 25%", "to 50%", "to 75%", "to 90%", "to 95%", "water, to 99%", "water, beyond"])

    def test_tilt_raises_hills_that_hide_points(self):
        self.landscape()
        plan = self.picture()
        for _ in range(2):
            self.browser.drag([(450, 350), (450, 300), (460, 250)])
        self.browser.whole()
        rise, turn = self.js("return [dunlin.scene.rise * dunlin.scene.view.scale, dunlin.scene.view.turn]")
        self.assertGreater(rise, 40)
        self.assertNotEqual(self.browser.pixels(), plan)
        self.assertGreater(turn[8], 0)
        # The point under the pointer is one that is seen, and near
        found, near, hidden = self.js(
            """const {scene} = dunlin; let found = 0, near = 0, hidden = 0;
            for (let place = 0; place < scene.cloud.n; place += 7) {
              const [x, y] = scene.pixel(place), other = pointAt(scene, x, y);
              if (other < 0) continue;
              const [u, v] = scene.pixel(other), away = Math.hypot(u - x, v - y);
              ++found;
              if (away < 12) ++near;
              else ++hidden;
            }
            return [found, near, hidden];""")
        self.assertGreater(found, 300)
        self.assertGreater(near, 0.5 * found)
        self.assertGreater(hidden, 0)
        # 0 leads back to the plan
        self.browser.key("0")
        self.browser.whole()
        self.assertEqual(self.js("return [dunlin.scene.rise, dunlin.scene.view.turn]"), [0, [1, 0, 0, 0, 1, 0, 0, 0, 1]])
        self.assertEqual(self.picture("hideTip(); "), plan)

    def test_tilt_is_bounded_and_arrows_turn(self):
        self.landscape()
        self.js("document.getElementById('map').focus()")
        for _ in range(30):
            self.browser.key("ArrowUp")
        self.assertEqual(self.js("return dunlin.scene.rise"), 0)
        for _ in range(30):
            self.browser.key("ArrowDown")
        turn = self.js("return dunlin.scene.view.turn")
        self.assertAlmostEqual(turn[5], 0.9636, 3)  # sin 1.3
        self.browser.key("ArrowLeft")
        self.browser.whole()
        self.assertNotEqual(self.js("return dunlin.scene.view.turn"), turn)
        self.assertEqual(self.browser.errors(), [])

    def test_lasso_and_view_select_in_a_tilted_landscape(self):
        self.landscape()
        self.picture(TILT)
        wanted, chosen = self.js(
            """const {scene} = dunlin;
            selectWithin(scene, [[300, 200], [600, 200], [600, 500], [300, 500]]);
            const inside = [...Array(scene.cloud.n).keys()].filter(i => { const [x, y] = scene.pixel(i); return x > 300 && x < 600 && y > 200 && y < 500; });
            return [inside.length, scene.selected];""")
        self.assertGreater(wanted, 50)
        self.assertLessEqual(abs(wanted - chosen), 2)  # on the border

    def test_switched_off_it_is_the_page_of_the_points(self):
        plain = self.page(name="plain.html")
        self.assertEqual(len(re.findall("<script>", plain.read_text())), 1)
        self.browser.open(plain.as_uri())
        self.assertEqual(self.js("return document.getElementById('relief').hidden"), True)
        self.browser.key("h")
        self.assertEqual(self.js("return dunlin.scene.raised"), False)
        self.landscape()
        raised = self.picture(HIDE)
        self.browser.key("h")
        self.browser.whole()
        self.assertEqual(self.js("return [dunlin.scene.raised, dunlin.scene.space, document.getElementById('relief').ariaPressed]"), [False, False, "false"])
        wanted = self.picture()
        self.assertNotEqual(wanted, raised)
        # Also after a turn, and to and fro where the view is kept
        self.browser.key("h")
        self.picture(TILT)
        self.browser.key("h")
        self.browser.whole()
        self.assertEqual(self.picture(), wanted)
        self.picture("zoomAt(dunlin.scene, 3, 300, 200); ")
        before = self.pixel_of(5)
        for _ in range(2):
            self.browser.key("h")
            self.browser.whole()
            after = self.pixel_of(5)
            self.assertAlmostEqual(before[0], after[0], 6)
            self.assertAlmostEqual(before[1], after[1], 6)

    def test_water_moves_unless_stillness_is_preferred(self):
        self.landscape()
        # A picture at rest is the same picture, tilted too; the time is that of the last drawing
        still = self.picture(HIDE + TILT)
        self.browser.run_async("await new Promise(resolve => setTimeout(resolve, 500)); return 1")
        self.assertEqual(self.browser.pixels(), still)
        self.browser.media(prefers_reduced_motion="no-preference")
        first = self.picture()
        self.browser.run_async("await new Promise(resolve => setTimeout(resolve, 1500)); return 1")
        self.assertNotEqual(self.browser.pixels(), first)
        self.assertEqual(self.browser.errors(), [])

    def test_dark_narrow_and_saved(self):
        self.landscape()
        light = self.picture(HIDE + NO_POINTS)
        dark = self.picture("document.getElementById('dark').click(); ")
        self.assertLess(sum(dark[350]), 0.7 * sum(light[350]))
        # The saved picture has the bands below the labels
        for click in ("", "document.getElementById('dark').click(); "):
            bands = self.js(click + """const {scene, painter, overlay} = dunlin, copy = document.createElement('canvas');
                paintPicture(scene, painter, () => { painter.start(lookOf(scene), 1); painter.advance(layers); }, overlay, copy, '');
                const labels = scene.named ? scene.groups.filter(g => g.shown).length : 0, {data} = copy.getContext('2d').getImageData(scene.size.w - 190, 0, 1, scene.size.h);
                return scene.relief.bands(scene.dark).map(({color}, i) => [color, [...data.slice(4 * (30 + 24 * (labels + i))).slice(0, 4)]])""")
            self.assertGreater(len(bands), 3)
            for color, seen in bands:
                self.assertEqual(seen, [*bytes.fromhex(color[1:]), 255])
        self.browser.size(320, 640)
        self.browser.whole()
        rows = self.picture("dunlin.fit(); ")
        self.assertEqual((len(rows[0]), len(rows)), (960, 640))
        self.assertEqual(self.js("return document.documentElement.scrollWidth"), 320)
        saved = self.browser.run_async(
            """const {scene, painter, overlay} = dunlin, paint = () => { painter.start(lookOf(scene), 1); painter.advance(layers); };
            const copy = document.createElement('canvas');
            paintPicture(scene, painter, paint, overlay, copy, '');
            return [...new Uint8Array(await (await pictureOf(copy)).arrayBuffer())].length""")
        self.assertGreater(saved, 5000)
        self.assertEqual(self.browser.errors(), [])

    def test_few_and_equal_points(self):
        for name, text, hills in (("none", "x,y\n", 0), ("one", "x,y\n2,3\n", 1), ("two", "x,y\n2,3\n4,9\n", 1), ("equal", "x,y\n" + "5,5\n" * 300, 1)):
            source = self.folder / f"{name}.csv"
            source.write_text(text)
            if hills == 0:
                process = subprocess.run([COMMAND, "draw", source, "--style", "landscape", "-o", self.folder / "none.html"], capture_output=True, text=True)
                self.assertNotEqual(process.returncode, 0, name)
                continue
            server = Server(source, "--style", "landscape")
            try:
                self.browser.driver.get("about:blank")
                self.browser.open(server.url)
                self.assertEqual(self.js("return document.getElementById('wait').hidden"), True, name)
                rows = self.picture(HIDE + NO_POINTS)
                # All points have the density of the top, so that the land is the tops alone
                blue = sum(row[x + 2] > row[x] + 10 for row in rows for x in range(0, len(row), 3))
                self.assertGreater(blue, 900 * 700 / 2, name)
                self.picture(TILT)
                self.assertEqual(self.browser.errors(), [], name)
            finally:
                server.stop()

    def test_damaged_blocks_are_refused(self):
        text = self.landscape("--nodes", "64").read_text()
        frames = re.findall(r'<script type="text/x-frame">([^<]*)</script>', text)
        relief = next(frame for frame in frames if base64.b64decode(frame)[5] == 7)
        raw = bytearray(base64.b64decode(relief))
        changed = lambda place, value: base64.b64encode(bytes(raw[:place]) + bytes([value]) + bytes(raw[place + 1:])).decode()
        nodes = re.search(r'"nodes":\[(\d+),(\d+)\]', text)
        whole = f'<script type="text/x-frame">{relief}</script>\n'
        damaged = {
            "absent": text.replace(whole, ""), "twice": text.replace(whole, whole + whole), "kind": text.replace(relief, changed(5, 10)),
            "width": text.replace(relief, changed(7, 2)), "count": text.replace(relief, changed(20, raw[20] ^ 1)), "cut": text.replace(relief, base64.b64encode(bytes(raw[:-20])).decode()),
            "bytes": text.replace(relief, changed(90, raw[90] ^ 255)), "nodes": text.replace(nodes[0], f'"nodes":[{nodes[2]},{nodes[1]}1]'),
            "large": text.replace(nodes[0], '"nodes":[8193,8193]'), "thin": text.replace(nodes[0], '"nodes":[1,9]'), "colors": text.replace('"colors":["#7fb0d0",', '"colors":['),
            "levels": re.sub(r'"levels":\[[^,]*,', '"levels":["x",', text),
        }
        for name, page in damaged.items():
            self.assertNotEqual(page, text, name)
            path = self.folder / "damaged.html"
            path.write_text(page)
            self.browser.open(path.as_uri())
            self.assertIn("cannot be shown", self.js("return document.getElementById('wait').textContent"), name)
            self.browser.errors()

    def test_served_on_request(self):
        server = Server(self.map.path)
        try:
            self.assertIn("class Relief", server.get("/relief.js")[1])
            hello, frames = server.hello()
            landscape = hello["facts"]["landscape"]
            self.assertEqual(landscape["shown"], False)
            items = sum(int.from_bytes(frame[20:24], "little") for frame in frames if frame[5] == 7)
            self.assertEqual(items, landscape["nodes"][0] * landscape["nodes"][1])
            server.disconnect()
            self.browser.driver.get("about:blank")
            self.browser.open(server.url)
            before = self.picture(HIDE)
            self.js("document.getElementById('relief').click()")
            self.browser.whole()
            self.assertEqual(self.js("return dunlin.scene.raised"), True)
            self.assertNotEqual(self.browser.pixels(), before)
            self.assertEqual(self.browser.errors(), [])
        finally:
            server.stop()

    # Hulls

    def test_hulls_are_those_of_the_command(self):
        report = self.folder / "hulls.json"
        subprocess.run([COMMAND, "surface", self.cube.path, "--cells", "48", "-o", self.folder / "hulls.ply", "--report", report, "--quiet"], check=True)
        wanted = json.loads(report.read_text())["quality"]["hulls"]
        server = Server(self.cube.path, "--hulls", "--cells", "48")
        try:
            self.browser.driver.get("about:blank")
            self.browser.open(server.url)
            self.assertEqual(self.js("return document.getElementById('wait').hidden"), True, self.js("return document.body.textContent"))
            parts = self.js("return dunlin.scene.facts.hulls")
            self.assertEqual([(part["name"], part["vertices"], part["triangles"]) for part in parts], [(h["name"], h["vertices"], h["triangles"]) for h in wanted])
            # Most points of a label are seen inside its hull
            self.picture(HIDE + "window.tinted = rows => rows; ")
            with_hulls = self.picture(NO_POINTS.replace("false", "true"))
            self.js("document.getElementById('relief').click()")
            self.browser.whole()
            without = self.browser.pixels()
            changed = sum(a[x:x + 3] != b[x:x + 3] for a, b in zip(with_hulls, without) for x in range(0, len(a), 3))
            self.assertGreater(changed, 10000)
            # A hidden label has no hull
            self.js("document.getElementById('relief').click(); dunlin.scene.groups.forEach((group, i) => { group.shown = i === 0; }); dunlin.scene.changed()")
            self.browser.whole()
            one = self.browser.pixels()
            some = sum(1 for row in one for x in range(0, len(row), 3) if row[x:x + 3] != b"\xff\xff\xff")
            self.assertGreater(some, 1000)
            self.assertLess(some, changed)
            blank = self.picture(NO_POINTS)
            self.assertEqual(set(b"".join(blank)), {255})
            self.assertEqual(self.browser.errors(), [])
        finally:
            server.stop()

    def test_hulls_turn_with_their_points(self):
        server = Server(self.cube.path, "--hulls", "--cells", "32")
        try:
            self.browser.driver.get("about:blank")
            self.browser.open(server.url)
            self.js(HIDE)
            for turn in ("", "rotateBy(dunlin.scene, 90, 40); ", "rotateBy(dunlin.scene, -200, 10); "):
                self.picture(turn + NO_POINTS.replace("false", "true"))
                places = self.js("const {scene} = dunlin; return [...Array(150).keys()].map(i => scene.pixel(10 * i))")
                self.js("window.drawn = WebGlPainter.prototype.addPoints; WebGlPainter.prototype.addPoints = () => {}")
                rows = self.picture()
                self.js("WebGlPainter.prototype.addPoints = window.drawn")
                inside = sum(at(rows, x, y) != (255, 255, 255) for x, y in places)
                self.assertGreater(inside, 0.85 * len(places))  # 90% are inside in space
                colored = sum(1 for row in rows for x in range(0, len(row), 3) if row[x:x + 3] != b"\xff\xff\xff")
                self.assertLess(colored, 0.7 * 900 * 700)
        finally:
            server.stop()

    def test_what_does_not_fit_is_refused(self):
        graph = self.folder / "graph.txt"
        graph.write_text("p000000 p000001\n")
        for arguments, words in (([self.map.path, "--hulls"], "3 dimensions"), ([self.cube.path, "--style", "landscape"], "2 dimensions"),
                                 ([self.cube.path, "--share", "50"], "--hulls"), ([self.map.path, "--water", "50"], "style landscape"),
                                 ([self.cube.path, "--hulls", "--cells", "2"], "--cells")):
            process = subprocess.run([COMMAND, "view", *map(str, arguments), "--no-open"], capture_output=True, text=True, timeout=20)
            self.assertEqual(process.returncode, 2, process.stderr)
            self.assertIn(words, process.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
