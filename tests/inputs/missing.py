# SPDX-License-Identifier: Apache-2.0
"""Missing labels and values."""

import contextlib
import json
import math
import pathlib
import re

from harness import by_command, by_python, logged, near, report, rows

MARKS = ("", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "NULL", "null", "None", "<NA>", "NaT", "#N/A")


def _groups(run, map_file, *more):
    """Names and counts of the legend of a page."""
    run(["draw", map_file, "-o", "legend.html", *more])
    facts = re.search(r'<script id="facts" type="application/json">(.*?)</script>', pathlib.Path("legend.html").read_text(), re.S)
    return json.loads(facts[1].replace("\\u003c", "<"))


def _two_clusters(marks, file="map.csv"):
    """60 points in two clusters; every third one has a label."""
    lines = ["x,y,label"]
    for i in range(60):
        angle = 2.4 * i
        x, y = 5 * (i % 2) + 0.3 * math.cos(angle), 0.3 * math.sin(angle)
        label = "TB"[i % 2] if i % 3 == 0 else marks[i % len(marks)]
        lines.append(f"{x:.4f},{y:.4f},{label}")
    pathlib.Path(file).write_text("\n".join(lines) + "\n")


# --- the command


@by_command("out-missing-labels-a-class")
def labels_that_are_empty_are_no_class(run):
    near(_report(run, "score map.csv --of full.csv")["label_accuracy"], 1)
    near(_report(run, "score map.csv --of part.csv")["label_accuracy"], 1)
    run("info part.csv").prints("2 classes, 60 rows without a label").says("60 of 90 rows without a label")
    run("draw map.csv -o map.svg").says("60 of 90 rows without a label")
    assert "no label" in pathlib.Path("map.svg").read_text()
    facts = _groups(run, "map.csv")
    labels = [line.rsplit(",", 1)[1] for line in pathlib.Path("map.csv").read_text().splitlines()[1:]]
    counts = {group["name"]: group["count"] for group in facts["groups"]}
    assert counts == {"T": labels.count("T"), "B": labels.count("B"), "no label": 60}, facts["groups"]
    assert facts["groups"][2]["color"] == "#b4b4b4", facts["groups"]
    assert {peak["label"] for peak in facts["peaks"]} == {0, 1}


def _report(run, arguments):
    """The quality of the report of a run."""
    ran = run([*arguments.split(), "--device", "cpu", "--report", "report.json"])
    found = report("report.json")
    return {**found["quality"], "notes": found["input"].get("notes", []), "said": ran.err}


@by_command("embed-score-missing-labels")
def scores_are_those_of_labeled_rows(run):
    found = _report(run, "score map.csv --of separated.csv --labels kind --no-kl")
    near(found["label_accuracy"], 1)
    assert any("45 of 90 rows without a label" in note for note in found["notes"]), found
    lines = pathlib.Path("separated.csv").read_text().replace(",\n", ",NA\n")
    pathlib.Path("other.csv").write_text(lines)
    assert _report(run, "score map.csv --of other.csv --labels kind --no-kl")["label_accuracy"] == found["label_accuracy"]


@by_command("embed-score-missing-labels")
def embeddings_score_labeled_rows(run):
    for method in ("tsne", "umap", "pacmap"):
        found = _report(run, f"{method} separated.csv --labels kind -o m.csv")
        assert found["label_accuracy"] > 0.97, (method, found["label_accuracy"])
        written = rows("m.csv")
        assert sum(row["label"] == "" for row in written) == 45, written[:3]
        run("info m.csv").prints("45 rows without a label")


@by_command("missing-marks")
def every_mark_is_read(run):
    for mark in MARKS:
        _two_clusters([mark])
        near(_report(run, "score map.csv --of map.csv --labels label")["label_accuracy"], 1)
        run("info map.csv").prints("2 classes, 40 rows without a label")
    _two_clusters(MARKS, "map.tsv")
    text = pathlib.Path("map.tsv").read_text().replace(",", "\t")
    pathlib.Path("map.tsv").write_text(text)
    run("info map.tsv").prints("2 classes, 40 rows without a label")
    _two_clusters(["unknown"])
    run("info map.csv").prints("3 classes")


