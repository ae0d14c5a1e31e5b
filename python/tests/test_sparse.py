# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices whose arrays were changed: SciPy does not look at them, and compiled code follows their indices."""

import dunlin
import numpy as np
import pytest
import scipy.sparse

X = scipy.sparse.random(40, 12, 0.4, format="csr", random_state=1, dtype=np.float32)


def changed(format, **arrays):
    matrix = X.copy().asformat(format)
    for name, change in arrays.items():
        array = getattr(matrix, name).copy()
        change(array)
        setattr(matrix, name, array)
    return matrix


def put(place, value):
    def change(array):
        array[place] = value

    return change


UNSOUND = {
    "a column beyond the last": changed("csr", indices=put(3, 10**6)),
    "a column below 0": changed("csr", indices=put(3, -5)),
    "a row beyond the last": changed("csc", indices=put(0, 40)),
    "pointers that descend": changed("csr", indptr=put(5, 10**4)),
    "pointers that do not begin at 0": changed("csr", indptr=put(0, 1)),
    "the last column beyond the last": changed("csr", indices=put(-1, 12)),
}
UNSOUND["fewer numbers than places"] = changed("csr")
UNSOUND["fewer numbers than places"].data = UNSOUND["fewer numbers than places"].data[:10]
CALLS = {
    "neighbors": lambda X: dunlin.neighbors(X, 3),
    "kmeans": lambda X: dunlin.kmeans(X, 3),
    "umap": lambda X: dunlin.umap(X, n_epochs=5, n_neighbors=5),
    "mds": lambda X: dunlin.mds(X),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("fault", UNSOUND)
def test_unsound_matrices_are_refused(fault, call):
    with pytest.raises(dunlin.InputError, match="no sound sparse matrix"):
        CALLS[call](UNSOUND[fault])


def test_unsound_graphs_are_refused():
    graph = X[:12, :12] + X[:12, :12].T
    graph.indices[2] = 99
    with pytest.raises(dunlin.InputError, match="no sound sparse matrix"):
        dunlin.layout(graph)
    with pytest.raises(dunlin.InputError, match="no sound sparse matrix"):
        dunlin.mds(graph=graph)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "lil", "dok"])
def test_sound_matrices_of_every_format_are_taken(format):
    here, plain = dunlin.neighbors(X.asformat(format), 3), dunlin.neighbors(X, 3)
    assert (here.indices == plain.indices).all()


def test_places_without_entries_are_taken():
    empty = scipy.sparse.csr_matrix((5, 3), dtype=np.float32)
    assert (dunlin.neighbors(empty, 2).distances == 0).all()
