# SPDX-License-Identifier: Apache-2.0
"""read() and write()."""

import gzip
import pickle
import subprocess

import numpy as np
import pytest

import dunlin


@pytest.mark.parametrize("extension", [".csv", ".tsv", ".npy", ".json"])
def test_a_map_comes_back(tmp_path, extension, blobs):
    X, classes = blobs
    result = dunlin.tsne(X, max_iter=50)
    path = tmp_path / f"map{extension}"
    named = extension != ".npy"
    dunlin.write(path, result, labels=classes if named else None, ids=[f"p{i}" for i in range(300)] if named else None)
    again = dunlin.read(path, holds="map")
    np.testing.assert_array_equal(again.values, result.embedding)
    if named:
        assert again.labels.tolist() == classes.tolist() and again.ids[299] == "p299"


def test_points_keep_names_labels_and_units(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("id,height,kind\na,1000000001.5,x\nb,1000000002.5,y\nc,1000000004.5,x\n")
    points = dunlin.read(path, labels="kind", ids="id")
    assert points.columns == ["height"] and points.ids == ["a", "b", "c"] and points.labels.tolist() == ["x", "y", "x"]
    np.testing.assert_array_equal(np.asarray(points), [[1000000001.5], [1000000002.5], [1000000004.5]])
    assert points.values.dtype == np.float32 and abs(points.values).max() < 10
    # A function takes the points as they are: nothing is lost, nothing is copied
    assert dunlin.neighbors(points, 1).indices[:, 0].tolist() == [1, 0, 1]
    with pytest.warns(UserWarning, match="ids and labels are not written"):
        dunlin.write(tmp_path / "again.csv", points)
    again = dunlin.read(tmp_path / "again.csv")
    assert again.columns == ["height"]
    np.testing.assert_array_equal(np.asarray(again), np.asarray(points))
    assert pickle.loads(pickle.dumps(points)).labels.tolist() == ["x", "y", "x"]


def test_packed_files_and_kinds(tmp_path):
    with gzip.open(tmp_path / "a.csv.gz", "wt") as file:
        file.write("1.5,2\n3,4\n5,6\n")
    points = dunlin.read(tmp_path / "a.csv.gz")
    assert (points.shape, points.kind, points.holds) == ((3, 2), "csv", "points")
    np.save(tmp_path / "square.npy", np.array([[0, 1.5], [1.5, 0]], np.float32))
    assert dunlin.read(tmp_path / "square.npy").tolist() == [[0, 1.5], [1.5, 0]]
    assert dunlin.read(tmp_path / "square.npy", holds="points").shape == (2, 2)


def test_a_graph_is_drawn_and_written(tmp_path):
    path = tmp_path / "graph.dot"
    path.write_text('graph { a -- b [color=red]; b -- c; c -- a; d [pos="1,2!"]; d -- a }\n')
    graph = dunlin.read(path)
    assert list(graph.nodes) == ["a", "b", "c", "d"] and len(graph) == 4 and graph.pinned == ["d"]
    drawn = dunlin.layout(graph)
    assert set(drawn) == set("abcd")
    dunlin.write(tmp_path / "drawn.dot", drawn)
    text = (tmp_path / "drawn.dot").read_text()
    assert "red" in text and text.count("pos=") >= 4
    np.testing.assert_allclose(dunlin.read(tmp_path / "drawn.dot").start, drawn.pos, atol=0.01)
    copied = pickle.loads(pickle.dumps(graph))
    assert dunlin.layout(copied).pos.tobytes() == drawn.pos.tobytes()


def test_a_drawing_of_networkx_is_written(tmp_path):
    nx = pytest.importorskip("networkx")
    G = nx.Graph([("left", "right"), ("right", "top")])
    drawn = dunlin.layout(G)
    for name in ("g.graphml", "g.dot", "g.json", "g.csv"):
        dunlin.write(tmp_path / name, drawn)
        assert "left" in (tmp_path / name).read_text()
    again = dunlin.read(tmp_path / "g.graphml")
    assert sorted(again.nodes) == ["left", "right", "top"]
    assert set(nx.read_graphml(tmp_path / "g.graphml")) == set(again.nodes)


def test_neighbors_and_clusters_are_written(tmp_path, blobs):
    near = dunlin.neighbors(blobs[0], 5)
    dunlin.write(tmp_path / "near.npz", near)
    sparse = pytest.importorskip("scipy.sparse")
    assert (sparse.load_npz(tmp_path / "near.npz") != near.to_csr()).nnz == 0
    clusters = dunlin.kmeans(blobs[0], 3)
    dunlin.write(tmp_path / "clusters.npy", clusters)
    np.testing.assert_array_equal(np.load(tmp_path / "clusters.npy"), clusters.labels)
    picture = dunlin.draw(blobs[0][:, :2])
    dunlin.write(tmp_path / "map.png", picture)
    assert (tmp_path / "map.png").read_bytes() == picture.data


def test_the_command_has_the_same_bytes_of_a_file(tmp_path):
    from dunlin.__main__ import command

    try:
        program = command()
    except SystemExit:
        pytest.skip("the command is not built")
    rows = np.random.default_rng(3).normal(size=(200, 5)) + 1e7
    path = tmp_path / "x.csv"
    path.write_text("\n".join(",".join(f"{v:.6f}" for v in row) for row in rows) + "\n")
    flags = ["--quiet", "--scores", "none", "--iterations", "100", "--seed", "5"]
    subprocess.run([program, "tsne", path, "-o", tmp_path / "map.npy", *flags], check=True)
    result = dunlin.tsne(dunlin.read(path), max_iter=100, seed=5)
    assert np.load(tmp_path / "map.npy").tobytes() == result.embedding.tobytes()


@pytest.mark.parametrize(
    "text, options, kind, message",
    [
        ("1,2\n3,x\n", {}, OSError, "a.csv"),
        ("1,2\n3,4\n", {"holds": "tree"}, ValueError, "holds is 'tree'"),
        ("1,2\n3,4\n", {"holds": "points", "graph": 2}, ValueError, "graph is 2, but a file that holds points"),
        ("1,2\n3,4\n", {"holds": "points", "lables": "a"}, TypeError, "did you mean labels"),
        ("1,2\n3,4\n", {"holds": "points", "labels": "z"}, ValueError, "labels: 'z' is neither"),
        (None, {}, OSError, "a.csv"),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path, text, options, kind, message):
    path = tmp_path / "a.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(kind, match=message) as error:
        dunlin.read(path, **options)
    assert isinstance(error.value, dunlin.Error)


@pytest.mark.parametrize(
    "name, thing, options, message",
    [
        ("a.xyz", np.zeros((3, 2)), {}, "xyz"),
        ("no/such/folder/a.csv", np.zeros((3, 2)), {}, "folder"),
        ("a.csv", np.zeros((3, 2)), {"labels": [1, 2]}, r"labels has the shape \(2,\)"),
        ("a.csv", dunlin.kmeans(np.eye(3), 2), {"labels": [1, 2, 3]}, "labels"),
        ("a.svg", dunlin.draw(np.eye(2)), {}, "drawn as .png"),
    ],
)
def test_what_cannot_be_written_says_why(tmp_path, name, thing, options, message):
    with pytest.raises(dunlin.Error, match=message):
        dunlin.write(tmp_path / name, thing, **options)
    assert not (tmp_path / name).exists()


def test_columns_and_fill_of_any_kind(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n1,,3\n4,5.5,6\n7,8,10\n")
    for columns in (["a", "b"], ("a", 2), np.array([1, 2]), "a,b"):
        for fill in (0, 0.0, np.float32(0), "0"):
            assert np.asarray(dunlin.read(path, columns=columns, fill=fill)).tolist() == [[1, 0], [4, 5.5], [7, 8]]
    assert np.asarray(dunlin.read(path, fill=-0.25))[0].tolist() == [1, -0.25, 3]
    for wrong in (True, np.nan, [0], {}):
        with pytest.raises(dunlin.OptionError, match="fill is .*; it must be 'mean', 'median' or a finite number"):
            dunlin.read(path, fill=wrong)
    for wrong, message in ((3, "columns is 3"), ([], "has no column"), ([0], "has 0"), ([True], "has True"), (["a,b"], "a name with a comma")):
        with pytest.raises(dunlin.OptionError, match=message):
            dunlin.read(path, columns=wrong)
