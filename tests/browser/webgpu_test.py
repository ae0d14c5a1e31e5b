# SPDX-License-Identifier: Apache-2.0
"""The painter of WebGPU, in a browser whose WebGPU is software. DUNLIN_COMMAND names the command."""

import array
import pathlib
import unittest

from browser import BrowserCase
from live_test import DIGITS, Run
from maps import MapFile
from page_test import difference
from sample_test import POINTS, open_held, write_npy
from view_test import Server

# Lets WebGPU draw maps of any size
USE = "WebGlPainter.few = 0; dunlin.scene.moved = true; await useWebGpu(dunlin, true); const {second, wanted} = dunlin.painter; return wanted === second && !second.holds(2 ** 24, 0, 9)"
BARE = "for (const id of ['legend', 'foot', 'title', 'note', 'run', 'tip', 'over']) document.getElementById(id).style.display = 'none'; return 1"

# The sums of all pixels, as four numbers each: red, green, blue, weight
SUMS = """
  const {second} = dunlin.painter, {device, sums} = second, to = device.createBuffer({size: sums.size, usage: 9}), encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(sums, 0, to, 0, sums.size);
  device.queue.submit([encoder.finish()]);
  await to.mapAsync(1);
  const numbers = new Uint32Array(to.getMappedRange().slice(0)), {width, height} = second.canvas, all = new Float64Array(4 * width * height);
  for (let i = 0; i < width * height; ++i) for (let c = 0; c < 4; ++c) all[4 * i + c] = numbers[5 * i + c] + 2 ** 32 * (numbers[5 * i + 4] >>> 8 * c & 255);
"""


