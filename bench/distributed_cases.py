# SPDX-License-Identifier: Apache-2.0
"""The cases of distributed k-means for run.py: workers of a Dask cluster on this machine, one row a figure and system. Each ends
within minutes, so that a run that is cut short loses little."""

import json

from processes import ROOT, Failed, output_of

PYTHON = ROOT / "build" / "python" / "venv" / "bin" / "python"


def figures(bench, part):
    try:
        output_of([PYTHON, "-c", "import distributed"])
    except (Failed, OSError):
        raise Failed("there is no Python package with distributed: ./dev cluster makes it") from None
    workers = 2 if bench.threads < 12 else 4
    threads = 1 if bench.threads < 12 else 3
    folder = bench.work / "distributed"
    found = output_of(
        [
            "env",
            f"PYTHONPATH={ROOT / 'python'}",
            PYTHON,
            ROOT / "bench" / "distributed_figures.py",
            folder,
            workers,
            threads,
            int(bench.quick),
            part,
        ]
    )
    rows = [json.loads(line) for line in found.splitlines() if line.startswith("{")]
    return [{"version": bench.version, "threads": workers * threads} | row for row in rows]


def distributed(bench):
    """k-means on workers: the table of 10,000,000 x 2, a worker that is lost, one that joins, one slowed tenfold"""
    rows = figures(bench, "run")
    print(f"  sequence pictures: {bench.work}/distributed/figure-1.svg, figure-2.svg")
    return rows


def transfer(bench):
    """k-means on workers: messages, ranges of files and a socket, by size of block and payload"""
    return figures(bench, "transfer")


def sizes(bench):
    """k-means on workers, by rows: beside one thread, all threads, and Spark where it is"""
    return figures(bench, "sizes")


CASES = {"distributed": distributed, "distributed-transfer": transfer, "distributed-sizes": sizes}
