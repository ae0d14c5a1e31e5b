# SPDX-License-Identifier: Apache-2.0
"""The figures of Distributed k-Means Clustering (Lewellen, The Antimatroid, 2015-16) with dunlin.dask on this machine.

usage: distributed_figures.py FOLDER WORKERS THREADS QUICK     (THREADS: of each worker; QUICK: 1 for small sizes)

Prints one JSON row a line, with the columns of rows.py. Runs in the environment of ./dev python with distributed. Writes the
sequence pictures of figures 1 and 2 into FOLDER.
"""

import json
import os
import socket
import statistics
import sys
import threading
import time
from pathlib import Path

import numpy as np
from distributed import Client

import dunlin
import dunlin.dask
import sequence_picture
import slowed_core
from local_cluster import LocalProcesses

KIB, MIB = 1 << 10, 1 << 20
KILLED, RETURNED = 29, 69  # iterations of figure 5


def row(stage, system, seconds, **more):
    seconds = sorted(seconds) if isinstance(seconds, (list, tuple)) else [seconds]
    facts = {"median_s": statistics.median(seconds), "min_s": seconds[0], "max_s": seconds[-1], "runs": len(seconds)}
    print(json.dumps({"stage": stage, "system": system, "status": "done"} | facts | more), flush=True)


# Figures 3 and 4: transfer


class Echo:
    """An actor that takes bytes, and reads a range of a file."""

    def take(self, data):
        return len(data)

    def pull(self, path, size, block):
        buffer, done = bytearray(block), 0
        with open(path, "rb", buffering=0) as file:
            while done < size:
                file.seek(done % max(os.path.getsize(path) - block, 1))
                done += file.readinto(buffer)
        return done


