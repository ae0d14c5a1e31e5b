# SPDX-License-Identifier: Apache-2.0
"""page_talk.py DUNLIN ARGUMENTS...: runs `dunlin view ARGUMENTS`, and prints all that its page is sent: its files, and over the
socket the message that comes first, the frames, and the answers to a fixed list of questions."""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import urllib.parse
import urllib.request

QUESTIONS = (
    {"ask": "point", "place": 0},
    {"ask": "point", "place": 40},
    {"ask": "point", "place": 10**6},
    {"ask": "search", "text": "p1"},
    {"ask": "shepard"},
    {"ask": "save"},
    {"ask": "steer", "act": "finish"},
    {"ask": "nothing"},
)


class Socket:
    """A WebSocket to the server of a page."""

    def __init__(self, address):
        parts = urllib.parse.urlsplit(address)
        host = f"{parts.hostname}:{parts.port}"
        self.connection = socket.create_connection((parts.hostname, parts.port), 30)
        lines = (f"GET /socket HTTP/1.1|Host: {host}|Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Version: 13|"
                 f"Sec-WebSocket-Key: {'A' * 22}==|Sec-WebSocket-Protocol: dunlin.1, t.{parts.fragment}|Origin: http://{host}||")
        self.connection.sendall(lines.replace("|", "\r\n").encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += self.exactly(1)
        if b" 101 " not in answer:
            sys.exit(f"the socket was refused: {answer!r}")

    def exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.connection.recv(count - len(data))
            if not part:
                raise ConnectionError("the server has ended")
            data += part
        return data

    def send(self, payload, opcode=1):
        size = len(payload)
        head = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size)
        self.connection.sendall(bytes([0x80 | opcode]) + head + bytes(4) + payload)  # a mask of zeros

    def received(self):
        _, size = self.exactly(2)
        if size == 126:
            (size,) = struct.unpack(">H", self.exactly(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", self.exactly(8))
        return self.exactly(size)


def talk(address, out):
    base = address.split("#")[0]
    for path in ("", "page.css", "page.js"):
        with urllib.request.urlopen(base + path) as page:  # noqa: S310
            out.write(page.read())
    page = Socket(address)
    hello = page.received()
    out.write(hello + b"\n")
    for _ in range(json.loads(hello)["server"]["frames"]):
        out.write(page.received())
    page.send(struct.pack("<I", 0) + bytes([0xA5] * 5), opcode=2)  # a selection
    for serial, question in enumerate(QUESTIONS):
        page.send(json.dumps({"serial": serial, **question}).encode())
        out.write(page.received() + b"\n")


def hears_interrupts():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell starts background processes with the signal ignored


def main():
    command = [sys.argv[1], "view", *sys.argv[2:], "--no-open", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=hears_interrupts)
    try:
        talk(process.stdout.readline().strip(), sys.stdout.buffer)
        sys.stdout.flush()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


if __name__ == "__main__":
    os.environ["no_proxy"] = "127.0.0.1"
    main()
