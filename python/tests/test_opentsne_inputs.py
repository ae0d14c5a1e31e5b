# SPDX-License-Identifier: Apache-2.0
"""What dunlin.opentsne makes of tables with names, wrong arguments, given neighbors and edited maps."""

import copy
import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")
pandas = pytest.importorskip("pandas")
import dunlin  # noqa: E402
from dunlin.opentsne import TSNE, TSNEEmbedding, affinity, initialization  # noqa: E402

N = 60
FEW = {"n_iter": 20, "early_exaggeration_iter": 5, "random_state": 0}
ORDER = np.random.default_rng(3).permutation(N)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(N, 4)) + 9 * (np.arange(N) % 3)[:, None]
    return pandas.DataFrame(values, [f"s{i:02d}" for i in range(N)], list("abcd"))


@pytest.fixture(scope="module")
def square(table):
    values = table.to_numpy()
    distances = np.sqrt(((values[:, None] - values[None]) ** 2).sum(-1))
    return pandas.DataFrame(distances, table.index, table.index)


@pytest.fixture(scope="module")
def A(table):
    return affinity.PerplexityBasedNN(table, 5, random_state=0)


def start(table):
    return pandas.DataFrame(np.random.default_rng(1).normal(size=(N, 2)) * 1e-4, table.index, ["x", "y"])


# Names


def test_distances_are_put_in_order(square):
    fit = TSNE(perplexity=5, metric="precomputed", initialization="random", **FEW).fit
    moved = square.iloc[:, ORDER]
    right = fit(square)
    with pytest.warns(dunlin.InputWarning, match="another order"):
        assert np.array_equal(fit(moved), right)
    for kind in (
        lambda data: affinity.PerplexityBasedNN(data, 5, metric="precomputed"),
        lambda data: affinity.MultiscaleMixture(data, [3, 5], metric="precomputed"),
        lambda data: affinity.Uniform(data, 5, metric="precomputed"),
        lambda data: affinity.FixedSigmaNN(data, 1.0, 5, metric="precomputed"),
    ):
        with pytest.warns(dunlin.InputWarning, match="data has its columns in another order"):
            assert (kind(moved).P != kind(square).P).nnz == 0
        with pytest.raises(dunlin.InputError, match="other names"):
            kind(square.rename(columns={"s00": "t00"}))
        new = square.iloc[:3].rename(lambda name: "new " + name)
        right = kind(square).to_new(new)
        with pytest.warns(dunlin.InputWarning, match="another order"):
            assert (kind(square).to_new(new.iloc[:, ORDER]) != right).nnz == 0
        with pytest.raises(dunlin.InputError, match="a column for each of 60"):
            kind(square).to_new(new.to_numpy()[:, :7])
    with pytest.raises(dunlin.InputError, match="other names"):
        fit(square.rename(columns={"s00": "t00"}))


def test_given_affinities_are_put_in_order(A, table):
    named = pandas.DataFrame(A.P.toarray(), table.index, table.index)
    right = affinity.PrecomputedAffinities(named)
    with pytest.warns(dunlin.InputWarning, match="affinities has its columns in another order"):
        assert (affinity.PrecomputedAffinities(named.iloc[:, ORDER]).P != right.P).nnz == 0
    with pytest.raises(dunlin.InputError, match="other names"):
        affinity.PrecomputedAffinities(named.rename(columns={"s00": "t00"}))
    # Rows by name, too
    begin, few = start(table), {"n_iter": 20, "early_exaggeration_iter": 5}
    map = TSNE(**few).fit(affinities=right, initialization=begin)
    moved = named.iloc[ORDER, ORDER]
    again = TSNE(**few).fit(table, affinities=moved, initialization=begin)
    np.testing.assert_allclose(again, map, rtol=1e-3, atol=1e-6)


