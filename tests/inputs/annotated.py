# SPDX-License-Identifier: Apache-2.0
"""Annotated matrices (.h5ad) and writers of them. make_annotated.py makes those that were not brought."""

import os
import pathlib
import signal
import stat
import subprocess
import time

from harness import by_command, by_python, labels_of, places

TYPES = ["B", "NK", "T"]
CELLS = [f"c{i}" for i in range(12)]


def small(run, arguments, **how):
    """A run that is short."""
    return run(f"{arguments} --iterations 30 --quiet", **how)


# --- the command reads


@by_command("h5ad-06")
def records(run):
    run("info v06.h5ad").prints("30 rows, 3 columns", "'c0' to 'c29'").says("obsm/X_pca")
    run("info v06.h5ad --array X").prints("30 rows, 6 columns", "'c0' to 'c29'")
    run("info v06.h5ad --labels ct").prints("3 classes")
    run("info v06.h5ad --labels nothing", 2).says("nothing", "ct, n_genes")
    small(run, "tsne v06.h5ad --labels ct -o o.csv")
    assert set(labels_of("o.csv")) == set(TYPES), labels_of("o.csv")
    small(run, "tsne v06.h5ad -o out.h5ad")
    run("info out.h5ad --array X_tsne").prints("30 rows, 2 columns", "'c0' to 'c29'")
    run("info out.h5ad --array X_pca").prints("30 rows, 3 columns")
    small(run, "umap out.h5ad -o out.h5ad")
    run("info out.h5ad --array nothing", 2).says("X, obsm/X_pca, obsm/X_tsne, obsm/X_umap")


@by_command("h5ad-06")
def records_without_obsm(run):
    run("info none.h5ad --labels ct").prints("12 rows, 4 columns", "'c0' to 'c11'", "3 classes").says("read as X", "raw.X")
    small(run, "tsne none.h5ad --labels ct -o o.csv")
    assert labels_of("o.csv") == ["" if i == 4 else TYPES[i % 3] for i in range(12)], labels_of("o.csv")
    small(run, "tsne none.h5ad --array raw -o none.h5ad")
    run("info none.h5ad --array X_tsne").prints("12 rows, 2 columns")


@by_command("h5ad-old-categories")
def categories_by_reference(run):
    small(run, "tsne v07na.h5ad --labels ct -o o.csv")
    found = labels_of("o.csv")
    assert set(found) == {*TYPES, ""}, found
    run("info v07na.h5ad --labels ct").prints("3 classes")
    small(run, "tsne numbers.h5ad --labels year -o o.csv")
    assert labels_of("o.csv") == [["1999", "2024"][i % 2] for i in range(12)], labels_of("o.csv")
    small(run, "tsne numbers.h5ad --labels plain -o o.csv")
    assert labels_of("o.csv") == [["0", "1"][i % 2] for i in range(12)], labels_of("o.csv")


@by_command("h5ad-nullable")
def masks_are_missing(run):
    run("info nullidx.h5ad").prints("30 rows, 6 columns", "'c0' to 'c29'")
    small(run, "tsne nullidx.h5ad -o nullidx.h5ad")
    run("info nullidx.h5ad --array X_tsne").prints("30 rows, 2 columns")
    wanted = {
        "ni": ["" if i == 2 else str(i % 2 + 5) for i in range(12)],
        "nb": ["" if i == 3 else str(i % 2 == 0) for i in range(12)],
        "b": [str(i % 2 == 0) for i in range(12)],
        "f": ["" if i == 5 else ["0", "0.1", "0.2"][i % 3] for i in range(12)],
        "big": [str(2**62 + i % 2) for i in range(12)],
        "ct": ["" if i == 4 else TYPES[i % 3] for i in range(12)],
    }
    for column, values in wanted.items():
        small(run, f"tsne cells.h5ad --array X --labels {column} -o o.csv")
        assert labels_of("o.csv") == values, (column, labels_of("o.csv"))
    small(run, "tsne strings.h5ad --labels ns -o o.csv")
    assert labels_of("o.csv") == ["" if i == 6 else TYPES[i % 3] for i in range(12)], labels_of("o.csv")


