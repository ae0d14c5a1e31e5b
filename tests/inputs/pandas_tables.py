# SPDX-License-Identifier: Apache-2.0
"""Tables of pandas, polars and pyarrow where arrays are usual: times among points, starts, weights, affinities, positions."""

from frames import frame, refused, says
from harness import by_python


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
