# SPDX-License-Identifier: Apache-2.0
"""A page that stops reading: `dunlin view` serves others meanwhile, and drops it after 30 s. DUNLIN_COMMAND names the command."""

import array
import pathlib
import random
import socket
import struct
import tempfile
import time
import unittest

from view_test import Server

POINTS = 1_000_000  # more bytes than the buffers of a connection hold, and not so many that a sample comes first


class Stalled(unittest.TestCase):
    def test_a_page_that_stops_reading_is_dropped(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "map.npy"
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({POINTS}, 2), }}".ljust(117) + "\n"
        source = random.Random(5)
        some = array.array("f", (source.gauss(0, 1) for _ in range(40000)))
        path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + some.tobytes() * (POINTS * 2 // len(some)))
        server = Server(path)
        self.addCleanup(server.stop)
        self.assertEqual(server.upgrade()[0], 101)
        stalled, server.connection = server.connection, None
        self.addCleanup(stalled.close)
        began = time.monotonic()
        # Others are served
        whole = sum(map(len, server.hello()[1]))
        self.assertLess(time.monotonic() - began, 25)
        # Just before the end of the 30 s it could go on; afterwards it is cut off, and has only what was on its way
        time.sleep(began + 25 - time.monotonic())
        self.assertEqual(stalled.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)[0] & 0x80, 0x80)
        time.sleep(began + 36 - time.monotonic())
        stalled.settimeout(10)
        received = 0
        try:
            while part := stalled.recv(1 << 20):
                received += len(part)
        except ConnectionResetError:
            pass
        self.assertGreater(received, 0)
        self.assertLess(received, whole - 1_000_000)
        self.assertEqual(sum(map(len, server.hello()[1])), whole)


if __name__ == "__main__":
    unittest.main(verbosity=2)