@by_command("missing-label-files")
def label_files_of_every_format(run):
    _two_clusters(["?"])
    table = [line.split(",") for line in pathlib.Path("map.csv").read_text().splitlines()[1:]]
    pathlib.Path("x.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y, _ in table))
    labels = ["" if label == "?" else label for _, _, label in table]
    pathlib.Path("l.txt").write_text("".join((label or "NA") + "\n" for label in labels))
    pathlib.Path("l.csv").write_text("label\n" + "".join((label or '""') + "\n" for label in labels))
    pathlib.Path("l.tsv").write_text("label\n" + "".join((label or "NaN") + "\n" for label in labels))
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (60,)}"
    import struct

    numbers = b"".join(struct.pack("<d", {"T": 10, "B": 2}.get(label, math.nan)) for label in labels)
    pathlib.Path("l.npy").write_bytes(b"\x93NUMPY\x01\0\x76\0" + header.ljust(117) + b"\n" + numbers)
    pathlib.Path("quoted.txt").write_text("".join((label or '""') + "\n" for label in labels))
    for file in ("l.txt", "quoted.txt", "l.csv", "l.tsv", "l.npy"):
        run(["info", "x.csv", "--labels", file]).prints("2 classes, 40 rows without a label")
        near(_report(run, f"score x.csv --of x.csv --labels {file}")["label_accuracy"], 1)
        run(["draw", "x.csv", "--labels", file, "-o", "x.svg"]).says("40 of 60 rows without a label")
    names = _groups(run, "x.csv", "--labels", "l.npy")["names"]
    assert names == ["2", "10"], names


@by_command("missing-label-order")
def numbers_stay_in_order(run):
    wanted = [10, 2, 1, 7, 3]
    lines = "".join(f"{i},{i % 7},{'' if i == 4 else wanted[i % 5]}\n" for i in range(30))
    pathlib.Path("map.csv").write_text("x,y,label\n" + lines)
    facts = _groups(run, "map.csv")
    assert [group["name"] for group in facts["groups"]] == ["1", "2", "3", "7", "10", "no label"], facts["groups"]


@by_command("missing-label-edges")
def all_or_one_label(run):
    lines = [f"{i},{i * i % 7}," for i in range(30)]
    pathlib.Path("none.csv").write_text("x,y,label\n" + "\n".join(lines) + "\n")
    run("info none.csv").prints("0 classes, 30 rows without a label")
    for picture in ("a.svg", "a.png", "a.html"):
        run(["draw", "none.csv", "-o", picture])
    run("draw none.csv --style landscape -o a.svg")
    assert "label_accuracy" not in _report(run, "score none.csv --of none.csv --labels label")
    lines[3] += "a"
    pathlib.Path("one.csv").write_text("x,y,label\n" + "\n".join(lines) + "\n")
    run("info one.csv").prints("1 class", "29 rows without a label")
    run("draw one.csv --style landscape -o a.svg")
    found = _report(run, "score one.csv --of one.csv --labels label")
    assert found.get("label_accuracy") is None, found


