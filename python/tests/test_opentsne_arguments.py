# SPDX-License-Identifier: Apache-2.0
"""Wrong and odd arguments of dunlin.opentsne."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
pandas = pytest.importorskip("pandas")
import dunlin  # noqa: E402
from dunlin.opentsne import TSNE, TSNEEmbedding, affinity, initialization  # noqa: E402
from opentsne_tables import A, FEW, N, square, start, table  # noqa: E402, F401


@pytest.mark.parametrize(
    "name, value",
    [
        ("foo", 1),
        ("lerning_rate", 5),
        ("learning_rate", "abc"),
        ("learning_rate", 0),
        ("learning_rate", pandas.NA),
        ("exaggeration", 0),
        ("exaggeration", "x"),
        ("exaggeration", float("nan")),
        ("momentum", 1),
        ("momentum", "x"),
        ("dof", 0),
        ("theta", "zz"),
        ("max_step_norm", -1),
        ("callbacks_every_iters", 0),
        ("ints_in_interval", 2),
        ("negative_gradient_method", "zz"),
        ("optimizer", object()),
    ],
)
def test_steps_are_checked(name, value, A, table):
    begin = start(table)
    map = TSNEEmbedding(begin, A)
    for call in (lambda: TSNEEmbedding(begin, A, **{name: value}), lambda: map.optimize(20, **{name: value})):
        with pytest.raises((dunlin.InputError, dunlin.OptionError), match=name) as error:
            call()
        assert error.value.option == name


@pytest.mark.parametrize(
    "name, value",
    [
        ("learning_rate", "abc"),
        ("exaggeration", 0),
        ("exaggeration", "x"),
        ("early_exaggeration", 0),
        ("early_exaggeration", "x"),
        ("early_exaggeration_iter", -1),
        ("n_iter", "5"),
        ("n_iter", 5.5),
        ("n_iter", pandas.NA),
        ("n_components", "2"),
        ("perplexity", "x"),
        ("perplexity", pandas.NA),
        ("perplexity", 0),
        ("perplexity", [5, "x"]),
        ("perplexity", []),
        ("neighbors", "zzz"),
        ("theta", "zz"),
        ("dof", "x"),
        ("initial_momentum", 2),
        ("final_momentum", "x"),
        ("random_state", "x"),
        ("callbacks_every_iters", "x"),
    ],
)
def test_parameters_are_checked(name, value, table):
    with pytest.raises((dunlin.InputError, dunlin.OptionError), match=name) as error:
        TSNE(**{name: value})
    assert error.value.option == name
    model = TSNE()
    setattr(model, name, value)
    with pytest.raises((dunlin.InputError, dunlin.OptionError), match=name):
        model.fit(table)


def test_what_openTSNE_takes_is_taken(A, table):
    few = {"exaggeration": None, "early_exaggeration": 4, "perplexity": np.int64(5), "learning_rate": np.float32(20)}
    map = TSNE(neighbors="annoy", **few, **FEW).fit(table)
    map = map.optimize(
        n_iter=3, learning_rate="auto", momentum=0.5, exaggeration=2, dof=1, theta=0.3, max_grad_norm=None, max_step_norm=5,
        min_gain=0.01, n_jobs=1, verbose=False, callbacks=None, callbacks_every_iters=10, n_interpolation_points=3,
        negative_gradient_method="bh",
    )  # fmt: skip
    new = table.to_numpy()[:3]
    few = {"learning_rate": 0.1, "early_exaggeration": 4, "early_exaggeration_iter": 0, "initial_momentum": 0.8}
    few |= {"final_momentum": 0.8, "max_grad_norm": 0.25, "max_step_norm": None}
    assert np.isfinite(map.transform(new, n_iter=5, exaggeration=1.5, **few)).all()
    assert np.isfinite(map.prepare_partial(new).optimize(5, ints_in_interval=2, dof=1.0)).all()
    assert np.isfinite(TSNE(perplexity=(3, 5), **FEW).fit(table)).all()
    assert affinity.Uniform(table, 5, symmetrize="none").P.nnz == 5 * N
    assert (affinity.Uniform(table, 5, symmetrize=True).P != affinity.Uniform(table, 5).P).nnz == 0


def test_arguments_of_new_points_are_checked(A, table):
    map = TSNEEmbedding(start(table), A, random_state=0).optimize(10)
    new = table.to_numpy()[:3]
    part = map.prepare_partial(new)
    for name, value in (("n_iter", "zz"), ("exaggeration", 0), ("exaggeration", "x"), ("learning_rate", "x"), ("foo", 1)):
        for call in (map.transform, part.optimize):
            first = (new,) if call == map.transform else () if name == "n_iter" else (3,)
            with pytest.raises((dunlin.InputError, dunlin.OptionError), match=name) as error:
                call(*first, **{name: value})
            assert error.value.option == name
    for name, value in (("perplexity", "x"), ("perplexity", 0), ("k", 0), ("k", "x")):
        with pytest.raises((dunlin.InputError, dunlin.OptionError), match=name):
            map.prepare_partial(new, **{name: value})
    with pytest.raises(dunlin.InputError, match="initialization is NaN"):
        map.prepare_partial(new, initialization=np.full((3, 2), np.nan))


@pytest.mark.parametrize(
    "name, call",
    [
        ("method", lambda X: affinity.PerplexityBasedNN(X, 5, method="zzz")),
        ("perplexity", lambda X: affinity.PerplexityBasedNN(X, "x")),
        ("perplexities", lambda X: affinity.Multiscale(X, [5, None])),
        ("k_neighbors", lambda X: affinity.PerplexityBasedNN(X, 5, k_neighbors=5.7)),
        ("k_neighbors", lambda X: affinity.Uniform(X, k_neighbors=5.7)),
        ("k_neighbors", lambda X: affinity.Uniform(X, k_neighbors=0)),
        ("k_neighbors", lambda X: affinity.Uniform(X, k_neighbors=N)),
        ("k_neighbors", lambda X: affinity.Uniform(X, 5).to_new(X, k_neighbors=N + 1)),
        ("k", lambda X: affinity.FixedSigmaNN(X, 1.0, k="5")),
        ("sigma", lambda X: affinity.FixedSigmaNN(X, 0)),
        ("sigma", lambda X: affinity.FixedSigmaNN(X, -1.0)),
        ("sigma", lambda X: affinity.FixedSigmaNN(X, "1")),
        ("sigma", lambda X: affinity.FixedSigmaNN(X, 1.0).to_new(X, sigma=0)),
        ("symmetrize", lambda X: affinity.Uniform(X, 5, symmetrize="invalid")),
        ("random_state", lambda X: affinity.Uniform(X, 5, random_state="x")),
        ("metric", lambda X: affinity.Uniform(X, 5, metric="zzz")),
        ("data", lambda X: affinity.Uniform(dunlin.neighbors(X, 3).to_csr(), 5, metric="precomputed")),
        ("knn_index", lambda X: affinity.Uniform(k_neighbors=1, knn_index=([[1], [2]], [[1.0], [1.0]]))),
        ("knn_index", lambda X: affinity.Uniform(k_neighbors=1, knn_index=([[1], [0]], [[1.0], [np.nan]]))),
        ("data", lambda X: affinity.Uniform(5.0)),
        ("data", lambda X: affinity.Uniform(X, 5, metric="precomputed")),
        ("data", lambda X: affinity.Uniform(np.full((9, 9), np.nan), 5, metric="precomputed")),
        ("data", lambda X: affinity.Uniform(np.full((9, 9), -1.0), 5, metric="precomputed")),
    ],
)
def test_affinities_check_arguments(name, call, table):
    with pytest.raises((dunlin.InputError, dunlin.OptionError), match=name) as error:
        call(table)
    assert error.value.option == name


def test_given_affinities_are_checked(A):
    P = A.P.toarray()
    for edit, words in ((np.nan, "NaN"), (np.inf, "NaN or infinity"), (-1, "at least 0")):
        wrong = P.copy()
        wrong[3, 4] = wrong[4, 3] = edit
        for given in (wrong, type(A.P)(wrong)):
            with pytest.raises(dunlin.InputError, match=words):
                affinity.PrecomputedAffinities(given)
    with pytest.raises(dunlin.InputError, match="not symmetric: row"):
        affinity.PrecomputedAffinities(np.triu(P))
    with pytest.raises(dunlin.InputError, match="square"):
        affinity.PrecomputedAffinities(P[1:])
    with pytest.raises(dunlin.InputError, match="no number above 0"):
        affinity.PrecomputedAffinities(P * 0)


def test_starts_are_finite_numbers(A, table):
    for value, words in ((np.nan, "NaN at row 7"), (np.inf, "infinite at row 7")):
        begin = start(table).to_numpy()
        begin[7, 1] = value
        with pytest.raises(dunlin.InputError, match=f"embedding is {words}"):
            TSNEEmbedding(begin, A)
        for call in (lambda: TSNE(initialization=begin, **FEW).fit(table), lambda: TSNE(**FEW).fit(table, initialization=begin)):
            with pytest.raises(dunlin.InputError, match=f"initialization is {words}"):
                call()
    begin = start(table).astype("Float64")
    begin.iloc[7, 1] = pandas.NA
    with pytest.raises(dunlin.InputError, match="initialization is NaN at row 7"):
        TSNE(initialization=begin, **FEW).fit(table)
    missing = table.astype("Float64")
    missing.iloc[7, 1] = pandas.NA
    for metric in ("euclidean", "chebyshev"):
        with pytest.raises(dunlin.InputError, match="row 7"):
            affinity.PerplexityBasedNN(missing, 5, metric=metric)


def test_starts_with_more_columns(A, table):
    begin = start(table)
    right = TSNE(initialization=begin, perplexity=5, **FEW).fit(table)
    more = begin.assign(cluster=np.arange(N) % 3)
    with pytest.warns(dunlin.InputWarning, match="coordinates x, y; cluster not used"):
        assert np.array_equal(TSNE(initialization=more, perplexity=5, **FEW).fit(table), right)
    with pytest.warns(dunlin.InputWarning, match="cluster not used"):
        assert np.array_equal(TSNEEmbedding(more, A), TSNEEmbedding(begin, A))
    wide = more.set_axis(["p", "q", "r"], axis=1)
    with pytest.raises(dunlin.InputError, match="'p', 'q', 'r'"):
        TSNE(initialization=wide, **FEW).fit(table)
    with pytest.raises(dunlin.InputError, match="initialization"):
        TSNE(initialization=[[1, 2], [3]])