@by_command("h5ad-nullable")
def columns_as_colors(run):
    small(run, "tsne cells.h5ad --array X -o map.csv")
    for column in ("f", "ni", "b", "leiden", "g0", "1", "obs:g1", "gene:g1", "raw:g9"):
        run(f"draw map.csv -o o.svg --color cells.h5ad:{column}")
    colored = {}
    for column in ("ct", "leiden", "b", "f"):
        run(f"draw map.csv -o {column}.svg --color cells.h5ad:obs:{column}")
        colored[column] = pathlib.Path(f"{column}.svg").read_text()
    assert ">B</text>" in colored["ct"] and ">3</text>" in colored["leiden"] and ">True</text>" in colored["b"]
    run("draw map.csv -o o.svg --color cells.h5ad:ct --center 0", 2).says("of numbers")
    run("draw map.csv -o o.svg --color cells.h5ad:f --palette okabe-ito", 2).says("of labels", "viridis")
    run("draw map.csv -o o.svg --color cells.h5ad:g1", 3).says("obs:g1", "gene:g1")
    run("draw map.csv -o o.svg --color cells.h5ad:nothing", 3).says("'nothing'", "ct, ni, nb", "gene:NAME")
    run("draw map.csv -o o.svg --labels cells.h5ad", 3).says("ct, ni, nb", "cells.h5ad:NAME")


@by_command("h5ad-nullable")
def columns_as_labels_of_others(run):
    order = [7, 3, 11, 0, 1, 2, 4, 5, 6, 8, 9, 10]
    pathlib.Path("p.csv").write_text("id,x,y\n" + "".join(f"c{i},{i},{i * i % 7}\n" for i in order))
    for column, of in (("ct", lambda i: "" if i == 4 else TYPES[i % 3]), ("obs:leiden", lambda i: str(i % 4))):
        small(run, f"tsne p.csv --labels cells.h5ad:{column} -o o.csv")
        assert labels_of("o.csv") == [of(i) for i in order], labels_of("o.csv")


@by_command("h5ad-other")
def compression(run):
    run("info alzf.h5ad").prints("40 rows, 5 columns")
    run("info alzf.h5ad --array X --labels ct").prints("40 rows, 12 columns", "3 classes", "ids: '")
    run("info alzf.h5ad --array layers/counts").prints("40 rows, 12 columns")
    run("info zstd.h5ad", 3).says("zstd", "gzip")


@by_command("h5ad-other")
def every_matrix_is_named_and_read(run):
    for said in (run("info nox2.h5ad", 3).says("--array obsm/X_scvi"), run("info nox2.h5ad --array X", 2)):
        said.says("obsm/X_scvi")
    run("info nox2.h5ad --array X_scvi").prints("12 rows, 4 columns", "'c0' to 'c11'")
    all_of = "X, raw/X, layers/counts, layers/csr, obsm/X_scvi, obsm/csc, obsm/csr, obsm/frame"
    run("info cells.h5ad --array X_pca", 2).says(all_of)
    run("info cells.h5ad").says("read as X (12 x 4)", all_of.removeprefix("X, "), "--array")
    run("info cells.h5ad --array csr", 2).says("obsm/csr or layers/csr")
    for name, columns in {"raw": 5, "raw/X": 5, "counts": 4, "layers/csr": 4, "X_scvi": 3, "obsm/csr": 4, "csc": 4, "frame": 2}.items():
        run(f"info cells.h5ad --array {name}").prints(f"12 rows, {columns} columns", "'c0' to 'c11'")
    run("info boolx.h5ad").prints("12 rows, 4 columns")


