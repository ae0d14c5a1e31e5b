# SPDX-License-Identifier: Apache-2.0
"""Pages of the programs that bench/viewer_gpu.py compares with."""

import http.server
import threading
import urllib.parse
from pathlib import Path

HERE = Path(__file__).resolve().parent


def peer_server(work, folder, n):
    """A server of a page for the scripts of others in `folder`, and of the n points in `work`."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path, kind = urllib.parse.urlsplit(self.path).path, "application/octet-stream"
            if path == "/":
                body, kind = b'<!doctype html><body style="margin:0"><script src="/peers.js"></script><script src="/peer/deck.js"></script>', "text/html"
            elif path in ("/places", "/labels"):
                body = (work / f"{path[1:]}-{n}.bin").read_bytes()
            elif path == "/peers.js":
                body, kind = (HERE / "peers.js").read_bytes(), "text/javascript"
            elif path in ("/peer/deck.js", "/peer/bundle.js"):
                # The bundle of a widget, whose parts are not exported
                body, kind = (folder / path[6:]).read_bytes() + (b"\nexport {createScatterplot};" if "bundle" in path else b""), "text/javascript"
            else:
                return self.send_error(404)
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
