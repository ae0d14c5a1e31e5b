# SPDX-License-Identifier: Apache-2.0
"""A page of a run without a browser: it takes all maps, draws none, and drags a vertex."""

import json
import statistics
import struct
import time
import urllib.parse

from web_socket import TEXT, WebSocket


class Page:
    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        host = f"127.0.0.1:{parts.port}"
        self.socket = WebSocket("127.0.0.1", parts.port, "/socket", [f"Origin: http://{host}", f"Sec-WebSocket-Protocol: dunlin.1, t.{parts.fragment}"])
        self.state, self.facts, self.content, self.serial, self.place = {}, {}, 0, 0, 0

    def ask(self, **question):
        self.serial += 1
        self.socket.send(json.dumps({**question, "serial": self.serial, "content": self.content}))

    def take(self):
        """Takes a message; returns where the place is, and the step of its lattice, when it was the last one of a map."""
        kind, message = self.socket.receive()
        if kind == TEXT:
            text = json.loads(message)
            if "facts" in text:
                self.facts, self.content = text["facts"], text["server"]["content"]
            self.state = text.get("steering") or self.state
            if text.get("error"):
                raise RuntimeError(text["error"])
            return None
        if message[5] != 6:
            return None
        first, count = struct.unpack_from("<II", message, 16)
        origin, step = struct.unpack_from("<3d", message, 32), struct.unpack_from("<d", message, 56)[0]
        if first <= self.place < first + count:
            numbers = struct.unpack_from("<2H", message, 64 + 4 * (self.place - first))
            self.at = [o + step * number for o, number in zip(origin, numbers)]
        if not message[6] & 1:
            return None
        self.socket.send(json.dumps({"drawn": struct.unpack_from("<I", message, 8)[0]}))
        return self.at, step

    def until(self, condition, seconds):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError("the run did not come to rest")
            self.take()


def dragged(url, seconds, limit=100):
    """Drags a vertex of a layout at rest: maps per second, and seconds from an act to the map that has the vertex there (median and slowest 5%)."""
    page = Page(url)
    try:
        page.until(lambda: page.state.get("open") and page.state.get("resting") and page.facts, limit)
        left, bottom, right, top = page.facts["bounds"]
        page.place = page.facts["points"] // 2
        begin, waits, maps, turn = time.monotonic(), [], 0, 0
        while time.monotonic() < begin + seconds:
            turn += 1
            target = [(left + right) / 2 + (right - left) * 0.001 * turn, (bottom + top) / 2 + (top - bottom) * 0.02 * (turn % 2)]
            sent = time.monotonic()
            page.ask(ask="steer", act="pin", places=[page.place], at=target)
            while True:
                seen = page.take()
                if not seen:
                    continue
                maps += 1
                at, step = seen
                if all(abs(x - y) <= 1.01 * step for x, y in zip(at, target)):
                    break
            waits.append(time.monotonic() - sent)
        return maps / (time.monotonic() - begin), statistics.median(waits), sorted(waits)[int(0.95 * (len(waits) - 1))], len(waits)
    finally:
        page.socket.close()