@by_command("h5ad-other")
def tenx(run):
    run("info tenx.h5").prints("30 rows, 6 columns", "'c0' to 'c29'")
    run("info tenx2.h5").prints("12 rows, 4 columns", "'c0' to 'c11'")
    run("info twice.h5").prints("12 rows, 4 columns")
    small(run, "tsne tenx.h5 -o o.csv")
    assert list(places("o.csv")) == [f"c{i}" for i in range(30)]
    run("draw o.csv -o o.svg --color tenx.h5:g0")


@by_command("h5ad-other")
def maps_in_obsm(run):
    small(run, "tsne csr.h5ad -o out.h5ad")
    one = run("draw out.h5ad -o o.svg")
    assert "also has" not in one.err, one.err
    run("umap out.h5ad --array X --iterations 30 --quiet -o out.h5ad")
    run("draw out.h5ad -o o.svg", 3).says("obsm/X_tsne, obsm/X_umap", "out.h5ad:obsm/X_tsne")
    run("draw out.h5ad --basis umap -o o.svg --color gene:g0")
    run("draw out.h5ad --basis umap -o o.svg --color obs:ct")
    run("draw out.h5ad --basis umap -o o.svg -o o.html --color obs:ct --color gene:g0 --dark").says("o.html has the first of 2, ct")
    drawn = pathlib.Path("o.svg").read_text()
    assert ">ct</text>" in drawn and ">g0</text>" in drawn and 'width="2400"' in drawn and "#14171c" in drawn
    run("view out.h5ad --basis umap --color obs:ct --color gene:g0", 2).says("more than once")
    run("draw out.h5ad --basis umap -o o.svg --color obs:nothing", 3).says("'nothing'", "ct")
    run("draw out.h5ad --array X_umap --labels ct -o o.svg --quiet")
    run("draw out.h5ad:X_umap --color out.h5ad:g0 -o o.svg")
    run("draw out.h5ad --array X_mds -o o.svg", None).says("obsm/X_tsne")
    run("draw o.svg --array X_mds -o p.svg", 2).says("--array")
    run("score out.h5ad --basis tsne --of out.h5ad --array X --quiet")
    run("score out.h5ad --basis X_tsne --of csr.h5ad")
    run("score out.h5ad --of csr.h5ad", 3).says("obsm/X_tsne, obsm/X_umap")
    run("score out.h5ad:X_tsne --of out.h5ad --array X_tsne", 2).says("the same matrix")
    run("score out.h5ad:X_tsne out.h5ad:X_umap --of csr.h5ad").prints("out.h5ad:X_umap")
    pathlib.Path("p.csv").write_text("id,x,y,z\n" + "".join(f"c{11 - i},{i},{i * i % 7},{i % 3}\n" for i in range(12)))
    run("score out.h5ad --of p.csv --array X_umap --quiet")
    run("score p.csv --basis tsne --of csr.h5ad", 2).says("--basis")
    small(run, "tsne csr.h5ad --start out.h5ad:X_umap -o o.csv")
    run("transform csr.h5ad --map out.h5ad --of csr.h5ad -o o.csv --quiet", 3).says("obsm/X_tsne, obsm/X_umap")
    run("transform csr.h5ad --map out.h5ad:obsm/X_umap --of csr.h5ad -o o.csv --quiet")


# --- the command writes


@by_command("lost-maps")
def a_file_of_another_is_never_touched(run):
    pathlib.Path("a.csv").write_text("id,x,y\n" + "".join(f"p{i},{i},{i * i % 7}\n" for i in range(12)))
    others = ["o.csv.tmp", "o.csv.part", "report.json.tmp", "c.ckpt.tmp", "c.ckpt.lock"]
    for name in others[:-1]:
        pathlib.Path(name).write_text("mine")
    pathlib.Path("kept").write_text("mine")
    os.symlink("kept", others[-1])
    run("tsne a.csv --iterations 30 -o o.csv --report report.json --checkpoint c.ckpt", code=3).says("c.ckpt")
    os.unlink(others[-1])
    pathlib.Path(others[-1]).write_text("mine")
    run("tsne a.csv --iterations 30 -o o.csv --report report.json --checkpoint c.ckpt")
    for name in [*others, "kept"]:
        assert pathlib.Path(name).read_text() == "mine", name
    assert len(places("o.csv")) == 12
    left = set(os.listdir()) - {*others, "kept", "a.csv", "o.csv", "report.json", "c.ckpt", "c.ckpt.previous"}
    assert not left, left


