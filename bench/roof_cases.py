# SPDX-License-Identifier: Apache-2.0
"""The case of run.py that measures the limits of the machine (roofline) to which docs/ compare timings."""

import json

from processes import output_of


def roofs(bench):
    """This machine's roofs: bytes read, float32 operations and products of bytes a second, by one thread and by all"""
    found = json.loads(output_of([bench.dunlin.parent / "bench_roofs", bench.threads]))
    return [
        {"system": "machine", "status": "done", "runs": 5, "stage": name, "rate": rate, "note": f"threads: {threads}"}
        for threads, rates in found.items()
        for name, rate in rates.items()
    ]


CASES = {"roofs": roofs}
