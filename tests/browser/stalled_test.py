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
        waiting = []
        for _ in range(2):
            self.assertEqual(server.upgrade()[0], 101)
            waiting.append(server.connection)
            self.addCleanup(server.connection.close)
            server.connection = None
        began = time.monotonic()
        patient, stalled = waiting
        # Others are served
        whole = sum(map(len, server.hello()[1]))
        self.assertLess(time.monotonic() - began, 20)
        # Before 30 s have passed it may go on; afterwards it is cut off, and has only what was on its way
        time.sleep(began + 22 - time.monotonic())
        patient.settimeout(5)
        received = 0
        while received < whole:
            received += len(patient.recv(1 << 20))
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
