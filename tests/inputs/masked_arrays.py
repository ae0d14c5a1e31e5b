# SPDX-License-Identifier: Apache-2.0
"""Masked arrays of NumPy: their masked cells are missing."""

from harness import by_python, near, refused, texts


def masked(rng):
    """Points with two masked cells, whose fill value is far away."""
    import numpy as np

    X = rng.normal(size=(60, 3))
    X[7, 1] = X[20, 2] = -9999.0
    return np.ma.masked_equal(X, -9999.0)


@by_python("python-masked-arrays")
def masked_cells_are_missing():
    import numpy as np
    import dunlin

    rng = np.random.default_rng(0)
    P = rng.normal(size=(12, 2))
    D = np.sqrt(((P[:, None] - P[None]) ** 2).sum(-1))
    bad = D.copy()
    for i, j in ((0, 5), (2, 7), (3, 9)):
        bad[i, j] = bad[j, i] = 999.0
    M = np.ma.masked_equal(bad, 999.0)
    above = np.triu_indices(12, 1)
    for given in (M, M[above], M.astype(np.float32), [np.ma.array(row) for row in M]):
        map = dunlin.mds(dissimilarities=given, device="cpu").embedding
        assert np.abs(np.sqrt(((map[:, None] - map[None]) ** 2).sum(-1)) - D).max() < 1e-3
        near(dunlin.score(P, dissimilarities=given, device="cpu")["stress1"], 0)
    whole = np.round(D * 100).astype(int)
    holes = np.ma.array(whole, mask=np.zeros((12, 12), bool))
    holes[0, 5] = holes[5, 0] = np.ma.masked
    assert np.isfinite(dunlin.mds(dissimilarities=holes, device="cpu").embedding).all()
    refused(lambda: dunlin.mds(distance=lambda i, j: M[i, j], n=12, device="cpu", method="smacof"), "items 0 and 5")
    start = np.ma.array(P, mask=np.zeros((12, 2), bool))
    start[3:] = np.ma.masked  # the others are to be placed
    held = dunlin.mds(dissimilarities=D, fixed=start, device="cpu").embedding
    assert np.allclose(held[:3], P[:3])
    v = np.ma.masked_equal([1.0, 2, 3, -9999, 5, 6, 7, 8], -9999.0)
    map = rng.normal(size=(8, 2))
    for given in (v, np.ma.masked_equal([1, 2, 3, -9999, 5, 6, 7, 8], -9999), [1, 2, 3, None, 5, 6, 7, 8]):
        result = dunlin.density(map, values=given, device="cpu")
        assert result.missing == 1 and np.nanmin(result.mean) >= 1
        assert "none" in texts(dunlin.draw(map, values=given, format="svg"))


@by_python("python-masked-arrays")
def masked_points_are_refused_with_their_place():
    import numpy as np
    import dunlin

    rng = np.random.default_rng(0)
    M, X = masked(rng), rng.normal(size=(60, 3))
    map = rng.normal(size=(60, 2))
    calls = {
        "neighbors": lambda: dunlin.neighbors(M, 3),
        "neighbors, float32": lambda: dunlin.neighbors(M.astype(np.float32), 3),
        "queries": lambda: dunlin.neighbors(X, 3, queries=M),
        "kmeans": lambda: dunlin.kmeans(M, 2),
        "choose_k": lambda: dunlin.choose_k(M, 3),
        "assign": lambda: dunlin.assign(M, X[:2]),
        "mixture": lambda: dunlin.mixture(M, 2),
        "tsne": lambda: dunlin.tsne(M),
        "umap": lambda: dunlin.umap(M),
        "pacmap": lambda: dunlin.pacmap(M),
        "mds": lambda: dunlin.mds(M),
        "kmedoids": lambda: dunlin.kmedoids(M, 2),
        "score": lambda: dunlin.score(map, M),
        "trustworthiness": lambda: dunlin.trustworthiness(M, map),
        "reliability": lambda: dunlin.reliability(map, M),
        "transform": lambda: dunlin.transform(M, X, map, map_method="umap"),
        "transform, points": lambda: dunlin.transform(X, M, map, map_method="umap"),
    }
    for name, call in calls.items():
        error = refused(call, "row 7", "column 1")
        assert (error.row, error.column) == (7, 1), name
    whole = np.ma.array(X, mask=np.zeros(X.shape, bool))
    assert dunlin.kmeans(whole, 2).labels.tobytes() == dunlin.kmeans(X, 2).labels.tobytes()
    assert dunlin.neighbors(np.ma.array(X), 3).indices.tobytes() == dunlin.neighbors(X, 3).indices.tobytes()


