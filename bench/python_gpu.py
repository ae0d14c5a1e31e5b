#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""t-SNE, neighbors and k-means of a tensor that lies on a GPU, through the Python package: seconds of the first and the
second call, growth of the process's memory, bytes that go to the GPU, and whether the results have the bytes that a
NumPy array gives. Needs torch or CuPy and a GPU. With an unpacked wheel: PYTHONPATH=FOLDER python3 bench/python_gpu.py

Points: 60,000 x 784 as those of MNIST in size, range and number of classes (made here), or --points FILE.npy.
"""

import argparse
import json
import os
import resource
import tempfile
import time

import numpy as np

import dunlin


def made_points(rows, cols, seed=1):
    """Whole numbers from 0 to 255, most of them 0, around ten smooth class means with twelve factors in each class."""
    generator = np.random.default_rng(seed)
    means = np.cumsum(generator.normal(size=(10, cols)), axis=1)
    means = 60 * (means - means.mean(axis=1, keepdims=True)) / means.std(axis=1, keepdims=True) - 40
    classes = generator.integers(10, size=rows)
    values = 5 * generator.standard_normal((rows, cols), dtype=np.float32)
    for k in range(10):
        rows_of = np.flatnonzero(classes == k)
        factors = generator.standard_normal((12, cols), dtype=np.float32)
        own = generator.standard_normal((len(rows_of), 12), dtype=np.float32)
        values[rows_of] += means[k].astype(np.float32) + 10 * own @ factors
    return np.clip(np.rint(values), 0, 255)


class Memory:
    """Growth of the peak resident memory since the last reset; where the kernel allows no reset, since the start."""

    def __init__(self):
        try:
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")
        except OSError:
            pass
        self.before = _status("VmRSS")

    def growth(self):
        peak = _status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return max(0, peak - self.before)


def _status(name):
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    return 0


class Package:
    """torch or CuPy."""

    def __init__(self, name):
        self.name = name
        self.module = __import__(name)

    def put(self, array):
        if self.name == "torch":
            return self.module.as_tensor(array, device="cuda")
        return self.module.asarray(array)

    def host(self, array):
        return array.cpu().numpy() if self.name == "torch" else array.get()

    def wait(self):
        if self.name == "torch":
            self.module.cuda.synchronize()
        else:
            self.module.cuda.get_current_stream().synchronize()

    def copied_to_gpu(self, call):
        """Bytes that a call copies from the host to the GPU, by torch's profiler; None: not measured."""
        if self.name != "torch":
            return None
        try:
            from torch.profiler import ProfilerActivity, profile

            with profile(activities=[ProfilerActivity.CUDA]) as profiler:
                call()
                self.wait()
            with tempfile.TemporaryDirectory() as folder:
                trace = os.path.join(folder, "trace.json")
                profiler.export_chrome_trace(trace)
                with open(trace) as file:
                    events = json.load(file)["traceEvents"]
            return sum(
                int(event.get("args", {}).get("bytes", 0)) for event in events if "Memcpy HtoD" in event.get("name", "")
            )
        except Exception as error:  # noqa: BLE001  the profiler is not part of what is measured
            print(f"  bytes to the GPU: not measured ({error})")
            return None


def measured(package, what, call, host_call, same):
    """Prints the figures of a call; returns whether the bytes are the same."""
    seconds, memory = [], Memory()
    for _ in range(2):
        package.wait()
        begin = time.perf_counter()
        result = call()
        package.wait()
        seconds.append(time.perf_counter() - begin)
    grown = memory.growth()
    copied = package.copied_to_gpu(call)
    memory = Memory()
    begin = time.perf_counter()
    expected = host_call()
    on_host = time.perf_counter() - begin
    equal = same(result, expected)
    print(
        f"{what}: first {seconds[0]:.3f} s, second {seconds[1]:.3f} s, of a NumPy array {on_host:.3f} s; "
        f"memory of the host +{grown / 1e6:.1f} MB (NumPy array: +{memory.growth() / 1e6:.1f} MB); "
        f"to the GPU {'not measured' if copied is None else f'{copied / 1e6:.2f} MB'}; "
        f"{'the same bytes' if equal else 'BYTES DIFFER'}"
    )
    return equal


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--points", help="a .npy file; default: made points")
    parser.add_argument("--rows", type=int, default=60000)
    parser.add_argument("--cols", type=int, default=784)
    parser.add_argument("--package", choices=("torch", "cupy"), default="torch")
    arguments = parser.parse_args()
    if not dunlin.gpus():
        raise SystemExit(f"no GPU: {dunlin._core.why_no_gpu()}")
    package = Package(arguments.package)
    X = np.ascontiguousarray(
        np.load(arguments.points) if arguments.points else made_points(arguments.rows, arguments.cols), np.float32
    )
    there = package.put(X)
    package.wait()
    print(f"{X.shape[0]:,} x {X.shape[1]}, {X.nbytes / 1e6:.0f} MB, {arguments.package}, {dunlin.gpus()[0]}")

    def equal(*names):
        return lambda found, expected: all(
            package.host(getattr(found, name)).tobytes() == np.asarray(getattr(expected, name)).tobytes()
            for name in names
        )

    good = [
        measured(
            package,
            "neighbors",
            lambda: dunlin.neighbors(there, 15),
            lambda: dunlin.neighbors(X, 15, device="cuda"),
            equal("indices", "distances"),
        ),
        measured(
            package,
            "kmeans",
            lambda: dunlin.kmeans(there, 10),
            lambda: dunlin.kmeans(X, 10, device="cuda"),
            equal("labels", "centers"),
        ),
        measured(
            package,
            "tsne",
            lambda: dunlin.tsne(there),
            lambda: dunlin.tsne(X, device="cuda"),
            equal("embedding"),
        ),
    ]
    wide = there.double() + 1e6 if arguments.package == "torch" else there.astype("float64") + 1e6
    good.append(
        measured(
            package,
            "neighbors of float64 far from zero",
            lambda: dunlin.neighbors(wide, 15),
            lambda: dunlin.neighbors(X.astype(np.float64) + 1e6, 15, device="cuda"),
            equal("indices", "distances"),
        )
    )
    raise SystemExit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
