# SPDX-License-Identifier: Apache-2.0
"""`dunlin view` in a real browser, and its server before unfriendly clients. DUNLIN_COMMAND names the command."""

import base64
import concurrent.futures
import json
import math
import os
import pathlib
import random
import resource
import signal
import socket
import struct
import subprocess
import time
import unittest
import urllib.parse

from browser import BrowserCase
from maps import MapFile

COMMAND = os.environ["DUNLIN_COMMAND"]


class Server:
    """A running `dunlin view --no-open`."""

    def __init__(self, *arguments):
        command = [COMMAND, "view", *map(str, arguments), "--no-open", "--quiet"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.url, self.connection = self.process.stdout.readline().strip(), None
        parts = urllib.parse.urlsplit(self.url)
        self.port, self.token = parts.port, parts.fragment

    def stop(self):
        """Ctrl-C; returns the exit code."""
        self.disconnect()
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(30)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def send(self, text, wait=5):
        """The whole answer to bytes on a new connection."""
        with socket.create_connection(("127.0.0.1", self.port), wait) as connection:
            connection.sendall(text)
            answer = b""
            try:
                while part := connection.recv(65536):
                    answer += part
            except (ConnectionError, socket.timeout):
                pass
            return answer

    def get(self, path="/", host=None, method="GET", **headers):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        answer = self.send("\r\n".join(lines + ["", ""]).encode())
        return int(answer.split()[1]) if answer else 0, answer.decode(errors="replace")

    def upgrade(self, host=None, origin=True, token=None, path="/socket"):
        """The status of an attempt to open the socket."""
        host = host or f"127.0.0.1:{self.port}"
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Connection: Upgrade", "Upgrade: websocket",
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + base64.b64encode(bytes(16)).decode(),
                 f"Sec-WebSocket-Protocol: dunlin.1, t.{token or self.token}"]
        if origin:
            lines.append(f"Origin: {origin if isinstance(origin, str) else 'http://' + host}")
        self.disconnect()
        connection = socket.create_connection(("127.0.0.1", self.port), 5)
        connection.sendall("\r\n".join(lines + ["", ""]).encode())
        answer = b""
        while b"\r\n\r\n" not in answer and (part := connection.recv(1)):
            answer += part
        self.connection = connection
        return int(answer.split()[1]), answer.decode(errors="replace")

    def disconnect(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def message(self, payload, opcode=1):
        """Sends a masked message on the last opened socket."""
        size = len(payload)
        head = bytes([0x80 | opcode]) + (bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536 else b"\xff" + struct.pack(">Q", size))
        self.connection.sendall(head + bytes(4) + payload)

    def received(self):
        """The next message of the last opened socket."""
        def exactly(count):
            data = b""
            while len(data) < count:
                part = self.connection.recv(count - len(data))
                if not part:
                    raise ConnectionError
                data += part
            return data
        opcode, size = exactly(2)
        if size == 126:
            size = struct.unpack(">H", exactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", exactly(8))[0]
        return opcode & 15, exactly(size)

    def hello(self):
        """Opens the socket; returns facts and frames."""
        assert self.upgrade()[0] == 101
        hello = json.loads(self.received()[1])
        return hello, [self.received()[1] for _ in range(hello["server"]["frames"])]


class View(BrowserCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.map = MapFile(cls.folder, "map", 3000)
        source = random.Random(7)
        cls.data = [[x + source.gauss(0, 0.2), y + source.gauss(0, 0.2), source.gauss(0, 0.2)] for x, y in cls.map.points]
        points = cls.folder / "points.csv"
        points.write_text("a,b,c\n" + "".join(",".join(f"{v:.4f}" for v in row) + "\n" for row in cls.data))
        cls.data = [[float(f"{v:.4f}") for v in row] for row in cls.data]
        cls.selection = cls.folder / "selected.csv"
        cls.server = Server(cls.map.path, "--of", points, "--select", cls.selection)
        cls.addClassCleanup(cls.server.stop)

    def open(self):
        self.browser.size(900, 700)
        self.browser.driver.get("about:blank")
        self.browser.open(self.server.url)

    # The page

    def test_opens_without_errors_and_asks_only_its_server(self):
        self.browser.errors()
        self.open()
        self.assertEqual(self.browser.errors(), [])
        base = f"http://127.0.0.1:{self.server.port}"
        urls = [url for url in self.browser.requests() if not url.startswith(("data:", "about:"))]
        self.assertTrue(all(url.startswith(base) for url in urls), urls)
        self.assertIn("WebGL 2", self.js("return dunlin.painter.name"))
        self.assertEqual(self.js("return [dunlin.scene.cloud.n, document.title]"), [3000, "map, 3000 points"])
        self.assertEqual(self.js("return dunlin.scene.cloud.ids[dunlin.scene.cloud.rows.indexOf(7)]"), self.map.ids[7])

    def test_card_has_the_neighbors_in_map_and_data(self):
        self.open()
        for row in (0, 1234):
            near = lambda points: sorted((math.dist(points[row], p), i) for i, p in enumerate(points) if i != row)[:10]
            wanted_map, wanted_data = [i for _, i in near(self.map.points)], [i for _, i in near(self.data)]
            self.js("const place = dunlin.scene.cloud.rows.indexOf(arguments[0]); window.done = false; mark(dunlin.scene, place, dunlin.server.describe).then(() => { window.done = true; })", row)
            self.browser.until("return window.done")
            rows = lambda name: self.js(f"return dunlin.scene.{name}.map(place => dunlin.scene.cloud.rows[place])")
            self.assertEqual(rows("neighbors"), wanted_map)
            self.assertEqual(rows("dataNeighbors"), wanted_data)
            kept = len(set(wanted_map) & set(wanted_data))
            self.assertIn(f"{kept} of its 10 nearest", self.js("return document.getElementById('card').textContent"))

    def test_names_that_the_page_lacks_are_asked_for(self):
        self.open()
        # As of more points than the page holds names of
        self.js("const {scene} = dunlin; window.ids = scene.cloud.ids; scene.cloud.ids = null; scene.groups.forEach(group => { group.shown = true; });"
                "scene.view.scale = 6 * scene.fitted; dunlin.overlay.findItems(); dunlin.overlay.draw();")
        self.browser.until("return dunlin.overlay.items.names.length > 3")
        self.assertTrue(self.js("return dunlin.overlay.items.names.every(({place, text}) => text === ids[place])"))
        self.js("window.done = false; mark(dunlin.scene, 5, dunlin.server.describe).then(() => { window.done = true; })")
        self.browser.until("return window.done")
        self.assertEqual(*self.js("return [document.querySelector('#card b').textContent, ids[5]]"))
        for places in ([3000], [-1], "all", [0] * 1001):
            self.assertIn("places are at most 1000", self.browser.run_async("return (await dunlin.link.ask({ask: 'names', places: args[0]})).error", places))
        # What is the whole text comes first, also among many
        hits = self.browser.run_async("return (await dunlin.link.ask({ask: 'search', text: args[0]})).hits.map(hit => hit.text)", "p002999")
        self.assertEqual(hits, ["p002999"])

    def test_selection_is_written_where_the_command_was_told(self):
        self.open()
        self.js("selectWithin(dunlin.scene, [[100, 100], [700, 150], [600, 600], [150, 500]])")
        wanted = sorted(self.js("const {chosen, cloud} = dunlin.scene; return Array.from(cloud.rows).filter((_, i) => chosen[i])"))
        self.assertGreater(len(wanted), 10)
        self.js("[...document.querySelectorAll('#picked button')].find(b => b.textContent.startsWith('to ')).click()")
        self.browser.until("return document.getElementById('picked').textContent.includes('written')")
        self.assertEqual(self.selection.read_text().splitlines(), ["id"] + [self.map.ids[row] for row in wanted])

    def test_page_says_that_the_server_has_ended(self):
        server = Server(self.map.path)
        self.browser.size(900, 700)
        self.browser.open(server.url)
        self.assertEqual(server.stop(), 0)
        self.browser.until("return document.getElementById('note').textContent === 'the server has ended; what is here stays'")
        self.assertIn("has ended", self.browser.run_async("return (await dunlin.link.ask({ask: 'point', place: 1})).error"))
        self.browser.errors()

    def test_page_without_the_token_says_so(self):
        self.browser.driver.get("about:blank")
        self.browser.open(self.server.url.split("#")[0] + "#" + "0" * 32)
        self.assertIn("the server refused the page", self.js("return document.getElementById('wait').textContent"))
        self.browser.errors()

    def test_maps_in_space_of_values_and_of_graphs_open(self):
        cube = MapFile(self.folder, "cube", 500, dim=3)
        values = self.folder / "values.csv"
        values.write_text("v\n" + "".join(f"{i}\n" for i in range(500)))
        edges = self.folder / "edges.txt"
        edges.write_text("".join(f"p{i:06d} p{(i * 7 + 1) % 500:06d}\n" for i in range(500) if i != (i * 7 + 1) % 500))
        for arguments in (["--color", f"{values}:v"], ["--graph", edges]):
            server = Server(cube.path, *arguments)
            try:
                self.browser.open(server.url)
                self.assertEqual(self.js("return document.getElementById('wait').hidden"), True, self.js("return document.body.textContent"))
                self.assertEqual(self.js("return dunlin.scene.space"), True)
                self.assertEqual(self.js("return dunlin.painter.edgeCount > 0"), "--graph" in arguments)
                # The edges of a vertex that is clicked are above the others
                ends = self.js("document.getElementById('map').focus(); return Array.from(dunlin.scene.cloud.ends)")
                self.browser.key("Enter")
                self.browser.until("return dunlin.scene.marked >= 0")
                marked, adjacent, card = self.js("return [dunlin.scene.marked, dunlin.scene.adjacent, document.getElementById('card').textContent]")
                pairs = list(zip(ends[::2], ends[1::2]))
                self.assertEqual(sorted(adjacent), sorted([b for a, b in pairs if a == marked] + [a for a, b in pairs if b == marked]))
                self.assertEqual(len(adjacent) > 0, "--graph" in arguments)
                self.assertEqual("edge" in card, "--graph" in arguments)
            finally:
                server.stop()
        self.browser.errors()

    # The door

    def test_pages_have_a_policy_and_no_data(self):
        for path in ("/", "/page.js", "/page.css"):
            status, answer = self.server.get(path)
            self.assertEqual(status, 200)
            for header in ("Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
                           "Cache-Control: no-store", "Cross-Origin-Resource-Policy: same-origin", "frame-ancestors 'none'"):
                self.assertIn(header, answer)
            self.assertNotIn(self.server.token, answer)
            self.assertNotIn("p000001", answer)

    def test_other_names_paths_and_methods_are_refused(self):
        port = self.server.port
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil", f"127.0.0.1.evil:{port}", "127.0.0.1:", "127.0.0.1:1x", "localhost.evil", "0.0.0.0", "[::1].evil"):
            self.assertEqual(self.server.get(host=host)[0], 421, host)
            self.assertEqual(self.server.upgrade(host=host)[0], 421, host)
        for host in (f"localhost:{port}", "127.0.0.1", "[::1]:8080"):
            self.assertEqual(self.server.get(host=host)[0], 200, host)
        for path in ("/etc/passwd", "/../page.js", "/socket", "/page.js?x"):
            self.assertEqual(self.server.get(path)[0], 404, path)
        for method in ("POST", "PUT", "DELETE", "HEAD"):
            self.assertEqual(self.server.get(method=method)[0], 405, method)

    def test_the_socket_wants_its_origin_and_token(self):
        for origin in (None, "http://evil.example", f"https://127.0.0.1:{self.server.port}", f"http://127.0.0.1:{self.server.port}.evil", "null"):
            self.assertEqual(self.server.upgrade(origin=origin)[0], 403, origin)
        for token in ("0" * 32, self.server.token[:-1], self.server.token + "0", self.server.token.upper() + "x"):
            self.assertEqual(self.server.upgrade(token=token)[0], 403, token)
        self.assertEqual(self.server.upgrade()[0], 101)

    def test_the_server_listens_on_this_machine_only(self):
        port = f"{self.server.port:04X}"
        lines = [line.split() for name in ("tcp", "tcp6") for line in pathlib.Path("/proc/net", name).read_text().splitlines()]
        listening = [words[1] for words in lines if words[3] == "0A"]
        self.assertEqual([address for address in listening if address.endswith(":" + port)], ["0100007F:" + port])

    def test_the_token_is_in_no_process_list(self):
        self.assertEqual(len(self.server.token), 32)
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            except OSError:
                continue
            if b"chrom" not in words:  # the test itself opens the page
                self.assertNotIn(self.server.token.encode(), words)

    def test_a_browser_is_given_a_file_that_only_its_user_can_read(self):
        told = self.folder / "told"
        program = self.folder / "bin" / "xdg-open"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\n{{ echo "$@"; stat -c %a "$1"; cat "$1"; }} >"{told}.part" && mv "{told}.part" "{told}" && exec sleep 10\n')
        program.chmod(0o755)
        process = subprocess.Popen([COMMAND, "view", self.map.path, "--quiet"], stdout=subprocess.PIPE, text=True, env={**os.environ, "DISPLAY": ":0", "PATH": f"{program.parent}:{os.environ['PATH']}"})
        try:
            url, end = process.stdout.readline().strip(), time.monotonic() + 20
            while not told.exists() and time.monotonic() < end:
                time.sleep(0.02)
            path, mode, *content = told.read_text().splitlines()
            self.assertNotIn(urllib.parse.urlsplit(url).fragment, path)
            self.assertEqual(mode, "600")
            self.assertIn(url, "\n".join(content))
            # The program that opens the browser may last as long as it
            self.browser.open(url)
            self.assertTrue(self.js("return dunlin.pace.complete"))
        finally:
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(20), 0)
            process.stdout.close()
        self.assertFalse(os.path.exists(path))

    # Bad company

    def test_hostile_bytes_leave_the_server_alone(self):
        source = random.Random(5)
        requests = [source.randbytes(source.randrange(1, 400)) for _ in range(300)]
        with concurrent.futures.ThreadPoolExecutor(10) as several:
            list(several.map(lambda request: self.server.send(request, wait=0.05), requests))
        self.server.send(b"GET / HTTP/1.1\r\nHost: " + b"a" * 100000 + b"\r\n\r\n", wait=0.5)
        self.server.send(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n", wait=0.5)
        self.assertEqual(self.server.get()[0], 200)

    def test_connections_wait_while_there_are_no_file_descriptors(self):
        server = Server(self.map.path)
        try:
            pid = server.process.pid
            limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            for left in range(5):
                used = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
                free = [number for number in range(len(used) + left + 1) if number not in used]
                resource.prlimit(pid, resource.RLIMIT_NOFILE, (free[left], limits[1]))
                with socket.create_connection(("127.0.0.1", server.port), 5) as connection:
                    connection.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
                    time.sleep(0.3)
                    self.assertIsNone(server.process.poll(), left)
                    resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
                    self.assertTrue(connection.recv(65536).startswith(b"HTTP/1.1 200"), left)
                time.sleep(0.3)  # its descriptors are free again
        finally:
            self.assertEqual(server.stop(), 0)

    def test_hostile_messages_are_answered_with_errors(self):
        hello, frames = self.server.hello()
        self.assertTrue(all(frame[:4] == b"DUNL" for frame in frames))
        source = random.Random(6)
        question = json.dumps({"ask": "point", "place": 5, "serial": 9}).encode()
        hostile = [b"", b"{", b"[]", b"null", b'{"serial":-1}', b'{"serial":1}', b'{"serial":1,"ask":7}', b'{"serial":1,"ask":"point","place":3000}',
                   b'{"serial":1,"ask":"point","place":-1}', b'{"serial":1,"ask":"point","place":1e30}', b'{"serial":1,"ask":"search","text":[]}',
                   b"[" * 30000, b'{"serial":1,"ask":{"a":[]}}']
        for message in hostile:
            self.server.message(message)
            self.assertIn("error", json.loads(self.server.received()[1]), message[:40])
        for part in (b"", b"abc", struct.pack("<I", 0xffffffff) + b"x", struct.pack("<I", 0) + bytes(1000), struct.pack("<I", 376) + b"x"):
            self.server.message(part, opcode=2)
            self.assertIn("error", json.loads(self.server.received()[1]), part[:8])
        for _ in range(2000):
            mutated = bytearray(question)
            for _ in range(source.randrange(1, 4)):
                mutated[source.randrange(len(mutated))] = source.randrange(32, 127)
            self.server.message(bytes(mutated[:source.randrange(1, len(mutated) + 1)]))
            self.assertIsInstance(json.loads(self.server.received()[1]), dict)
        self.server.message(question)
        self.assertEqual(json.loads(self.server.received()[1])["serial"], 9)
        self.server.message(b"x" * 65537)  # longer than is allowed: the server closes
        with self.assertRaises(ConnectionError):
            while True:
                if self.server.received()[0] == 8:
                    raise ConnectionError
        self.assertEqual(self.server.get()[0], 200)

    def test_pages_that_stop_reading_do_not_disturb_others(self):
        large = MapFile(self.folder, "large", 100000)
        server = Server(large.path)
        try:
            silent = []
            for _ in range(3):
                self.assertEqual(server.upgrade()[0], 101)
                silent.append(server.connection)
                server.connection = None
            hello, frames = server.hello()
            self.assertEqual(sum(struct.unpack_from("<I", frame, 20)[0] for frame in frames if frame[5] == 1), 100000)
            for connection in silent:
                connection.close()
        finally:
            self.assertEqual(server.stop(), 0)

    # The command

    def refused(self, *arguments):
        process = subprocess.run([COMMAND, "view", *map(str, arguments), "--no-open"], capture_output=True, text=True, timeout=20)
        return process.returncode, process.stderr

    def test_bad_arguments_are_refused(self):
        code, sentence = self.refused(self.map.path, "--port", self.server.port)
        self.assertEqual(code, 2)
        self.assertIn(f"--port is {self.server.port}", sentence)
        self.assertEqual(self.refused(self.map.path, "--port", 70000)[0], 2)
        self.assertEqual(self.refused(self.folder / "absent.csv")[0], 3)
        few = self.folder / "few.csv"
        few.write_text("a,b\n1,2\n3,4\n")
        code, sentence = self.refused(self.map.path, "--of", few)
        self.assertEqual(code, 3)
        self.assertIn("few.csv has 2 rows", sentence)
        code, sentence = self.refused(self.map.path, "--metric", "cosine")
        self.assertEqual(code, 2)
        self.assertIn("--metric is given, and it is read with --of", sentence)
        for place in (self.folder / "absent" / "chosen.csv", self.folder):
            self.assertEqual(self.refused(self.map.path, "--select", place)[0], 3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
