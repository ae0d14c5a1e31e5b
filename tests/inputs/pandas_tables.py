# SPDX-License-Identifier: Apache-2.0
"""Tables of pandas, polars and pyarrow where arrays are usual: times among points, starts, weights, affinities, positions."""

import functools

from frames import frame
from harness import by_python, logged, refused, says


@by_python("pandas-tables")
def times_among_points_are_said():
    import dunlin
    import numpy as np
    import pandas
    import polars
    import pyarrow

    X = frame()[0].reset_index(drop=True)
    X["when"] = pandas.date_range("1970-01-01", periods=len(X), freq="s")
    X["waited"] = X.when - X.when[0]
    for table in (X, polars.from_pandas(X), pyarrow.Table.from_pandas(X)):
        for call in (
            lambda: dunlin.tsne(table, perplexity=5),
            lambda: dunlin.neighbors(table, 3),
            lambda: dunlin.score(np.zeros((len(X), 2)) + np.arange(len(X))[:, None], table),
            lambda: dunlin.TSNE(perplexity=5).fit(table),
        ):
            with says("'when'", "'waited'"):
                call()
    with says("X has times in all cells (timedelta64[s])"):
        dunlin.kmeans(np.arange(20).reshape(10, 2).astype("timedelta64[s]"), 2)
    with says():  # colors may be times
        dunlin.draw(np.random.default_rng(0).normal(size=(len(X), 2)), values=X.when)
        dunlin.tsne(X.drop(columns=["when", "waited"]), perplexity=5)


@by_python("pandas-tables")
def starts_of_classes_are_tables():
    import dunlin
    import numpy as np
    import pandas

    X = frame()[0]
    start = pandas.DataFrame(np.random.default_rng(1).normal(size=(len(X), 2)), X.index)
    few = {"random_state": 0, "device": "cpu"}
    for model in (dunlin.TSNE(perplexity=5, **few), dunlin.UMAP(5, n_epochs=20, **few), dunlin.PaCMAP(num_iters=(5, 5, 5), **few)):
        with says():
            right = model.set_params(init=start.to_numpy()).fit(X).embedding_
            for each in (start, start[::-1]):
                assert np.array_equal(model.set_params(init=each).fit(X).embedding_, right), model
        refused(lambda: model.set_params(init=start[1:]).fit(X), "init has no row 's00'")
    refused(lambda: dunlin.GaussianMixture(2, means_init=X[:2]).fit(X), "means_init is given")
    assert dunlin.GaussianMixture(2).fit(X).means_.shape == (2, 5)


@by_python("pandas-tables")
def affinities_that_are_tables():
    import dunlin
    import numpy as np
    import pandas

    X = frame()[0]
    sparse = dunlin.affinities(dunlin.neighbors(X, 9), 3)
    table = pandas.DataFrame(sparse.toarray(), X.index, X.index)
    map = dunlin.tsne(X, affinities=sparse, max_iter=20)
    scores = dunlin.score(map, affinities=sparse)
    for each in (table, table.iloc[::-1, ::-1], table.to_numpy()):
        with says():
            assert np.array_equal(dunlin.tsne(X, affinities=each, max_iter=20).embedding, map.embedding)
            assert dunlin.score(map, affinities=each) == scores
    with says("another order"):
        dunlin.tsne(X, affinities=table[::-1], max_iter=20)
    refused(lambda: dunlin.tsne(X, affinities=table.iloc[1:, 1:]), "affinities has no row 's00'")


@by_python("pandas-tables")
def positions_and_masses_that_are_tables():
    import dunlin
    import networkx as nx
    import numpy as np
    import pandas
    from dunlin.networkx import forceatlas2_layout, kamada_kawai_layout, spring_layout

    G = nx.relabel_nodes(nx.path_graph(5), dict(enumerate("abcde")))
    table = pandas.DataFrame(np.random.default_rng(0).normal(size=(5, 2)), list("abcde"), ["x", "y"])
    places = {node: row.to_numpy() for node, row in table.iterrows()}
    masses = pandas.Series([1.0, 2, 3, 4, 5], table.index)
    seeded = [functools.partial(layout, seed=1) for layout in (spring_layout, forceatlas2_layout)]
    for layout in (*seeded, kamada_kawai_layout):
        right = layout(G, pos=places)
        for each in (table, table[::-1], table.to_numpy()):
            found = layout(G, pos=each)
            assert all(np.array_equal(found[node], right[node]) for node in G), layout
        refused(lambda: layout(G, pos=table.set_axis(list("abcdf"))), "'f', which is not a node")
        refused(lambda: layout(G, pos=table.to_numpy()[1:]), "pos has 4 rows, and the graph 5 nodes")
    for each in (table, table[::-1]):
        found = spring_layout(G, pos=each, fixed=["a", "c"])
        assert np.allclose(found["a"], places["a"]) and np.allclose(found["c"], places["c"])
    right = forceatlas2_layout(G, seed=1, node_mass=dict(masses), node_size=dict(masses))
    for each in (masses, masses[::-1], masses.to_numpy()):
        found = forceatlas2_layout(G, seed=1, node_mass=each, node_size=each)
        assert all(np.array_equal(found[node], right[node]) for node in G)
    # Discs by name
    right = dunlin.remove_overlaps(table.to_numpy(), masses.to_numpy())
    for centers in (places, table):
        for radii in (masses, masses[::-1], dict(masses[::-1])):
            with says():
                assert np.array_equal(dunlin.remove_overlaps(centers, radii), right)
    refused(lambda: dunlin.remove_overlaps(places, dict(masses[1:])), "node_size has no row 'a'")


