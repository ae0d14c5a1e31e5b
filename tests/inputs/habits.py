# SPDX-License-Identifier: Apache-2.0
"""Habits of Python: results, patches, estimators. Adapters for NetworkX are in adapters.py."""

import copy
import pickle
import threading

from harness import by_python, near, points


# set_output


@by_python("python-set-output")
def transform_gives_the_container_that_was_set():
    import numpy as np
    import pandas as pd
    from sklearn import config_context
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    import dunlin

    X = pd.DataFrame(points(80), columns=list("abcd"), index=np.arange(80) * 7)
    few = {"random_state": 0, "device": "cpu"}
    kinds = [dunlin.TSNE(**few), dunlin.UMAP(n_epochs=50, **few), dunlin.PaCMAP(num_iters=(20, 20, 20), **few)]
    kinds += [dunlin.KMeans(3, **few), dunlin.KMedoids(3, **few)]
    kinds += [dunlin.ParametricTSNE(hidden_layer_sizes=(8,), pretrain_epochs=2, max_iter=1, **few)]
    for kind in kinds:
        with config_context(transform_output="pandas"):
            for each in (kind.fit(X), pickle.loads(pickle.dumps(kind)), copy.deepcopy(kind)):
                assert isinstance(each.transform(X), pd.DataFrame)
        for estimator in (kind, make_pipeline(StandardScaler(), kind)):
            estimator.set_output(transform="pandas")
            fitted = estimator.fit_transform(X)
            for given in (X, X[10:13], X[10:11]):
                found = estimator.transform(given)
                assert isinstance(found, pd.DataFrame), type(kind).__name__
                assert found.index.equals(given.index) and list(found.columns) == list(fitted.columns)
        kind.set_output(transform="default")
        assert isinstance(kind.transform(X), np.ndarray)
    best = kinds[0].set_output(transform="pandas").transform(X[:3], affinity="best")
    assert isinstance(best, pd.DataFrame) and kinds[0].placed_.embedding.shape == (3, 2)


# Results that were edited


def _line():
    import dunlin

    return dunlin.layout((4, [(0, 1), (1, 2), (2, 3)]), seed=1, device="cpu")


def _is_one(layout):
    """Checks that the dict and the array have the same places; returns them."""
    import numpy as np

    expected = np.array([layout[node] for node in range(4)], np.float32)
    assert np.array_equal(layout.pos, expected) and np.array_equal(np.asarray(layout), expected)
    return expected


def _agrees(layout):
    """Checks that also the picture, the file and the scores have these places."""
    import numpy as np

    import dunlin

    expected, small = _is_one(layout), {"width": 100, "height": 100}
    picture = dunlin.draw(dict(layout), graph=layout.graph, **small).data
    assert layout.draw(**small).data == picture and dunlin.draw(layout, **small).data == picture
    dunlin.write("pos.csv", layout)
    written = np.loadtxt("pos.csv", delimiter=",", skiprows=1)
    assert np.allclose(written[:, -2:], expected, rtol=1e-5), written
    dunlin.write("pos.dot", layout)
    assert open("pos.dot").read() == _drawing_of(layout, expected)
    X = np.array([[0.0], [1], [2], [30]])
    for given in ({"graph": layout.graph}, {"dissimilarities": np.abs(X - X.T)}):
        assert dunlin.score(layout, device="cpu", **given) == dunlin.score(expected, device="cpu", **given)


def _drawing_of(layout, places):
    import dunlin

    other = _line()
    other.pos = places
    dunlin.write("other.dot", other)
    return open("other.dot").read()


@by_python("python-layout-edited")
def a_layout_that_was_edited_is_what_is_drawn_saved_and_scored():
    import numpy as np

    def moved(layout):
        layout[0] = np.array([100.0, 50.0])

    def exchanged(layout):
        layout[0], layout[3] = layout[3], layout[0]

    def in_place(layout):
        layout[2][:] = 7

    def in_array(layout):
        layout.pos *= 3

    def replaced(layout):
        layout.pos = layout.pos[::-1]

    def updated(layout):
        layout.update({1: (5, 6), 2: [8.0, 9.0]})
        layout.pos[1] += 1

    def again(layout):
        first = layout.pop(0)
        layout[0] = first + 1

    edits = [moved, exchanged, in_place, in_array, replaced, updated, again]
    for edit in edits:
        layout, before = _line(), _line().pos.copy()
        edit(layout)
        assert not np.array_equal(layout.pos, before), edit.__name__
        _agrees(layout)
        for copied in (copy.deepcopy, copy.copy, lambda each: pickle.loads(pickle.dumps(each))):
            same = copied(layout)
            assert np.array_equal(same.pos, layout.pos)
            _agrees(same)
            for later in edits:
                later(same)
                _is_one(same)
            _agrees(same)
        _agrees(layout)
    layout = _line()
    exchanged(layout)
    assert np.array_equal(layout.pos, before[[3, 1, 2, 0]])
    assert np.array_equal(np.array(layout), layout.pos) and not np.shares_memory(np.array(layout), layout.pos)