@by_command("missing-label-hulls")
def hulls_are_of_labeled_points(run):
    places = [(i % 5, i // 5 % 5, i // 25) for i in range(100)]
    lines = "".join(f"{x},{y},{z},{'' if i % 4 else 'ab'[i % 8 // 4]}\n" for i, (x, y, z) in enumerate(places))
    pathlib.Path("map.csv").write_text("x,y,z,label\n" + lines)
    run("surface map.csv -o hulls.ply --report report.json").says("75 of 100 rows without a label")
    found = report("report.json")["quality"]["hulls"]
    assert [(hull["name"], hull["points"]) for hull in found] == [("a", 13), ("b", 12)], found


@by_command("missing-label-graphs")
def vertices_without_a_class(run):
    pathlib.Path("g.csv").write_text("source,target\n" + "".join(f"v{i},v{(i + 1) % 8}\n" for i in range(8)))
    pathlib.Path("l.csv").write_text("node,class\n" + "".join(f"v{i},{'' if i % 2 else 'ab'[i // 4]}\n" for i in range(8)))
    run("info g.csv --labels l.csv").prints("2 classes, 4 rows without a label")
    for drawing in ("d.csv", "d.json", "d.dot", "d.graphml"):
        run(["layout", "g.csv", "--labels", "l.csv", "-o", drawing, "-o", "d.svg"]).says("4 of 8 rows without a label")
    assert "no label" in pathlib.Path("d.svg").read_text()
    for drawing in ("d.dot", "d.graphml"):
        run(["info", drawing, "--labels", "class"]).prints("2 classes, 4 rows without a label")
    run("info d.csv").prints("2 classes, 4 rows without a label")
    assert report("d.json")["labels"].count(None) == 4
    run("draw d.json -o e.svg").says("4 of 8 rows without a label")
    pathlib.Path("g.gml").write_text(
        "graph [\n" + "".join(f'node [ id {i} kind "{"" if i % 2 else "a"}" ]\n' for i in range(4))
        + "".join(f"edge [ source {i} target {(i + 1) % 4} ]\n" for i in range(4)) + "]\n")
    run("info g.gml --labels kind").prints("1 class", "2 rows without a label")


@by_command("missing-label-supervision")
def supervision_leaves_them_free(run):
    _two_clusters(["", "NA", "None"], "x.csv")
    text = pathlib.Path("x.csv").read_text()
    pathlib.Path("empty.csv").write_text(re.sub(r",(NA|None)$", ",", text, flags=re.MULTILINE))
    maps = []
    for name in ("x.csv", "empty.csv"):
        run(["umap", name, "--labels", "label", "--labels-weight", "0.5", "--device", "cpu", "-o", "m.csv"])
        maps.append([(row["x"], row["y"]) for row in rows("m.csv")])
    assert maps[0] == maps[1], "the words for a missing label give different maps"


# --- the package


@by_python("python-na-labels")
def unknown_labels_of_every_kind():
    import numpy as np
    import pandas as pd

    import dunlin

    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 4)).astype(np.float32)
    X[group == 1] += 6
    known = np.array(["a", "b", None], dtype=object)[group]

    def placed(labels):
        return np.asarray(dunlin.umap(X, labels=labels, labels_weight=0.5, n_epochs=50, device="cpu"))

    wanted = placed(known)
    for name, labels in _marked(np, pd, known, group).items():
        assert (placed(labels) == wanted).all(), name
        fit = dunlin.UMAP(random_state=0, n_epochs=20, device="cpu")
        assert (fit.fit_transform(X, labels) == fit.fit_transform(X, known)).all(), name
    assert (placed(np.where(group == 2, -1, group)) == wanted).all(), "-1, as in umap-learn"


def _marked(np, pd, known, group):
    """The labels a, b and none of `known` in every form."""
    hidden, number = group == 2, np.where(group == 2, 7, group)
    kinds = {
        "list": list(known),
        "str": np.where(hidden, "", known).astype(str),
        "word": np.where(hidden, "<NA>", known),
        "float": np.where(hidden, np.nan, group),
        "masked": np.ma.array(number, mask=hidden),
        "masked object": np.ma.array(np.where(hidden, "b", known), mask=hidden),
        "string": pd.Series(known, dtype="string"),
        "category": pd.Series(known).astype("category"),
        "category of string": pd.Series(known, dtype="string").astype("category"),
        "Categorical": pd.Categorical(known),
        "boolean": pd.Series(group == 1, dtype="boolean").mask(hidden),
        "Int64": pd.Series(group, dtype="Int64").mask(hidden),
        "Float64": pd.Series(group, dtype="Float64").mask(hidden),
        "NaT": pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01", None])[group]),
    }
    with contextlib.suppress(ImportError):
        import pyarrow as pa

        kinds["Arrow"] = pa.array(list(known))
        kinds["Arrow, chunks"] = pa.chunked_array([list(known[:9]), list(known[9:])])
        kinds["Arrow, numbers"] = pa.array([None if gone else int(n) for gone, n in zip(hidden, number)])
        kinds["ArrowDtype"] = pd.Series(known, dtype=pd.ArrowDtype(pa.string()))
    with contextlib.suppress(ImportError):
        import polars as pl

        kinds["polars"] = pl.Series(list(known))
        kinds["polars, numbers"] = pl.Series([None if gone else int(n) for gone, n in zip(hidden, number)])
    return kinds