@by_command("h5ad-other")
def a_file_beside_an_annotated_one_is_never_touched(run):
    pathlib.Path("csr.h5ad.tmp").write_text("mine")
    os.symlink("csr.h5ad", "link.h5ad")
    os.chmod("csr.h5ad", 0o640)
    before = set(os.listdir())
    small(run, "tsne link.h5ad -o link.h5ad")
    assert pathlib.Path("csr.h5ad.tmp").read_text() == "mine"
    assert os.path.islink("link.h5ad") and stat.S_IMODE(os.stat("csr.h5ad").st_mode) == 0o640
    run("info csr.h5ad --array X_tsne").prints("12 rows, 2 columns")
    assert set(os.listdir()) == before
    pathlib.Path("bad.h5ad").write_text("no HDF5")
    small(run, "tsne bad.h5ad -o bad.h5ad", code=3)
    small(run, "tsne csr.h5ad --array X -o bad.h5ad")
    assert set(os.listdir()) == before | {"bad.h5ad"}


@by_command("h5ad-other")
def an_output_keeps_the_maps_it_had(run):
    small(run, "tsne csr.h5ad -o o.h5ad")
    run("umap csr.h5ad --iterations 30 -o o.h5ad").says("keeps", "X_tsne")
    small(run, "tsne boolx.h5ad -o p.h5ad")
    for name in ("X_tsne", "X_umap"):
        run(f"info o.h5ad --array {name}").prints("12 rows, 2 columns")
    small(run, "tsne tenx.h5 -o o.csv")
    small(run, "tsne alzf.h5ad -o o.h5ad")  # other cells
    run("info o.h5ad --array X_umap", 2)


@by_command("h5ad-other")
def several_writers_lose_nothing(run):
    command = run.command
    methods = {"tsne": "X_tsne", "umap": "X_umap", "pacmap": "X_pacmap", "mds": "X_mds"}
    clean = pathlib.Path("csr.h5ad").read_bytes()
    for attempt in range(25):
        target = "csr.h5ad" if attempt % 2 == 0 else "out.h5ad"
        pathlib.Path("csr.h5ad").write_bytes(clean)
        runs = [
            subprocess.Popen([command, method, "csr.h5ad", "--array", "X", "-o", target, "--quiet"], stderr=subprocess.DEVNULL)
            for method in methods
        ]
        assert [one.wait(120) for one in runs] == [0] * len(runs)
        said = run(f"info {target} --array nothing", 2)
        said.says(*methods.values())
        pathlib.Path("out.h5ad").unlink(missing_ok=True)
    assert not [name for name in os.listdir() if name.startswith(".")]


