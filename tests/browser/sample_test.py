# SPDX-License-Identifier: Apache-2.0
"""`dunlin view` of a large map: a random sample of its points comes first. DUNLIN_COMMAND names the command."""

import array
import json
import os
import pathlib
import struct
import subprocess
import unittest

from browser import BrowserCase
from view_test import Server

COMMAND = os.environ["DUNLIN_COMMAND"]
POINTS = 1 << 20  # the least that has a sample

# The messages after the first content are held until the test lets them go
HOLD = """
  window.held = [];
  const set = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage').set;
  Object.defineProperty(WebSocket.prototype, 'onmessage', {set(take) {
    let left = -1;
    window.release = () => { left = Infinity; for (const event of window.held.splice(0)) take(event); };
    set.call(this, event => {
      if (left === 0) return void window.held.push(event);
      if (left < 0) left = JSON.parse(event.data).server.frames + 1;
      --left;
      take(event);
    });
  }});
"""
PIXELS = """
  const {scene, painter} = dunlin, {gl, canvas} = painter, bytes = new Uint8Array(4 * canvas.width * canvas.height);
  painter.start(lookOf(scene), 1);
  painter.advance(16);
  gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), bytes.reduce((sum, v) => sum + v, 0)];
"""


def write_npy(path, kind, columns, values):
    shape = f"({len(values) // columns}, {columns})" if columns > 1 else f"({len(values)},)"
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + values.tobytes())


def open_held(browser, url):
    """Opens the page, which is left with the sample."""
    browser.size(420, 320)
    browser.driver.get("about:blank")
    script = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HOLD})
    try:
        browser.open(url)
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


