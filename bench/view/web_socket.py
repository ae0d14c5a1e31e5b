# SPDX-License-Identifier: Apache-2.0
"""The client's end of a WebSocket (RFC 6455), with Python's own library only."""

import base64
import os
import socket
import struct

TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9


class WebSocket:
    def __init__(self, host, port, path, headers=()):
        self.socket = socket.create_connection((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}:{port}", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                 f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", *headers, "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            part = self.socket.recv(1)
            if not part:
                raise ConnectionError("the server has closed the connection")
            answer += part
        if b" 101 " not in answer.split(b"\r\n")[0]:
            raise ConnectionError(answer.split(b"\r\n")[0].decode())

    def exactly(self, count):
        data, at = bytearray(count), 0
        view = memoryview(data)
        while at < count:
            got = self.socket.recv_into(view[at:])
            if not got:
                raise ConnectionError("the server has closed the connection")
            at += got
        return data

    def receive(self):
        """The kind and the bytes of the next message."""
        message, kind = bytearray(), 0
        while True:
            first, size = self.exactly(2)
            if size == 126:
                size = struct.unpack(">H", self.exactly(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.exactly(8))[0]
            part, opcode = self.exactly(size), first & 15
            if opcode == PING:
                self.write(10, bytes(part))
                continue
            if opcode == CLOSE:
                raise ConnectionError("the server has closed the connection")
            kind = opcode or kind
            message = part if first & 128 and not message else message + part
            if first & 128:
                return kind, message

    def write(self, opcode, data):
        size = bytes([128 | len(data)]) if len(data) < 126 else struct.pack(">BH", 254, len(data)) if len(data) < 65536 else struct.pack(">BQ", 255, len(data))
        self.socket.sendall(bytes([128 | opcode]) + size + bytes(4) + data)  # a mask of zeros

    def send(self, text):
        self.write(TEXT, text.encode())

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)  # ends a read of another thread
        except OSError:
            pass
        self.socket.close()
