# SPDX-License-Identifier: Apache-2.0
"""Names in Python: rows and columns of tables of pandas and of files."""

from harness import by_python, near, refused, same_order, says


def placed(result):
    """The places of a result by name."""
    return {str(name): tuple(map(float, place)) for name, place in zip(result.ids, result.embedding)}


def frame(shuffled=False, n=40, columns=5):
    """A table with names of rows and columns, and its classes by the parity of the name."""
    import numpy as np
    import pandas

    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, columns)) + 9 * (np.arange(n) % 2)[:, None]
    table = pandas.DataFrame(values, [f"s{i:02d}" for i in range(n)], [f"g{i}" for i in range(columns)])
    table = table.sample(frac=1, random_state=1) if shuffled else table
    return table, pandas.Series(["AB"[int(name[1:]) % 2] for name in table.index], table.index, name="class")


@by_python("ids-ignored")
def maps_and_labels_of_files_by_id():
    import dunlin
    import pandas

    points, moved = dunlin.read("p.csv"), dunlin.read("ps.csv")
    meta = pandas.read_csv("meta.csv", index_col="id").label
    map = dunlin.tsne(points, perplexity=5)
    assert list(map.ids) == list(points.ids)
    scores = dunlin.score(map, points, labels=meta)
    near(scores["label_accuracy"], 1)
    again = dunlin.score(map, moved, labels=meta[::-1])
    assert again == scores
    # A map that goes on from another
    rested = dunlin.tsne(moved, perplexity=5, init=map, max_iter=0, early_exaggeration_iter=0)
    same_order(placed(rested), placed(map))
    dunlin.write("map.csv", map)
    assert dunlin.score(dunlin.read("map.csv", holds="map"), moved) == dunlin.score(map, points)


@by_python("ids-ignored")
def tables_of_pandas_by_id():
    import dunlin
    import numpy as np

    (X, labels), (moved, _) = frame(), frame(shuffled=True)
    map = dunlin.tsne(X, perplexity=5)
    with says():
        scores = dunlin.score(map, X, labels=labels)
        assert dunlin.score(map, moved, labels=labels.sample(frac=1, random_state=3)) == scores
        assert dunlin.trustworthiness(moved, map) == dunlin.trustworthiness(X, map)
        same_order(placed(dunlin.tsne(moved, perplexity=5, init=map, max_iter=0)), placed(map))
        assert np.array_equal(dunlin.reliability(map, moved).home, dunlin.reliability(map, X).home)
        picture = dunlin.draw(map, labels=labels).data
        assert dunlin.draw(map, labels=labels[::-1]).data == picture
        assert dunlin.draw(map, labels=dict(labels[::-1])).data == picture
        height = X.g0
        assert dunlin.draw(map, values=height[::-1]).data == dunlin.draw(map, values=height).data
        first, second = (dunlin.density(map, values=each) for each in (height, height[::-1]))
        assert np.array_equal(first.mean, second.mean, equal_nan=True)
        weights = (height - height.min() + 1)[::-1]
        first = dunlin.tsne(X, perplexity=5, point_weights=weights)
        assert np.array_equal(first.embedding, dunlin.tsne(X, perplexity=5, point_weights=weights[::-1]).embedding)
        clusters = dunlin.kmeans(X, 2, sample_weight=weights, init=X.iloc[:2])
        other = dunlin.kmeans(X, 2, sample_weight=weights[::-1], init=X.iloc[:2])
        assert clusters.inertia == other.inertia and np.array_equal(clusters.centers, other.centers)


