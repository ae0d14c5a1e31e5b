# SPDX-License-Identifier: Apache-2.0
"""Films: the maps of a watched run, shown again and saved as a video; frames of colors. DUNLIN_COMMAND names the command."""

import base64
import os
import struct
import subprocess
import unittest

import live_test
from browser import BrowserCase
from live_test import DIGITS, ENDLESS, Run
from maps import MapFile

COMMAND = os.environ["DUNLIN_COMMAND"]


def blocks_of(data):
    """Payloads of the blocks of a WebM file, whose clusters may have an unknown size."""
    def number(at, keep):
        wide = 9 - data[at].bit_length()
        value = int.from_bytes(data[at:at + wide], "big")
        most = (1 << 7 * wide) - 1
        return at + wide, value if keep else None if value & most == most else value & most

    at, blocks = 0, []
    while at < len(data):
        at, kind = number(at, True)
        at, size = number(at, False)
        if kind in (0x18538067, 0x1F43B675, 0xA0):  # segment, cluster, group: what is in them
            continue
        if kind in (0xA1, 0xA3):
            blocks.append(data[at:at + size])
        at += size
    return blocks


class FilmOfARun(BrowserCase):
    watch = live_test.Live.watch

    def open(self, run):
        self.browser.errors()
        self.browser.size(900, 700)
        self.browser.open(run.url)
        self.browser.until("return dunlin.live.maps > 0 && dunlin.steer.state.paused")

    def step(self, count):
        """So many iterations, each of which the page sees."""
        for _ in range(count):
            before = self.js("dunlin.steer.buttons.step.click(); return dunlin.live.iterations.at(-1)")
            self.browser.until(f"return dunlin.live.iterations.at(-1) > {before}")

    def places(self):
        """Coordinates of the points on the page, by rows."""
        return dict(self.js("const s = dunlin.scene; return Array.from(s.cloud.rows, (row, place) => [row, s.coordinates(place)])"))

    def show(self, position):
        self.js("const {slider} = dunlin.live.film; slider.value = arguments[0]; slider.dispatchEvent(new Event('input'))", position)
        self.browser.whole()

    def finish(self, run):
        self.js("dunlin.steer.buttons.finish.click()")
        self.browser.until("return dunlin.live.contents > 0")
        self.browser.whole()

    def test_maps_are_shown_again_during_the_run_and_after_it(self):
        run = self.watch("tsne", DIGITS, "--iterations", ENDLESS, "--tolerance", 0, "--scores", "none", "--device", "cpu", "-o", self.folder / "map.csv")
        run.pause()
        self.open(run)
        self.step(1)
        self.js("const {film} = dunlin.live; film.maps.splice(0, film.maps.length - 1)")
        first = self.places()
        self.step(6)
        now, maps = self.places(), self.js("return dunlin.live.film.maps.length")
        self.assertFalse(self.js("return dunlin.live.film.bar.hidden"))
        self.show(0)
        self.assertEqual(self.places(), first)
        self.assertIn("iteration", self.js("return dunlin.live.film.text.textContent"))
        # The run goes on unseen, and cannot be dragged in the past
        self.js("dunlin.steer.buttons.step.click()")
        self.browser.until(f"return dunlin.live.film.maps.length > {maps}")
        self.assertEqual(self.places(), first)
        self.assertFalse(self.js("return dunlin.steer.grab(...dunlin.scene.pixel(0), true)"))
        # The last position is the present
        self.show(10000)
        self.assertEqual(self.js("return [dunlin.live.film.text.textContent, dunlin.scene.past]"), ["now", False])
        self.assertNotEqual(self.places(), now)
        self.assertNotEqual(self.places(), first)
        self.show(1)
        # The run ends: its last map is shown, in another order of the points
        self.finish(run)
        last = self.places()
        self.assertEqual(self.js("return dunlin.live.film.shown"), -1)
        self.show(0)
        self.assertEqual(self.places(), first)
        self.show(10000)
        self.assertEqual(self.places(), last)
        # Points are found where they are, also after the film
        self.assertTrue(self.js("const s = dunlin.scene, [x, y] = s.pixel(5); return s.pixel(dunlin.pointAt(s, x, y)).every((v, i) => Math.abs(v - [x, y][i]) < 1)"))
        # A key plays it to the end
        self.js("document.activeElement.blur()")
        self.browser.key("f", "KeyF", "f")
        self.browser.until("return dunlin.live.film.playing")
        self.browser.until("return !dunlin.live.film.playing && dunlin.live.film.shown === -1")
        self.assertEqual(self.places(), last)
        self.assertEqual(self.browser.errors(), [])

    def test_the_film_is_saved_as_a_video(self):
        cube = MapFile(self.folder, "cube", 300, dim=3)
        run = self.watch("mds", cube.path, "--method", "gpu-sf", "--until", "count", "--iterations", ENDLESS, "--dim", 3, "--scores", "none", "--device", "cpu", "-o", self.folder / "cube.map.csv")
        run.pause()
        self.open(run)
        self.step(8)
        self.finish(run)
        self.assertFalse(self.js("return dunlin.live.film.save.hidden"), "this Chromium records no video")
        self.js("window.saved = []; const click = HTMLAnchorElement.prototype.click; HTMLAnchorElement.prototype.click = function() { saved.push(this.download); }")
        self.js("dunlin.live.film.save.click()")
        self.browser.until("return dunlin.live.film.recording && dunlin.live.film.save.textContent === 'cancel'")
        self.browser.until("return !dunlin.live.film.recording")
        self.assertEqual(self.js("return saved"), [self.js("return fileName(dunlin.scene.facts.title, '.webm')")])
        # A WebM file with a picture for every map: each is a block of track 1
        video = self.folder / "film.webm"
        video.write_bytes(base64.b64decode(self.browser.run_async("""
            const bytes = new Uint8Array(await dunlin.live.film.video.arrayBuffer());
            return btoa(Array.from(bytes, b => String.fromCharCode(b)).join(''))""")))
        self.assertGreaterEqual(len(blocks_of(video.read_bytes())), self.js("return dunlin.live.film.maps.length"))
        # A film that is cancelled is not saved
        self.js("dunlin.live.film.save.click()")
        self.browser.until("return dunlin.live.film.recording && dunlin.live.film.playing && dunlin.live.film.shown >= 0")
        self.js("dunlin.live.film.save.click()")
        self.browser.until("return !dunlin.live.film.recording")
        self.assertEqual(self.js("return [saved.length, dunlin.live.film.shown]"), [1, -1])
        self.assertEqual(self.browser.errors(), [])

    def test_memory_is_bounded_and_the_whole_run_stays(self):
        run = self.watch("tsne", DIGITS, "--iterations", ENDLESS, "--tolerance", 0, "--scores", "none", "--device", "cpu", "-o", self.folder / "bound.csv")
        run.pause()
        self.open(run)
        kept = self.js("""const {film} = dunlin.live, counts = [];
            film.maps = []; film.seen = 0;
            const places = {byteLength: 20e6};
            for (let k = 0; k < 100; ++k) { film.keep({places, iteration: k}); counts.push(film.maps.length); }
            return [Math.max(...counts), film.maps.map(map => map.iteration)]""")
        self.assertLessEqual(kept[0] * 20e6, 128e6)
        steps = {b - a for a, b in zip(kept[1], kept[1][1:])}
        self.assertEqual(len(steps), 1, kept)  # evenly, from the first
        self.assertEqual(kept[1][0], 0)
        self.assertGreater(kept[1][-1] + steps.pop(), 99)
        self.js("dunlin.live.film.maps = []; dunlin.live.film.update()")
        self.assertTrue(self.js("return dunlin.live.film.bar.hidden"))


