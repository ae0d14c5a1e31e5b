# SPDX-License-Identifier: Apache-2.0
"""What a worker's chunks need, against the memory that it may use."""

import warnings

import numpy as np

from .._errors import OutOfMemoryError


def bytes_of_worker(core, data, method, step, share, threads):
    """Of a worker that holds this share of the rows; docs/machines.md has the terms."""
    chunks = -(-data.n // step)
    mine = min(chunks, -(-chunks * share // 1))
    rows = int(min(data.n, mine * step))
    held = method.bytes_of_shard(core, rows, data.cols, data.weights is not None, int(mine), threads)
    if data.dtype == np.float32:
        return held
    return held + min(step, rows) * data.cols * np.dtype(data.dtype).itemsize  # the chunk that is being narrowed


def check_memory(core, client, data, method, step, threads):
    """Limits too small for all rows are an error before the run; one too small for a worker's share, a warning."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    limits = {name: worker.get("memory_limit") or 0 for name, worker in workers.items()}
    if not limits or not all(limits.values()):
        return
    power = {name: max(worker.get("nthreads") or 1, 1) for name, worker in workers.items()}
    needs = {
        name: bytes_of_worker(core, data, method, step, power[name] / sum(power.values()), threads or power[name])
        for name in limits
    }
    # not the sum of the shares, which are whole chunks each
    chunks = -(-data.n // step)
    workspaces = sum(method.bytes_of_shard(core, 0, data.cols, False, 0, threads or power[name]) for name in limits)
    rows = method.bytes_of_shard(core, data.n, data.cols, data.weights is not None, chunks, 0)
    needed, limit = rows + workspaces, sum(limits.values())
    if needed > limit:
        raise OutOfMemoryError(
            f"the rows and what {method.name} keeps of them need {needed / 1e9:.1f} GB and the {len(limits)} workers may use "
            f"{limit / 1e9:.1f} GB together; add workers, or raise their --memory-limit"
        )
    short = {name: need for name, need in needs.items() if need > limits[name]}
    if short:
        name, need = next(iter(short.items()))
        warnings.warn(
            f"{len(short)} of {len(limits)} workers may use less memory than their share of the rows needs, for example {name} "
            f"{limits[name] / 1e9:.1f} of {need / 1e9:.1f} GB; what they cannot hold is read by the others: add workers, or give "
            "limits in proportion to threads",
            stacklevel=4,
        )
