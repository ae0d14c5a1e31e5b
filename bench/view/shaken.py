# SPDX-License-Identifier: Apache-2.0
"""Maps whose points move a little each time, for the page of a served map, as replay.py sends them: what a page does for
maps of a run, without a run. Needs NumPy."""

import json
import struct
import urllib.parse

import numpy as np
from web_socket import BINARY, TEXT, WebSocket

PER_FRAME, NUMBERS, STEPS = 262144, 60000, 60  # points; numbers of a coordinate, and how many of them a point moves at most


def spread(numbers):
    """Bits of 16-bit numbers, at the even places of 32."""
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        numbers = (numbers | numbers << shift) & mask
    return numbers


class Shaken:
    """The first messages of a served map, as if it moved, and maps of its points, in Morton order."""

    def __init__(self, address, path, count=6):
        self.first = self.content(address)
        places = np.load(path)
        low = places.min(axis=0)
        step = float((places.max(axis=0) - low).max()) / NUMBERS
        places = ((places - low) / step).astype(np.uint32)
        places = places[np.argsort(spread(places[:, 0]) | spread(places[:, 1]) << 1)]
        rng = np.random.default_rng(5)
        self.maps = [list(self.frames((places + rng.integers(0, STEPS, places.shape)).astype("<u2"), low, step)) for _ in range(count)]

    @staticmethod
    def content(address):
        parts = urllib.parse.urlsplit(address)
        connection = WebSocket("127.0.0.1", parts.port, "/socket", [f"Origin: http://127.0.0.1:{parts.port}", f"Sec-WebSocket-Protocol: dunlin.1, t.{parts.fragment}"])
        try:
            while True:
                kind, message = connection.receive()
                facts = json.loads(bytes(message)) if kind == TEXT else {}
                if "facts" not in facts:
                    continue
                frames = [(BINARY, bytes(connection.receive()[1])) for _ in range(facts["server"]["frames"])]
                if not facts["facts"].get("of"):  # else a sample comes first
                    facts["server"]["moves"] = True
                    return [(TEXT, json.dumps(facts).encode()), *frames]
        finally:
            connection.close()

    @staticmethod
    def frames(places, low, step):
        for first in range(0, len(places), PER_FRAME):
            part = places[first:first + PER_FRAME]
            header = struct.pack("<4sBBBBIIIId4d", b"DUNL", 1, 6, first + len(part) == len(places), 0, 1, 1, first, len(part), 0, *map(float, low), 0, step)
            box = np.array([*part.min(axis=0), *part.max(axis=0), 0], "<u2")
            yield bytearray(header + part.tobytes() + box.tobytes())