class FilmOfColors(BrowserCase):
    """A page that plays a wave on a graph."""

    TIMES = [0, 20, 40, 60]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path, drawing, cls.page = (cls.folder / name for name in ("path.csv", "drawing.csv", "wave.html"))
        path.write_text("source,target\n" + "".join(f"{v},{v + 1}\n" for v in range(39)))
        drawing.write_text("id,x,y\n" + "".join(f"{v},{v % 10},{v // 10}\n" for v in range(40)))
        states = cls.folder / "states.npy"
        times = ",".join(str(time) for time in cls.TIMES)
        subprocess.run([COMMAND, "waves", path, "--stimulate", "0", "--map", drawing, "--snapshots", times, "--quiet",
                        "-o", cls.page, "-o", states], check=True)
        data = states.read_bytes()
        size = int.from_bytes(data[8:10], "little")
        numbers = struct.unpack(f"<{2 * 40 * len(cls.TIMES)}d", data[10 + size:])  # time, species, vertex
        cls.states = [numbers[80 * t:80 * t + 40] for t in range(len(cls.TIMES))]

    def open(self):
        self.browser.errors()
        self.browser.size(900, 700)
        self.browser.open(self.page.as_uri())
        self.browser.whole()

    def steps(self):
        return dict(self.js("const {cloud} = dunlin.scene; return Array.from(cloud.rows, (row, place) => [row, cloud.groupOf[place]])"))

    def show(self, position):
        self.js("const {slider} = dunlin.colors; slider.value = arguments[0]; slider.dispatchEvent(new Event('input'))", position)
        self.browser.whole()

    def said(self):
        return self.js("return [dunlin.colors.text.textContent, document.querySelector('#legend').firstChild.textContent]")

    def test_the_frames_are_the_states(self):
        self.open()
        first, pictures = self.steps(), [self.browser.pixels()]
        self.assertEqual(self.js("return [dunlin.colors.bar.hidden, dunlin.colors.length]"), [False, 4])
        self.assertEqual(self.said(), ["activation time", "activation time"])
        low, high = min(map(min, self.states)), max(map(max, self.states))
        for i, state in enumerate(self.states):
            self.show(i)
            found = self.steps()
            for vertex, value in enumerate(state):
                self.assertAlmostEqual(found[vertex], min((value - low) / (high - low) * 240, 239), delta=1)
            time, name = self.said()
            self.assertAlmostEqual(float(time.removeprefix("t = ")), self.TIMES[i], delta=1)  # the end of a step
            self.assertEqual(name, "v")
            pictures.append(self.browser.pixels())
        self.assertTrue(all(a != b for a, b in zip(pictures, pictures[1:])), "two frames look alike")
        self.show(4)
        self.assertEqual(self.steps(), first)
        self.assertEqual(self.said(), ["activation time", "activation time"])
        self.assertEqual(self.browser.pixels(), pictures[0])
        self.assertEqual(self.browser.errors(), [])

    def test_it_plays_to_its_end(self):
        self.open()
        self.js("dunlin.colors.play.click()")
        self.browser.until("return dunlin.colors.playing && dunlin.colors.shown > 0")
        self.browser.until("return !dunlin.colors.playing && dunlin.colors.shown === -1")
        self.assertEqual(self.browser.errors(), [])


