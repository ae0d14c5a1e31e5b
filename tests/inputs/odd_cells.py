# SPDX-License-Identifier: Apache-2.0
"""Cells in Python that are times, missing, or whole numbers beyond float64."""

import contextlib

from harness import by_python, refused, texts


@by_python("python-nat")
def times_that_are_missing():
    import numpy as np
    import pandas as pd
    import dunlin

    def days(*given):
        return pd.to_datetime([None if day is None else f"2024-03-{day:02d}" for day in given])

    frame = pd.DataFrame({"opened": days(1, 2, 3, None, 5, 6, 20, 21), "closed": days(4, 4, 7, 8, 6, 9, 25, 24)})
    waited = frame.assign(d=frame["closed"] - frame["opened"])[["d"]]
    mixed = frame.assign(n=np.arange(8.0), zone=frame["closed"].dt.tz_localize("Europe/Berlin"))
    tables = [frame, waited, mixed, frame.to_numpy(), waited.to_numpy(), frame.to_numpy().astype("datetime64[s]")]
    with contextlib.suppress(ImportError):
        import polars

        tables += [polars.from_pandas(frame), polars.from_pandas(waited), polars.from_pandas(mixed)]
    with contextlib.suppress(ImportError):
        import pyarrow

        tables += [pyarrow.Table.from_pandas(frame), pyarrow.Table.from_pandas(mixed)]
    for table in tables:
        for call in (
            lambda: dunlin.neighbors(table, 2),
            lambda: dunlin.tsne(table, perplexity=2),
            lambda: dunlin.umap(table),
            lambda: dunlin.pacmap(table),
            lambda: dunlin.kmeans(table, 2),
            lambda: dunlin.mixture(table, 1),
            lambda: dunlin.mds(table),
            lambda: dunlin.score(np.arange(16.0).reshape(8, 2), table),
            lambda: dunlin.KMeans(2).fit(table),
            lambda: dunlin.KNeighborsTransformer(n_neighbors=2).fit_transform(table),
        ):
            refused(call, "row 3", "column 0")
    whole = frame.drop(index=3)
    numbers = whole.to_numpy().astype("datetime64[ns]").astype(np.int64)
    assert np.array_equal(dunlin.neighbors(whole, 2).indices, dunlin.neighbors(numbers, 2).indices)


@by_python("python-nat")
def colors_of_times():
    import re
    import numpy as np
    import pandas as pd
    import dunlin

    map = np.random.default_rng(0).normal(size=(8, 2))
    opened = pd.Series(pd.to_datetime(["2024-03-01", "2024-03-02", None, "2024-03-05", "2024-03-06", "2024-03-08", "2024-03-20", "2024-03-21"]))
    day = (opened - opened[0]) / pd.Timedelta("1D")
    forms = [opened, opened.to_numpy(), opened.dt.tz_localize("Asia/Tokyo"), opened - opened[0], opened.to_numpy().astype("datetime64[D]")]
    with contextlib.suppress(ImportError):
        import polars

        forms += [polars.from_pandas(opened), polars.from_pandas(opened).cast(polars.Date)]
    with contextlib.suppress(ImportError):
        import pyarrow

        forms += [pyarrow.array(opened), pyarrow.chunked_array([pyarrow.array(opened)])]

    def colors(values):
        return re.findall('<circle[^>]*fill="([^"]*)"', dunlin.draw(map, values=values, format="svg").data.decode())

    right = colors(day)
    for form in forms:
        assert "none" in texts(dunlin.draw(map, values=form, format="svg"))
        assert colors(form) == right, form
        assert dunlin.density(map, values=form).missing == 1
    assert b"again" in dunlin.draw(map, values=opened, film=[("again", opened)], format="html").data


@by_python("python-na-values")
def cells_that_are_none_or_na():
    import numpy as np
    import pandas as pd
    import dunlin

    map = np.random.default_rng(0).normal(size=(4, 2))
    for values in (
        pd.Series([1, None, 3, 4], dtype="Int64"),
        pd.Series([1.5, None, 3, 4], dtype="Float64"),
        pd.Series([True, None, True, False], dtype="boolean"),
        pd.Series([1, pd.NA, 3, 4], dtype=object),
        [1, None, 3, 4],
        np.array([1, None, 3, 4], object),
    ):
        assert dunlin.density(map, values=values).missing == 1
    refused(lambda: dunlin.density(map, values=[1, "x", 3, 4]), "values", "'x'", "row 1")
    for table in (
        pd.DataFrame({"a": pd.Series([1, 2, None, 4], dtype="Int64"), "b": [1.0, 2, 3, 4]}),
        pd.DataFrame({"a": [1, 2, None, 4], "b": [1.0, 2, 3, 4]}, dtype=object),
        [[1, 1], [2, 2], [None, 3], [4, 4]],
    ):
        for call in (lambda: dunlin.neighbors(table, 1), lambda: dunlin.kmeans(table, 1)):
            refused(call, "row 2", "column 0")
    refused(lambda: dunlin.kmeans(pd.DataFrame({"a": [1, 2], "kind": ["oak", "elm"]}), 1), "'oak'", "'kind'", "row 0")
    refused(lambda: dunlin.kmeans(map, 1, sample_weight=[1, None, 1, 1]), "sample_weight", "row 1")


@by_python("python-whole-numbers")
def whole_numbers_beyond_float64():
    import numpy as np
    import dunlin

    X = np.array([[2**62], [2**62 + 1], [2**62 + 3], [2**62 + 300]])
    refused(lambda: dunlin.neighbors(X, 1), "column 0", str(2**62))
    assert dunlin.neighbors(X - 2**62, 1).indices[:, 0].tolist() == [1, 0, 1, 2]
    day = 86_400 * 10**9
    times = np.array([[19_000], [19_001], [19_003], [19_300]]) * day
    assert dunlin.neighbors(times, 1).indices[:, 0].tolist() == [1, 0, 1, 2]
    assert dunlin.neighbors(np.array([[0], [2**62], [2**62 + 2**50]]), 1).indices[:, 0].tolist() == [1, 2, 1]
    assert dunlin.neighbors(np.array([[2**63], [2**63]], np.uint64), 1).distances.max() == 0
