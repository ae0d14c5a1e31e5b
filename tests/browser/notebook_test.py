# SPDX-License-Identifier: Apache-2.0
"""The widget of a notebook: view/notebook/widget.js around the page, with a stub of anywidget's model, fed with the frames of a drawn
page. DUNLIN_COMMAND names the command. What the kernel does is tested in python/tests/test_view.py."""

import base64
import hashlib
import html
import http.server
import json
import os
import pathlib
import re
import struct
import threading
import unittest

from browser import BrowserCase
from maps import MapFile

COMMAND = os.environ["DUNLIN_COMMAND"]
VIEW = pathlib.Path(__file__).parents[2] / "view"
# What anywidget gives to the module, and what a kernel would have got
STUB = """
import widget from './widget.js';
const {page, key} = await (await fetch('state.json')).json();
const handlers = [], state = {_page: page, _key: key, height: 420};
window.sent = [];
const model = () => ({
  get: name => state[name],
  on: (event, handler) => { if (event === 'msg:custom') handlers.push(handler); },
  send: (content, _, buffers = []) => sent.push({content, buffers: buffers.map(b => Array.from(new Uint8Array(b)))}),
});
window.bytesOf = text => { const all = Uint8Array.from(atob(text), c => c.charCodeAt(0)); return new DataView(all.buffer); };
window.kernel = (content, buffers = []) => handlers.forEach(handler => handler(content, buffers.map(bytesOf)));
window.render = () => { const el = document.createElement('div'); document.body.append(el); return {el, end: widget.render({model: model(), el})}; };
window.end = widget.initialize({model: model()});
window.ready = true;
"""


def scripts():
    """The scripts that python/src/pages.cpp puts into a notebook's page, in its order, as cmake/html_page.cmake joins them."""
    root = VIEW.parent
    lists = dict(re.findall(r"read_page\((page\w*)_modules ([^)]*)\)", (root / "cmake/html_page.cmake").read_text()))
    for script in re.findall(r"files\.(\w*script)\b", (root / "python/src/pages.cpp").read_text()):
        names = lists["page" if script == "script" else "page_" + script.removesuffix("_script")]
        text = "\n" + "".join((VIEW / name).read_text() for name in names.split())
        yield "'use strict';" + re.sub(r"\nexport ", "\n", re.sub(r"\nimport [^\n]*", "", text))


class DrawnPage:
    """A page with the facts and frames of one that the command has drawn."""

    def __init__(self, path):
        text = path.read_text()
        self.style, self.body = (VIEW / "style.css").read_text(), (VIEW / "body.html").read_text()
        self.facts = json.loads(re.search(r'<script id="facts"[^>]*>(.*?)</script>', text, re.S)[1])
        self.frames = re.findall(r'<script type="text/x-frame">(.*?)</script>', text)

    def in_notebook(self):
        """As python/dunlin/_pages.py writes it."""
        joined = list(scripts())
        hashes = " ".join("'sha256-" + base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() + "'" for s in joined)
        style = base64.b64encode(hashlib.sha256(self.style.encode()).digest()).decode()
        policy = f"default-src 'none'; script-src {hashes}; style-src 'sha256-{style}'; img-src blob: data:"
        return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
                f"<title>map</title><style>{self.style}</style></head><body>{self.body}" + "".join(f"<script>{s}</script>" for s in joined) + "</body></html>")

    def hello(self, content, **facts):
        server = {"content": content, "moves": False, "neighbors": False, "selection": "", "frames": len(self.frames)}
        return json.dumps({"facts": self.facts | facts, "server": server})


def moved_frame(numbers, which, origin=(0.0, 0.0), step=0.001):
    """A frame of a 2-D map that has moved: its numbers on the lattice, point by point."""
    axes = list(zip(*numbers))
    flat = [v for point in numbers for v in point] + [min(axis) for axis in axes] + [max(axis) for axis in axes] + [0]
    header = struct.pack("<4sBBBBIIIId4d", b"DUNL", 1, 6, 1, 2, which, 10 * which, 0, len(numbers), 0.5, *origin, 0.0, step)
    return base64.b64encode(header + struct.pack(f"<{len(flat)}H", *flat)).decode()


