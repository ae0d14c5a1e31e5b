# SPDX-License-Identifier: Apache-2.0
"""Maps that are tables in Python: their coordinates are found by name."""

import warnings

from harness import by_python


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
                with warnings.catch_warnings(record=True) as said:
                    warnings.simplefilter("always")
                    assert dunlin.score(table, X) == wanted, (axes, extra, type(table))
                    dunlin.write("m.csv", table)
                assert any(extra in str(each.message) and "not used" in str(each.message) for each in said), (axes, extra)
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