@by_python("ids-ignored")
def rows_left_over():
    import dunlin

    X, labels = frame()
    map = dunlin.tsne(X, perplexity=5)
    picture = dunlin.draw(map, labels=labels).data
    more = labels.copy()
    more["extra"] = "C"
    with says("1 row of labels is not in map and not used"):
        assert dunlin.draw(map, labels=more).data == picture
    with says("2 of the 40 rows of map are not in labels"):
        dunlin.draw(map, labels=labels[2:])
    refused(lambda: dunlin.draw(map, labels=labels.rename(lambda name: "t" + name)), "no id in common", "'ts00'", "'s00'")
    twice = labels.rename(index={"s01": "s00"})
    refused(lambda: dunlin.draw(map, labels=twice), "'s00' twice, in rows 0 and 1")
    refused(lambda: dunlin.score(map, X[1:]), "X has no row 's00', which is row 0 of map")
    refused(lambda: dunlin.tsne(X, perplexity=5, init=dunlin.tsne(X[3:], perplexity=5)), "init has no row 's00'")
    refused(lambda: dunlin.tsne(X, perplexity=5, point_weights=X.g0[1:] ** 2 + 1), "point_weights has no row 's00'")
    with says("by order, since map has no ids"):
        assert dunlin.draw(map.embedding, labels=labels).data == dunlin.draw(map, labels=labels, names="none").data
    with says():
        assert dunlin.draw(map, labels=labels.to_numpy()).data == picture
        assert dunlin.draw(map, labels=list(labels)).data == picture
        named = dunlin.draw(map, ids=X.index, labels=labels).data
        assert dunlin.draw(map.embedding, ids=X.index, labels=labels[::-1]).data == named


@by_python("ids-ignored")
def indexes_of_numbers():
    import dunlin
    import numpy as np
    import pandas

    rng = np.random.default_rng(0)
    X = pandas.DataFrame(rng.normal(size=(30, 4)))
    labels = pandas.Series(np.arange(30) % 3)
    plain = dunlin.score(X.iloc[:, :2], X, labels=labels)
    with says():
        assert dunlin.score(X.iloc[:, :2], X, labels=labels.to_numpy()) == plain
        assert dunlin.score(X.iloc[:, :2].set_axis([str(i) for i in range(30)]), X, labels=labels) == plain
        assert dunlin.score(X.iloc[:, :2].set_axis(np.arange(30.0)), X, labels=labels) == plain
    with says("matched by index"):  # as pandas aligns them
        assert dunlin.score(X.iloc[:, :2], X, labels=labels[::-1]) == plain
    some = X[X[0] > 0]
    with says("by order, since the ids of labels only count its rows"):
        dunlin.score(some.iloc[:, :2], some, labels=pandas.Series(np.arange(len(some)) % 2))


@by_python("ids-ignored")
def maps_that_grow_by_id():
    import dunlin
    import numpy as np

    (X, _), (moved, _) = frame(), frame(shuffled=True)
    map = dunlin.umap(X[5:], n_neighbors=6)
    grown = dunlin.umap(moved, n_neighbors=6, fixed=map)
    same_order({name: place for name, place in placed(grown).items() if name in set(map.ids)}, placed(map), 0)
    new = dunlin.transform(X[:5], moved[~moved.index.isin(X.index[:5])], map)
    assert np.array_equal(new.embedding, dunlin.transform(X[:5], X[5:], map).embedding) and list(new.ids) == list(X.index[:5])
    near = dunlin.neighbors(X, 8)
    there = dunlin.umap(moved, knn=near, n_neighbors=9, init="random")
    here = dunlin.umap(moved, knn=dunlin.neighbors(moved, 8), n_neighbors=9, init="random")
    assert np.array_equal(there.embedding, here.embedding)


@by_python("ids-ignored")
def classes_take_rows_by_id():
    import dunlin
    import numpy as np

    X, labels = frame()
    weights = X.g1 - X.g1.min() + 1
    first, second = (dunlin.KMeans(2, random_state=0).fit(X, sample_weight=each) for each in (weights, weights[::-1]))
    assert np.array_equal(first.cluster_centers_, second.cluster_centers_)
    first, second = (dunlin.UMAP(5, random_state=0).fit(X, each).embedding_ for each in (labels, labels[::-1]))
    assert np.array_equal(first, second)
    assert np.array_equal(dunlin.UMAP(5, random_state=0).fit(X, labels.to_numpy()).embedding_, first)


