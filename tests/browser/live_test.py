# SPDX-License-Identifier: Apache-2.0
"""`--watch`: the page of a run while it runs. DUNLIN_COMMAND names the command."""

import json
import pathlib
import struct
import subprocess
import time
import unittest
import urllib.parse

from browser import BrowserCase
from maps import MapFile
from view_test import COMMAND, Server

DIGITS = pathlib.Path(__file__).parents[2] / "examples/digits.csv.gz"
ENDLESS = 10_000_000  # iterations that no test awaits


class Run(Server):
    """A running command with --watch --no-open."""

    def __init__(self, folder, *arguments):
        self.folder, self.connection = folder, None
        command = [COMMAND, *map(str, arguments), "--watch", "--no-open", "--quiet"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
        self.url = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.url)
        self.port, self.token = parts.port, parts.fragment

    def wait_for(self, path, seconds=120):
        """Until an output is there and whole."""
        end = time.monotonic() + seconds
        while not path.exists() or path.stat().st_size == 0:
            if time.monotonic() > end or self.process.poll() is not None:
                raise TimeoutError(f"{path} was not written; {self.process.stderr.read() if self.process.poll() is not None else ''}")
            time.sleep(0.02)

    def left(self, seconds=60):
        """The exit code of the command, which ends by itself."""
        code = self.process.wait(seconds)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def first_content(self):
        """Opens the socket; the first facts, and their frames."""
        assert self.upgrade()[0] == 101
        self.connection.settimeout(120)
        while True:
            opcode, message = self.received()
            if opcode == 1 and "facts" in (text := json.loads(message)):
                return text, [self.received()[1] for _ in range(text["server"]["frames"])]

    def pause(self):
        """The run rests between two iterations, soon after its first one."""
        self.first_content()
        self.message(b'{"ask":"steer","serial":1,"act":"pause"}')
        answer = {}
        while "serial" not in (answer or {}):
            _, answer = self.map_frames()
        assert answer.get("done"), answer
        self.disconnect()

    def map_frames(self):
        """The next map that moved on the opened socket: its frames; None for a text, which is returned with it."""
        frames = []
        while True:
            opcode, message = self.received()
            if opcode == 1:
                return None, json.loads(message)
            frames.append(message)
            if message[6] & 1:
                return frames, None


def coordinates(path):
    """Rows of the coordinates of a map file."""
    lines = path.read_text().splitlines()
    names = lines[0].split(",")
    columns = [names.index(axis) for axis in ("x", "y", "z") if axis in names]
    return [[float(line.split(",")[c]) for c in columns] for line in lines[1:]]


