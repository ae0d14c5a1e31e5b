# SPDX-License-Identifier: Apache-2.0
"""Lengths of edges: a graph of a file, a table or another package has the same to mds() and kmedoids()."""

import os
import pickle

import numpy as np
import pytest

import dunlin

EDGES = [("a", "b", 2.0), ("b", "c", 5.0)]


def distances(map):
    places = np.asarray(map, float)
    return np.abs(places - places.T) if places.shape[1] == 1 else np.linalg.norm(places[:, None] - places[None], axis=2)


@pytest.mark.parametrize("title", ["length", "distance", "cost", "weight", "value"])
def test_lengths_of_files(tmp_path, title):
    path = tmp_path / "e.csv"
    path.write_text(f"source,target,{title}\n" + "".join(f"{a},{b},{w}\n" for a, b, w in EDGES))
    graph = dunlin.read(path)
    os.chdir("/")  # the file is read again for its lengths
    expected = [[0, 2, 7], [2, 0, 5], [7, 5, 0]]
    assert np.allclose(distances(dunlin.mds(graph=graph, n_components=1)), expected, atol=1e-3)
    assert dunlin.kmedoids(graph=graph, n_clusters=2).inertia == pytest.approx(2)
    # Pickled, a graph has what was read of the file
    assert pickle.loads(pickle.dumps(graph)).of_lengths().size == 3


def test_a_length_is_the_least_of_repeated_edges(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("source,target,weight\na,b,2\na,b,3\nb,c,5\n")
    assert np.allclose(distances(dunlin.mds(graph=dunlin.read(path), n_components=1))[0], [0, 2, 7], atol=1e-3)


def test_lengths_of_networkx_and_igraph():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    for a, b, w in EDGES:
        graph.add_edge(a, b, length=w)
    with pytest.warns(dunlin.InputWarning, match="'length' is read as their weights"):
        assert np.allclose(distances(dunlin.mds(graph=graph, n_components=1))[0], [0, 2, 7], atol=1e-3)
    igraph = pytest.importorskip("igraph")
    other = igraph.Graph.TupleList(EDGES, edge_attrs=["distance"])
    with pytest.warns(dunlin.InputWarning, match="'distance' is read as their weights"):
        assert np.allclose(distances(dunlin.mds(graph=other, n_components=1))[0], [0, 2, 7], atol=1e-3)