def test_starts_are_matched_with_affinities(A, table):
    begin = start(table)
    right = TSNEEmbedding(begin, A)
    assert np.array_equal(right, begin.to_numpy(np.float32))
    assert np.array_equal(TSNEEmbedding(begin.iloc[ORDER], A), right)
    near = dunlin.neighbors(table, 40)
    assert np.array_equal(TSNEEmbedding(begin.iloc[ORDER], affinity.Uniform(k_neighbors=5, knn_index=near)), right)
    with pytest.raises(dunlin.InputError, match="embedding has no row 's00'"):
        TSNEEmbedding(begin.iloc[1:], A)
    with pytest.raises(dunlin.InputError, match="embedding has the shape"):
        TSNEEmbedding(begin.to_numpy()[1:], A)
    with pytest.raises(dunlin.OptionError, match="affinities"):
        TSNEEmbedding(begin, A.P)


def test_points_are_matched_with_affinities(A, table):
    begin = start(table)
    moved = table.iloc[ORDER]
    right = TSNE(**FEW).fit(moved, affinities=affinity.PerplexityBasedNN(moved, 5, random_state=0), initialization=begin)
    map = TSNE(**FEW).fit(moved, affinities=A, initialization=begin)
    np.testing.assert_allclose(map, right, rtol=1e-3, atol=1e-6)
    assert list(map.affinities._rows().ids) == list(moved.index)
    assert (map.affinities.P != A.P[ORDER][:, ORDER]).nnz == 0
    new = table.iloc[:4].to_numpy() + 0.1
    np.testing.assert_allclose(map.transform(new), right.transform(new), rtol=1e-2, atol=1e-4)
    smaller = map.affinities.set_perplexity
    smaller(3)
    other = affinity.PerplexityBasedNN(moved, 5, random_state=0)
    other.set_perplexity(3)
    assert abs(map.affinities.P - other.P).max() < 1e-7
    assert abs(A.P - affinity.PerplexityBasedNN(table, 5, random_state=0).P).max() == 0
    for wrong in (moved[1:], moved.rename({"s00": "t00"})):
        with pytest.raises(dunlin.InputError, match="affinities"):
            TSNE(**FEW).fit(wrong, affinities=A)
    # Starts by PCA follow the points
    np.testing.assert_allclose(TSNE(**FEW).prepare_initial(moved, A), TSNE(**FEW).prepare_initial(table, A)[ORDER], atol=1e-9)


def test_annotated_points_are_matched_with_affinities(A, table):
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(table)
    moved, begin = data[ORDER].copy(), start(table)
    right = TSNE(**FEW).fit(table.iloc[ORDER], affinities=A, initialization=begin)
    for made in (affinity.PerplexityBasedNN(data, 5, random_state=0), A):
        map = TSNE(**FEW).fit(moved, affinities=made, initialization=begin)
        np.testing.assert_allclose(map, right, rtol=1e-3, atol=1e-6)
        assert np.isfinite(map.transform(table.iloc[:3])).all()
    with pytest.raises(dunlin.InputError, match="'d', which data lacks"):
        map.transform(table.iloc[:3].rename(columns={"d": "e"}))


# Arguments


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


# Neighbors that are given


def test_the_nearest_of_given_neighbors_are_used(table):
    near = dunlin.neighbors(table, 40)
    P = near.to_csr()
    P.sort_indices()  # not by distance
    for given in (near, P, (near.indices, near.distances)):
        few = affinity.Uniform(k_neighbors=5, knn_index=given)
        assert (few.P != affinity.Uniform(table, 5, method="exact").P).nnz == 0
        gaussians = affinity.FixedSigmaNN(sigma=2.0, k=5, knn_index=given)
        assert abs(gaussians.P - affinity.FixedSigmaNN(table, 2.0, 5, method="exact").P).max() < 1e-7
        for more in ({"perplexity": 5}, {"perplexity": 5, "k_neighbors": 9}):
            right = affinity.PerplexityBasedNN(table, method="exact", **more)
            assert abs(affinity.PerplexityBasedNN(knn_index=given, **more).P - right.P).max() < 1e-7
        right = affinity.MultiscaleMixture(table, [3, 5], method="exact")
        assert abs(affinity.MultiscaleMixture(perplexities=[3, 5], knn_index=given).P - right.P).max() < 1e-7
    fewer = dunlin.neighbors(table, 10)
    assert affinity.PerplexityBasedNN(perplexity=8, knn_index=fewer).P.nnz
    for call, name in (
        (lambda: affinity.Uniform(k_neighbors=11, knn_index=fewer), "k_neighbors"),
        (lambda: affinity.FixedSigmaNN(sigma=1, k=11, knn_index=fewer), "k"),
        (lambda: affinity.PerplexityBasedNN(perplexity=11, knn_index=fewer), "perplexity"),
        (lambda: affinity.PerplexityBasedNN(perplexity=5, k_neighbors=11, knn_index=fewer), "k_neighbors"),
        (lambda: affinity.Multiscale(perplexities=[5, 11], knn_index=fewer), "perplexities"),
    ):
        with pytest.raises(dunlin.InputError, match=f"knn_index has 10 neighbors of row .*, and {name} asks for 11"):
            call()