@by_python("python-masked-arrays")
def masks_of_other_arguments():
    import numpy as np
    import dunlin

    rng = np.random.default_rng(0)
    X, flat = rng.normal(size=(60, 3)), masked(rng)[:, :2]
    weights = np.ma.array([1e6] + [1.0] * 59, mask=[True] + [False] * 59)
    square = np.ma.array(np.ones((60, 60)), mask=np.zeros((60, 60), bool))
    square[4, 2] = np.ma.masked
    lost = np.ma.array([0.0, 0.0, 50.0], mask=[0, 0, 1])
    tracks = [np.ma.array([[0.0, 0], [999, 1]], mask=[[0, 0], [1, 0]]), [[0.0, 1.0], [2.0, 3.0]]]
    for name, call, *words in (
        ("sample_weight", lambda: dunlin.kmeans(X, 1, sample_weight=weights), "row 0"),
        ("point_weights", lambda: dunlin.tsne(X, point_weights=weights), "row 0"),
        ("point_weights", lambda: dunlin.affinities(dunlin.neighbors(X, 9), 3, point_weights=weights), "row 0"),
        ("init", lambda: dunlin.kmeans(X, 1, init=lost[None]), "row 0, column 2"),
        ("centers", lambda: dunlin.assign(X, lost[None]), "row 0, column 2"),
        ("init", lambda: dunlin.tsne(X, init=flat), "row 7, column 1"),
        ("init", lambda: dunlin.mds(X, init=flat), "row 7, column 1"),
        ("weights", lambda: dunlin.mds(X, weights=square), "row 4, column 2"),
        ("pos", lambda: dunlin.layout((60, [(0, 1)]), pos=flat), "row 7, column 1"),
        ("node_size", lambda: dunlin.layout((60, [(0, 1)]), node_size=weights), "row 0"),
        ("node_mass", lambda: dunlin.layout((60, [(0, 1)]), method="forceatlas2", node_mass=weights), "row 0"),
        ("G", lambda: dunlin.layout(square), "row 4, column 2"),
        ("edges of G", lambda: dunlin.layout((3, np.ma.array([[0, 1], [1, 2]], mask=[[0, 0], [0, 1]]))), "row 1, column 1"),
        ("weights of G", lambda: dunlin.layout((3, [(0, 1), (1, 2)], weights[:2])), "row 0"),
        ("map", lambda: dunlin.draw(flat), "row 7, column 1"),
        ("map", lambda: dunlin.density(flat), "row 7, column 1"),
        ("map", lambda: dunlin.score(flat, X), "row 7, column 1"),
        ("map", lambda: dunlin.reliability(flat, X), "row 7, column 1"),
        ("map", lambda: dunlin.hulls(masked(rng)), "row 7, column 1"),
        ("map", lambda: dunlin.transform(X, X, flat, map_method="umap"), "row 7, column 1"),
        ("X_embedded", lambda: dunlin.trustworthiness(X, flat), "row 7, column 1"),
        ("field", lambda: dunlin.surface(square.reshape(60, 6, 10)), "row 4"),
        ("pos", lambda: dunlin.remove_overlaps(flat, 0.1), "row 7, column 1"),
        ("node_size", lambda: dunlin.remove_overlaps(X[:, :2], weights), "row 0"),
        ("start_v", lambda: dunlin.waves(60, start_v=weights, until=1), "row 0"),
        ("track 0", lambda: dunlin.mds(tracks=tracks), "row 1, column 0"),
        ("strings", lambda: dunlin.mds(strings=["a", None, "b"]), "item 1"),
        ("strings", lambda: dunlin.sequence_distances(["a", float("nan"), "b"]), "item 1"),
        ("knn", lambda: dunlin.tsne(knn=(np.ma.array([[1], [0]], mask=[[0], [1]]), [[1.0], [1.0]]), init=[[0, 0], [1, 1]]), "row 1"),
        ("obj", lambda: dunlin.write("map.csv", flat), "row 7, column 1"),
        ("ids", lambda: dunlin.draw(X[:2, :2], ids=np.ma.array(["a", "b"], mask=[0, 1])), "row 1"),
        ("ids", lambda: dunlin.draw(X[:2, :2], ids=["a", None]), "row 1"),
        ("ids", lambda: dunlin.draw(X[:2, :2], ids="ab"), "'ab'"),
        ("ids", lambda: dunlin.write("map.csv", X[:2, :2], ids=np.array("ab")), "'ab'"),
        ("ids", lambda: dunlin.write("map.csv", X[:2, :2], ids=["a", float("nan")]), "row 1"),
        ("init", lambda: dunlin.umap(X, init=np.full((60, 2), np.inf)), "infinite", "row 0"),
    ):
        refused(call, name, *words)
    for name in ("fixed", "grow"):
        some = np.ma.array(np.zeros((60, 2)) + rng.normal(size=(60, 2)), mask=np.zeros((60, 2), bool))
        some[50:] = np.ma.masked
        result = dunlin.tsne(X, **{name: some}, max_iter=20, perplexity=5)
        assert np.isfinite(result.embedding).all(), name
        if name == "fixed":
            assert np.array_equal(result.embedding[:50], np.asarray(some[:50], np.float32))


