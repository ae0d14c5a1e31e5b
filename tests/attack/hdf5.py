# SPDX-License-Identifier: Apache-2.0
"""Annotated matrices that lead into other files, lie about their sizes, or are damaged. Made by h5py; skipped without it."""

import pathlib
import random
import resource

from attack import BAD_FILE, LEFT, attack, refused, run

try:
    import h5py
    import numpy
except ImportError:
    h5py = None


def available():
    """Whether h5py is there, and the command reads HDF5."""
    if h5py is None:
        print("skipped: h5py is not there")
        return False
    annotated("works.h5ad")
    done = run("info", "works.h5ad")
    if done.returncode != 0:
        print("skipped: this build does not read HDF5")
    return done.returncode == 0


def annotated(path, X=None, **how):
    with h5py.File(path, "w") as file:
        X = numpy.random.default_rng(0).normal(size=(60, 5)).astype("f4") if X is None else X
        if X is not False:
            file.create_dataset("X", data=X, **how)
        file.create_dataset("obs/_index", data=[f"c{i}" for i in range(60)], dtype=h5py.string_dtype())
        file["obs"].attrs["_index"] = "_index"
        file["obs"].attrs["column-order"] = numpy.array([], dtype=h5py.string_dtype())
    return path


@attack
def values_of_other_files_are_not_read():
    if not available():
        return
    annotated("secret.h5ad")
    for words, make in {
        "link into another file": lambda file: file.__setitem__("X", h5py.ExternalLink("secret.h5ad", "/X")),
        "another file": lambda file: file.create_dataset("X", (60, 5), "f4", external=[("raw.bin", 0, 1200)]),
        "virtual": lambda file: file.create_virtual_dataset("X", virtual()),
    }.items():
        pathlib.Path("raw.bin").write_bytes(bytes(1200))
        annotated("x.h5ad", False)
        with h5py.File("x.h5ad", "a") as file:
            make(file)
        refused(run("info", "x.h5ad"), BAD_FILE, "x.h5ad", words)
        refused(run("tsne", "x.h5ad", "-o", "o.csv"), BAD_FILE, words)
    annotated("s.h5ad", False)
    with h5py.File("s.h5ad", "a") as file:  # through a soft link, and a group
        file["away"] = h5py.ExternalLink("secret.h5ad", "/")
        file["X"] = h5py.SoftLink("/away/X")
    refused(run("info", "s.h5ad"), BAD_FILE, "link into another file")
    annotated("o.h5ad")
    with h5py.File("o.h5ad", "a") as file:
        del file["obs"]
        file["obs"] = h5py.ExternalLink("secret.h5ad", "/obs")
        file["loop"] = h5py.SoftLink("/loop")
    refused(run("info", "o.h5ad"), BAD_FILE, "link into another file")
    annotated("w.h5ad")
    with h5py.File("w.h5ad", "a") as file:  # and nothing is written there
        file["obsm"] = h5py.ExternalLink("secret.h5ad", "/")
    before = pathlib.Path("secret.h5ad").read_bytes()
    refused(run("tsne", "w.h5ad", "--iterations", "50", "-o", "w.h5ad"), BAD_FILE, "link into another file")
    assert pathlib.Path("secret.h5ad").read_bytes() == before


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def virtual():
    layout = h5py.VirtualLayout((60, 5), "f4")
    layout[:] = h5py.VirtualSource("secret.h5ad", "X", (60, 5))
    return layout


@attack
def soft_links_within_a_file_are_followed():
    if not available():
        return
    annotated("x.h5ad", False)
    with h5py.File("x.h5ad", "a") as file:
        file["place/values"] = numpy.ones((60, 5), "f4") * numpy.arange(60)[:, None]
        file["X"] = h5py.SoftLink("place/values")
    assert run("info", "x.h5ad").returncode == 0


@attack
def large_chunks_are_unpacked_once():
    if not available():
        return
    rows, columns = 90_000, 800
    X = numpy.broadcast_to(numpy.arange(columns, dtype="f4") % 7, (rows, columns)).copy()
    X[:, 0] = numpy.arange(rows)
    with h5py.File("d.h5ad", "w") as file:
        file.create_dataset("X", data=X, chunks=X.shape, compression="gzip", compression_opts=1)
        file.create_dataset("obs/_index", data=[f"c{i}" for i in range(rows)], dtype=h5py.string_dtype())
        file["obs"].attrs["_index"] = "_index"
    begin = processor_time()
    assert run("info", "d.h5ad", seconds=120).returncode == LEFT
    assert processor_time() - begin < 12, processor_time() - begin  # unpacked for each block of rows: a minute


@attack
def flipped_bits_are_refused_or_read():
    if not available():
        return
    annotated("g.h5ad", compression="gzip", chunks=(20, 5), shuffle=True)
    good, numbers = pathlib.Path("g.h5ad").read_bytes(), random.Random(3)
    for mutant in range(250):
        bits = bytearray(good)
        for _ in range(1 + mutant % 3):
            bits[numbers.randrange(len(bits))] ^= 1 << numbers.randrange(8)
        pathlib.Path("m.h5ad").write_bytes(bits)
        words = ["kmeans", "m.h5ad", "--clusters", "2", "--memory", "200M", "-o", "o.csv"] if mutant % 2 else ["info", "m.h5ad"]
        done = run(*words, seconds=20)
        assert done.returncode in (LEFT, 2, BAD_FILE, 5), (mutant, done.returncode, done.stderr)
