#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Timings of HTML pages (docs/viewer.md) in a Chromium that draws on a GPU.

    bench/viewer_gpu.py MAP.html... [--chromium PROGRAM] [--software] >>bench/results/viewer.csv

Serves each page on this machine with a script that measures it, opens it in a headless Chromium, and prints rows of CSV. Frames
end when a fence of the graphics card is through. Fails if the browser draws in software, unless --software is given. Only
Python's own library is used. A machine without Debian's packages needs a folder with chromium-headless-shell, its data files,
and the libraries that ldd lists; the driver's EGL is found through libglvnd.
"""

import argparse
import csv
import datetime
import http.server
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

FLAGS = ["--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--enable-gpu",
         "--disable-background-networking", "--enable-precise-memory-info", "--window-size=1200,1200"]

MEASURE = """
(async () => {
  const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
  const median = list => list.slice().sort((a, b) => a - b)[list.length >> 1];
  const send = result => fetch('/result', {method: 'POST', body: JSON.stringify(result)});
  try {
    while (!window.dunlin) {
      if (document.getElementById('wait').className) throw new Error(document.getElementById('wait').textContent);
      await sleep(20);
    }
    const {scene, painter, pace} = dunlin, ready = dunlin.ready;
    await pace.whole();
    const first = performance.now();
    const drained = () => { const p = new Uint8Array(4); painter.gl.readPixels(0, 0, 1, 1, painter.gl.RGBA, painter.gl.UNSIGNED_BYTE, p); };
    const timed = (count, act) => median(Array.from({length: count}, () => { const start = performance.now(); act(); return performance.now() - start; }));
    // While moving: frames of the page's own pace
    pace.times.length = 0;
    const until = performance.now() + 3000;
    let angle = 0;
    while (performance.now() < until) {
      panBy(scene, 3 * Math.cos(angle += 0.05), 3 * Math.sin(angle));
      pace.request(true);
      await new Promise(requestAnimationFrame);
    }
    const moving = pace.times.slice(), moved = performance.now();
    await pace.whole();
    const rest = performance.now() - moved;
    const complete = timed(5, () => { painter.start(dunlin.lookOf(scene), 1); painter.advance(16); drained(); });
    const perChunk = painter.perChunk, vertices = painter.vertices;
    let seed = 1;
    const random = n => Math.floor((seed = Math.imul(seed, 1664525) + 1013904223 >>> 0) / 2 ** 32 * n);
    const start = performance.now();
    for (let i = 0; i < 1000; ++i) dunlin.pointAt(scene, random(1200), random(1200));
    const hover = (performance.now() - start) / 1000;
    const resize = timed(5, () => { dunlin.resize(); });
    const lasso = timed(3, () => pointsWithin(scene, [[200, 200], [1000, 250], [900, 900], [600, 500], [250, 1000]]));
    await send({points: scene.cloud.n, renderer: painter.name, ready_ms: ready, moving_median_ms: median(moving), moving_worst_ms: Math.max(...moving),
                complete_after_rest_ms: rest, complete_frame_ms: complete, layers_per_chunk: perChunk, vertices, hover_ms: hover, resize_ms: resize,
                lasso_ms: lasso, heap_mb: performance.memory ? performance.memory.usedJSHeapSize / 1e6 : ''});
  } catch (error) { await send({error: String(error.stack || error)}); }
})();
"""


def measured(path, chromium, seconds):
    """The result that the page of a file posts."""
    text = path.read_text()
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>\n', "", text)
    page = text.replace("</body>", f"<script>{MEASURE}</script>\n</body>").encode()
    results = queue.Queue()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = page if self.path == "/" else b""
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):
            results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        command = [chromium, *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-port=0", f"http://127.0.0.1:{server.server_port}/"]
        browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, "EGL_PLATFORM": "surfaceless"})
        try:
            return results.get(timeout=seconds)
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--chromium", default="chromium-headless-shell")
    parser.add_argument("--software", action="store_true", help="allow drawing in software")
    parser.add_argument("--seconds", type=float, default=180, help="limit for a page")
    arguments = parser.parse_args()
    writer = None
    for path in arguments.pages:
        result = measured(path, arguments.chromium, arguments.seconds)
        if "error" in result:
            sys.exit(f"{path}: {result['error']}")
        if re.search("llvmpipe|SwiftShader|softpipe", result["renderer"]) and not arguments.software:
            sys.exit(f"the browser draws in software ({result['renderer']}); --software allows that")
        row = {"date": datetime.date.today().isoformat(), "page": path.name, "file_mb": path.stat().st_size / 1e6, **result}
        if writer is None:
            writer = csv.DictWriter(sys.stdout, row)
            writer.writeheader()
        writer.writerow({key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()})
        sys.stdout.flush()


if __name__ == "__main__":
    main()
