# SPDX-License-Identifier: Apache-2.0
"""The library's shards, which a worker may make to take several times as long: distributed_figures.py."""

import time

from dunlin import _core
from dunlin._core import *  # noqa: F403  what the engine asks for
from dunlin._core import describe_message, kmeans_over, labels_of, should_stop_waiting  # noqa: F401

TIMES = {"as_long": 1.0}


class Shard:
    def __init__(self, **options):
        self.shard = _core.Shard(**options)
        self.add, self.remove = self.shard.add, self.shard.remove

    def answer(self, request, chunks):
        begun = time.perf_counter()
        found = self.shard.answer(request, chunks)
        time.sleep((time.perf_counter() - begun) * (TIMES["as_long"] - 1))
        return found


def slow(times):
    TIMES["as_long"] = times