class WebGpu(BrowserCase):
    flags = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.flat = cls.serve(MapFile(cls.folder, "flat", 4000, seed=3).path)
        cls.space = cls.serve(MapFile(cls.folder, "space", 3000, dim=3).path)
        # Edges from 0 to hundreds of pixels long, flat and steep ones among them; some join points of one label
        few = [MapFile(cls.folder, f"few{dim}", 300, dim=dim, seed=5).path for dim in (2, 3)]
        edges = cls.folder / "edges.txt"
        edges.write_text("".join(f"p{i:06d} p{(7 * i + i * i) % 300:06d}\n" for i in range(1, 300) if i != (7 * i + i * i) % 300))
        cls.graph, cls.graph_in_space = (cls.serve(path, "--graph", edges) for path in few)

    @classmethod
    def serve(cls, *arguments):
        server = Server(*arguments)
        cls.addClassCleanup(server.stop)
        return server.url

    def setUp(self):
        self.browser.size(600, 500)
        self.browser.media(prefers_color_scheme="light")
        self.browser.errors()

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [])

    def open(self, page):
        """The page without what lies over the map."""
        self.browser.driver.get("about:blank")  # an address that differs in its fragment alone is no new page
        self.browser.open(page)
        self.js(BARE)

    def use(self):
        self.assertIs(self.browser.run_async(USE), True)
        self.browser.whole()
        self.assertEqual(self.js("return dunlin.painter.name"), "WebGPU")
        self.assertNotEqual(self.js("return dunlin.painter.card"), "")

    def same_pictures(self, page, change, most=3):
        """Pictures by WebGL and by WebGPU after a change of the scene."""
        self.open(page)
        # WebGL adds splats, too, where there are many
        self.js(f"WebGlPainter.few = 0; dunlin.painter.resize(); const {{scene, pace}} = dunlin; {change}; scene.moved = true; pace.request();")
        self.browser.whole()
        by_gl = self.browser.pixels()
        self.use()
        mean, far = difference(by_gl, self.browser.pixels(), (0, 0, 600, 500))
        self.assertLess(mean, 0.3)
        self.assertLessEqual(far, most)
        self.assertGreater(sum(pixel < 200 for row in by_gl for pixel in row), 500)

    def test_pictures_are_those_of_webgl(self):
        for page, change in (
            (self.flat, ""),
            (self.flat, "scene.facts.style.pointSize = 1.5"),
            (self.space, "scene.facts.style.pointSize = 1.8"),
            (self.flat, "scene.view.scale *= 5"),
            (self.flat, "scene.groups[1].shown = false; scene.highlighted = 2"),
            (self.flat, "scene.select(Uint8Array.from({length: scene.cloud.n}, (_, i) => i % 3 === 0 ? 1 : 0))"),
            (self.flat, "scene.dark = true; scene.facts.style.pointSize = 9"),
            (self.space, "scene.view.turn = [0.8, 0, 0.6, 0, 1, 0, -0.6, 0, 0.8]"),
            (self.graph, ""),
            (self.graph, "scene.groups[1].shown = false; scene.dark = true; scene.view.scale *= 3"),
            (self.graph, "scene.facts.style.edgeWidth = 5; scene.facts.style.edgeAlpha = 0.5"),
            (self.graph_in_space, "scene.view.turn = [0.8, 0, 0.6, 0, 1, 0, -0.6, 0, 0.8]"),
        ):
            with self.subTest(change):
                self.same_pictures(page, change)

    def test_sums_are_those_in_script(self):
        self.open(self.flat)
        self.js("dunlin.scene.facts.style.pointSize = 1; dunlin.pace.request()")
        self.use()
        self.js((pathlib.Path(__file__).parents[2] / "bench/view/sums.js").read_text())
        seen = self.browser.run_async("return await gpuSums(1, true)")
        self.assertIs(seen["splat"], True)
        self.assertEqual((seen["counted"], seen["numbers"], seen["different"]), (4000, 4 * 600 * 500, 0))
        self.assertLessEqual(seen["farthest"], 1)

    def test_counts_beyond_32_bits(self):
        # From 65,794 points of full weight on, a sum has more than 32 bits
        self.open(self.serve(MapFile(self.folder, "same", 300, same_place=[((20, 20), 200000)]).path))
        self.js("dunlin.scene.facts.style.pointSize = 1; dunlin.pace.request()")
        self.use()
        weights, reds = self.browser.run_async(SUMS + "return [3, 0].map(c => all.reduce((most, v, i) => i % 4 === c ? Math.max(most, v) : most, 0) / 256)")
        self.assertEqual(weights, 200000)
        colors = self.js("const {groups, cloud: {groupOf, n}} = dunlin.scene, counts = groups.map(() => 0); for (let i = 0; i < n; ++i) ++counts[groupOf[i]]; return groups.map((g, i) => [parseInt(g.color.slice(1, 3), 16), counts[i]])")
        most = sorted(colors, key=lambda color: -color[1])[:2]
        self.assertLessEqual(abs(reds - 100000 * sum(red for red, _ in most)), 255)

    def test_all_points_that_replace_a_sample(self):
        large = self.folder / "large.npy"
        values = array.array("f", (value for i in range(POINTS) for value in ((i * 2654435761 % POINTS) / POINTS, (i * 40503 % 65536) / 65536)))
        write_npy(large, "<f4", 2, values)
        open_held(self.browser, self.serve(large))
        sample = self.js("dunlin.scene.facts.style.pointSize = 1; return dunlin.scene.cloud.n")
        self.assertLess(sample, POINTS // 7)
        self.assertIs(self.browser.run_async("WebGlPainter.few = 200000; const {first, wanted} = await useWebGpu(dunlin, true); return wanted === first"), True)
        self.browser.whole()
        self.assertEqual(self.js("return dunlin.painter.name"), "WebGL 2")
        self.js("release()")
        self.browser.until("return dunlin.live.contents === 1")
        self.js("dunlin.scene.facts.style.pointSize = 1; dunlin.scene.changed()")
        self.browser.whole()
        self.assertEqual(self.js("return [dunlin.painter.name, document.getElementById('fast').hidden, dunlin.scene.cloud.n]"), ["WebGPU", False, POINTS])
        self.assertEqual(self.browser.run_async(SUMS + "return all.reduce((sum, v, i) => sum + (i % 4 === 3 ? v : 0), 0) / 256"), POINTS)

    def test_what_it_does_not_draw_is_left_to_webgl(self):
        path = self.folder / "flat.csv"
        self.open(self.serve(path, "--style", "landscape"))
        self.assertIs(self.browser.run_async(USE), False)
        self.js("document.getElementById('relief').click()")
        self.browser.whole()
        self.assertEqual(self.js("return [dunlin.painter.name, document.getElementById('fast').hidden]"), ["WebGPU", False])
        self.js("document.getElementById('relief').click()")
        self.browser.whole()
        self.assertEqual(self.js("return [dunlin.painter.name, document.getElementById('fast').hidden]"), ["WebGL 2", True])
        self.js("document.getElementById('relief').click(); WebGlPainter.few = 4000; dunlin.pace.request()")
        self.browser.whole()
        self.assertEqual(self.js("return dunlin.painter.name"), "WebGL 2")

    def test_large_pages(self):
        self.browser.size(3840, 2160)
        self.open(self.flat)
        self.js("dunlin.scene.facts.style.pointSize = 0.5; dunlin.pace.request()")
        self.use()
        self.browser.run_async("await dunlin.pace.whole(); await dunlin.painter.second.device.queue.onSubmittedWorkDone(); return 1")
        self.assertEqual(self.js("return [dunlin.painter.name, dunlin.painter.lost, dunlin.painter.second.block]"), ["WebGPU", False, 1])

    def test_a_painter_that_begins_within_a_map_has_all_of_it(self):
        self.open(self.flat)
        self.js("window.places = Uint16Array.from({length: 8000}, (_, i) => Math.imul(i + 1, 40503) & 32767)")
        stage = "dunlin.painter.stage(places, %d, %d); return 1"
        self.js(stage % (0, 2000))
        self.use()
        self.js(stage % (2000, 4000))
        shown = "const {cloud: {origin}} = dunlin.scene; dunlin.scene.place({places, low: [0, 0], high: [32767, 32767], gaps: false, origin, step: 0.001}); await dunlin.moved(); return dunlin.painter.name"
        self.assertEqual(self.browser.run_async(shown), "WebGPU")
        self.browser.whole()
        by_gpu = self.browser.pixels()
        # Back within the next map, whose places are others
        self.js("window.places = places.map(v => v ^ 4095); " + stage % (0, 2000))
        self.js("dunlin.painter.lost = true; dunlin.pace.request()")
        self.browser.whole()
        mean, far = difference(self.browser.pixels(), by_gpu, (0, 0, 600, 500))
        self.assertLess(mean, 0.3)
        self.assertLessEqual(far, 3)
        self.js(stage % (2000, 4000))
        self.assertEqual(self.browser.run_async(shown), "WebGL 2")
        self.browser.whole()
        by_gl = self.browser.pixels()
        self.js("dunlin.painter.lost = false; dunlin.pace.request()")
        self.browser.whole()
        self.assertEqual(self.js("return dunlin.painter.name"), "WebGPU")
        mean, far = difference(by_gl, self.browser.pixels(), (0, 0, 600, 500))
        self.assertLess(mean, 0.3)
        self.assertLessEqual(far, 3)

    def test_a_lost_device_leaves_the_picture(self):
        self.open(self.flat)
        by_gl = self.browser.pixels()
        self.use()
        self.js("dunlin.painter.second.device.destroy()")
        self.browser.until("return dunlin.painter.name === 'WebGL 2' && dunlin.pace.complete", 30)
        self.browser.whole()
        mean, far = difference(by_gl, self.browser.pixels(), (0, 0, 600, 500))
        self.assertLess(mean, 0.01)  # WebGL adds in another order
        self.assertEqual(far, 0)

    def test_saved_pictures_and_hands(self):
        self.open(self.flat)
        self.use()
        dark = self.browser.run_async("""const copy = document.createElement('canvas'); await dunlin.pace.whole(); dunlin.paint(copy);
          const {data} = copy.getContext('2d').getImageData(0, 0, 600, 500); return data.filter((v, i) => i % 4 === 0 && v < 150).length""")
        self.assertGreater(dark, 500)
        before = self.js("return dunlin.scene.view.x")
        self.browser.drag([(300, 250), (340, 250), (380, 250)])
        self.browser.whole()
        self.assertNotEqual(self.js("return dunlin.scene.view.x"), before)
        self.assertEqual(self.js("return dunlin.painter.name"), "WebGPU")

    def test_maps_of_a_run(self):
        run = Run(self.folder, "tsne", DIGITS, "--iterations", 10_000_000, "--tolerance", 0, "--patience", 10_000_000, "--device", "cpu", "--scores", "none", "-o", "run.csv")
        try:
            self.open(run.url)
            self.use()
            before = self.js("return dunlin.live.maps")
            self.browser.until(f"return dunlin.live.maps > {before + 3}")
            # Both painters show the same map
            self.js("dunlin.link.send = () => {}")  # no newer map comes
            self.browser.run_async("await new Promise(done => setTimeout(done, 500)); return 1")
            self.browser.whole()
            by_gpu = self.browser.pixels()
            self.js("dunlin.painter.lost = true; dunlin.pace.request()")
            self.browser.whole()
            mean, far = difference(self.browser.pixels(), by_gpu, (0, 0, 600, 500))
            self.assertLess(mean, 0.3)
            self.assertLessEqual(far, 3)
        finally:
            run.stop()


if __name__ == "__main__":
    unittest.main()
