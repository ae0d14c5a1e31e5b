# SPDX-License-Identifier: Apache-2.0
"""dunlin.dask with checkpoints that are damaged or foreign, and with workers that have another Dunlin or none: a sentence, at
once."""

import json
import random
import struct
import time

import pytest

pytest.importorskip("distributed", reason="the package distributed is not installed")

import distributed  # noqa: E402
from dask_processes import Processes, wait_for  # noqa: E402
from dunlin._errors import Error  # noqa: E402
from dunlin._shards.checkpoint import MAGIC  # noqa: E402
from dask_cases import KMeans, OPTIONS  # noqa: E402
from dask_cases import client, cluster, patience, points  # noqa: E402, F401  fixtures

def stopped(client, path, file):
    """Leaves a checkpoint of a run that has begun."""
    stop = lambda stage, done, total: stage == "optimize" and done >= 4  # noqa: E731
    KMeans(client=client, checkpoint=file, callbacks=stop, **OPTIONS).fit(path)
    with open(file, "rb") as content:
        return content.read()


def test_a_damaged_checkpoint_is_a_sentence(client, points, tmp_path):
    path, file = points[1], str(tmp_path / "run.checkpoint")
    whole = stopped(client, path, file)
    at = len(MAGIC) + 8
    (length,) = struct.unpack_from("<Q", whole, len(MAGIC))
    header, state = json.loads(whole[at : at + length]), whole[at + length :]

    def of(header, state=state):
        text = json.dumps(header).encode()
        return MAGIC + struct.pack("<Q", len(text)) + text + state

    pick = random.Random(5)
    cases = [b"", b"x,y\n1,2\n", MAGIC, MAGIC + b"\xff" * 8, MAGIC + struct.pack("<Q", 2**62) + b"{}", whole[: at + 9]]
    cases += [of(value) for value in (None, [], 3, {}, {**header, "epoch": "7"}, {**header, "epoch": 2**70}, {**header, "hashes": None})]
    cases += [of({**header, "hashes": header["hashes"][1:]}), of({**header, "run": 5}), of({**header, "run": [1]})]
    cases += [MAGIC + struct.pack("<Q", 40000) + b"[" * 40000, of(header, state[:-3]), of(header, b"\0" * 40), of(header, state * 2)]
    for _ in range(10):
        damaged = bytearray(state)
        damaged[pick.randrange(len(state))] ^= 1 << pick.randrange(8)
        cases.append(of(header, bytes(damaged)))
    for number, content in enumerate(cases):
        with open(file, "wb") as out:
            out.write(content)
        with pytest.raises(Error) as raised:
            KMeans(client=client, checkpoint=file, **OPTIONS).fit(path)
        assert len(str(raised.value)) > 20 and type(raised.value) is not Error, (number, raised.value)


OTHER = "sys.meta_path.remove(self); from dunlin import _core; _core.version = '0.0.9'"


@pytest.mark.parametrize("fault", [OTHER, "raise ImportError('a broken dunlin')"])
def test_workers_of_another_version_end_the_fit_at_once(fault, points, tmp_path, monkeypatch):
    site = tmp_path / "site"
    site.mkdir()
    # The first import of dunlin on the worker meets the fault
    (site / "sitecustomize.py").write_text(f"""
import sys
if any("dask_worker" in word for word in sys.orig_argv):
    import importlib.abc, importlib.util

    class Other(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path, target=None):
            if name != "dunlin":
                return None
            {fault}

    sys.meta_path.insert(0, Other())
""")
    monkeypatch.setenv("PYTHONPATH", str(site))
    processes = Processes(tmp_path)
    try:
        processes.add("other")
        with distributed.Client(processes.address, set_as_default=False) as made:
            wait_for(lambda: len(made.ncores()) == 1)
            begun = time.monotonic()
            with pytest.raises(Error, match="none of the 1 workers can take part"):
                KMeans(client=made, **OPTIONS).fit(points[1])
            with pytest.warns(UserWarning, match="cannot take part"), pytest.raises(Error, match="none of the 1 workers"):
                KMeans(client=made, **OPTIONS).fit(points[0])
            assert time.monotonic() - begun < 30
    finally:
        processes.close()