@by_python("ids-ignored")
def results_list_their_ids():
    import dunlin

    X, _ = frame()
    near, map = dunlin.neighbors(X, 8), dunlin.tsne(X, perplexity=5, max_iter=20)
    clusters = dunlin.kmeans(X, 2)
    for result in (
        near,
        map,
        clusters,
        dunlin.umap(knn=near, n_neighbors=9, init="random"),
        dunlin.pacmap(X, n_neighbors=5, num_iters=(5, 5, 5)),
        dunlin.mds(X),
        dunlin.kmedoids(X, 2),
        dunlin.mixture(X, 2),
        dunlin.choose_k(X, 3).best,
        dunlin.assign(X, clusters.centers),
        dunlin.transform(X, X, map),
        dunlin.reliability(map, X),
    ):
        assert list(result.ids) == list(X.index) and "``ids``" in type(result).__doc__


@by_python("columns-by-position")
def columns_of_new_points():
    import dunlin
    import numpy as np
    import pandas

    for read in (pandas.read_csv, dunlin.read):
        X, same, moved = (read(name) for name in ("p.csv", "same.csv", "moved.csv"))
        map = dunlin.tsne(X, perplexity=10)
        right = dunlin.transform(same, X, map).embedding
        with says("queries has its columns in another order than X"):
            assert np.array_equal(dunlin.transform(moved, X, map).embedding, right)
        near = dunlin.neighbors(X, 3, queries=same)
        with says("another order"):
            assert np.array_equal(dunlin.neighbors(X, 3, queries=moved).indices, near.indices)
        clusters = dunlin.kmeans(X, 3)
        with says("another order"):
            assert np.array_equal(dunlin.assign(moved, clusters).labels, dunlin.assign(same, clusters).labels)
        for model in (
            dunlin.TSNE(perplexity=10, random_state=0),
            dunlin.UMAP(10, random_state=0),
            dunlin.KMeans(3, random_state=0),
            dunlin.ParametricTSNE(hidden_layer_sizes=(9,), max_iter=2, pretrain_epochs=2, random_state=0),
        ):
            model.fit(X)
            right = model.transform(same)
            with says("X has its columns in another order"):
                assert np.array_equal(model.transform(moved), right), model
        with says("another order"):
            assert np.array_equal(model.fit(X).transform(moved), right)
        for model in (dunlin.KMeans(3, random_state=0), dunlin.GaussianMixture(2, random_state=0), dunlin.KMedoids(3)):
            model.fit(X)
            right = model.predict(same)
            with says("another order"):
                assert np.array_equal(model.predict(moved), right), model


@by_python("columns-by-position")
def columns_with_other_names():
    import dunlin
    import pandas

    X, same = pandas.read_csv("p.csv"), pandas.read_csv("same.csv")
    map = dunlin.tsne(X, perplexity=10)
    other, fewer = same.rename(columns={"age": "years"}), same.drop(columns="age")
    more = same.assign(shade=1.0)
    refused(lambda: dunlin.transform(other, X, map), "'age'", "queries lacks")
    refused(lambda: dunlin.transform(fewer, X, map), "'age'", "queries lacks")
    refused(lambda: dunlin.transform(more, X, map), "'shade'", "X lacks")
    refused(lambda: dunlin.neighbors(X, 3, queries=other), "'age'")
    refused(lambda: dunlin.kmeans(X, 3, init=other[:3]), "'age'", "init")
    for model in (dunlin.TSNE(perplexity=10), dunlin.KMeans(3), dunlin.GaussianMixture(2), dunlin.KNeighborsTransformer()):
        place = getattr(model.fit(X), "predict" if hasattr(model, "predict") else "transform")
        refused(lambda: place(other), "years", "age", error=ValueError)  # of scikit-learn
    twice = same.set_axis(["age", "age", "width", "height", "weight"], axis=1)
    refused(lambda: dunlin.transform(twice, X, map), "'age' twice")
    with says():
        dunlin.transform(same.to_numpy(), X, map)
        dunlin.transform(same, X.to_numpy(), map)