class Notebook(BrowserCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.map = MapFile(cls.folder, "points", 500)
        cls.page = DrawnPage(cls.map.draw(COMMAND, ".html"))
        files = {"widget.js": (VIEW / "notebook/widget.js").read_text(), "stub.js": STUB,
                 "index.html": '<!doctype html><body style="background: #111"><script type="module" src="stub.js"></script>',
                 "state.json": json.dumps({"page": cls.page.in_notebook(), "key": "a"})}
        for name, text in files.items():
            (cls.folder / name).write_text(text)

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=str(cls.folder))

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.address = f"http://127.0.0.1:{server.server_port}/index.html"

    def setUp(self):
        self.browser.errors()
        self.browser.size(900, 700)
        self.browser.driver.get(self.address)
        self.browser.until("return window.ready === true")

    def kernel(self, message, buffers=()):
        self.js("kernel(...arguments)", message, list(buffers))

    def content(self, number, **facts):
        self.kernel({"kind": "content", "content": number, "hello": self.page.hello(number, **facts), "frames": len(self.page.frames)})
        for frame in self.page.frames:
            self.kernel({"kind": "frames", "content": number}, [frame])

    def shown(self, index=0):
        """Goes into a page that shows the map."""
        driver = self.browser.driver
        driver.switch_to.frame(driver.find_elements("tag name", "iframe")[index])
        self.browser.until("return window.dunlin?.pace.complete === true || document.getElementById('wait').className === 'failed'", 30)
        self.assertEqual(self.js("return document.getElementById('wait').className"), "")

    def outside(self):
        self.browser.driver.switch_to.default_content()

    def sent(self):
        self.outside()
        return self.js("return sent.splice(0)")

    def test_the_map_is_shown_in_a_frame_without_access(self):
        self.assertEqual(self.sent(), [{"content": {"have": 0}, "buffers": []}])
        self.js("render()")
        self.content(1)
        self.shown()
        self.assertEqual(self.js("return [dunlin.scene.cloud.n, document.title, innerHeight, dunlin.scene.dark]"), [500, self.page.facts["title"], 420, True])
        self.assertEqual(self.js("try { return parent.document.title } catch (e) { return e.name }"), "SecurityError")
        self.assertEqual(self.js("return Array.from(dunlin.scene.cloud.rows).sort((a, b) => a - b)"), list(range(500)))
        self.outside()
        # The content is kept: a second view needs no kernel, and neither does one that is put elsewhere
        self.js("window.second = render()")
        self.shown(1)
        self.outside()
        self.js("document.body.prepend(second.el)")
        self.shown(0)
        self.outside()
        self.js("second.end()")
        self.assertEqual(self.js("return document.querySelectorAll('iframe').length"), 1)
        self.assertEqual(self.sent(), [])
        self.assertEqual(self.browser.errors(), [])

    def test_selections_are_sent(self):
        self.js("render()")
        self.content(3)
        self.shown()
        self.js("selectWithin(dunlin.scene, [[0, 0], [450, 0], [450, 420], [0, 420]])")
        chosen = self.js("return Array.from(dunlin.scene.chosen)")
        rows = self.js("return Array.from(dunlin.scene.cloud.rows)")
        self.assertTrue(0 < sum(chosen) < 500)
        self.js("dunlin.scene.select(null)")
        self.outside()
        self.browser.until("return sent.length >= 3")
        _, selection, none = self.sent()
        self.assertEqual(selection["content"], {"selected": True})
        (message,) = selection["buffers"]
        self.assertEqual(message[:4], [3, 0, 0, 0])
        bits = message[4:]
        self.assertEqual(len(bits), 63)
        self.assertEqual([bits[i // 8] >> (i % 8) & 1 for i in range(500)], chosen)
        self.assertEqual(len(rows), 500)
        self.assertEqual(none["buffers"], [[3, 0, 0, 0]])

    def test_questions_are_answered_by_the_kernel(self):
        self.js("render(); render()")
        self.content(1)
        self.shown(1)
        self.js("window.answer = null; dunlin.link.ask({ask: 'point', place: 7}).then(a => { window.answer = a; })")
        self.outside()
        self.browser.until("return sent.length >= 2")
        asked = self.sent()[-1]["content"]
        question = json.loads(asked["ask"])
        self.assertEqual(question, {"ask": "point", "place": 7, "serial": 1, "content": 1})
        self.kernel({"kind": "answer", "page": asked["page"], "text": json.dumps({"serial": 1, "neighbors": []})})
        self.shown(1)
        self.browser.until("return answer !== null")
        self.assertEqual(self.js("return answer"), {"serial": 1, "neighbors": []})
        self.outside()

    def test_maps_that_move_are_followed_and_the_newest_wins(self):
        self.js("render()")
        self.kernel({"kind": "status", "text": json.dumps({"status": {"stage": "affinities", "done": 1, "total": 4}})})
        self.content(1)
        self.shown()
        self.outside()
        frames = [moved_frame([[100 * which + i, 2 * i] for i in range(500)], which) for which in range(1, 31)]
        self.js("arguments[0].forEach(frame => kernel({kind: 'moved', content: 1, last: true}, [frame]))", frames)
        self.kernel({"kind": "status", "text": json.dumps({"status": {"stage": "optimize", "done": 300, "total": 1000, "cost": 1.5}})})
        self.shown()
        self.browser.until("return dunlin.live.iterations.at(-1) === 300")
        self.assertEqual(self.js("return dunlin.live.iterations"), [10, 20, 300])  # two on their way, then the newest
        self.browser.until("return document.getElementById('run').textContent === 'optimize: 300 of 1,000, cost 1.500'")
        self.assertEqual(self.js("return dunlin.scene.coordinates(9)"), [(100 * 30 + 9) * 0.001, 18 * 0.001])
        # A rest: another content, and maps of the old one are not shown
        self.outside()
        self.content(2, title="at rest")
        self.kernel({"kind": "moved", "content": 1, "last": True}, [moved_frame([[5, 5]] * 500, 31)])
        self.shown()
        self.browser.until("return dunlin.live.contents === 1")
        self.browser.whole()
        self.assertEqual(self.js("return [document.getElementById('title').textContent, document.getElementById('run').textContent, dunlin.link.hello.content]"), ["at rest", "", 2])
        self.outside()
        self.assertEqual(self.browser.errors(), [])

    def test_a_damaged_frame_is_refused_with_a_sentence(self):
        self.js("render()")
        self.kernel({"kind": "content", "content": 1, "hello": self.page.hello(1), "frames": 1})
        self.kernel({"kind": "frames", "content": 1}, [base64.b64encode(b"DUNL").decode()])
        driver = self.browser.driver
        driver.switch_to.frame(driver.find_element("tag name", "iframe"))
        self.browser.until("return document.getElementById('wait').className === 'failed'", 30)
        self.assertIn("shorter than its header", self.js("return document.getElementById('wait').textContent"))
        self.outside()
        self.browser.errors()
        # Messages of other kinds, and frames of no content, change nothing
        self.kernel({"kind": "what"})
        self.kernel({"kind": "frames", "content": 9}, [self.page.frames[0]])
        self.kernel({"kind": "moved", "content": 9, "last": True}, [self.page.frames[0]])
        self.assertEqual(self.browser.errors(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