@by_python("pandas-tables")
def a_graph_is_read_once():
    import dunlin
    import pandas

    edges = pandas.DataFrame({"source": list("abca"), "target": list("bcdb"), "weight": [1.0, 2, 3, 4], "kind": list("wxyz")})
    for call in (lambda: dunlin.mds(graph=edges), lambda: dunlin.kmedoids(graph=edges, n_clusters=2)):
        with logged() as lines, says("kind") as said:
            assert list(call().ids) == list("abcd")
        assert len(said) == 1, said
        assert [line for line in lines if "join" in line] == [
            "1 edges join two nodes that another one joins; the least of their weights is taken"
        ]


@by_python("pandas-tables")
def tables_of_opentsne_by_name():
    import numpy as np
    import pandas
    from dunlin.opentsne import TSNE, affinity

    X = frame(n=60)[0]
    new = X[:4].rename(lambda name: "new " + name) + 0.1
    moved = new[new.columns[::-1]]
    start = pandas.DataFrame(np.random.default_rng(0).normal(size=(60, 2)) * 1e-4, X.index)
    few = {"n_iter": 20, "early_exaggeration_iter": 5, "random_state": 0}
    with says():
        map = TSNE(perplexity=5, initialization=start.to_numpy(), **few).fit(X)
        for each in (start, start[::-1]):
            assert np.array_equal(TSNE(perplexity=5, initialization=each, **few).fit(X), map)
            assert np.array_equal(TSNE(perplexity=5, **few).fit(X, initialization=each), map)
            assert np.array_equal(TSNE(**few).fit(affinities=affinity.PerplexityBasedNN(X, 5, random_state=0), initialization=each), map)
    refused(lambda: TSNE(perplexity=5, initialization=start[1:], **few).fit(X), "initialization has no row 's00'")
    # New points
    several = TSNE(perplexity=[5, 9], **few).fit(X)
    for place in (
        map.transform,
        several.transform,
        map.prepare_partial,
        lambda points: map.prepare_partial(points).optimize(3),
        lambda points: map.transform(points, perplexity=4),
        lambda points: map.affinities.to_new(points).toarray(),
    ):
        with says():
            right = place(new)
            assert np.array_equal(place(new.to_numpy()), right)
        with says("data has its columns in another order"):
            assert np.array_equal(place(moved), right)
        refused(lambda: place(new.rename(columns={"g1": "h1"})), "'g1'", "data lacks")
    begin = pandas.DataFrame(np.random.default_rng(1).normal(size=(4, 2)), new.index)
    right = map.prepare_partial(new, initialization=begin)
    assert np.array_equal(map.prepare_partial(new, initialization=begin[::-1]), right)
    refused(lambda: map.prepare_partial(new, initialization=begin.set_axis(list("abcd"))), "no id in common")


@by_python("pandas-tables")
def centers_are_no_maps():
    import dunlin
    import numpy as np
    import pandas

    values = np.random.default_rng(0).normal(size=(50, 3)) * [1, 20, 5]
    for columns in (["y", "x", "size"], ["y", "x", "z"], ["PC2", "PC1", "cluster"]):
        X = pandas.DataFrame(values, columns=columns)
        with says():
            found = dunlin.kmeans(X, 3, init=X[:3]), dunlin.kmeans(X, 3, init=values[:3])
            assert np.array_equal(found[0].centers, found[1].centers)
            found = (dunlin.KMeans(3, init=each, n_init=1).fit(X) for each in (X[:3], values[:3]))
            first, second = (each.cluster_centers_ for each in found)
            assert np.array_equal(first, second)
