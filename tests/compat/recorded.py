# SPDX-License-Identifier: Apache-2.0
"""What the writing of tests/compat and its tests share: archives, the processor, numbers of a result."""

import hashlib
import io
import json
import pathlib
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
RELEASES = {"0.1": "bytes"}  # "loads" in place of "bytes": a later version gives other results on purpose
# What a later version answers otherwise on purpose, and why: the rest has the recorded bytes
CHANGED = {"0.1": {("GaussianMixture", "predict_proba()"): "densities are of differences in float64"}}


def processor():
    """On what the bytes of a result depend: the vectors that Dunlin's clones and the linear algebra choose."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return "unknown"
    of = lambda name: next((line.split(":")[1].strip() for line in text.splitlines() if line.startswith(name)), "unknown")
    flags = set(of("flags").split())
    level = "v4" if {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= flags else "v3" if {"avx2", "fma", "bmi2"} <= flags else "v2"
    return f"{of('vendor_id')} {level}"


def pack(archive, files):
    """Files by name, in an archive whose bytes depend on nothing else."""
    with tarfile.open(archive, "w:xz", preset=9) as tar:
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size = len(files[name])
            tar.addfile(entry, io.BytesIO(files[name]))


def unpack(archive, folder="."):
    """Writes the files of an archive; returns their names."""
    with tarfile.open(archive) as tar:
        names = tar.getnames()
        for name in names:
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(tar.extractfile(name).read())
    return names


def content_of(path):
    """What is compared of an output: of a report its quality, else its bytes."""
    content = pathlib.Path(path).read_bytes()
    if path.endswith(".json"):
        found = json.loads(content)
        if "quality" in found:
            return json.dumps(found["quality"], indent=1).encode()
    return content


def sum_of(content):
    return hashlib.sha256(content).hexdigest()
