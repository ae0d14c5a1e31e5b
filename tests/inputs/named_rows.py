# SPDX-License-Identifier: Apache-2.0
"""What is given by row has the names of its rows: tables, dicts, graphs, distances; odd labels, cells and options."""

from harness import by_python, points, refused, says

NAMES = [f"r{i:02d}" for i in range(60)]


def named():
    """(table of 60 named points, a permutation of its rows)."""
    import numpy as np
    import pandas

    return pandas.DataFrame(points(), NAMES, list("abcd")), np.random.default_rng(1).permutation(60)


@by_python("ids-ignored")
def starts_beside_affinities():
    import dunlin
    import numpy as np
    import pandas

    table, perm = named()
    start = pandas.DataFrame(points(60, 2), NAMES, ["x", "y"])
    edges = dunlin.affinities(dunlin.neighbors(table, 20), 6).toarray()
    square = pandas.DataFrame(edges, NAMES, NAMES)
    wanted = dunlin.tsne(affinities=edges, init=start.to_numpy(), max_iter=20).embedding
    for init in (start, start.iloc[perm]):
        found = dunlin.tsne(affinities=square, init=init, max_iter=20)
        assert np.array_equal(found.embedding, wanted) and list(found.ids) == NAMES
    edges = np.minimum(1, edges * 100)
    wanted = dunlin.umap(memberships=edges, init=start.to_numpy(), n_epochs=5).embedding
    found = dunlin.umap(memberships=pandas.DataFrame(edges, NAMES, NAMES), init=start.iloc[perm], n_epochs=5)
    assert np.array_equal(found.embedding, wanted) and list(found.ids) == NAMES


@by_python("ids-ignored")
def shown_names_by_name():
    import dunlin
    import pandas

    table, perm = named()
    map = dunlin.mds(table)
    shown = pandas.Series([name.upper() for name in NAMES], NAMES)
    wanted = dunlin.draw(map, ids=shown.to_list(), format="html").data
    for ids in (shown, shown.iloc[perm], dict(shown.iloc[perm])):
        assert dunlin.draw(map, ids=ids, format="html").data == wanted
        dunlin.write("map.csv", map, ids=ids)
        assert [line.split(",")[0] for line in open("map.csv").read().splitlines()[1:]] == shown.to_list()
        dunlin.write("map.csv", map.embedding, ids=list(shown.iloc[perm]))
        assert open("map.csv").read().splitlines()[1].startswith(shown.iloc[perm[0]])
    refused(lambda: dunlin.draw(map, ids=shown[1:]), "ids has no row 'r00'")
    dunlin.write("clusters.csv", dunlin.kmedoids(table, 3))
    assert open("clusters.csv").read().startswith("id,cluster\nr00,")


@by_python("ids-ignored")
def labels_in_a_table_of_one_column():
    import dunlin
    import pandas

    labels = ["ab"[i % 2] for i in range(60)]
    wanted = dunlin.draw(points(60, 2), labels=labels).data
    tables = [pandas.DataFrame({"kind": labels})]
    try:
        import polars
        import pyarrow

        tables += [polars.DataFrame({"kind": labels}), pyarrow.table({"kind": labels})]
    except ImportError:
        pass
    for table in tables:
        assert dunlin.draw(points(60, 2), labels=table).data == wanted
    for table in tables[2:]:
        two = table.append_column("other", [labels])
        refused(lambda: dunlin.draw(points(60, 2), labels=two), "labels is a table of 2 columns")


@by_python("ids-ignored")
def live_maps_keep_the_order_of_their_rows():
    import dunlin

    table, perm = named()
    live = dunlin.live(max_iter=5)
    live.update(table)
    refused(lambda: live.update(table.iloc[perm]), "another order")
    assert list(live.update(table + 0.1).ids) == NAMES