def over_socket(size, block):
    """Seconds of a raw loopback connection."""
    listener = socket.create_server(("127.0.0.1", 0))

    def send():
        with socket.create_connection(listener.getsockname()) as out:
            data = bytes(block)
            for _ in range(size // block):
                out.sendall(data)

    thread = threading.Thread(target=send)
    begun = time.perf_counter()
    thread.start()
    connection, _ = listener.accept()
    buffer, done = bytearray(block), 0
    while done < size:
        done += connection.recv_into(buffer)
    spent = time.perf_counter() - begun
    thread.join(), connection.close(), listener.close()
    return spent


def transfer(client, folder, payload, block, stage):
    """One payload in blocks: as messages to an actor, pulled from a file by it, over a socket."""
    echo = client.submit(Echo, actor=True, pure=False).result()
    path = folder / "payload.bin"
    if not path.exists():
        path.write_bytes(bytes(128 * MIB))
    data = np.zeros(block, np.uint8)
    size = payload // block * block
    messages = min(size, 2000 * block)  # small blocks take long: part of the payload, scaled up
    begun = time.perf_counter()
    for _ in range(messages // block):
        echo.take(data).result()
    times = {"messages": (time.perf_counter() - begun) * size / messages}
    begun = time.perf_counter()
    echo.pull(str(path), size, block).result()
    times["pull"] = time.perf_counter() - begun
    times["socket"] = over_socket(size, block)
    for system, seconds in times.items():
        about = {"rate": size / seconds, "note": f"payload {payload // MIB} MiB, blocks of {block // KIB} KiB"}
        row(stage, system, seconds, **about)


def transfers(client, folder, quick):
    blocks = [8 * KIB << (2 * k) for k in range(7)]
    for block in blocks:
        transfer(client, folder, (8 if quick else 128) * MIB, min(block, 8 * MIB) if quick else block, "figure 3")
    for payload in (16, 32) if quick else (128, 512, 1024, 2047, 2049, 4096, 7168):
        transfer(client, folder, payload * MIB, (4 if quick else 64) * MIB, "figure 4")


# Figure 5 and the table


def points_file(folder, rows, columns=2, clusters=4):
    path = folder / f"points-{rows}-{columns}.npy"
    if not path.exists():
        generator = np.random.default_rng(rows)
        out = np.lib.format.open_memmap(path, "w+", np.float32, (rows, columns))
        centers = generator.normal(size=(clusters, columns)) * 4
        for first in range(0, rows, 1 << 22):
            part = out[first : first + (1 << 22)]
            part[:] = centers[generator.integers(clusters, size=len(part))] + generator.normal(size=part.shape)
        out.flush()
    return path


def fit(client, path, iterations=100, clusters=4, model=dunlin.dask.KMeans, **options):
    model = model(
        clusters,
        client=client,
        random_state=1,
        max_iter=iterations,
        stop="never",
        labels=path.with_suffix(".labels.npy"),
        **options,
    )
    begun = time.perf_counter()
    model.fit(str(path))
    return model, time.perf_counter() - begun


def rounds(events, started):
    """Seconds of each round: (sharing, computing, synchronizing), by the stamps of events and answers."""
    found, asked, answers = [], None, []
    for each in events:
        if each["event"] == "ask":
            asked, answers = started + each["seconds"], []
        elif each["event"] == "answer" and asked is not None:
            answers.append(each)
        elif each["event"] == "answered" and answers:
            begun, ended = max(a["begun"] for a in answers), max(a["ended"] for a in answers)
            computing = max(a["ended"] - a["begun"] for a in answers)
            found.append((begun - asked, computing, started + each["seconds"] - ended))
    return found


class Watched(dunlin.dask.Log):
    """Calls a function at the end of a round."""

    actions, last = {}, None

    def __init__(self):
        super().__init__()
        Watched.last, self.rounds = self, 0

    def __call__(self, event, **facts):
        super().__call__(event, **facts)
        self.rounds += event == "answered"
        if event == "answered" and self.rounds in self.actions:
            self.actions.pop(self.rounds)()


def table(client, folder, rows, note):
    model, total = fit(client, points_file(folder, rows))
    parts = rounds(model.events_, Watched.last.begun)
    sums = [sum(each) for each in zip(*parts)]
    for name, seconds in zip(("sharing", "computing", "synchronizing"), sums):
        row(f"table 1, {name}", "dunlin", seconds, rows=rows, columns=2, note=f"100 iterations, {note}")
    row("table 1, rest", "dunlin", max(0.0, total - sum(sums)), rows=rows, columns=2, note="reading, start, labels")
    row("table 1, total", "dunlin", total, rows=rows, columns=2, note=note)


def transient(processes, client, folder, rows):
    """Figure 5: a worker is killed and another joins; pictures of both, figures 1 and 2. The start of a process takes a second or
    more, so that there are many iterations."""
    Watched.actions = {KILLED: processes.workers[0].kill, RETURNED: processes.add}
    model, _ = fit(client, points_file(folder, rows), iterations=1500)
    events, started = model.events_, Watched.last.begun
    waits = [share + synchronize for share, _, synchronize in rounds(events, started)]
    row(
        "figure 5, waiting of the others",
        "dunlin",
        waits,
        rows=rows,
        columns=2,
        note="sharing and synchronizing, an iteration",
    )
    moments = {
        kind: [e["seconds"] for e in events if e["event"] == kind] for kind in ("lost", "joining", "active", "read")
    }
    read = [s for s in moments["read"] if moments["active"] and s > moments["active"][-1]]
    if moments["lost"] and read:
        row(
            "figure 5, reintegration",
            "dunlin",
            read[0] - moments["joining"][-1],
            note="from listed to its first answer",
        )
    asked = sum(each["event"] == "answered" for each in events)
    lost = sum(each["event"] == "ask" for each in events) - asked
    row("figure 5, iterations lost", "dunlin", 0.0, note=f"{lost} of {asked}")
    for name, around in (("figure-1", "joining"), ("figure-2", "lost")):
        span = sequence_picture.window(events, around)
        svg = sequence_picture.picture(events, started, *span, f"{name.replace('-', ' ')}: events of a run")
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")


class SlowedKMeans(dunlin.dask.KMeans):
    _core_module = "slowed_core"


def slow(client, folder, rows):
    """One worker whose answers take ten times as long, beside a run without that."""
    path, iterations, times = points_file(folder, rows), 300, {}
    for name, factor in (("even", 1.0), ("slow", 10.0)):
        client.run(slowed_core.slow, factor, workers=sorted(client.ncores())[:1])
        times[name] = fit(client, path, iterations, model=SlowedKMeans)
    client.run(slowed_core.slow, 1.0)
    (_, even), (model, slowed) = times["even"], times["slow"]
    moved = sum(each["event"] == "dealt" and each["before"] is not None for each in model.events_)
    note = f"{iterations} iterations; {slowed / even:.2f} times a run without it, {moved} chunks moved"
    row("one worker slowed tenfold", "dunlin", slowed, rows=rows, columns=2, note=note)


# Figures 6 to 8: over the number of rows


def sizes(client, folder, sizes, threads, workers, most_iterations):
    for rows in sizes:
        iterations = most_iterations if rows <= 10_000_000 else max(1, most_iterations // 10)  # one thread takes minutes
        path = points_file(folder, rows)
        X = np.load(path, mmap_mode="r")
        about = {"rows": rows, "columns": 2, "note": f"{iterations} iterations, K = 4"}
        options = {"seed": 1, "max_iter": iterations, "stop": "never"}
        times = {}
        for name, more in (
            ("sequential", {"algorithm": "sequential", "n_jobs": 1}),
            ("threads", {"n_jobs": threads * workers}),
        ):
            begun = time.perf_counter()
            dunlin.kmeans(X, 4, **options, **more)
            times[name] = time.perf_counter() - begun
        times["distributed"] = fit(client, path, iterations)[1]
        begun = time.perf_counter()
        dunlin.dask.KMeans(4, client=client, random_state=1, max_iter=iterations, stop="never", n_jobs=1).fit(
            np.asarray(X)
        )
        times["distributed, sent by messages, one thread"] = time.perf_counter() - begun
        times |= spark(path, rows, iterations, workers * threads)
        for name, seconds in times.items():
            stage = "figure 6" if "messages" in name else "figure 7"
            row(stage, name, seconds, **about, speedup=times["sequential"] / seconds)


def spark(path, rows, iterations, cores):
    """Spark MLlib, where pyspark is installed; without the start of its machine."""
    try:
        from pyspark.ml.clustering import KMeans
        from pyspark.ml.linalg import Vectors
        from pyspark.sql import SparkSession
    except ImportError:
        return {}
    if rows > 1_000_000:
        return {}
    session = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false").getOrCreate()
    X = np.load(path)
    frame = session.createDataFrame([(Vectors.dense(each.tolist()),) for each in X], ["features"]).cache()
    frame.count()
    begun = time.perf_counter()
    KMeans(k=4, maxIter=iterations, tol=0.0, seed=1, initMode="random").fit(frame)
    spent = time.perf_counter() - begun
    session.stop()
    return {f"spark local[{cores}]": spent}


def main():
    folder, workers, threads, quick = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "1"
    rows = 100_000 if quick else 10_000_000
    folder.mkdir(parents=True, exist_ok=True)
    dunlin.dask.KMeans._log_class = Watched
    with LocalProcesses(folder, workers, threads) as processes, Client(processes.address) as client:
        client.wait_for_workers(workers, timeout=120)
        transfers(client, folder, quick)
        table(client, folder, rows, f"{workers} workers of {threads} threads")
        some = (1000, 100_000) if quick else [10**k for k in range(3, 9)]
        sizes(client, folder, some, threads, workers, 5 if quick else 100)
        slow(client, folder, rows)
        transient(processes, client, folder, rows)


if __name__ == "__main__":
    main()
