#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What watching costs a run: t-SNE of a Gaussian mixture with and without `--watch`, whose client takes every map and
acknowledges it without drawing. Prints seconds of processor time and of the optimization, and maps per second.

watch_cost.py COMMAND [POINTS [ITERATIONS [REPEATS]]]
"""

import base64
import json
import os
import pathlib
import random
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import urllib.parse


def write_points(path, count, columns=10, clusters=30):
    source = random.Random(1)
    centers = [[source.gauss(0, 5) for _ in range(columns)] for _ in range(clusters)]
    with open(path, "w") as file:
        file.write(",".join(f"c{c}" for c in range(columns)) + "\n")
        for i in range(count):
            file.write(",".join(f"{x + source.gauss(0, 1):.3f}" for x in centers[i % clusters]) + "\n")


class Client(threading.Thread):
    """Reads the socket of a run; answers every map."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.parts, self.maps, self.bytes = urllib.parse.urlsplit(url), 0, 0

    def exactly(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.connection.recv(min(count - len(data), 1 << 20))
            if not part:
                raise ConnectionError
            data += part
        return bytes(data)

    def message(self):
        opcode, size = self.exactly(2)
        if size == 126:
            size = struct.unpack(">H", self.exactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.exactly(8))[0]
        self.bytes += size
        return opcode & 15, self.exactly(size)

    def run(self):
        host = f"127.0.0.1:{self.parts.port}"
        self.connection = socket.create_connection(("127.0.0.1", self.parts.port))
        lines = ["GET /socket HTTP/1.1", f"Host: {host}", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                 "Sec-WebSocket-Key: " + base64.b64encode(bytes(16)).decode(), f"Origin: http://{host}",
                 f"Sec-WebSocket-Protocol: dunlin.1, t.{self.parts.fragment}", "", ""]
        self.connection.sendall("\r\n".join(lines).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.connection.recv(1)
        try:
            while True:
                opcode, message = self.message()
                if opcode == 2 and message[5] == 6 and message[6] & 1:
                    self.maps += 1
                    text = json.dumps({"drawn": struct.unpack_from("<I", message, 8)[0]}).encode()
                    self.connection.sendall(bytes([0x81, 0x80 | len(text)]) + bytes(4) + text)
                elif opcode == 1 and b'"facts"' in message[:20] and not json.loads(message)["server"]["moves"]:
                    return self.connection.close()
        except ConnectionError:
            pass


def measured(command, folder, points, iterations, watch):
    report = folder / "report.json"
    arguments = [command, "tsne", points, "--iterations", str(iterations), "--device", os.environ.get("DUNLIN_DEVICE", "cpu"),
                 "--scores", "none", "--quiet", "-o", folder / "map.npy", "--report", report]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([*arguments, *(["--watch", "--no-open"] if watch else [])], stdout=subprocess.PIPE, text=True)
    client = None
    if watch:
        client = Client(process.stdout.readline().strip())
        client.start()
    process.communicate()
    assert process.returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    seconds = json.loads(report.read_text())["seconds"]["optimize"]
    return cpu, seconds, client.maps if client else 0, (folder / "map.npy").read_bytes()


def main():
    command = sys.argv[1]
    count, iterations, repeats = (int(a) for a in (sys.argv[2:] + ["100000", "500", "3"][len(sys.argv) - 2:]))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_points(folder / "points.csv", count)
        print("points,iterations,watched,cpu_seconds,optimize_seconds,maps,maps_per_second")
        results = set()
        for _ in range(repeats):
            for watch in (False, True):
                cpu, seconds, maps, result = measured(command, folder, folder / "points.csv", iterations, watch)
                results.add(result)
                print(f"{count},{iterations},{int(watch)},{cpu:.2f},{seconds:.2f},{maps},{maps / seconds:.1f}", flush=True)
        assert len(results) == 1, "watching changed the result"


if __name__ == "__main__":
    main()