class FilmOfALineOrGrid(BrowserCase):
    """Pages that play states of a line, of a node, and of a grid."""

    def open(self, *words):
        page = self.folder / "film.html"
        subprocess.run([COMMAND, "waves", *words, "--quiet", "-o", page], check=True)
        self.browser.errors()
        self.browser.size(900, 700)
        self.browser.open(page.as_uri())
        self.assertEqual([url for url in self.browser.requests() if not url.startswith(("file:", "data:"))], [])

    def show(self, position):
        self.js("const {slider} = dunlin.film; slider.value = arguments[0]; slider.dispatchEvent(new Event('input'))", position)

    def test_a_line_has_a_curve_and_all_its_states(self):
        self.open("--line", "201", "--spacing", "0.5", "--start", "gaussian:50,10", "--until", "60")
        self.assertFalse(self.js("return dunlin.film.bar.hidden"))
        frames = self.js("return dunlin.facts.captions.length")
        pictures = []
        for position in (0, frames // 2, frames - 1):
            self.show(position)
            self.assertEqual(self.js("return dunlin.film.frame"), position)
            pictures.append(self.browser.pixels())
        self.assertTrue(all(a != b for a, b in zip(pictures, pictures[1:])))
        said = self.js("const {x, y, w, h} = dunlin.picture.boxes.curve; return dunlin.picture.describe(dunlin.picture.at(x + w / 2, y + h / 2, 0))")
        self.assertIn("v ≈ 0.99", said[0])
        self.assertIn("x = 50, t = 0", said[1])
        self.show(0)
        self.js("dunlin.film.play.click()")
        self.browser.until("return !dunlin.film.playing && dunlin.film.shown === -1")
        self.browser.key("ArrowLeft")
        self.assertEqual(self.js("return dunlin.film.frame"), frames - 2)
        self.assertEqual(self.browser.errors(), [])

    def test_one_node(self):
        self.open("--line", "1", "--stimulate", "0", "--until", "20")
        self.show(0)
        self.assertEqual(self.browser.errors(), [])

    def test_a_grid_ends_with_its_activation(self):
        self.open("--grid", "20x30", "--stimulate", "15,10", "--until", "20", "--snapshots", "1,10,20")
        self.assertEqual(self.js("return [dunlin.film.length, dunlin.film.text.textContent]"), [3, "activation time"])
        self.show(0)
        self.assertEqual(self.js("return dunlin.picture.values[10 * 30 + 15]"), 239)
        self.assertEqual(self.browser.errors(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
