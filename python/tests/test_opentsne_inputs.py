# SPDX-License-Identifier: Apache-2.0
"""What dunlin.opentsne makes of tables with names, given neighbors and edited maps."""

import copy
import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")
pandas = pytest.importorskip("pandas")
import dunlin  # noqa: E402
from dunlin.opentsne import TSNE, TSNEEmbedding, affinity, initialization  # noqa: E402
from opentsne_tables import A, FEW, N, ORDER, square, start, table  # noqa: E402, F401


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


def test_what_numpy_makes_of_a_map_is_of_no_points(A, table):
    map = TSNEEmbedding(start(table), A, random_state=0)
    part = map.prepare_partial(table[:6] + 0.1, k=3)
    by_row = [lambda places: places[::-1], lambda places: places[:4], lambda places: places.take([1, 0, 2], axis=0)]
    for make in (*by_row, lambda places: places + 1, lambda places: pickle.loads(pickle.dumps(places[::-1]))):
        made = make(map)
        for call in (lambda: made.optimize(5), lambda: made.prepare_partial(table), lambda: made.transform(table)):
            with pytest.raises(dunlin.InputError, match=r"give TSNEEmbedding\(places, affinities\)"):
                call()
        with pytest.raises(dunlin.InputError, match=r"prepare_partial\(X, initialization=places\)"):
            make(part).optimize(5)
    for same in (map.copy(), copy.copy(map), copy.deepcopy(map), pickle.loads(pickle.dumps(map))):
        assert same.optimize(5).tobytes() == map.optimize(5).tobytes()
        same -= 1
        assert same.optimize(5).shape == map.shape
    for same in (part.copy(), copy.copy(part), copy.deepcopy(part), pickle.loads(pickle.dumps(part))):
        assert same.optimize(5).tobytes() == part.optimize(5).tobytes()
    moved = TSNEEmbedding(map[::-1], affinity.PerplexityBasedNN(table[::-1], perplexity=5))
    assert moved.kl_divergence == pytest.approx(TSNEEmbedding(map, affinity.PerplexityBasedNN(table, perplexity=5)).kl_divergence)


def test_pickles_name_the_package(A, table):
    from dunlin import opentsne

    map = opentsne._restored(start(table).to_numpy(np.float32), A, 0.5, {"learning_rate": "auto", "seed": 1})
    assert isinstance(map, TSNEEmbedding) and map.kl_divergence == 0.5 and map.optimize(3).shape == (N, 2)
    assert affinity.Uniform and initialization.pca
