# SPDX-License-Identifier: Apache-2.0
"""The library's shards, which sleep for each chunk: slow workers, and runs that last long enough for a fault."""

import time

from dunlin import _core
from dunlin._core import (  # noqa: F401  what the engine asks for
    bytes_of_mixture_shard,
    bytes_of_shard,
    chunk_rows,
    describe_message,
    kmeans_over,
    labels_of,
    mixture_over,
    neighbors_over,
    should_stop_waiting,
)

DELAY = {"seconds": 0.0}


class Shard:
    def __init__(self, **options):
        self.shard = _core.Shard(**options)
        self.add, self.remove = self.shard.add, self.shard.remove

    def answer(self, request, chunks):
        time.sleep(DELAY["seconds"] * len(chunks))
        return self.shard.answer(request, chunks)


def delay(seconds):
    DELAY["seconds"] = seconds