class Live(BrowserCase):
    def command(self, *arguments, code=0):
        process = subprocess.run([COMMAND, *map(str, arguments), "--quiet"], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(process.returncode, code, process.stderr)
        return process.stderr

    def watch(self, *arguments):
        run = Run(self.folder, *arguments)
        self.addCleanup(lambda: run.process.poll() is None and run.stop())
        return run

    def test_maps_are_followed_to_the_end_and_the_bytes_are_those_of_an_unwatched_run(self):
        arguments = ["tsne", DIGITS, "--iterations", 1500, "--tolerance", 0, "--patience", 1500, "--device", "cpu", "--scores", "none"]
        watched = self.folder / "watched.csv"
        run = self.watch(*arguments, "-o", watched)
        run.pause()
        self.browser.errors()
        self.browser.size(900, 700)
        self.browser.open(run.url)
        self.browser.until("return dunlin.live.maps > 0 && dunlin.steer.state.paused")
        self.browser.until("return document.getElementById('run').textContent.includes('optimize')")
        for _ in range(20):
            before = self.js("dunlin.steer.buttons.step.click(); return dunlin.live.iterations.at(-1)")
            self.browser.until(f"return dunlin.live.iterations.at(-1) > {before}")
        iterations = self.js("return dunlin.live.iterations")  # a paused map is seen again
        self.assertEqual(iterations, sorted(iterations))
        self.assertGreater(len(set(iterations)), 20)
        self.js("dunlin.steer.buttons.pause.click()")
        self.browser.until("return dunlin.live.contents > 0")
        self.browser.whole()
        run.wait_for(watched)
        self.browser.until("return document.getElementById('run').textContent === ''")
        self.assertEqual(self.browser.errors(), [])
        # The last map is that of the file
        shown = self.js("const s = dunlin.scene; return Array.from(s.cloud.rows, (row, place) => [row, ...s.coordinates(place)])")
        step, written = self.js("return dunlin.scene.cloud.step"), coordinates(watched)
        self.assertEqual(len(shown), len(written))
        for row, x, y in shown:
            self.assertLess(max(abs(x - written[row][0]), abs(y - written[row][1])), 1.01 * step)
        # Neighbors are known at the end
        answer = self.browser.run_async("return await dunlin.link.ask({ask: 'point', place: 3})")
        self.assertEqual([len(answer["neighbors"]), len(answer["dataNeighbors"])], [10, 10])
        # The process stays while the page is open
        time.sleep(4)
        self.assertIsNone(run.process.poll())
        self.browser.driver.get("about:blank")
        self.assertEqual(run.left(), 0)
        self.assertFalse((self.folder / "digits.log.json").exists())
        unwatched = self.folder / "unwatched.csv"
        self.command(*arguments, "-o", unwatched)
        self.assertEqual(watched.read_bytes(), unwatched.read_bytes())

    def test_view_and_selection_stay_while_points_move(self):
        points = MapFile(self.folder, "points", 800, dim=3)
        run = self.watch("umap", points.path, "--iterations", ENDLESS, "--scores", "none", "--device", "cpu", "-o", self.folder / "stays.csv")
        self.browser.open(run.url)
        self.browser.until("return dunlin.live.maps >= 3")
        self.js("selectWithin(dunlin.scene, [[0, 0], [450, 0], [450, 700], [0, 700]])")
        rows = "const {chosen, cloud} = dunlin.scene; return Array.from(cloud.rows).filter((_, i) => chosen[i]).sort((a, b) => a - b)"
        before = self.js(rows)
        self.assertGreater(len(before), 0)
        self.js("zoomAt(dunlin.scene, 2, 300, 300)")
        maps = self.js("return dunlin.live.maps")
        self.browser.until(f"return dunlin.live.maps >= {maps + 3}")
        self.assertTrue(self.js("return dunlin.scene.moved"))
        self.assertEqual(self.js(rows), before)
        # Names of labels move along; the point under the pointer is found
        self.assertGreater(self.js("return dunlin.scene.peaks.length"), 0)
        self.assertEqual(self.js("""dunlin.live.placeNames();
            const {peaks, cloud: {at, labels}} = dunlin.scene;
            return peaks.filter(({label, place, prominence}) => {
                const own = [...labels.keys()].filter(i => labels[i] === label), mean = axis => own.reduce((sum, i) => sum + at[2 * i + axis], 0) / own.length;
                return prominence !== own.length || Math.abs(place[0] - mean(0)) > 1e-6 || Math.abs(place[1] - mean(1)) > 1e-6;
            }).length"""), 0)
        place = self.js("const s = dunlin.scene, [x, y] = s.pixel(17); return s.cloud.at[2 * dunlin.pointAt(s, x, y)] - s.cloud.at[34]")
        self.assertEqual(place, 0)
        self.assertEqual(run.stop(), 130)
        self.browser.errors()

    def test_names_of_many_points_follow_some_of_each_label(self):
        run = self.watch("tsne", DIGITS, "--iterations", ENDLESS, "--tolerance", 0, "--scores", "none", "--device", "cpu", "-o", self.folder / "names.csv")
        run.pause()
        self.browser.open(run.url)
        self.browser.until("return dunlin.live.maps >= 1")
        some = "const {places, every} = followed([0, 1, 0, 0, 1, 0, 0, 0, 2], 3, %d); return [places, [...every]]"
        self.assertEqual(self.js(some % 6), [[0, 1, 6, 8], [4, 2, 1]])
        self.assertEqual(self.js(some % 100), [list(range(9)), [1, 1, 1]])
        # Of labels of 900 and 100 points, in any order, no more than asked for; sums over them stand for all
        seen = self.js("""const labels = Array.from({length: 1000}, (_, i) => i * 7919 % 10 ? 0 : 1), {places, every} = followed(labels, 2, 100), of = [0, 0];
            places.forEach(i => ++of[labels[i]]);
            return [of, of.map((count, label) => count * every[label])]""")
        self.assertLessEqual(sum(seen[0]), 100)
        self.assertGreaterEqual(min(seen[0]), 33)
        self.assertAlmostEqual(seen[1][0] / 900, 1, delta=0.03)
        self.assertAlmostEqual(seen[1][1] / 100, 1, delta=0.03)
        # The middle of some points is near that of all
        off = self.js("""const live = dunlin.live, {names} = dunlin.scene.facts, {labels} = dunlin.scene.cloud, where = () => new Map(dunlin.scene.peaks.map(({label, place}) => [label, place]));
            live.placeNames();
            const all = where();
            live.followed = followed(labels, names.length, 500);
            live.placeNames();
            const box = dunlin.scene.bounds, few = where();
            return [live.followed.places.length, all.size, Math.max(...[...all].map(([label, [x, y]]) => Math.hypot(few.get(label)[0] - x, few.get(label)[1] - y))) / Math.hypot(box[2] - box[0], box[3] - box[1])]""")
        self.assertLess(off[0], 500)
        self.assertEqual(off[1], 10)
        self.assertLess(off[2], 0.05)
        run.stop()

    def test_graphs_and_maps_in_space(self):
        edges = self.folder / "graph.txt"
        edges.write_text("".join(f"{i} {i + 1}\n{i} {(i * 7 + 3) % 2500}\n" for i in range(2499)) + "3000 3001\n")
        # Components that are placed by themselves are seen, and not steered
        run = self.watch("layout", edges, "--method", "forceatlas2", "--iterations", ENDLESS, "--tolerance", 0, "--scores", "none", "--device", "cpu",
                         "-o", self.folder / "layout.csv")
        self.browser.open(run.url)
        self.browser.until("return dunlin.live.maps >= 2")
        self.assertFalse(self.js("return dunlin.scene.space"))
        self.assertTrue(self.js("return document.getElementById('steer').hidden"))
        self.assertEqual(run.stop(), 130)
        self.browser.errors()
        run = self.watch("mds", DIGITS, "--dim", 3, "--method", "smacof", "--starts", 1, "--iterations", ENDLESS, "--tolerance", 0, "--scores", "none",
                         "--device", "cpu", "--log", self.folder / "mds.log.json", "-o", self.folder / "mds.csv")
        self.browser.open(run.url)
        self.browser.until("return dunlin.live.maps >= 2")
        self.assertTrue(self.js("return dunlin.scene.space"))
        self.js("dunlin.steer.buttons.finish.click()")
        self.browser.until("return dunlin.live.contents > 0")
        self.browser.whole()
        self.browser.driver.get("about:blank")
        self.assertEqual(run.left(), 0)
        self.assertEqual(self.browser.errors(), [])

    # Bad company

    def test_pages_that_do_not_draw_have_two_maps_and_hold_nothing_up(self):
        output = self.folder / "slow.csv"
        run = self.watch("tsne", DIGITS, "--iterations", ENDLESS, "--tolerance", 0, "--patience", ENDLESS, "--device", "cpu", "--scores", "none", "-o", output)
        begin = time.monotonic()
        hello, _ = run.first_content()
        self.assertTrue(hello["server"]["moves"])
        numbers, first, last = [], None, None
        while len(numbers) < 2 or first is None or last < first + 500:  # without a word that a map was drawn
            frames, text = run.map_frames()
            if frames:
                numbers.append(struct.unpack_from("<I", frames[0], 8)[0])
                first = None
            elif text.get("status"):
                last = text["status"]["done"]
                first = last if first is None else first
        self.assertEqual(len(numbers), 2)
        # Meanwhile few maps were made: four a second, for pages that may come
        run.message(json.dumps({"drawn": numbers[-1]}).encode())
        while len(numbers) < 4:
            frames, _ = run.map_frames()
            if frames:
                numbers.append(struct.unpack_from("<I", frames[0], 8)[0])
        self.assertLessEqual(numbers[2] - numbers[1], 4 * (time.monotonic() - begin) + 2)
        run.message(b'{"ask":"steer","serial":1,"act":"finish"}')
        text = {}
        while "facts" not in text:
            frames, text = run.map_frames()
            self.assertIsNone(frames)
        run.wait_for(output)
        run.disconnect()
        self.assertEqual(run.left(), 0)

    def test_acknowledged_maps_are_followed_by_newer_ones(self):
        run = self.watch("tsne", DIGITS, "--iterations", ENDLESS, "--tolerance", 0, "--patience", ENDLESS, "--device", "cpu", "--scores", "none",
                         "-o", self.folder / "many.csv")
        run.first_content()
        numbers = []
        while len(numbers) < 12:
            frames, _ = run.map_frames()
            if not frames:
                continue
            numbers.append(struct.unpack_from("<I", frames[0], 8)[0])
            self.assertEqual(sum(struct.unpack_from("<I", frame, 20)[0] for frame in frames), 1797)
            run.message(json.dumps({"drawn": numbers[-1]}).encode())
        self.assertEqual(numbers, sorted(set(numbers)))
        # The server answers malformed messages with an error; a page that closes does not change the run
        for message in (b"{", b'{"drawn":-1}', b'{"drawn":"x"}', b'{"ask":"point","place":1,"serial":1}', b'{"ask":"search","text":"1","serial":2,"content":99}',
                        b'{"ask":"steer","serial":3}', b'{"ask":"steer","serial":3,"act":7}', b'{"ask":"steer","serial":3,"act":"fly"}', b'{"ask":"steer","serial":3,"act":"save"}',
                        b'{"ask":"steer","serial":3,"act":"set"}', b'{"ask":"steer","serial":3,"act":"set","option":"perplexity","value":5}',
                        b'{"ask":"steer","serial":3,"act":"set","option":"momentum","value":1e300}', b'{"ask":"steer","serial":3,"act":"pin"}',
                        b'{"ask":"steer","serial":3,"act":"pin","places":[1797]}', b'{"ask":"steer","serial":3,"act":"pin","places":[-1]}',
                        b'{"ask":"steer","serial":3,"act":"pin","places":[0.5]}', b'{"ask":"steer","serial":3,"act":"pin","places":[1],"at":[1e39,0]}',
                        b'{"ask":"steer","serial":3,"act":"pin","places":[1],"at":[1]}', b'{"ask":"steer","serial":3,"act":"pin","places":"x"}',
                        b'{"ask":"steer","serial":3,"act":"nudge","selected":true,"by":[1,1]}', b'{"ask":"steer","serial":3,"act":"nudge","places":[1],"by":[[]]}'):
            run.message(message)
            answer = None
            while answer is None or "steering" in answer:
                _, answer = run.map_frames()
            self.assertIn("error", answer, message)
        run.disconnect()
        run.first_content()
        self.assertEqual(run.stop(), 130)

    def test_runs_without_a_page_end_as_others(self):
        output = self.folder / "alone.csv"
        run = self.watch("pacmap", DIGITS, "--iterations", "20,20,20", "--device", "cpu", "--scores", "none", "-o", output)
        run.wait_for(output)
        # A page that comes later and leaves: three seconds later the command ends
        run.first_content()
        run.disconnect()
        self.assertEqual(run.left(), 0)

    def test_flags_that_need_watch_are_refused(self):
        for flag in (["--port", 8000], ["--no-open"]):
            self.assertIn(f"{flag[0]} is given without watch", self.command("tsne", DIGITS, *flag, code=2))
        holder = self.watch("umap", DIGITS, "--iterations", ENDLESS, "--scores", "none", "-o", self.folder / "holder.csv")
        self.assertIn(f"--port is {holder.port}", self.command("tsne", DIGITS, "--watch", "--port", holder.port, code=2))
        self.assertEqual(holder.stop(), 130)


if __name__ == "__main__":
    unittest.main(verbosity=2)
