# SPDX-License-Identifier: Apache-2.0
"""Points and maps far from zero, by Python: an offset changes no distance, and a row has one answer in any company."""

import pickle

from harness import by_python, points

# A year's days, projected coordinates in metres, seconds since 1970, and below zero
OFFSETS = (1e6, 20240101.0, 5e6 + 4.5e6, 1.7e9, 1e9, -1e9)


def _table(path, columns=None):
    import numpy as np

    return np.genfromtxt(path, delimiter=",", skip_header=1, usecols=columns)


def _near(found, wanted, tolerance=1e-3):
    import numpy as np

    found, wanted = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    assert np.allclose(found, wanted, rtol=tolerance, atol=tolerance), np.abs(found - wanted).max()


def _clusters():
    """(rows of two clusters, new rows) near zero."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    X[40:] += 8
    return X, rng.normal(size=(20, 3)) * 3


# Rows of a model


@by_python("python-one-far-row")
def a_row_has_one_label_alone_and_with_others():
    import numpy as np

    import dunlin

    X, new = _clusters()
    for offset in OFFSETS:
        far, others = X + offset, new + offset
        model = dunlin.KMeans(2, random_state=0, n_init=1, device="cpu").fit(far)
        assert np.array_equal(model.labels_, dunlin.KMeans(2, random_state=0, n_init=1, device="cpu").fit(X).labels_)
        restored = pickle.loads(pickle.dumps(model))
        for rows, labels in ((far, model.labels_), (others, model.predict(others))):
            alone = [model.predict(rows[i : i + 1])[0] for i in range(len(rows))]
            assert np.array_equal(alone, labels) and np.array_equal(restored.predict(rows[::-1]), labels[::-1])
            assigned = [dunlin.assign(row[None], model.cluster_centers_, device="cpu").labels[0] for row in rows]
            assert np.array_equal(assigned, labels)
            assert np.array_equal(model.predict(np.repeat(rows[:1], 5, axis=0)), labels[[0] * 5])
        squares = ((far[:, None] - model.cluster_centers_[None]) ** 2).sum(2).min(1)
        _near(sum(model.score(far[i : i + 1]) for i in range(80)), -squares.sum(), 1e-4)
        _near(model.score(far), -squares.sum(), 1e-4)


@by_python("python-one-far-row")
def days_among_one_day():
    import numpy as np

    import dunlin

    days = np.array([[20240101.0, 1], [20240102.0, 1], [20240103.0, 1]])
    assert dunlin.neighbors(days[1:2], 1, queries=days, device="cpu").distances.ravel().tolist() == [1, 0, 1]
    assert dunlin.neighbors(days, 1, queries=days[1:2] + [0.25, 0], device="cpu").distances.tolist() == [[0.25]]
    one, two, centers = (_table(f"{name}.csv") for name in ("row", "two", "centers"))
    one = one.reshape(-1, centers.shape[1])
    labels = dunlin.assign(two, centers, device="cpu").labels
    row = int(np.flatnonzero((two == one[0]).all(1))[0])
    assert dunlin.assign(one, centers, device="cpu").labels[0] == labels[row] == 1


@by_python("python-one-far-row")
def predictions_do_not_depend_on_offsets():
    import numpy as np

    import dunlin

    X, new = _clusters()
    for offset in OFFSETS:
        models = [dunlin.KMeans(3, random_state=0, n_init=1, device="cpu"), dunlin.KMedoids(3, random_state=0)]
        for model in models:
            near = type(model)(**model.get_params()).fit(X)
            far = model.fit(X + offset)
            _near(far.transform(new + offset), near.transform(new), 1e-5)
            _near(far.transform(new[:1] + offset), near.transform(new[:1]), 1e-5)
            assert np.array_equal(far.predict(new + offset), near.predict(new))
        for kind in ("full", "diag", "tied", "spherical"):
            here, there = (
                dunlin.GaussianMixture(2, covariance_type=kind, random_state=0).fit(rows) for rows in (X, X + offset)
            )
            _near(there.predict_proba(new + offset), here.predict_proba(new))
            _near(there.score_samples(new + offset), here.score_samples(new))
            assert np.array_equal(there.predict(X + offset), there.fit_predict(X + offset))
        for scaling in (dunlin.ClassicalMDS(), dunlin.MDS(init="random", random_state=0), dunlin.MDS(metric="sqeuclidean", init="random")):
            found = scaling.fit(X + offset).dissimilarity_matrix_
            wanted = ((X[:, None] - X[None]) ** 2).sum(2)
            _near(found, wanted if scaling.metric == "sqeuclidean" else np.sqrt(wanted), 1e-5)


@by_python("python-one-far-row")
def graphs_of_neighbors_do_not_depend_on_offsets():
    import warnings

    import dunlin

    X, new = _clusters()
    X, new = (rows * 64 // 1 / 64 for rows in (X, new))  # so that adding an offset rounds none of their digits
    for metric in ("euclidean", "manhattan", "correlation", "sqeuclidean"):
        model = dunlin.KNeighborsTransformer(n_neighbors=4, metric=metric)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dunlin.PerformanceWarning)
            here = [model.fit_transform(X).toarray(), model.transform(new).toarray()]
            for offset in OFFSETS:
                _near(model.fit_transform(X + offset).toarray(), here[0], 1e-5)
                _near(model.transform(new + offset).toarray(), here[1], 1e-5)
                _near(model.transform(new[:1] + offset).toarray(), here[1][:1], 1e-5)


@by_python("python-one-far-row")
def float32_rows_are_taken_as_they_are():
    import numpy as np

    import dunlin

    X, new = (rows.astype(np.float32) + np.float32(1000) for rows in _clusters())
    model = dunlin.KMeans(2, random_state=0, n_init=1, device="cpu").fit(X)
    assert model.cluster_centers_.dtype == np.float32
    assert np.array_equal(model.predict(new), model.predict(new.astype(np.float64)))
    assert np.array_equal(model.predict(X), model.labels_)
    mixture = dunlin.GaussianMixture(2, random_state=0).fit(X)
    _near(mixture.predict_proba(new), dunlin.GaussianMixture(2, random_state=0).fit(X - 1000).predict_proba(new - 1000))


@by_python("out-transform-alone")
def a_network_places_a_row_alone_as_with_others():
    import numpy as np

    import dunlin

    train, five, one = (_table(f"{name}.csv").reshape(-1, 2) for name in ("train", "five", "one"))
    options = {"hidden_layer_sizes": (20, 20), "max_iter": 2, "pretrain_epochs": 20, "random_state": 1, "device": "cpu"}
    model = dunlin.ParametricTSNE(**options).fit(train)
    model.save("model.npz")
    for each in (model, pickle.loads(pickle.dumps(model)), dunlin.ParametricTSNE.load("model.npz")):
        places = each.transform(five)
        assert np.array_equal(each.transform(one), places[:1])
        assert np.array_equal(each.transform(np.repeat(one, 3, axis=0)), places[[0, 0, 0]])
        _near(places[0], model.embedding_[20], 1e-4)


@by_python("out-transform-alone")
def a_map_places_a_row_alone_as_with_others():
    import numpy as np

    import dunlin

    X, new = points(120, 4, "float64"), points(130, 4, "float64")[120:]
    for offset in (1e6, 1.7e9):
        for model in (dunlin.UMAP(n_neighbors=8, random_state=0, device="cpu"), dunlin.TSNE(perplexity=8, random_state=0, device="cpu")):
            model.fit(X + offset)
            places = model.transform(new + offset)
            assert all(np.array_equal(model.transform(new[i : i + 1] + offset), places[i : i + 1]) for i in range(len(new)))
            _near(pickle.loads(pickle.dumps(model)).transform(new[::-1] + offset), places[::-1], 0)


@by_python("embed-correlation-constant-rows")
def constant_rows_correlate_with_none():
    import numpy as np

    import dunlin

    far, less = _table("hpa.csv"), _table("less1013.csv")
    stuck = [5, 11, 17]
    wanted = dunlin.neighbors(less, 4, metric="correlation", device="cpu")
    for rows in (far, less.astype(np.float32), far + 1e5, np.asfortranarray(far)):
        found = dunlin.neighbors(rows, 4, metric="correlation", device="cpu")
        for row in stuck:
            assert set(found.indices[row, :2]) == set(stuck) - {row}
            assert found.distances[row].tolist() == [0, 0, 1, 1], found.distances[row]
        live = [row for row in range(len(far)) if row not in stuck]
        _near(found.distances[live], wanted.distances[live], 1e-3)
    alone = dunlin.neighbors(far, 2, queries=far[5:6], metric="correlation", device="cpu")
    assert alone.distances.tolist() == [[0, 0]] and set(alone.indices[0]) <= set(stuck)


# Maps


def _map(n=200, d=2, spread=0.1):
    import numpy as np

    return np.random.default_rng(0).normal(size=(n, d)) * spread


def _places(dim=2):
    """Offsets of maps of so many axes."""
    import numpy as np

    return [np.full(dim, each) for each in OFFSETS] + [np.array([448000.0, 5411000.0, -1.7e9])[:dim]]


@by_python("python-far-map")
def a_shift_changes_no_score_density_or_overlap():
    import numpy as np

    import dunlin

    for dim in (2, 3):
        map = _map(d=dim)
        near_scores, near = dunlin.score(map, map, device="cpu"), dunlin.density(map, device="cpu", nodes=64)
        near_moved, near_peaks = dunlin.remove_overlaps(map, 0.002), near.peaks()["positions"]
        for place in _places(dim):
            assert dunlin.trustworthiness(map, map + place) == 1
            scores = dunlin.score(map + place, map, device="cpu")
            _near([scores[name] for name in near_scores], list(near_scores.values()))
            moved = dunlin.remove_overlaps(map + place, 0.002)
            assert moved.dtype == np.float64 and np.abs(moved - place - map).max() < 0.005
            _near(moved - place, near_moved, 1e-4)
            found = dunlin.density(map + place, device="cpu", nodes=64)
            _near(found.options["bandwidth"], near.options["bandwidth"], 1e-4)
            _near(found.field.max(), near.field.max())
            _near(np.subtract(found.origin, place), near.origin, 2 * near.spacing)  # a cell more or less by rounding
            _near(found.peaks()["positions"][0] - place, near_peaks[0], near.spacing)
    found = dunlin.density(_map() + 1e6, device="cpu")
    _near(found.contours(percentage=50)[0].mean(0) - 1e6, [0, 0], 0.05)


@by_python("python-far-map")
def drawings_and_diagnostics_of_a_far_map():
    import dunlin

    X, map = points(60, 5, "float64"), _map(60)
    graph = (60, [(i, (i * 7 + 1) % 60) for i in range(60) if i != (i * 7 + 1) % 60])
    for place in _places():
        here, there = (dunlin.score(each, graph=graph) for each in (map, map + place))
        _near([there[name] for name in here], list(here.values()), 1e-3)
        here, there = (dunlin.reliability(each, X, device="cpu") for each in (map, map + place))
        _near(there.intruders, here.intruders)
        _near(there.kl, here.kl)
        here, there = (dunlin.mds(X, init=each, device="cpu").stress() for each in (map, map + place))
        _near(there["stress1"], here["stress1"], 0.02)
    here, there = (dunlin.draw(each, format="svg").data for each in (map, map + 1.7e9))
    assert len(here) == len(there)


@by_python("python-far-map")
def meshes_of_a_far_map():
    import numpy as np

    import dunlin
    from harness import says

    map = _map(300, 3, 1)
    here = dunlin.hulls(map, cells=24, device="cpu")
    for place in _places(3):
        there = dunlin.hulls(map + place, cells=24, device="cpu")
        _near(there.vertices - place, here.vertices)
        assert there.hulls[0]["inside"] == here.hulls[0]["inside"]
    with says("less"):
        there.save("far.ply")
    x, y, z = np.mgrid[-1:1:9j, -1:1:9j, -1:1:9j]
    ball = 0.7 - np.sqrt(x**2 + y**2 + z**2)
    here, there = (dunlin.surface(ball, spacing=0.25, origin=np.full(3, at), device="cpu").vertices for at in (-1, 1e9))
    assert here.dtype == np.float32
    _near(there - 1e9, here + 1)


@by_python("embed-map-offset")
def maps_and_fixed_rows_keep_their_offset():
    import numpy as np

    import dunlin

    X, local, utm, given = (_table(f"{name}.csv") for name in ("points", "local", "utm", "utm-forty"))
    here, there = (dunlin.score(map, X, device="cpu") for map in (local, utm))
    _near(list(here.values()), [1] * len(here), 1e-9)
    _near(list(there.values()), [1] * len(here), 1e-9)
    _near(list(dunlin.score(local + 1.7e9, X, device="cpu").values()), [1] * len(here), 1e-9)
    some = np.vstack([given, np.full((len(X) - len(given), 2), np.nan)])
    few = {"perplexity": 8}, {"n_neighbors": 8}, {"n_neighbors": 8}
    for function, options in zip((dunlin.tsne, dunlin.umap, dunlin.pacmap), few):
        options = {**options, "device": "cpu"}
        for fixed in (given, some):
            found = function(X, fixed=fixed, **options).embedding
            assert found.dtype == np.float64 and np.array_equal(found[: len(given)], given)
            assert np.abs(found - given.mean(0)).max() < 1000
        grown = function(X, grow=given, **options).embedding
        assert grown.dtype == np.float64 and np.abs(grown - given.mean(0)).max() < 1000
        seen = []
        started = function(X, init=utm, **options, callbacks=lambda *told: seen.append(told[-1].copy()), callbacks_every_iters=20)
        assert np.abs(seen[0] - given.mean(0)).max() < 1000 and np.abs(started.embedding - given.mean(0)).max() < 1000
        assert function(X, init=local, **options).embedding.dtype == np.float32
    for method in ("tsne", "umap", "pacmap"):
        places = [dunlin.transform(X[:5], X, map, map_method=method, device="cpu").embedding for map in (local, utm)]
        apart = np.abs(places[1] - utm.mean(0) - places[0] + local.mean(0)).max(1)
        assert (apart < 1e-3).sum() >= 4, apart  # a row with two minima of nearly one loss may take either
    fixed = dunlin.mds(X, fixed=some, device="cpu").embedding
    assert np.array_equal(fixed[: len(given)], given)
    anchored = dunlin.tsne(X, anchor=some, perplexity=8, device="cpu").embedding
    assert np.abs(anchored - given.mean(0)).max() < 1000


@by_python("embed-map-offset")
def far_maps_are_written_and_read_in_double():
    import numpy as np

    import dunlin

    utm, ids = _table("utm.csv"), [f"p{i}" for i in range(60)]
    for name in ("a.csv", "a.tsv", "a.npy", "a.json"):
        dunlin.write(name, utm)
        assert np.array_equal(np.asarray(dunlin.read(name, holds="map")), utm), name
    dunlin.write("b.csv", utm, ids=ids, labels=["a", "b"] * 30)
    read = dunlin.read("b.csv", holds="map")
    assert np.array_equal(np.asarray(read), utm) and list(read.ids) == ids and read.labels[1] == "b"
    assert np.array_equal(np.asarray(pickle.loads(pickle.dumps(read))), utm)
    X = _table("points.csv")
    _near(dunlin.score(read, X, device="cpu")["rnx_auc"], 1, 1e-9)
    assert np.array_equal(dunlin.umap(X, fixed=np.asarray(read)[:40], n_neighbors=8, device="cpu").embedding[:40], utm[:40])


@by_python("embed-map-offset")
def maps_of_estimators_and_opentsne_keep_their_offset():
    import numpy as np

    import dunlin
    import dunlin.opentsne as opentsne

    X, utm = _table("points.csv"), _table("utm.csv")
    middle = utm.mean(0)
    model = dunlin.TSNE(init=utm, perplexity=8, random_state=0, device="cpu").fit(X)
    assert model.embedding_.dtype == np.float64 and np.abs(model.embedding_ - middle).max() < 1000
    places = model.transform(X[:5])
    assert np.abs(places - middle).max() < 1000
    _near(pickle.loads(pickle.dumps(model)).transform(X[:1]), places[:1], 0)
    map = opentsne.TSNEEmbedding(utm, opentsne.affinity.PerplexityBasedNN(X, 8))
    assert map.dtype == np.float64 and np.array_equal(map, utm)
    _near(map.kl_divergence, opentsne.TSNEEmbedding(utm - utm.min(0), map.affinities).kl_divergence, 1e-5)
    assert np.array_equal(pickle.loads(pickle.dumps(map)), utm)
    for placed in (map.transform(X[:5]), map.prepare_partial(X[:5]).optimize(5), map.optimize(10)):
        assert placed.dtype == np.float64 and np.abs(placed - middle).max() < 1000
    fitted = dunlin.MDS(n_init=1, init="random", random_state=0, device="cpu").fit_transform(X, init=utm)
    assert np.abs(fitted - middle).max() < 1000


@by_python("graph-pinned-float32")
def pinned_nodes_stay_as_they_are_given():
    import networkx
    import numpy as np

    import dunlin
    import dunlin.networkx

    edges = [line.split(",") for line in open("g.csv").read().split()]
    graph, names = networkx.Graph(edges), [line.split(",")[0] for line in open("start.csv").read().split()[1:]]
    far, near = (dict(zip(names, _table(f"{name}.csv", (1, 2)))) for name in ("start", "shifted"))
    fixed, corner = ["hub", "1"], np.array([500000.0, 5600000.0])
    for method in ("multilevel", "stress", "fr", "fa2"):
        found = dunlin.layout(graph, pos=far, fixed=fixed, method=method, **({} if method == "fa2" else {"k": 0.2}))
        assert all(found[name].tolist() == far[name].tolist() for name in fixed)
        assert found.pos.dtype == np.float64 and max(np.abs(found[name] - corner).max() for name in names) < 1000
    found, wanted = (dunlin.layout(graph, pos=pos, fixed=fixed, k=0.2, method="stress") for pos in (far, near))
    for name in names:
        _near(found[name] - corner, wanted[name])
    assert dunlin.layout(graph, pos=near, method="stress").pos.dtype == np.float32
    restored = pickle.loads(pickle.dumps(found))
    assert restored["hub"].tolist() == far["hub"].tolist()
    for name in ("a.graphml", "a.dot"):
        dunlin.write(name, found)
        read = dunlin.read(name, holds="graph")
        order = [list(read.nodes).index(each) for each in graph]
        assert np.abs(read.start[order] - found.pos).max() < 1e-6, name
        assert read.start[order[0]].tolist() == far["hub"].tolist()
    drawn = dunlin.networkx.spring_layout(graph, pos=far, fixed=fixed, k=0.2, seed=1)
    assert all(list(drawn[name]) == list(far[name]) for name in fixed)
    assert max(np.abs(drawn[name] - corner).max() for name in names) < 10
    found, wanted = (dunlin.networkx.kamada_kawai_layout(graph, pos=pos) for pos in (far, near))
    for name in names:
        _near(found[name], wanted[name])


@by_python("python-far-map")
def small_maps_and_single_axes():
    import numpy as np

    import dunlin

    for offset in OFFSETS:
        one = np.array([[0.1, 0.2]]) + offset
        assert np.array_equal(dunlin.remove_overlaps(one, 0.1), one)
        line = np.arange(20.0)[:, None] / 8 + offset
        assert np.array_equal(dunlin.remove_overlaps(line, 0.01), line)
        whole = np.arange(40).reshape(20, 2) + int(offset)
        assert np.array_equal(dunlin.remove_overlaps(whole, 0.1), whole)
        equal = dunlin.remove_overlaps(np.repeat(one, 4, axis=0), 0.1)
        _near(equal - offset, dunlin.remove_overlaps(np.full((4, 2), [[0.1, 0.2]]), 0.1), 0.5)
    near = _map().astype(np.float32) + np.float32(1e6)
    assert dunlin.remove_overlaps(near, 0.001).dtype == np.float32


# By the command: checks of the same folders