@by_python("python-masked-arrays")
def masks_of_the_estimators():
    import numpy as np
    import dunlin

    rng = np.random.default_rng(0)
    M, X = masked(rng), rng.normal(size=(60, 3))
    square = np.ma.array(np.abs(X[:, :1] - X[:, :1].T), mask=np.zeros((60, 60), bool))
    square[7, 1] = square[1, 7] = np.ma.masked
    weights = np.ma.array(np.ones(60), mask=np.arange(60) == 7)
    fitted = {
        name: getattr(dunlin, name)(**options).fit(X)
        for name, options in {
            "KMeans": {"n_clusters": 2},
            "GaussianMixture": {"n_components": 2},
            "KMedoids": {"n_clusters": 2},
            "KNeighborsTransformer": {},
            "UMAP": {"n_epochs": 5},
        }.items()
    }
    for made in (
        dunlin.TSNE(),
        dunlin.UMAP(),
        dunlin.PaCMAP(),
        dunlin.KMeans(2),
        dunlin.GaussianMixture(2),
        dunlin.KMedoids(2),
        dunlin.MDS(init="random"),
        dunlin.ClassicalMDS(),
        dunlin.ParametricTSNE(hidden_layer_sizes=(5,)),
        dunlin.KNeighborsTransformer(),
    ):
        refused(lambda: made.fit(M), "row 7", "column 1")
    for made in (dunlin.MDS(metric="precomputed", init="random"), dunlin.KMedoids(2, metric="precomputed"), dunlin.TSNE(metric="precomputed", init="random")):
        refused(lambda: made.fit(square), "row 1", "column 7")
    for name, method in (
        ("KMeans", "predict"),
        ("KMeans", "transform"),
        ("KMeans", "score"),
        ("GaussianMixture", "predict"),
        ("GaussianMixture", "predict_proba"),
        ("GaussianMixture", "score_samples"),
        ("KMedoids", "predict"),
        ("KMedoids", "transform"),
        ("KNeighborsTransformer", "transform"),
        ("UMAP", "transform"),
    ):
        refused(lambda: getattr(fitted[name], method)(M), "row 7", "column 1")
    refused(lambda: dunlin.KMeans(2).fit(X, sample_weight=weights), "sample_weight", "row 7")
    refused(lambda: dunlin.KMeans(1, init=M[7:8]).fit(X), "init", "column 1")
    refused(lambda: dunlin.UMAP(init=M[:, :2]).fit(X), "init", "row 7")