@by_python("ids-ignored")
def maps_that_are_dicts():
    import dunlin
    import numpy as np
    import pandas

    table, perm = named()
    map = pandas.DataFrame(points(60, 2), NAMES, ["x", "y"])
    by_name = {NAMES[i]: map.to_numpy()[i] for i in perm}
    for call in (
        lambda map: dunlin.tsne(table, init=map, max_iter=5).embedding,
        lambda map: dunlin.tsne(table, fixed=map, max_iter=5).embedding,
        lambda map: dunlin.tsne(table, anchor=map, max_iter=5).embedding,
        lambda map: dunlin.umap(table, grow=map, n_epochs=5).embedding,
        lambda map: dunlin.TSNE(init=map, max_iter=250, random_state=0).fit(table).embedding_,
        lambda map: dunlin.transform(points(5), table, map).embedding,
        lambda map: round(dunlin.trustworthiness(table, map), 12),
        lambda map: round(float(dunlin.density(map).field.max()), 4),
    ):
        assert np.array_equal(call(by_name), call(map))
    found = dunlin.reliability(by_name, table)
    assert [NAMES[i] for i in perm] == list(found.ids)
    assert np.allclose(found.kl, dunlin.reliability(map, table).kl[perm], equal_nan=True)
    dunlin.write("map.csv", by_name)
    assert open("map.csv").read().splitlines()[1].startswith(NAMES[perm[0]])
    refused(lambda: dunlin.tsne(table, init={**by_name, "r00": [1.0]}), "init", "several lengths")
    refused(lambda: dunlin.density({"a": "north", "b": "south"}), "map")


@by_python("ids-ignored")
def missing_cells_of_maps_in_any_order():
    import dunlin
    import pandas

    table, perm = named()
    cells = pandas.DataFrame({axis: pandas.array([1, 2, None] * 20, "Float64") for axis in "xy"}, NAMES)
    for start in (cells, cells.iloc[perm]):
        refused(lambda: dunlin.tsne(table, init=start), "init")


@by_python("ids-ignored")
def neighbors_of_rows_with_one_name():
    import dunlin

    table, _ = named()
    twice = table.set_axis(["r00", *NAMES[:-1]], axis=0)
    refused(lambda: dunlin.tsne(twice, knn=dunlin.neighbors(table, 20)), "'r00' twice")


@by_python("ids-ignored")
def an_integer_index_that_counts_is_a_range():
    import dunlin
    import numpy as np
    import pandas

    labels = pandas.Series(["a", "b"] * 30, NAMES)
    counted = pandas.DataFrame(points(), pandas.Index(np.arange(60)))
    with says("by order", "only count"):
        dunlin.umap(counted, labels=labels, labels_weight=0.5, n_epochs=5)
    assert isinstance(dunlin.neighbors(counted, 3).ids, range)


@by_python("ids-ignored")
def large_indexes():
    """The ways of matching agree: indexes of pandas, lists of words, of numbers."""
    import numpy as np
    import pandas
    from dunlin import InputError
    from dunlin._match import Rows, match_rows

    generator = np.random.default_rng(0)
    first, second = generator.permutation(1000), generator.permutation(1200)

    def matched(kind, more=()):
        ids = kind([*second.tolist(), *more])
        return match_rows(Rows("X", 1000, kind(first.tolist())), Rows("y", len(ids), ids), False)

    words = [lambda ids: [f"w{i}" for i in ids], lambda ids: pandas.Index([f"w{i}" for i in ids])]
    for kind in (pandas.Index, list, lambda ids: pandas.Index(ids, dtype="float64"), *words):
        found = matched(kind)
        assert np.array_equal(second[found.rows], first) and "200 rows of y are not in X" in found.how
        refused(lambda: matched(kind, [5]), "twice", error=InputError)
    found = match_rows(Rows("X", 3, pandas.Index([7, 8, 9])), Rows("y", 3, ["9", "8", "7"]), False)
    assert found.rows.tolist() == [2, 1, 0]


@by_python("ids-ignored")
def columns_of_given_distances():
    import dunlin
    import numpy as np
    import pandas

    X = points()
    square = np.abs(X[:, None] - X[None]).sum(-1)
    table, perm = pandas.DataFrame(square, NAMES, NAMES), named()[1]
    search = dunlin.KNeighborsTransformer(metric="precomputed")
    wanted = search.fit(table).transform(table)
    with says("columns in another order"):
        search.fit(table.iloc[:, perm])
    assert (search.transform(table) != wanted).nnz == 0


