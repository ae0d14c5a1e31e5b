# SPDX-License-Identifier: Apache-2.0
"""The case of distributed k-means for run.py: workers of a Dask cluster on this machine, one row a figure and system."""

import json

from processes import ROOT, Failed, output_of

PYTHON = ROOT / "build" / "python" / "venv" / "bin" / "python"


def distributed(bench):
    """k-means on workers: transfer, loss and return of one, the table of 10,000,000 x 2, sizes; beside Spark where it is"""
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
        ]
    )
    rows = [json.loads(line) for line in found.splitlines() if line.startswith("{")]
    print(f"  sequence pictures: {folder}/figure-1.svg, figure-2.svg")
    return [{"version": bench.version, "threads": workers * threads} | row for row in rows]


CASES = {"distributed": distributed}