@by_python("columns-by-position")
def centers_by_name():
    import dunlin
    import numpy as np
    import pandas

    X, moved = pandas.read_csv("p.csv"), pandas.read_csv("moved.csv")
    clusters = dunlin.kmeans(X, 4)
    centers = pandas.DataFrame(clusters.centers, columns=clusters.columns)
    with says("init has its columns in another order than X"):
        again = dunlin.kmeans(X, 4, init=centers[moved.columns], max_iter=0)
    assert np.array_equal(again.labels, clusters.labels)
    with says("another order"):
        again = dunlin.kmeans(X[moved.columns], 4, init=clusters, max_iter=0)
    assert np.array_equal(again.labels, clusters.labels)
    with says("another order"):
        model = dunlin.KMeans(4, init=centers[moved.columns], max_iter=1).fit(X)
    assert np.array_equal(model.labels_, clusters.labels)


@by_python("columns-by-position")
def columns_of_other_packages():
    import dunlin
    import numpy as np
    import pandas
    import polars
    import pyarrow

    X, moved = pandas.read_csv("p.csv"), pandas.read_csv("moved.csv")
    right = dunlin.neighbors(X, 3, queries=pandas.read_csv("same.csv")).indices
    for of in (polars.DataFrame, pyarrow.table):
        columns = {name: moved[name].to_numpy() for name in moved}
        with says("another order"):
            assert np.array_equal(dunlin.neighbors(X, 3, queries=of(columns)).indices, right)


@by_python("weights-names-ignored")
def weights_of_pairs_by_name():
    import dunlin
    import numpy as np
    import pandas

    for read in (lambda name: pandas.read_csv(name, index_col=0), lambda name: dunlin.read(name, holds="dissimilarities")):
        d, first, second = (read(name) for name in ("d.csv", "w1.csv", "w2.csv"))
        maps = [dunlin.mds(dissimilarities=d, method="smacof", weights=each) for each in (first, second)]
        assert np.array_equal(maps[0].embedding, maps[1].embedding)
        assert list(maps[0].ids) == list("ABCDEFG")
        start = pandas.DataFrame(maps[0].embedding, maps[0].ids)
        first, second = (dunlin.mds(dissimilarities=d, init=each) for each in (start, start[::-1]))
        assert np.array_equal(first.embedding, second.embedding)
    d = pandas.read_csv("d.csv", index_col=0)
    with says("another order"):
        moved = dunlin.mds(dissimilarities=d[d.columns[::-1]], method="smacof")
    assert np.array_equal(moved.embedding, dunlin.mds(dissimilarities=d, method="smacof").embedding)
    some = pandas.read_csv("w1.csv", index_col=0).iloc[:3, :3]
    refused(lambda: dunlin.mds(dissimilarities=d, weights=some), "weights has no row 'D'")


@by_python("labels")
def labels_of_files_and_results():
    import dunlin

    X, labels = frame()
    labels.to_frame().rename_axis("id")[::-1].assign(size=1.0).to_csv("labels.csv")
    read = dunlin.read("labels.csv", labels="class")
    map = dunlin.tsne(X, perplexity=5)
    right = dunlin.score(map, labels=labels)
    with says():
        assert dunlin.score(map, labels=read.labels) == right
        assert dunlin.score(map, labels=read) == right
    clusters = dunlin.kmeans(X[::-1], 2)
    assert dunlin.draw(map, labels=clusters).data == dunlin.draw(map, labels=dunlin.kmeans(X, 2, init=clusters).labels).data
    dunlin.write("map.csv", map, labels=labels[::-1])
    assert dunlin.read("map.csv", holds="map").labels.tolist() == labels.tolist()
    X.rename_axis("id").to_csv("points.csv")
    refused(lambda: dunlin.draw(map, labels=dunlin.read("points.csv")), "no labels of its own")