@by_python("ids-ignored")
def columns_of_backed_sparse_points():
    import anndata
    import dunlin
    import numpy as np
    import pandas
    from scipy.sparse import csr_matrix

    X = np.abs(points())
    centers = pandas.DataFrame(X[:3, ::-1], columns=list("dcba"))
    anndata.AnnData(csr_matrix(X), var=pandas.DataFrame(index=list("abcd"))).write_h5ad("s.h5ad")
    backed = anndata.read_h5ad("s.h5ad", backed="r")
    with says("columns in another order"):
        assert np.array_equal(dunlin.assign(backed, centers).labels, dunlin.assign(X, X[:3]).labels)
    backed.file.close()


@by_python("ids-ignored")
def times_by_row():
    import dunlin
    import numpy as np
    import pandas
    from dunlin import _match

    table, perm = named()
    when = pandas.Series(pandas.to_datetime(["2020-01-01", None, "2021-01-01"] * 18), NAMES[:54])
    with says("6 of the 60 rows"):
        numbers = _match.column(when, _match.rows_of(table), "values", lonely=True)
    assert numbers[0] == 1.5778368e18 and np.isnan(numbers[[1, 54, 59]]).all()
    with says("6 of the 60 rows"):
        labels = _match.labels(when, _match.rows_of(table))
    assert labels[0].startswith("2020-01-01") and labels[59] is None
    weights = pandas.Series(pandas.to_timedelta(np.arange(1, 61), unit="s"), NAMES)
    for call in (lambda: dunlin.kmeans(table, 2, sample_weight=weights), lambda: dunlin.KMeans(2).fit(table, None, weights)):
        with says("sample_weight has times"):
            call()


@by_python("python-nat")
def labels_of_other_types():
    import numpy as np
    from dunlin._intake import labels

    def of(values):
        codes, names = labels(values, len(values))
        return codes.tolist(), names

    assert of(list(np.ma.array(["a", "b", "c"], mask=[0, 1, 0]))) == ([0, -1, 1], ["a", "c"])
    assert of(np.array([b"x", b"", b"y"])) == ([0, -1, 1], ["x", "y"])
    assert of(np.array([b"x", None], object)) == ([0, -1], ["x"])
    assert of(np.array([1, 1.0, 2, None], object)) == ([0, 0, 1, -1], ["1", "2"])
    assert of(np.array([1.0, "1", True, "1.0"], object))[0] == [0, 0, 1, 0]
    for values in (np.array([1j, 2]), np.array([1j, "a"], object)):
        refused(lambda: of(values), "complex")


@by_python("python-nat")
def large_whole_numbers_in_estimators():
    import dunlin
    import numpy as np
    import pandas

    big = np.arange(240).reshape(60, 4) + 2**60
    estimators = (
        dunlin.TSNE(),
        dunlin.UMAP(),
        dunlin.PaCMAP(),
        dunlin.MDS(init="random"),
        dunlin.ClassicalMDS(),
        dunlin.KMeans(3),
        dunlin.KMedoids(3),
        dunlin.KNeighborsTransformer(),
        dunlin.ParametricTSNE(),
    )
    for estimator in estimators:
        for X in (big, big.astype("uint64"), pandas.DataFrame(big), big.tolist()):
            refused(lambda: estimator.fit(X), "float64 does not tell apart")


@by_python("python-mds-stress-later")
def memory_of_a_series_is_copied():
    import anndata
    import numpy as np
    import pandas
    from dunlin._owned import owned

    series = pandas.Series(np.arange(60.0))
    memory = np.asarray(series)
    assert owned(memory, series) is not memory
    fresh = memory * 2
    assert owned(fresh, series) is fresh
    adata = anndata.AnnData(points())
    assert owned(adata.X, adata) is not adata.X