@by_python("python-layout-edited")
def a_layout_keeps_its_nodes():
    import dunlin

    def more(layout):
        layout["new"] = (1, 2)

    def fewer(layout):
        del layout[2]

    def flat(layout):
        layout[1] = 3.0

    def deep(layout):
        layout[1] = (1, 2, 3)

    def wide(layout):
        layout.pos = layout.pos[:2]

    for edit, word in ((more, "'new'"), (fewer, "node 2"), (flat, "node 1"), (deep, "node 1"), (wide, "pos")):
        layout = _line()
        for use in (lambda: layout.pos, layout.draw, lambda: dunlin.write("a.csv", layout)):
            try:
                edit(layout)
                use()
            except dunlin.InputError as error:
                assert word in str(error), error
            except KeyError:
                assert edit is fewer  # the second time
            else:
                raise AssertionError(edit.__name__)
        copy.deepcopy(layout)


@by_python("python-layout-edited")
def other_results_that_were_edited_are_what_is_used():
    import numpy as np

    import dunlin

    X = points()
    for copied in (lambda each: each, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        map = copied(dunlin.mds(X, device="cpu"))
        map.embedding[0] = 50
        assert map.draw().data == dunlin.draw(map.embedding).data == dunlin.draw(map).data
        if copied(1) == 1 and hasattr(map, "_items"):
            stress = map.stress()["stress1"][0]
            near(stress, dunlin.score(map.embedding, dissimilarities=_distances(X), device="cpu")["stress1"], 1e-5)
            map.embedding = map.embedding.astype(np.float64)
            near(map.stress()["stress1"][0], stress, 1e-6)
            assert len(map.stress_per_point()) == 60 and len(map.shepard()) > 0
        for more in ({}, {"include_self": True}):
            near_ones = copied(dunlin.neighbors(X, 3, device="cpu", **more))
            first = 1 if more else 0
            near_ones.indices[0, first] = 59
            near_ones.distances = near_ones.distances * 2
            assert near_ones.graph[1][0] == 59 and near_ones.graph[2][0] == near_ones.distances[0, first]
            assert (near_ones.to_csr().data.reshape(near_ones.distances.shape) == near_ones.distances).all()
            dunlin.write("near.npz", near_ones)
            with np.load("near.npz") as written:
                assert any(np.size(values) and np.ravel(values)[0] == 59 for values in written.values())
        trust = copied(dunlin.reliability(map.embedding, X, device="cpu"))
        trust.home = np.arange(60.0)
        assert trust.columns["home"] is trust.home and trust.to_frame()["home"].tolist() == list(range(60))
    scores = dunlin.score(X[:, :2], X, device="cpu")
    scores["mine"] = 1.0
    assert pickle.loads(pickle.dumps(scores)) == copy.deepcopy(scores) == scores


@by_python("python-layout-edited")
def a_map_that_was_edited_is_what_transform_places_in():
    import numpy as np

    import dunlin

    X = points(80)
    model = dunlin.PaCMAP(num_iters=(20, 20, 20), random_state=0, device="cpu").fit(X)
    before = model.transform(X[:5])
    model.embedding_ += 100
    for each in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert np.allclose(each.transform(X[:5]), before + 100, atol=0.5)


# Results that compute later


def _distances(X):
    import numpy as np

    return np.sqrt(((X[:, None].astype(np.float64) - X[None]) ** 2).sum(-1))


@by_python("python-mds-stress-later")
def a_result_computes_later_from_what_it_owns():
    import numpy as np

    import dunlin

    square = _distances(points()).astype(np.float32)
    view = np.concatenate([points(), points()])[:60]
    for given in ({"X": points()}, {"X": view}, {"X": points(dtype="float64")}, {"dissimilarities": square}):
        (source,) = given.values()
        result = dunlin.mds(device="cpu", **given)
        before = result.stress()["stress1"][0], result.stress_per_point(), result.shepard()
        source -= source.mean(0)
        source *= 5
        near(result.stress()["stress1"][0], before[0], 1e-9)
        assert (result.stress_per_point() == before[1]).all() and np.array_equal(result.shepard(), before[2])
    near(before[0], 0.22123, 1e-3)


@by_python("python-mds-stress-later")
def memory_that_nobody_writes_to_is_not_copied():
    from dunlin._owned import owned

    X = points()
    assert owned(X, X) is not X and owned(X[:5], X) is not X
    fresh = X * 2
    assert owned(fresh, X) is fresh
    view = X[:]
    view.flags.writeable = False
    assert owned(view, view) is not view  # X may change
    X.flags.writeable = False
    assert owned(X, X) is X and owned(view, view) is view


@by_python("python-mds-stress-later")
def estimators_compute_later_from_what_they_own():
    import numpy as np
    import pandas as pd
    from scipy.sparse import csr_matrix

    import dunlin

    few = {"random_state": 0, "device": "cpu"}
    new = points(70)[60:]

    def maps():
        return dunlin.TSNE(max_iter=250, **few), dunlin.UMAP(n_epochs=30, **few)

    for kind in (np.asarray, lambda X: np.asarray(X, np.float64), pd.DataFrame, csr_matrix):
        for changed, same in zip(maps(), maps()):
            X = kind(points())
            changed.fit(X)
            data = X.data if hasattr(X, "tocsr") else X
            data *= 0
            assert np.array_equal(changed.transform(new), same.fit(kind(points())).transform(new))
    X, knn = points(), dunlin.neighbors(points(), 15, device="cpu")
    changed, same = maps()[1].fit(X, knn_graph=knn), maps()[1].fit(points(), knn_graph=knn)
    expected = same.transform(new)
    knn.indices[:] = 0
    assert np.array_equal(changed.transform(new), expected)
    for kind in (dunlin.MDS, dunlin.ClassicalMDS):
        X = points()
        model = kind(**({"init": "random", "random_state": 0} if kind is dunlin.MDS else {})).fit(X)
        X *= 0
        assert np.allclose(model.dissimilarity_matrix_, _distances(points()), atol=1e-5)
    X = points()
    graph = dunlin.KNeighborsTransformer(n_neighbors=3).fit(X)
    X *= 0
    expected = dunlin.KNeighborsTransformer(n_neighbors=3).fit(points()).transform(new)
    assert (graph.transform(new) != expected).nnz == 0


# patch()


@by_python("python-patch-nested")
def a_block_ends_its_own_patch():
    import networkx as nx
    import sklearn.manifold as manifold

    import dunlin
    import dunlin.networkx

    originals = manifold.TSNE, nx.spring_layout

    def ours():
        return [manifold.TSNE is dunlin.TSNE, nx.spring_layout is dunlin.networkx.spring_layout]

    with dunlin.patch("sklearn", strict=True):
        with dunlin.patch("sklearn", "networkx", strict=True):
            assert ours() == [True, True]
        assert ours() == [True, False]
        with dunlin.patch(strict=True):
            dunlin.unpatch("networkx")
            assert ours() == [True, False]
        assert ours() == [True, False]
        try:
            with dunlin.patch("sklearn", strict=True):
                raise KeyError
        except KeyError:
            assert ours() == [True, False]
        dunlin.unpatch()
        assert ours() == [False, False]
        with dunlin.patch("sklearn", strict=True):
            assert ours() == [True, False]
        assert ours() == [False, False]
    dunlin.patch("sklearn", strict=True)
    with dunlin.patch("sklearn", strict=True):
        pass
    assert ours() == [True, False]
    dunlin.patch("sklearn", strict=True)
    dunlin.unpatch("sklearn")
    assert ours() == [False, False]
    again = dunlin.patch("networkx", strict=True)
    for _ in range(2):
        with again, again:
            assert ours() == [False, True]
        assert ours() == [False, False]
    try:
        dunlin.patch("sklearn", "numpy", strict=True)
    except dunlin.InputError:
        assert ours() == [False, False]
    assert (manifold.TSNE, nx.spring_layout) == originals


@by_python("python-patch-nested")
def blocks_of_several_threads_overlap():
    import sklearn.manifold as manifold

    import dunlin

    original, entered, leave = manifold.TSNE, threading.Event(), threading.Event()

    def long():
        with dunlin.patch("sklearn", strict=True):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=long)
    with dunlin.patch("sklearn", strict=True):
        thread.start()
        entered.wait(10)
    assert manifold.TSNE is dunlin.TSNE
    leave.set()
    thread.join()
    assert manifold.TSNE is original