@by_command("lost-maps")
def a_stop_leaves_the_old_or_the_new(run):
    points = "".join(f"p{i},{i % 31},{i * i % 77},{i % 5}\n" for i in range(2000))
    pathlib.Path("a.csv").write_text("id,x,y,z\n" + points)
    pathlib.Path("o.csv").write_text("old")
    os.chmod("o.csv", 0o600)
    for attempt, how in enumerate([signal.SIGTERM, signal.SIGINT, signal.SIGHUP] * 3):
        arguments = [run.command, "tsne", "a.csv", "--iterations", "20", "-o", "o.csv", "-o", "p.svg", "--quiet"]
        one = subprocess.Popen(arguments, stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        time.sleep(0.1 + 0.15 * attempt)
        for _ in range(2):
            one.send_signal(how)
            time.sleep(0.01)
        one.wait(60)
        text = pathlib.Path("o.csv").read_text()
        assert text == "old" or text.count("\n") == 2001, len(text)
        assert stat.S_IMODE(os.stat("o.csv").st_mode) == 0o600
        left = set(os.listdir()) - {"a.csv", "o.csv", "p.svg"}
        assert not left, (how, left)


# --- Python


def _read(path, **options):
    import dunlin

    return dunlin.read(path, **options)


def _X():
    import numpy as np

    return np.arange(48, dtype=np.float32).reshape(12, 4) % 7


@by_python("h5ad-06")
def python_records():
    points = _read("v06.h5ad", labels="ct")
    assert points.shape == (30, 3) and list(points.ids) == [f"c{i}" for i in range(30)]
    assert set(points.labels) == set(TYPES)
    counts = _read("v06.h5ad", array="X")
    assert counts.shape == (30, 6) and list(counts.columns) == [f"g{i}" for i in range(6)]
    old = _read("none.h5ad", array="raw")
    assert (abs(old.values - _X() - 1) < 1e-6).all() and list(old.columns) == ["g0", "g1", "g2", "g3"]


@by_python("h5ad-other")
def python_matrices():
    X = _X()
    wanted = {"X": X, "raw": None, "counts": X, "layers/csr": X, "obsm/csr": X, "csc": X, "frame": None, "X_scvi": None}
    for name, values in wanted.items():
        points = _read("cells.h5ad", array=name)
        assert list(points.ids) == CELLS, name
        if values is not None:
            assert (points.values == values).all(), name
    assert list(_read("cells.h5ad", array="frame").columns) == ["a", "b"]
    assert list(_read("cells.h5ad", array="raw").columns) == ["g0", "g1", "g2", "g3", "g9"]
    for name in ("csr", "csc"):
        assert (_read(f"{name}.h5ad").values == X).all(), name
    assert (_read("boolx.h5ad").values == (X > 3)).all()
    for name in ("tenx2.h5", "twice.h5"):
        points = _read(name)
        assert (points.values == X).all() and list(points.ids) == CELLS, name
    assert list(_read("tenx2.h5").columns) == ["g0", "g1", "g2", "g3"]
    assert list(_read("twice.h5").columns) == ["ENSG0", "ENSG1", "ENSG2", "ENSG3"]


@by_python("h5ad-other")
def python_reads_lzf_as_anndata_does():
    import anndata
    import numpy as np

    theirs = anndata.read_h5ad("alzf.h5ad")
    assert np.allclose(np.asarray(_read("alzf.h5ad")), theirs.obsm["X_pca"], atol=1e-6)
    assert np.allclose(_read("alzf.h5ad", array="counts").values, theirs.layers["counts"].toarray())
    assert list(_read("alzf.h5ad").ids) == list(theirs.obs_names)


@by_python("h5ad-other")
def python_pictures_are_replaced_at_once():
    import dunlin

    picture = dunlin.draw([[0.0, 0.0], [1.0, 1.0], [2.0, 0.5]], format="svg")
    pathlib.Path("p.svg").write_text("old")
    os.chmod("p.svg", 0o600)
    os.symlink("p.svg", "link.svg")
    before = set(os.listdir())
    picture.save("link.svg")
    assert os.path.islink("link.svg") and pathlib.Path("p.svg").read_bytes() == picture.data
    assert stat.S_IMODE(os.stat("p.svg").st_mode) == 0o600 and set(os.listdir()) == before


@by_python("lost-maps")
def python_outputs_are_complete_or_unchanged():
    from dunlin._output import replacing

    pathlib.Path("o").write_text("old")
    for name in ("o.tmp", "o.part"):
        pathlib.Path(name).write_text("mine")
    try:
        with replacing("o") as file:
            file.write(b"a part of the new")
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    assert sorted(os.listdir()) == ["o", "o.part", "o.tmp"] and pathlib.Path("o").read_text() == "old"
    with replacing("o") as file:
        file.write(b"new")
    assert sorted(os.listdir()) == ["o", "o.part", "o.tmp"] and pathlib.Path("o").read_text() == "new"