class Sample(BrowserCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Eight spirals, by a rule that the test knows; row i has label i % 8
        cls.map, cls.labels, cls.few = (cls.folder / name for name in ("large.npy", "labels.npy", "few.npy"))
        values = array.array("f")
        for i in range(POINTS):
            turn, far = i % 8, (i * 2654435761 % POINTS) / POINTS
            values.extend((turn * 3 + far * (i >> 3) / POINTS, (turn * 5 % 8) * 3 + far * far))
        cls.values = values
        write_npy(cls.map, "<f4", 2, values)
        write_npy(cls.labels, "<i4", 1, array.array("i", (i % 8 for i in range(POINTS))))
        write_npy(cls.few, "<f4", 2, values[:2 * (POINTS - 1)])
        cls.server = Server(cls.map, "--labels", cls.labels, "--select", cls.folder / "chosen.csv")
        cls.addClassCleanup(cls.server.stop)

    def open_held(self, server=None):
        open_held(self.browser, (server or self.server).url)

    def release(self):
        self.js("release()")
        self.browser.until("return dunlin.live.contents === 1")
        self.browser.whole()

    def numbers(self):
        return self.js("const {facts, cloud} = dunlin.scene; return [cloud.n, facts.points, facts.of ?? 0, dunlin.scene.groups.map(g => g.count).reduce((a, b) => a + b)]")

    def test_the_first_picture_is_of_a_sample_and_the_next_of_all(self):
        self.browser.errors()
        self.open_held()
        self.assertTrue(self.js("return dunlin.pace.complete && dunlin.live.contents === 0 && document.getElementById('wait').hidden"))
        points, said, of, counted = self.numbers()
        self.assertEqual((said, of, counted), (points, POINTS, POINTS))  # the legend counts all
        self.assertTrue(POINTS // 9 < points <= POINTS // 8, points)
        note = self.js("return document.getElementById('note').textContent")
        self.assertIn(f"a random {points:,} of {POINTS:,} points", note)
        self.assertGreater(self.js("const {painter: {gl, canvas}, pace} = dunlin; pace.draw(); const seen = new Uint8Array(4 * canvas.width * canvas.height); gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, seen); return seen.filter((v, i) => i % 4 < 3 && v < 200).length"), 100)
        # Names, places and labels are those of the map
        seen = self.js("const {scene} = dunlin; return [0, 1, 77, 99999].map(p => [scene.nameOf(p), scene.coordinates(p), scene.labelOf(p)])")
        for name, place, label in seen:
            row = int(name.removeprefix("point "))
            self.assertEqual(label, str(row % 8))
            for axis in (0, 1):
                self.assertAlmostEqual(place[axis], self.values[2 * row + axis], delta=1e-5)
        self.release()
        self.assertEqual(self.numbers(), [POINTS, POINTS, 0, POINTS])
        self.assertEqual(self.js("return document.getElementById('note').textContent"), "")
        self.assertEqual(self.browser.errors(), [])

    def test_what_needs_all_points_waits_for_them(self):
        self.open_held()
        self.js("selectWithin(dunlin.scene, [[0, 0], [420, 0], [420, 320], [0, 320]])")
        self.js("follow(dunlin.scene, search(dunlin.scene, '3').find(hit => hit.label >= 0), () => {})")
        self.assertEqual(self.js("return [dunlin.scene.selected, document.getElementById('picked').hidden]"), [0, True])
        rows = set(self.js("return Array.from(dunlin.scene.cloud.rows)"))
        absent = str(next(row for row in range(9, POINTS) if row not in rows))
        self.js("const field = document.getElementById('search'); field.focus(); field.value = arguments[0]; field.dispatchEvent(new Event('input'))", absent)
        self.browser.until("return document.getElementById('found').textContent === 'not among the points so far'")
        self.js("mark(dunlin.scene, 500, dunlin.server.describe)")
        marked = self.js("return dunlin.scene.nameOf(dunlin.scene.marked)")
        self.release()
        # The card is of the same point and has its neighbors now; the search was repeated
        self.browser.until("return document.getElementById('card').textContent.includes('nearest in the map')")
        self.assertEqual(self.js("return dunlin.scene.nameOf(dunlin.scene.marked)"), marked)
        self.browser.until(f"return document.getElementById('found').textContent.includes('point {absent}')")
        self.js("selectWithin(dunlin.scene, [[-9, -9], [430, -9], [430, 330], [-9, 330]])")
        self.assertEqual(self.js("return dunlin.scene.selected"), POINTS)
        self.browser.errors()

    def test_the_complete_picture_is_that_of_a_page_without_a_sample(self):
        page = self.folder / "large.html"
        subprocess.run([COMMAND, "draw", self.map, "--labels", self.labels, "-o", page, "--quiet"], check=True)
        self.open_held()
        self.release()
        served = self.browser.run_async(PIXELS), self.js("return dunlin.scene.view")
        self.browser.open(page.as_uri())
        self.assertEqual((self.browser.run_async(PIXELS), self.js("return dunlin.scene.view")), served)
        self.browser.errors()

    def test_the_view_and_hidden_labels_stay(self):
        self.open_held()
        self.js("dunlin.scene.groups[2].shown = false; zoomAt(dunlin.scene, 3, 100, 90); panBy(dunlin.scene, 20, 10)")
        at = "const {scene} = dunlin, p = []; scene.project(scene.view.x, scene.view.y, 0, p); return [p[0] * scene.cloud.step + scene.cloud.origin[0], p[1] * scene.cloud.step + scene.cloud.origin[1], scene.view.scale / scene.cloud.step]"
        before = self.js(at)
        self.release()
        for was, now in zip(before, self.js(at)):
            self.assertAlmostEqual(was, now, delta=1e-6 * abs(was))
        self.assertEqual(self.js("return dunlin.scene.groups.map(g => g.shown).indexOf(false)"), 2)
        self.browser.errors()

    def test_a_landscape_that_is_shown_stays(self):
        self.open_held()
        self.js("document.getElementById('relief').click(); rotateBy(dunlin.scene, 30, -200); dunlin.scene.changed()")
        self.browser.whole()
        self.release()
        self.assertEqual(self.js("return [dunlin.scene.raised, dunlin.scene.space, document.getElementById('relief').getAttribute('aria-pressed')]"), [True, True, "true"])
        self.assertEqual(self.js("return [dunlin.scene.relief.step > 0, dunlin.painter.ground.painter.scene.relief === dunlin.scene.relief]"), [True, True])
        self.browser.errors()

    # The socket

    def test_the_socket_has_the_sample_first(self):
        hello, frames = self.server.hello()
        facts = hello["facts"]
        self.assertEqual(facts["of"], POINTS)
        kinds = lambda kind, frames: [frame for frame in frames if frame[5] == kind]
        self.assertEqual(sum(struct.unpack_from("<I", frame, 20)[0] for frame in kinds(1, frames)), facts["points"])
        self.server.message(b'{"ask":"search","text":"1","serial":7,"content":0}')
        whole, answer = None, None
        while not whole or not answer:
            opcode, message = self.server.received()
            if opcode != 1:
                continue
            message = json.loads(message)
            if "facts" in message:
                whole = message
            elif "serial" in message:
                answer = message
        self.assertEqual((answer["serial"], "error" in answer), (7, True))
        self.assertEqual((whole["facts"]["points"], "of" in whole["facts"]), (POINTS, False))
        for same in ("title", "names", "groups", "groupOfLabel", "bounds", "dim", "style"):
            self.assertEqual(facts[same], whole["facts"][same], same)

    def test_a_smaller_map_has_none(self):
        server = Server(self.few)
        try:
            hello, _ = server.hello()
            self.assertEqual((hello["facts"]["points"], "of" in hello["facts"]), (POINTS - 1, False))
        finally:
            self.assertEqual(server.stop(), 0)

    def test_an_interrupt_ends_it_before_all_points_are_there(self):
        server = Server(self.map)
        self.assertEqual(server.stop(), 0)  # as ever after the address was printed

    def test_the_end_of_the_server_leaves_a_sample_without_promises(self):
        server = Server(self.map)
        self.open_held(server)
        note = "return document.getElementById('note').textContent"
        points = f"a random {self.numbers()[0]:,} of {POINTS:,} points"
        self.assertEqual(self.js(note), points + "; they can be selected when all are here")
        self.assertEqual(server.stop(), 0)
        self.browser.until(f"{note}.includes('has ended')")
        self.assertEqual(self.js(note), points + "; the server has ended; what is here stays")
        self.browser.errors()

    def test_loading_pauses_only_while_the_page_is_seen(self):
        self.browser.open(self.server.url)
        pauses = self.browser.run_async(
            """const link = new Link({}), wait = window.setTimeout, pauses = [];
            let count = 0;
            window.setTimeout = (...given) => { ++count; return wait(...given); };
            for (const value of [false, true]) {
              Object.defineProperty(document, 'hidden', {value, configurable: true});
              count = link.rested = 0;
              link.queue.push('a message');
              await link.next();
              pauses.push(count);
            }
            delete document.hidden;
            window.setTimeout = wait;
            return pauses;""")
        self.assertEqual(pauses, [1, 0])  # timers of a hidden page take a second
        self.browser.errors()

    def test_damaged_facts_of_a_sample_are_an_error(self):
        self.browser.open(self.server.url)
        refused = self.browser.run_async(
            """const refused = [];
            for (const of of [0, -1, 1.5, dunlin.scene.cloud.n - 1, '9', [], 2 ** 31 + 1, NaN]) {
              try { checkedFacts({...dunlin.scene.facts, of}); } catch (e) { refused.push(of); }
            }
            const facts = {...dunlin.scene.facts, points: 2, of: 5}, header = (kind, width) => {
              const view = new DataView(new ArrayBuffer(64));
              view.setUint32(0, 0x4c4e5544, true); view.setUint8(4, 1); view.setUint8(5, kind); view.setUint8(6, 1); view.setUint8(7, width);
              view.setUint32(20, 2, true); view.setFloat64(56, 1, true);
              return [...new Uint8Array(view.buffer)];
            };
            const taken = async rows => { try { await new Assembly(facts).add(parseFrame(Uint8Array.from([...header(4, 1), ...rows]))); return true; } catch { return false; } };
            return [refused.length, await taken([4, 0]), await taken([5, 0]), await taken([255, 255])];""")
        self.assertEqual(refused, [8, True, False, False])
        self.browser.errors()


if __name__ == "__main__":
    unittest.main(verbosity=2)
