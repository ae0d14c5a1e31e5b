# SPDX-License-Identifier: Apache-2.0
"""Maps of a run, kept and sent again: many more, and faster, than the run makes them. Only Python's own library is used."""

import base64
import hashlib
import json
import socket
import struct
import threading
import time
import urllib.parse

from web_socket import BINARY, TEXT, WebSocket

IN_FLIGHT = 2  # as the server of Dunlin (serve/server.cpp)


class Kept:
    """The first messages of a run that is watched, and `count` of its maps, which are acknowledged as by a page."""

    def __init__(self, address, count):
        parts = urllib.parse.urlsplit(address)
        connection = WebSocket("127.0.0.1", parts.port, "/socket", [f"Origin: http://127.0.0.1:{parts.port}", f"Sec-WebSocket-Protocol: dunlin.1, t.{parts.fragment}"])
        self.first, self.maps, current = [], [], []
        while len(self.maps) < count:
            kind, message = connection.receive()
            if kind == BINARY and message[5] == 6:
                current.append(bytearray(message))
                if message[6] & 1:
                    self.maps.append(current)
                    current = []
                    connection.send(json.dumps({"drawn": struct.unpack_from("<I", message, 8)[0]}))
            elif kind == BINARY or not self.first or b'"facts"' in message[:20]:
                self.first.append((kind, bytes(message)))
        connection.close()


class Replay(threading.Thread):
    """A server of one page, which has at most two maps on their way to it. Numbers of maps and of iterations ascend."""

    def __init__(self, kept, count, seconds):
        super().__init__(daemon=True)
        self.kept, self.count, self.seconds = kept, count, seconds
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.changed = threading.Condition()
        self.sent = self.drawn = 0
        self.began = self.took = 0.0
        self.failed = ""

    def run(self):
        try:
            self.page, _ = self.listener.accept()
            self.page.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.page.sendall(self.greeting())
            threading.Thread(target=self.read, daemon=True).start()
            for kind, message in self.kept.first:
                self.write(kind, message)
            self.began = time.monotonic()
            while self.sent < self.count and self.going():
                with self.changed:
                    if not self.changed.wait_for(lambda: self.sent - self.drawn < IN_FLIGHT or self.failed, 30):
                        raise ConnectionError(f"the page has not drawn map {self.drawn + 1} within 30 s")
                self.sent += 1
                for frame in self.kept.maps[self.sent % len(self.kept.maps)]:
                    struct.pack_into("<II", frame, 8, self.sent, self.sent)
                    self.write(BINARY, frame)
            with self.changed:
                self.changed.wait_for(lambda: self.drawn >= self.sent or self.failed, 30)
        except OSError as error:
            self.failed = self.failed or str(error)
        self.took = time.monotonic() - self.began

    def going(self):
        return not self.failed and time.monotonic() < self.began + self.seconds

    def greeting(self):
        """The answer to the page's request for a WebSocket (RFC 6455)."""
        request = b""
        while b"\r\n\r\n" not in request:
            part = self.page.recv(4096)
            if not part:
                raise ConnectionError("the page has left")
            request += part
        headers = dict(line.split(": ", 1) for line in request.decode().split("\r\n")[1:] if ": " in line)
        key = next(value for name, value in headers.items() if name.lower() == "sec-websocket-key")
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        return (f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n"
                "Sec-WebSocket-Protocol: dunlin.1\r\n\r\n").encode()

    def write(self, kind, data):
        size = len(data)
        head = struct.pack(">BB", 128 | kind, size) if size < 126 else struct.pack(">BBH", 128 | kind, 126, size) if size < 65536 else struct.pack(">BBQ", 128 | kind, 127, size)
        self.page.sendall(head)
        self.page.sendall(data)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.page.recv(count - len(data))
            if not part:
                raise ConnectionError("the page has left")
            data += part
        return data

    def read(self):
        """What the page sends: short, masked texts."""
        try:
            while True:
                first, size = self.exactly(2)
                size &= 127
                size = struct.unpack(">H", self.exactly(2))[0] if size == 126 else size
                mask = self.exactly(4)
                text = bytes(byte ^ mask[i % 4] for i, byte in enumerate(self.exactly(size)))
                message = json.loads(text) if first & 15 == TEXT else {}
                with self.changed:
                    self.drawn = max(self.drawn, message.get("drawn", 0))
                    self.changed.notify_all()
        except (OSError, ValueError) as error:
            with self.changed:
                self.failed = self.failed or str(error)
                self.changed.notify_all()

    def close(self):
        with self.changed:
            self.failed = self.failed or "closed"
            self.changed.notify_all()
        self.listener.close()
        if hasattr(self, "page"):
            try:
                self.page.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.page.close()
