# SPDX-License-Identifier: Apache-2.0
"""Counts the calls of patched names: which Dunlin did, which the original did, and the reason for the original."""

import logging
import threading
import time

logger = logging.getLogger("dunlin.accel")
logger.addHandler(logging.NullHandler())
_MANY_ROWS = 20_000  # of a call whose way around the library is a warning
_lock = threading.Lock()
_calls, _said = {}, set()


def report():
    """Calls of patched names so far: a list of dicts with ``name``, ``by`` ('dunlin' or 'original'), ``reason`` (of the
    original, else None), ``calls``, ``rows`` and ``seconds``."""
    with _lock:
        keys = ("name", "by", "reason")
        return [dict(zip(keys, key)) | dict(counted) for key, counted in _calls.items()]


def reset_report():
    with _lock:
        _calls.clear()
        _said.clear()


class timed:
    """Context of one call: counted at its end, unless it raises."""

    def __init__(self, name, rows, reason=None):
        self.key = (name, "dunlin" if reason is None else "original", reason)
        self.rows = int(rows)
        if reason is not None:
            _say(name, reason, self.rows)

    def __enter__(self):
        self.began = time.monotonic()
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not None:
            return
        with _lock:
            counted = _calls.setdefault(self.key, {"calls": 0, "rows": 0, "seconds": 0.0})
            counted["calls"] += 1
            counted["rows"] += self.rows
            counted["seconds"] += time.monotonic() - self.began


def _say(name, reason, rows):
    level = logging.WARNING if rows >= _MANY_ROWS else logging.INFO
    with _lock:
        if (name, reason, level) in _said:
            return
        _said.add((name, reason, level))
    logger.log(level, "%s by the original: %s", name, reason)


def rows_of(X):
    shape = getattr(X, "shape", None)
    if shape:
        return shape[0]
    return len(X) if hasattr(X, "__len__") else 0