@by_python("numbered-columns")
def columns_of_maps():
    import numpy as np
    import pandas
    from dunlin._map_tables import coordinates

    numbers = points(20, 2)
    table = pandas.DataFrame({"x": ["left"] * 20, "y": ["top"] * 20, "UMAP1": numbers[:, 0], "UMAP2": numbers[:, 1]})
    with says("UMAP1, UMAP2"):
        assert list(coordinates(table, "map").columns) == ["UMAP1", "UMAP2"]
    genes = pandas.DataFrame(np.ones((3, 3)), columns=["g10000", "g10001", "UMAP_1"])
    assert list(coordinates(genes, "map").columns) == list(genes.columns)


@by_python("python-options")
def options_in_words():
    import anndata
    import dunlin
    import numpy as np

    X = points()
    map = dunlin.tsne(X, perplexity=6)
    one = dunlin.score(map, X, perplexity=6)["kl"]
    assert dunlin.score(map, X, perplexity="6")["kl"] == one
    assert dunlin.score(map, X, perplexity=[5, 10]) == dunlin.score(map, X, perplexity="5,10")
    assert dunlin.score(map, X, perplexity="auto")["kl"] == dunlin.score(map, X, perplexity=59 / 3)["kl"]
    for wrong in ("abc", True, "5;6"):
        refused(lambda: dunlin.score(map, X, perplexity=wrong), "perplexity is", error=dunlin.OptionError)
    refused(lambda: dunlin.score(map, X, perplexity=float("nan")), "perplexity is nan")
    refused(lambda: dunlin.tsne(X, callbacks_every_iters="abc"), "callbacks_every_iters", error=dunlin.OptionError)
    refused(lambda: dunlin.view(map, hulls="no"), "hulls", error=dunlin.OptionError)
    adata, new = anndata.AnnData(X), anndata.AnnData(X[:5])
    adata.obsm["X_pca"], new.obsm["X_pca"] = X[:, :3], X[:5, :3]
    refused(lambda: dunlin.tsne(adata, use_rep="X_pca", key_added="X_pca"), "key_added", "overwrite")
    assert np.array_equal(adata.obsm["X_pca"], X[:, :3])
    dunlin.umap(adata, use_rep="X_pca", key_added="X_umap")
    with says("map is by umap", "map_method='umap'"):
        dunlin.transform(new, adata, adata.obsm["X_umap"])
    with says():
        dunlin.transform(new, adata, adata.obsm["X_umap"], map_method="umap")


@by_python("python-options")
def what_is_said_names_the_line_of_the_caller():
    import dunlin
    import pandas
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    table = pandas.DataFrame(points(), columns=list("abcd"))
    pipeline = make_pipeline(FunctionTransformer(), dunlin.KMeans(3, random_state=0)).fit(table)
    with says("another order") as said:
        pipeline[-1:].predict(table.iloc[:, ::-1])
    assert all(each.filename == __file__ for each in said if issubclass(each.category, dunlin.InputWarning))


@by_python("python-options")
def classes_that_moved_are_found_in_pickles():
    import pickle

    import dunlin
    from dunlin import _estimators_embedding, _estimators_umap

    assert _estimators_embedding.UMAP is _estimators_umap.UMAP is dunlin.UMAP
    written = pickle.dumps(dunlin.UMAP(7), 0).replace(b"dunlin._estimators_umap", b"dunlin._estimators_embedding")
    assert pickle.loads(written).n_neighbors == 7


@by_python("python-odd-options")
def words_for_true_and_counts_of_others_are_refused():
    import dunlin

    X = points(30)
    refused(lambda: dunlin.neighbors(X, 3, include_self="False"), "include_self", "True or False", error=dunlin.OptionError)
    refused(lambda: dunlin.mixture(X, 2, responsibilities="no"), "responsibilities", error=dunlin.OptionError)
    refused(lambda: dunlin.mds(X, n="abc"), "n is", "X", error=dunlin.OptionError)
    refused(lambda: dunlin.mds(distance=lambda i, j: abs(i - j), n=2.5), "n is 2.5", error=dunlin.OptionError)
