# SPDX-License-Identifier: Apache-2.0
"""Maps that are tables in Python: their coordinates are found by name."""

import warnings

from harness import by_python, refused, says


@by_python("map-tables")
def coordinates_of_tables_by_name():
    import dunlin
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 4)).astype(np.float32)
    places = generator.normal(size=(60, 2)).astype(np.float32)
    wanted = dunlin.score(places, X)
    more = {"cluster": np.arange(60) % 3, "batch": np.arange(60), "index": np.arange(60)}
    for axes in (("x", "y"), ("UMAP1", "UMAP2"), ("tSNE_1", "tSNE_2")):
        for extra, column in more.items():
            frame = pd.DataFrame({extra: column, axes[1]: places[:, 1], axes[0]: places[:, 0]})
            for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)):
                with says(extra, "not used"):
                    assert dunlin.score(table, X) == wanted, (axes, extra, type(table))
                    dunlin.write("m.csv", table)
                assert np.allclose(dunlin.read("m.csv", holds="map").values, places)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dunlin.score(pd.DataFrame(places), X) == wanted
        assert dunlin.score(pd.DataFrame(places, columns=["x", "y"]), X) == wanted
        assert dunlin.score(pd.DataFrame(places[:, ::-1], columns=["y", "x"]), X) == wanted
        three = pd.DataFrame(np.c_[places, places[:, 0]], columns=["UMAP1", "UMAP2", "UMAP3"])
        assert dunlin.score(three, X) == dunlin.score(three.to_numpy(np.float32), X)
    frame = pd.DataFrame({"x": places[:, 0], "y": places[:, 1], "batch": np.arange(60)})
    for call in (
        lambda start: dunlin.umap(X, init=start, n_epochs=2, device="cpu").embedding,
        lambda start: dunlin.transform(X[:5], X, start, map_method="tsne", perplexity=5).embedding,
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.array_equal(call(frame), call(places))


@by_python("map-tables")
def columns_beside_the_coordinates():
    import dunlin
    import numpy as np
    import pandas as pd

    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, 4))
    places = generator.normal(size=(40, 2)).astype(np.float32)
    wanted = dunlin.score(places, X)
    plain, pair = pd.DataFrame(places), pd.DataFrame(places, columns=["UMAP1", "UMAP2"])
    loadings = pd.DataFrame(generator.normal(size=(40, 5)), columns=[f"PC{i}" for i in range(1, 6)])
    for extra, frame in {
        "index": plain.reset_index(),
        "cluster": plain.assign(cluster=np.arange(40) % 3),
        "label": plain.assign(label=list("ab") * 20),
        "Unnamed: 0": pair.set_axis(["a", "b"], axis=1).assign(**{"Unnamed: 0": np.arange(40)}),
        "PC5": loadings.join(pair),
        "kind": pair.assign(kind=list("ab") * 20),
    }.items():
        with says(extra) as said:
            assert dunlin.score(frame, X) == wanted, extra
        assert len(said) == 1, extra
    several = pair.join(pd.DataFrame(places, columns=["tSNE1", "tSNE2"]))
    for call in (lambda: dunlin.score(several, X), lambda: dunlin.draw(several), lambda: dunlin.umap(X, init=several)):
        refused(call, "several maps, columns UMAP1, UMAP2 and tSNE1, tSNE2")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        deep = pd.DataFrame(X, columns=["d2", "d1", "d3", "d4"])
        dunlin.write("deep.csv", deep)
        assert np.allclose(dunlin.read("deep.csv", holds="map").values, X[:, [1, 0, 2, 3]])
        assert dunlin.score(plain.astype(object), X) == wanted


@by_python("map-tables")
def coordinates_of_positions_by_node():
    import dunlin
    import networkx as nx
    import numpy as np
    import pandas as pd
    import polars as pl
    from dunlin.networkx import forceatlas2_layout, kamada_kawai_layout, spring_layout

    G = nx.relabel_nodes(nx.path_graph(9), dict(enumerate("abcdefghi")))
    places = np.random.default_rng(0).normal(size=(9, 2)).astype(np.float32)
    right = dict(zip(G, places))
    named = pd.DataFrame({"y": places[:, 1], "cluster": 1, "x": places[:, 0]}, list(G))[::-1]
    scores, picture = dunlin.score(right, graph=G), dunlin.draw(right, graph=G).data
    for table in (named, pl.from_pandas(named.rename_axis("node").reset_index())):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert dunlin.score(table, graph=G) == scores
            assert dunlin.draw(table, graph=G).data == picture
            assert np.array_equal(dunlin.layout(G, pos=table, seed=1).pos, dunlin.layout(G, pos=right, seed=1).pos)
            for layout in (spring_layout, forceatlas2_layout, kamada_kawai_layout):
                seed = {} if layout is kamada_kawai_layout else {"seed": 1}
                found, wanted = layout(G, pos=table, **seed), layout(G, pos=right, **seed)
                assert all(np.allclose(found[node], wanted[node]) for node in G), layout
