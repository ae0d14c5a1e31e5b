#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What watching costs a run: t-SNE of a Gaussian mixture with and without `--watch`, whose client takes every map and
acknowledges it without drawing. Prints seconds of processor time and of the optimization, and maps per second.

watch_cost.py COMMAND [POINTS [ITERATIONS [REPEATS]]]
"""

import json
import os
import pathlib
import random
import resource
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from web_socket import BINARY, TEXT, WebSocket


def write_points(path, count, columns=10, clusters=30):
    source = random.Random(1)
    centers = [[source.gauss(0, 5) for _ in range(columns)] for _ in range(clusters)]
    with open(path, "w") as file:
        file.write(",".join(f"c{c}" for c in range(columns)) + "\n")
        for i in range(count):
            file.write(",".join(f"{x + source.gauss(0, 1):.3f}" for x in centers[i % clusters]) + "\n")


class Client(threading.Thread):
    """Reads the socket of a run; answers every map, at most so many a second."""

    def __init__(self, url, rate=float("inf")):
        super().__init__(daemon=True)
        self.parts, self.maps, self.bytes, self.pause, self.next = urllib.parse.urlsplit(url), 0, 0, 1 / rate, 0.0

    def run(self):
        host = f"127.0.0.1:{self.parts.port}"
        try:
            connection = WebSocket("127.0.0.1", self.parts.port, "/socket",
                                   [f"Origin: http://{host}", f"Sec-WebSocket-Protocol: dunlin.1, t.{self.parts.fragment}"])
            while True:
                kind, message = connection.receive()
                self.bytes += len(message)
                if kind == BINARY and message[5] == 6 and message[6] & 1:
                    self.maps += 1
                    time.sleep(max(0.0, self.next - time.monotonic()))
                    self.next = max(self.next, time.monotonic() - self.pause) + self.pause
                    connection.send(json.dumps({"drawn": struct.unpack_from("<I", message, 8)[0]}))
                elif kind == TEXT and b'"facts"' in message[:20] and not json.loads(message)["server"]["moves"]:
                    return connection.close()
        except ConnectionError:
            pass


def measured(command, folder, points, iterations, watch, more=(), device=os.environ.get("DUNLIN_DEVICE", "cpu"), rate=float("inf")):
    """Seconds of the processors and of the loop, maps that a client got, and the bytes of the map. rate: most maps that
    the client takes in a second."""
    report = folder / "report.json"
    arguments = [command, "tsne", points, "--iterations", str(iterations), "--device", device, "--scores", "none", "--quiet",
                 "-o", folder / "map.npy", "--report", report, *more]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([*arguments, *(["--watch", "--no-open"] if watch else [])], stdout=subprocess.PIPE, text=True)
    client = None
    try:
        if watch:
            client = Client(process.stdout.readline().strip(), rate)
            client.start()
        process.communicate()
    finally:
        process.kill()
        process.wait()
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
