# SPDX-License-Identifier: Apache-2.0
"""The viewer's server before unfriendly clients. Its times are those of tests/unit/serve_test.cpp, which has shorter ones."""

import contextlib
import json
import pathlib
import resource
import signal
import socket
import subprocess
import time

from attack import BAD_FILE, BAD_INPUT, COMMAND, attack, refused, run


def a_map():
    pathlib.Path("m.json").write_text(json.dumps({"dim": 2, "coordinates": [[i % 7, i % 5] for i in range(40)]}))
    return "m.json"


@contextlib.contextmanager
def viewer():
    process = subprocess.Popen([COMMAND, "view", a_map(), "--no-open", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = process.stdout.readline().strip()
        yield int(address.split(":")[2].split("/")[0]), address.split("#")[1]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        process.stdout.close()


def answer(port, request):
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(request.encode())
        found = b""
        with contextlib.suppress(ConnectionError):
            while part := connection.recv(65536):
                found += part
                if found.startswith(b"HTTP/1.1 101"):
                    break
        return found.decode("latin-1")


def upgrade(port, token, path="/socket", version="13", key="A" * 22 + "==", host=None, origin=None):
    host = host or f"127.0.0.1:{port}"
    return answer(port, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: {version}\r\n"
                  f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Protocol: dunlin.1, t.{token}\r\nOrigin: {origin or 'http://' + host}\r\n\r\n")


@attack
def half_open_requests_lock_nobody_out():
    with viewer() as (port, _):
        waiting = [socket.create_connection(("127.0.0.1", port), 10) for _ in range(100)]
        for connection in waiting:
            with contextlib.suppress(ConnectionError):
                connection.sendall(b"GET / HTTP/1.1\r\n")
        begin = time.monotonic()
        assert answer(port, f"GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").startswith("HTTP/1.1 200")
        assert time.monotonic() - begin < 5
        for connection in waiting:
            connection.close()


@attack
def a_second_host_is_refused():
    with viewer() as (port, token):
        assert answer(port, "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n").startswith("HTTP/1.1 400")
        assert answer(port, "GET / HTTP/1.1\r\nHost: localhost\r\nHost: example.org\r\n\r\n").startswith("HTTP/1.1 400")
        wrong = upgrade(port, token, version="8")
        assert wrong.startswith("HTTP/1.1 426") and "Sec-WebSocket-Version: 13\r\n" in wrong, wrong
        for more in ({"path": "/"}, {"path": "/other"}, {"key": "short"}, {"host": "example.org"}, {"origin": "http://example.org"}):
            assert upgrade(port, token, **more).startswith("HTTP/1.1 4"), more
        assert upgrade(port, "0" * len(token)).startswith("HTTP/1.1 4")
        assert upgrade(port, token).startswith("HTTP/1.1 101")
        assert answer(port, "GET /" + "a" * 100_000 + " HTTP/1.1\r\n\r\n").startswith("HTTP/1.1 431")


@attack
def only_this_machine_is_listened_to():
    with viewer() as (port, _):
        try:
            socket.create_connection(("127.0.0.2", port), 2).close()
        except ConnectionRefusedError:
            return
        raise AssertionError("it listens on another address than 127.0.0.1")


@attack
def a_server_without_descriptors_says_so():
    a_map()
    blamed = 0
    for most in range(4, 16):
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # noqa: B023,E731
        try:
            done = run("view", "m.json", "--no-open", preexec_fn=limit, seconds=10)
        except subprocess.TimeoutExpired:
            break  # enough of them
        if b"no socket" in done.stderr:
            blamed += 1
            refused(done, BAD_FILE, "ulimit -n")
        assert b"port" not in done.stderr, done.stderr
    assert blamed, "no limit left the map readable and the server without a socket"
    with viewer() as (port, _):
        refused(run("view", "m.json", "--no-open", "--port", port), BAD_INPUT, "--port")
