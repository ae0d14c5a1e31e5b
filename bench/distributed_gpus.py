# SPDX-License-Identifier: Apache-2.0
"""Distributed k-means where workers see GPUs: rows of the same form as those of distributed_figures.py.

usage: distributed_gpus.py FOLDER ROWS [ITERATIONS]     (20 iterations; FOLDER holds ROWS x 2 float32 values)

Times 4 workers of 3 threads, a worker for each GPU, and one with a GPU beside one without; asserts that centroids and labels of all
of them have the bytes of one process.
"""

import sys
import time
from pathlib import Path

import numpy as np
from distributed import Client

import dunlin
from distributed_figures import fit, points_file, row
from local_cluster import LocalProcesses


class Workers(LocalProcesses):
    """Workers of given devices: each 'cpu' or the number of a GPU."""

    def __init__(self, folder, devices, threads):
        self.devices = devices
        super().__init__(folder, len(devices), threads)

    def add(self):
        device = self.devices[self.count]
        self.environment["CUDA_VISIBLE_DEVICES"] = "" if device == "cpu" else str(device)
        return super().add()


def main():
    folder, rows = Path(sys.argv[1]), int(sys.argv[2])
    iterations = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    folder.mkdir(parents=True, exist_ok=True)
    path = points_file(folder, rows)
    facts = {"rows": rows, "columns": 2}

    begun = time.perf_counter()
    options = {"seed": 1, "max_iter": iterations, "stop": "never", "device": "cpu"}
    alone = dunlin.kmeans(np.load(path, mmap_mode="r"), 4, n_jobs=12, **options)
    about = f"{iterations} iterations, reading and start included"
    row("workers, one process", "dunlin", time.perf_counter() - begun, note=f"12 threads, {about}", **facts)

    gpus = len(dunlin.gpus())
    cases = {"4 workers of 3 threads": (["cpu"] * 4, 3)}
    if gpus > 0:
        cases |= {"1 GPU": ([0], 3), "1 GPU and 1 worker of 12 threads": ([0, "cpu"], 12)}
    if gpus > 1:
        cases |= {f"{gpus} GPUs": (list(range(gpus)), 3)}
    for name, (devices, threads) in cases.items():
        with Workers(folder, devices, threads) as processes, Client(processes.address) as client:
            client.wait_for_workers(len(devices), timeout=120)
            model, seconds = fit(client, path, iterations=iterations)
            used = sorted(model.devices_.values())
            assert used == sorted("cpu" if d == "cpu" else "cuda" for d in devices), used
            assert np.array_equal(model.cluster_centers_, alone.centers), f"{name}: other centroids"
            assert np.array_equal(np.load(path.with_suffix(".labels.npy")), alone.labels), f"{name}: other labels"
            row(f"workers, {name}", "dunlin", seconds, note=f"{about}; same bytes as one process", **facts)


if __name__ == "__main__":
    main()
