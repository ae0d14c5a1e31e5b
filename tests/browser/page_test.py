# SPDX-License-Identifier: Apache-2.0
"""Pages that `dunlin draw -o FILE.html` writes, in a real browser. DUNLIN_COMMAND names the command."""

import math
import os
import pathlib
import re
import subprocess
import unittest

from browser import BrowserCase, decode
from maps import MapFile

COMMAND = os.environ["DUNLIN_COMMAND"]
NEAR, FAR = 2, 8  # of 255: mean difference of pictures, and difference of 99% of their pixels


def difference(page, png, box):
    """Mean difference, and the 99% quantile of the largest difference of a pixel's channels, within a box of pixels."""
    left, top, right, bottom = box
    mean, largest = 0, []
    for y in range(top, bottom):
        a, b = page[y], png[y]
        for x in range(3 * left, 3 * right, 3):
            d = abs(a[x] - b[x]), abs(a[x + 1] - b[x + 1]), abs(a[x + 2] - b[x + 2])
            mean += sum(d) / 3
            largest.append(max(d))
    largest.sort()
    return mean / len(largest), largest[int(0.99 * (len(largest) - 1))]


class Page(BrowserCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.map = MapFile(cls.folder, "map", 5000)
        cls.page = cls.map.draw(COMMAND, ".html").as_uri()

    def setUp(self):
        self.browser.size(800, 700)
        self.browser.media(prefers_color_scheme="light")

    def test_opens_without_errors_and_asks_for_nothing_else(self):
        self.browser.errors()
        self.browser.open(self.page)
        self.assertEqual(self.browser.errors(), [])
        self.assertEqual([url for url in self.browser.requests() if not url.startswith("data:")], [self.page])
        self.assertIn("WebGL 2", self.js("return dunlin.painter.name"))
        # The help names what draws
        card = self.js("const gl = document.createElement('canvas').getContext('webgl2'); return gl.getParameter(gl.getExtension('WEBGL_debug_renderer_info').UNMASKED_RENDERER_WEBGL)")
        self.browser.key("?", text="?")
        self.assertEqual(self.js("return document.querySelector('#keys > div').textContent"), "drawn by WebGL 2, " + card)
        self.assertEqual(self.js("return dunlin.scene.cloud.n"), 5000)
        self.assertEqual(self.js("return document.title"), "map, 5000 points")

    def same_view(self, map_file, *arguments):
        """Opens the page with the view, style and size of the PNG; returns both pictures and the box of the plot."""
        size = ["--width", "700", "--height", "700", "--no-label-names", "--point-size", "5", *arguments]
        png = decode(map_file.draw(COMMAND, ".png", *size).read_bytes())
        svg = map_file.draw(COMMAND, ".svg", *size).read_text()
        page = map_file.draw(COMMAND, ".html", *size)
        circles = [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg)]
        # The legend has circles, too: it is right of the points
        count = len(map_file.points)
        circles = sorted(circles)[:count]
        xs, ys = [p[0] for p in map_file.points], [p[1] for p in map_file.points]
        left, right = min(c[0] for c in circles), max(c[0] for c in circles)
        top, bottom = min(c[1] for c in circles), max(c[1] for c in circles)
        scale = (right - left) / (max(xs) - min(xs))
        self.browser.size(700, 700)
        self.browser.open(page.as_uri())
        self.js(
            """for (const id of ['legend', 'foot', 'title', 'tip', 'over']) document.getElementById(id).style.display = 'none';
            const {scene, pace} = dunlin, {origin, step} = scene.cloud, [scale, x, y, px, py] = arguments;
            scene.view.scale = scene.fitted = scale * step;
            scene.view.x = (x - origin[0]) / step - (px - 350) / scene.view.scale;
            scene.view.y = (y - origin[1]) / step + (py - 350) / scene.view.scale;
            pace.request();""",
            scale, min(xs), max(ys), left, top)
        self.browser.whole()
        box = int(left) - 8, int(top) - 8, math.ceil(right) + 8, math.ceil(bottom) + 8
        return self.browser.pixels(), png, box

    def test_shows_the_picture_of_the_png(self):
        for name, options in (("overlaps", ["--alpha", "0.6"]), ("shaded", [])):
            with self.subTest(name):
                page, png, box = self.same_view(MapFile(self.folder, name, 4000, seed=3), *options)
                mean, most = difference(page, png, box)
                self.assertLessEqual(mean, NEAR)
                self.assertLessEqual(most, FAR)

    def test_counts_all_points_of_a_pixel(self):
        # Half of the points of one place have another label. Half floats would stop at 2,048, with the color of the first
        map_file = MapFile(self.folder, "same", 300, same_place=[((20, 20), 5000)])
        for chunks in (False, True):
            with self.subTest(chunks=chunks):
                page, png, box = self.same_view(map_file, "--alpha", "0.5")
                if chunks:
                    self.js("WebGlPainter.few = 0; dunlin.painter.resize(); dunlin.pace.request()")
                    self.browser.whole()
                    page = self.browser.pixels()
                    self.assertEqual(self.js("return dunlin.painter.chunk !== null"), True)
                x, y = box[2] - 8, box[1] + 8
                mean, most = difference(page, png, (x - 3, y - 3, x + 2, y + 2))
                self.assertLessEqual(most, FAR)
                self.assertNotEqual(png[y][3 * x:3 * x + 3], b"\xff\xff\xff")

    def test_half_floats_are_used_only_where_they_count_well(self):
        # Any pixel of a page of 100,000 points spread evenly has few of them; of 100,000 at one place, all
        even = self.folder / "even.csv"
        even.write_text("x,y\n" + "".join(f"{i % 400},{i // 400}\n" for i in range(100000)))
        place = self.folder / "place.csv"
        place.write_text("x,y\n0,0\n9,9\n" + "1,1\n" * 99998)
        for path, layers in ((even, 16), (place, 0)):
            page = path.with_suffix(".html")
            os.spawnv(os.P_WAIT, COMMAND, ["dunlin", "draw", str(path), "-o", str(page), "--quiet"])
            self.browser.open(page.as_uri())
            self.js("WebGlPainter.few = 0; dunlin.painter.resize(); dunlin.pace.request()")
            self.browser.whole()
            self.assertEqual(self.js("return dunlin.painter.perChunk"), layers)

    def test_search_finds_ids_labels_and_rows(self):
        self.browser.open(self.page)
        texts = lambda text: [hit["text"] for hit in self.js("return search(dunlin.scene, arguments[0])", text)]
        self.assertEqual(texts("P004999"), ["p004999"])
        self.assertEqual(texts("kind 3"), ["kind 3"])
        self.assertEqual(texts(" "), [])
        self.assertEqual(texts("nothing of this"), [])
        self.assertEqual(len(texts("p0")), 8)
        # Ids need not differ
        self.assertEqual(self.js("return search({facts: {names: []}, cloud: {ids: Array(100).fill('Same'), n: 100}}, 'same').map(hit => hit.place)"), list(range(8)))
        # A text that is all that is wanted comes before others that have it
        words = self.folder / "words.csv"
        words.write_text("id,x,y,label\n" + "".join(f"{i},{i},{i * i},{word}\n" for i, word in enumerate("smart party cart tart dart mart part chart art a7 b7 c7 d7 e7 f7 g7 h7".split())))
        os.spawnv(os.P_WAIT, COMMAND, ["dunlin", "draw", str(words), "-o", str(words.with_suffix(".html")), "--quiet"])
        self.browser.open(words.with_suffix(".html").as_uri())
        self.assertEqual(texts("Art")[0], "art")
        self.assertEqual(len(texts("art")), 8)
        self.assertEqual(texts("7")[0], "7")
        self.assertEqual(len(texts("7")), 8)
        self.js("follow(dunlin.scene, search(dunlin.scene, 'tart')[0], () => {})")
        self.assertEqual(self.js("return dunlin.scene.hits.map(place => dunlin.scene.cloud.ids[place])"), ["3"])
        self.browser.key("Escape")
        self.assertEqual(self.js("return [dunlin.scene.hits.length, dunlin.scene.selected]"), [0, 0])
        self.browser.open(self.page)
        self.js("follow(dunlin.scene, search(dunlin.scene, 'kind 3')[0], () => {})")
        self.assertEqual(self.js("return [dunlin.scene.selected, dunlin.scene.hits.length]"), [self.map.labels.count("kind 3"), 0])
        bare = self.folder / "bare.csv"
        bare.write_text("x,y\n" + "".join(f"{i},{i * i}\n" for i in range(50)))
        os.spawnv(os.P_WAIT, COMMAND, ["dunlin", "draw", str(bare), "-o", str(bare.with_suffix(".html")), "--quiet"])
        self.browser.open(bare.with_suffix(".html").as_uri())
        place = self.js("return search(dunlin.scene, '49')[0].place")
        self.assertAlmostEqual(self.js("return dunlin.scene.coordinates(arguments[0])[1]", place), 49 * 49, places=2)

    def test_hidden_labels_are_neither_seen_nor_hovered(self):
        self.browser.open(self.page)
        self.js("document.querySelectorAll('#legend button').forEach((b, i) => { if (i) b.click(); })")
        self.browser.whole()
        shown = self.js("return dunlin.scene.groups.map(g => g.shown)")
        self.assertEqual(shown, [True] + [False] * 7)
        for i in range(10):
            place = self.js("return dunlin.pointAt(dunlin.scene, 80 * arguments[0], 350, 1000)", i)
            self.assertEqual(self.js("return dunlin.scene.cloud.groupOf[arguments[0]]", place), 0)

    def test_names_of_labels_do_not_touch_at_any_zoom(self):
        self.browser.open(self.page)
        for zoom in (1, 1.7, 3, 9):
            boxes = self.js(
                """dunlin.scene.view.scale = dunlin.scene.fitted * arguments[0];
                return dunlin.overlay.visibleNames().map(n => [n.x, n.y, n.wide, n.high])""", zoom)
            for i, a in enumerate(boxes):
                for b in boxes[:i]:
                    self.assertTrue(abs(a[0] - b[0]) >= (a[2] + b[2]) / 2 - 0.01 or abs(a[1] - b[1]) >= (a[3] + b[3]) / 2 - 0.01)
        self.js("dunlin.fit()")
        self.assertGreater(len(self.js("return dunlin.overlay.visibleNames().map(n => n.x)")), 3)

    def test_names_of_labels_are_on_each_piece_and_small_or_gray_ones_wait(self):
        rows, places = [], [(10 * math.cos(k), 10 * math.sin(k)) for k in range(25)]
        for i in range(4000):  # 25 labels, of which 6 are gray; the largest has two pieces
            k = 0 if i % 3 == 0 else i % 25
            x, y = (30, 0) if k == 0 and i % 2 else places[k]
            rows.append((x + 0.3 * math.sin(i * 1.3), y + 0.3 * math.sin(i * 2.7), f"kind {k}"))
        rows += [(-30, 0.02 * i, "pair") for i in range(2)]
        table = self.folder / "pieces.csv"
        table.write_text("x,y,label\n" + "".join(f"{x},{y},{label}\n" for x, y, label in rows))
        subprocess.run([COMMAND, "draw", str(table), "-o", str(table.with_suffix(".html")), "--quiet"], check=True)
        self.browser.open(table.with_suffix(".html").as_uri())
        shown = "return dunlin.overlay.visibleNames().map(n => n.name.text)"
        names = self.js(shown)
        self.assertEqual(names.count("kind 0"), 2)
        self.assertNotIn("pair", names)
        gray = {name for name, group in self.js("const {facts} = dunlin.scene; return facts.names.map((name, i) => [name, facts.groups[facts.groupOfLabel[i]].name])") if group.startswith("other")}
        self.assertGreaterEqual(len(gray), 6)
        self.assertEqual(gray & set(names), set())
        self.js("const {scene} = dunlin, {place} = scene.peaks.find(peak => scene.facts.names[peak.label] === 'pair'); [scene.view.x, scene.view.y] = place; scene.view.scale = 3000 * scene.fitted")
        self.assertIn("pair", self.js(shown))

    def test_names_of_points_cover_no_name_and_no_disc_at_any_zoom(self):
        bare = self.folder / "words.csv"
        bare.write_text("id,x,y\n" + "".join(f"{'w' * (1 + i % 11)}{i},{math.sin(i * i) * i},{math.cos(3 * i) * i}\n" for i in range(2000)))
        subprocess.run([COMMAND, "draw", str(bare), "-o", str(bare.with_suffix(".html")), "--quiet"], check=True)
        self.browser.open(bare.with_suffix(".html").as_uri())
        for zoom in (1, 8, 64):
            names, discs, size = self.js(
                """const {scene, overlay} = dunlin;
                scene.view.scale = scene.fitted * arguments[0];
                overlay.findItems();
                const discs = [];
                for (let i = 0; i < scene.cloud.n; ++i) discs.push(scene.pixel(i));
                const high = 0.8 * overlay.fontSize();
                return [overlay.items.names.map(({place, dx, dy, wide}) => { const [x, y] = scene.pixel(place); return [x + dx, y + dy, wide, high]; }),
                        discs, [scene.size.w, scene.size.h, dunlin.lookOf(scene).diameter / 2]]""", zoom)
            wide, high, radius = size
            self.assertGreater(len(names), 20 if zoom == 1 else 5 if zoom == 8 else 0)
            for i, (x, y, w, h) in enumerate(names):
                self.assertTrue(0 <= x - w / 2 and x + w / 2 <= wide and 0 <= y - h / 2 and y + h / 2 <= high)
                for a, b, v, u in names[:i]:
                    self.assertTrue(abs(x - a) >= (w + v) / 2 - 0.01 or abs(y - b) >= (h + u) / 2 - 0.01)
                for a, b in discs:
                    self.assertTrue(abs(x - a) >= w / 2 + radius - 0.01 or abs(y - b) >= h / 2 + radius - 0.01)
        # N: also names of points; of labels alone, of which there are none here; none
        shown = "return [dunlin.overlay.showNames, dunlin.overlay.showItems]"
        self.assertEqual(self.js(shown), [True, True])
        self.browser.key("n", text="n")
        self.assertEqual(self.js(shown), [True, False])
        self.browser.key("n", text="n")
        self.assertEqual(self.js(shown), [False, False])
        self.browser.key("n", text="n")
        self.assertEqual(self.js(shown), [True, True])

    def test_layers_are_a_permutation(self):
        for n in (0, 1, 15, 16, 17, 1000):
            order = self.js("return Array.from(inLayers(Uint32Array.from({length: arguments[0]}, (_, i) => i), 1, new Uint32Array(arguments[0]), arguments[0]))", n)
            self.assertEqual(sorted(order), list(range(n)))

    def test_layers_are_fair_samples(self):
        self.browser.open(self.page)
        counts = self.js(
            """const {cloud, starts} = dunlin.scene, labels = inLayers(cloud.labels, 1, new Uint8Array(cloud.n), cloud.n);
            return [2, 16].map(l => Array.from({length: 8}, (_, k) => labels.subarray(0, starts[l]).filter(v => v === k).length))""")
        for some, all_of_it in zip(*counts):
            self.assertAlmostEqual(some, all_of_it / 8, delta=4 + 3 * math.sqrt(all_of_it / 8) / 2)

    def test_zoomed_in_only_what_is_seen_is_drawn(self):
        page = MapFile(self.folder, "zoom", 60000).draw(COMMAND, ".html").as_uri()
        self.browser.open(page)
        self.assertEqual(self.js("return dunlin.painter.vertices > 0"), True)
        self.js("goTo(dunlin.scene, 7, 30); dunlin.pace.request()")
        self.browser.whole()
        seen = self.js(
            """const {scene} = dunlin; let count = 0;
            for (let i = 0; i < scene.cloud.n; ++i) { const [x, y] = scene.pixel(i); count += x >= 0 && y >= 0 && x <= scene.size.w && y <= scene.size.h; }
            dunlin.painter.start(dunlin.lookOf(scene), 1); dunlin.painter.advance(16);
            return [count, dunlin.painter.vertices]""")
        self.assertGreaterEqual(seen[1], seen[0])
        self.assertLess(seen[1], 60000 / 4)

    def test_dark_pages_are_dark(self):
        self.browser.media(prefers_color_scheme="dark")
        self.browser.open(self.page)
        self.assertLess(sum(self.browser.pixels()[350][:3]), 120)
        self.js("document.getElementById('dark').click()")
        self.browser.whole()
        self.assertEqual(self.browser.pixels()[350][:3], b"\xff\xff\xff")
        path = self.folder / "always.csv"
        path.write_text("x,y,label\n0,0,a\n1,1,b\n")
        os.spawnv(os.P_WAIT, COMMAND, ["dunlin", "draw", str(path), "-o", str(path.with_suffix(".html")), "--quiet", "--dark"])
        self.browser.media(prefers_color_scheme="light")
        self.browser.open(path.with_suffix(".html").as_uri())
        self.assertLess(sum(self.browser.pixels()[350][:3]), 120)

    def test_text_of_the_data_is_text(self):
        path = self.folder / "text.csv"
        path.write_text('id,x,y,label\n<b id="evil">1</b>,0,0,<script>window.evil = 1</script>\n</script>,1,1,b\n')
        os.spawnv(os.P_WAIT, COMMAND, ["dunlin", "draw", str(path), "-o", str(path.with_suffix(".html")), "--quiet", "--title", "<i>t</i>"])
        self.browser.open(path.with_suffix(".html").as_uri())
        self.assertEqual(self.js("return [document.getElementById('title').textContent, window.evil === undefined, document.getElementById('evil')]"), ["<i>t</i>", True, None])
        names = self.js("return [...document.querySelectorAll('#legend span')].map(s => s.textContent)")
        self.assertEqual(names, ["<script>window.evil = 1</script>", "b"])
        # The policy of the page refuses other scripts
        self.js("const s = document.createElement('script'); s.textContent = 'window.evil = 2'; document.body.append(s)")
        self.assertEqual(self.js("return window.evil === undefined"), True)
        self.browser.errors()

    def picture(self):
        """Rows of the picture that the page saves."""
        return decode(self.browser.run_async(
            """const {scene, painter, overlay} = dunlin;
            const copy = document.createElement('canvas');
            paintPicture(scene, painter, () => { painter.start(dunlin.lookOf(scene), 1); painter.advance(16); }, overlay, copy, '');
            const blob = await pictureOf(copy);
            return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), b => String.fromCharCode(b)).join(''))"""))

    def test_a_picture_is_saved(self):
        self.browser.open(self.page)
        rows = self.picture()
        self.assertEqual((len(rows), len(rows[0])), (700, 2400))
        colored = sum(1 for row in rows for x in range(0, 2400, 3) if max(row[x:x + 3]) - min(row[x:x + 3]) > 40)
        self.assertGreater(colored, 3000)

    def test_values_of_a_coloring_are_told_and_their_legend_is_saved(self):
        path, values = self.folder / "colored.csv", self.folder / "colors.csv"
        path.write_text("id,x,y\n" + "".join(f"p{i},{i * 7 % 200},{i}\n" for i in range(200)))
        values.write_text("v,w\n" + "".join(f"{'' if i == 9 else i},0\n" for i in range(200)))
        os.spawnv(os.P_WAIT, COMMAND, ["dunlin", "draw", str(path), "--color", f"{values}:v", "-o", str(path.with_suffix(".html")), "--quiet"])
        self.browser.open(path.with_suffix(".html").as_uri())
        self.js("selectWithin(dunlin.scene, [[0, 0], [1000, 0], [1000, 1000], [0, 1000]])")
        table = dict(line.split(",")[::2][:2] for line in self.js("return selectionAsCsv(dunlin.scene)").splitlines()[1:])
        self.assertEqual(len(table), 200)
        self.assertEqual([table["p1"], table["p9"], table["p199"]], ["1", "none", "199"])
        rows, colors = self.picture(), self.js("return dunlin.scene.scale.colors")
        bar = 3 * (800 - 190)
        for y, color in ((51, colors[-1]), (218, colors[0])):
            for got, wanted in zip(rows[y][bar:bar + 3], bytes.fromhex(color[1:])):
                self.assertLess(abs(got - wanted), 8)

    def test_damaged_data_are_an_error(self):
        text = pathlib.Path(self.folder / "map.html").read_text()
        start = text.index('type="text/x-frame">') + 20
        for damage in (text[:start] + text[start + 400:], text[:start] + "AAAA" + text[start + 4:], text.replace('"points":5000', '"points":5001'), text.replace('"dim":2', '"dim":7')):
            page = self.folder / "damaged.html"
            page.write_text(damage)
            self.browser.open(page.as_uri())
            self.assertIn("This map cannot be shown.", self.js("return document.getElementById('wait').textContent"))
        self.browser.errors()

    def test_mutated_frames_are_read_or_refused(self):
        html = MapFile(self.folder, "fuzz", 120).draw(COMMAND, ".html").read_text()
        frames = re.findall(r'type="text/x-frame">([^<]*)<', html)
        self.browser.open((self.folder / "fuzz.html").as_uri())
        result = self.browser.run_async(
            """const frames = args[0].map(bytesOfBase64), facts = dunlin.scene.facts;
            let seed = 1;
            const random = n => Math.floor((seed = Math.imul(seed, 1664525) + 1013904223 >>> 0) / 2 ** 32 * n);
            const plain = [];
            for (const frame of frames) {
              const parsed = parseFrame(frame), payload = await payloadOf(parsed), bytes = new Uint8Array(64 + payload.length);
              bytes.set(frame.subarray(0, 64));
              bytes[6] &= ~4;
              bytes.set(payload, 64);
              plain.push(bytes);
            }
            let refused = 0, read = 0;
            const other = [], attempt = async (list) => {
              const assembly = new Assembly(facts);
              try {
                for (const frame of list) await assembly.add(parseFrame(frame));
                assembly.finished();
                ++read;
              } catch (e) {
                if (e instanceof Error && e.message.startsWith('data of the map: ')) ++refused;
                else other.push(String(e.stack || e));
              }
            };
            for (let round = 0; round < 100000 && other.length === 0; ++round) {
              const list = (round % 50 ? plain : frames).slice(), which = random(list.length);
              let frame = list[which].slice();
              for (let k = random(4); k >= 0; --k) frame[random(random(2) ? frame.length : 64)] = random(256);
              if (random(8) === 0) frame = frame.subarray(0, random(frame.length));
              if (random(16) === 0) list.splice(which, 1);
              else list[which] = frame;
              await attempt(list);
            }
            return [read, refused, other]""", frames)
        self.assertEqual(result[2], [])
        self.assertGreater(result[0], 100)  # a changed digit of a coordinate is data
        self.assertGreater(result[1], 30000)

    def test_the_largest_page_is_searched_and_indexed_without_drawing(self):
        count = self.js(
            """const n = 10000000, codes = Uint32Array.from({length: n}, (_, i) => i * 400);
            const tree = {dim: 2, codeBits: 16, lowBits: 0, codes, at: Uint16Array.from({length: 2 * n}, (_, i) => cellOf(codes[i >> 1], 2, i & 1))};
            const plane = (x, y, _z, out) => { out[0] = x; out[1] = y; };
            let found = 0;
            for (let i = 0; i < 100; ++i) {
              const place = (i * 99991) % n;
              found += nearestPoint(tree, plane, tree.at[2 * place], tree.at[2 * place + 1], 50, () => true) === place;
            }
            return found""")
        self.assertEqual(count, 100)


if __name__ == "__main__":
    unittest.main(verbosity=2)