@by_python("python-unlabelled-score")
def scores_of_labeled_rows():
    import numpy as np
    import pandas as pd

    import dunlin

    rng = np.random.default_rng(0)
    group = np.tile([0, 1, 2], 30)  # 2: no label
    map = rng.normal(size=(90, 2)) * 0.1 + np.where(group == 1, 8, 0)[:, None]
    known = np.array(["a", "b", None], dtype=object)[group]
    for name, labels in _marked(np, pd, known, group).items():
        assert dunlin.score(map, labels=labels, device="cpu")["label_accuracy"] == 1, name
    found = dunlin.score(map, labels=np.where(group == 2, -1, group), device="cpu")["label_accuracy"]
    assert found < 0.9, "-1 is a class in scores"


@by_python("python-unlabelled-score")
def centroids_are_of_named_classes():
    import numpy as np

    import dunlin

    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 5))
    map = rng.normal(size=(80, 2))
    labels = np.arange(80) % 4 + 0.0
    some = np.where(labels == 3, np.nan, labels)
    found = dunlin.score(map, X, labels=some, device="cpu")
    alone = dunlin.score(map[labels < 3], X[labels < 3], labels=labels[labels < 3], device="cpu")
    for name in ("centroid_correlation", "centroid_triplets"):
        assert found[name] == alone[name], name
    two = dunlin.score(map, X, labels=np.where(labels > 1, np.nan, labels), device="cpu")
    assert "centroid_correlation" not in two


@by_python("python-missing-labels-drawn")
def pictures_pages_and_hulls():
    import numpy as np
    import pandas as pd

    import dunlin

    map = np.random.default_rng(0).normal(size=(60, 2))
    labels = pd.Series(np.arange(60) % 3).astype("Int64").mask(np.arange(60) % 3 == 1)
    with logged() as lines:
        picture = dunlin.draw(map, labels=labels, format="svg").data.decode()
    assert "no label" in picture and "&lt;NA&gt;" not in picture and "nan" not in picture
    assert any("20 of 60 rows without a label" in line for line in lines), lines
    space = np.random.default_rng(0).normal(size=(60, 3))
    hulls = dunlin.hulls(space, labels, cells=32).hulls
    assert [(hull["name"], hull["points"]) for hull in hulls] == [("0", 20), ("2", 20)], hulls


@by_python("python-missing-labels-round-trip")
def labels_come_back():
    import numpy as np
    import pandas as pd

    import dunlin

    map = np.random.default_rng(0).normal(size=(6, 2)).astype(np.float32)
    words = np.array(["b", None, "a", np.nan, "b", pd.NA], dtype=object)
    numbers = pd.Series([10, None, 2, 10, None, 7], dtype="Int64")
    for path in ("m.csv", "m.tsv", "m.json"):
        dunlin.write(path, map, labels=words)
        assert dunlin.read(path, holds="map").labels.tolist() == ["b", None, "a", None, "b", None], path
        dunlin.write(path, map, labels=numbers)
        back = dunlin.read(path, holds="map")
        assert back.labels.tolist() == [10, None, 2, 10, None, 7], path
        assert any("2 of 6" in note[0] for note in back.notes), back.notes
        dunlin.write("again.csv", map, labels=back.labels)
        assert dunlin.read("again.csv", holds="map").labels.tolist() == back.labels.tolist()
    dunlin.write("m.csv", map, labels=[None] * 6)
    assert dunlin.read("m.csv", holds="map").labels.tolist() == [None] * 6
    dunlin.write("m.csv", map, labels=np.ma.array([1, 2, 3, 1, 2, 3], mask=[0, 1, 0, 0, 0, 0]))
    assert dunlin.read("m.csv", holds="map").labels.tolist() == [1, None, 3, 1, 2, 3]