def test_distances_as_points_are_said(square):
    for call in (
        lambda: TSNE(perplexity=5, **FEW).fit(square),
        lambda: affinity.PerplexityBasedNN(square, 5),
        lambda: affinity.Multiscale(square, [3, 5]),
        lambda: affinity.Uniform(square.to_numpy(), 5),
        lambda: affinity.FixedSigmaNN(square, 1.0, 5),
    ):
        with pytest.warns(dunlin.InputWarning, match="looks like a matrix of distances.*metric='precomputed'"):
            call()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        affinity.PerplexityBasedNN(square, 5, metric="precomputed")


# Memory


def test_affinities_own_what_was_given(A, table):
    begin = start(table)
    for convert in (lambda P: P.copy(), lambda P: P.astype(np.float32), lambda P: P.toarray()):
        for normalize in (False, True):
            P = convert(A.P)
            made = affinity.PrecomputedAffinities(P, normalize=normalize)
            before, map = made.P.copy(), TSNEEmbedding(begin, made)
            if hasattr(P, "indices"):
                P.indices[:] = 0
                P.data *= 3
            else:
                P *= 3
            assert (made.P != before).nnz == 0
            same = TSNEEmbedding(begin, affinity.PrecomputedAffinities(before, False))
            assert np.array_equal(map.optimize(5), same.optimize(5))
    near = dunlin.neighbors(table, 40)
    given = near.indices.copy(), near.distances.copy()
    made, same = (affinity.PerplexityBasedNN(perplexity=10, knn_index=each) for each in (given, near))
    given[1][:] = 1
    made.set_perplexity(4)
    same.set_perplexity(4)
    assert (made.P != same.P).nnz == 0


# Edited maps


def test_divergence_is_that_of_the_places(A, table):
    map = TSNEEmbedding(start(table), A, random_state=0)
    at_start = map.kl_divergence
    assert at_start == pytest.approx(map.optimize(0).kl_divergence)
    map.optimize(50, inplace=True)
    known = map.kl_divergence
    assert known < at_start
    for same in (map.copy(), copy.copy(map), copy.deepcopy(map), pickle.loads(pickle.dumps(map)), map[:]):
        assert same.kl_divergence == known
    for other in (map[:5], map * 0, map + 1, map[::-1], map[0]):
        assert other.kl_divergence is None
    before = np.asarray(map).copy()
    map[:] = map[::-1]
    expected = TSNEEmbedding(before[::-1], A).kl_divergence
    assert map.kl_divergence == pytest.approx(expected) and map.kl_divergence > known
    assert pickle.loads(pickle.dumps(map)).kl_divergence == pytest.approx(expected)
    map[:] = before
    assert map.kl_divergence == pytest.approx(known, rel=1e-4)
    map[0] = np.nan
    assert map.kl_divergence is None


def test_pickles_name_the_package(A, table):
    from dunlin import opentsne

    map = opentsne._restored(start(table).to_numpy(np.float32), A, 0.5, {"learning_rate": "auto", "seed": 1})
    assert isinstance(map, TSNEEmbedding) and map.kl_divergence == 0.5 and map.optimize(3).shape == (N, 2)
    assert affinity.Uniform and initialization.pca
