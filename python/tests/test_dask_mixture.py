# SPDX-License-Identifier: Apache-2.0
"""dunlin.dask.GaussianMixture on real processes: the bytes of dunlin.mixture, also with faults, stops and a checkpoint."""

import numpy as np
import pytest

import dunlin

pytest.importorskip("distributed", reason="the package distributed is not installed")

import delayed_core  # noqa: E402
from dask_cases import At, GaussianMixture, count  # noqa: E402
from dask_cases import client, cluster, patience, points  # noqa: E402, F401  fixtures

OPTIONS = {"n_components": 4, "random_state": 3, "max_iter": 12, "tol": 0}
ALONE = {"n_components": 4, "seed": 3, "max_iter": 12, "tol": 0}


def expect_same(found, wanted):
    for mine, theirs in (
        (found.means_, wanted.means),
        (found.covariances_, wanted.covariances),
        (found.weights_, wanted.weights),
        (found.labels_, wanted.labels),
    ):
        assert mine.dtype == theirs.dtype and mine.shape == theirs.shape and mine.tobytes() == theirs.tobytes()
    assert (found.lower_bound_, found.bic_, found.n_iter_) == (wanted.log_likelihood, wanted.bic, wanted.n_iter)


@pytest.mark.parametrize("form", ["full", "diag"])
@pytest.mark.parametrize("workers", [1, 2])
def test_bytes_of_one_process(cluster, client, points, tmp_path, form, workers):
    cluster.ensure(client, workers)
    X, path = points
    wanted = dunlin.mixture(X, covariance_type=form, **ALONE)
    model = GaussianMixture(client=client, covariance_type=form, **OPTIONS).fit(path)
    expect_same(model, wanted)
    assert model.share_ == 1 and count(model, "read") == 7 and not model.converged_
    expect_same(GaussianMixture(client=client, covariance_type=form, labels=tmp_path / "l.npy", **OPTIONS).fit(X), wanted)
    assert np.load(tmp_path / "l.npy").tobytes() == wanted.labels.tobytes()


def test_float64_is_shifted_as_in_one_process(cluster, client, points, tmp_path):
    cluster.ensure(client, 2)
    X = points[0].astype(np.float64) + [1e6, 0, -3e7]
    np.save(tmp_path / "far.npy", X)
    wanted = dunlin.mixture(X, covariance_type="full", **ALONE)
    assert wanted.means.dtype == np.float64
    expect_same(GaussianMixture(client=client, **OPTIONS).fit(tmp_path / "far.npy"), wanted)


def test_predictions_are_scikit_learn_s(cluster, client, points):
    mixture = pytest.importorskip("sklearn.mixture")
    from sklearn.mixture._gaussian_mixture import _compute_precision_cholesky

    cluster.ensure(client, 1)
    X, path = points
    for form in ("full", "diag"):
        model = GaussianMixture(client=client, covariance_type=form, **OPTIONS).fit(path)
        theirs = mixture.GaussianMixture(4, covariance_type=form)
        theirs.weights_, theirs.means_ = model.weights_, model.means_.astype(np.float64)
        covariances = model.covariances_.astype(np.float64)
        theirs.precisions_cholesky_ = _compute_precision_cholesky(covariances, form)
        X64 = X.astype(np.float64)
        assert np.abs(model.predict_proba(X64) - theirs.predict_proba(X64)).max() < 1e-9
        assert (model.predict(X) == theirs.predict(X64)).all()
        assert (model.predict(X) == model.labels_).mean() > 0.999  # covariances were rounded to float32


@pytest.mark.parametrize("moment", [20, 60, 75, 90])
def test_a_kill_changes_no_byte(cluster, client, points, monkeypatch, moment):
    cluster.ensure(client, 3)
    X, path = points
    victim = sorted(cluster.workers)[0]
    At(monkeypatch, [("answer", moment, lambda: cluster.kill(victim))])
    model = GaussianMixture(client=client, **OPTIONS).fit(path)
    expect_same(model, dunlin.mixture(X, covariance_type="full", **ALONE))
    assert victim not in cluster.workers and count(model, "read") <= 14


def test_a_stop_and_its_checkpoint(cluster, client, points, tmp_path):
    cluster.ensure(client, 2)
    X, path = points
    client.run(delayed_core.delay, 0.01)
    model = GaussianMixture(client=client, checkpoint=tmp_path / "run.ckpt", **OPTIONS)
    model.callbacks = lambda stage, done, total: stage == "optimize" and done >= 4
    model.fit(path)
    client.run(delayed_core.delay, 0.0)
    assert model.stopped_ == "cancelled" and 4 <= model.n_iter_ < 12 and model.labels_ is None
    wanted = dunlin.mixture(X, covariance_type="full", **{**ALONE, "max_iter": model.n_iter_})
    assert model.covariances_.tobytes() == wanted.covariances.tobytes()
    with pytest.raises(dunlin.InputError, match="checkpoint of another run: its options"):
        GaussianMixture(client=client, checkpoint=tmp_path / "run.ckpt", **{**OPTIONS, "tol": 1}).fit(path)
    again = GaussianMixture(client=client, checkpoint=tmp_path / "run.ckpt", **OPTIONS).fit(path)
    expect_same(again, dunlin.mixture(X, covariance_type="full", **ALONE))
    assert count(again, "resumed from checkpoint") == 1 and not (tmp_path / "run.ckpt").exists()
    asked = [each["kind"] for each in again.events_ if each["event"] == "ask"]
    assert asked.count("expect") == 12 - model.n_iter_ + 2  # the last, and the labels
    model = GaussianMixture(client=client, callbacks=lambda stage, *_: stage == "start", **OPTIONS).fit(path)
    assert model.stopped_ == "cancelled" and model.means_.shape == (0, 3) and len(model.weights_) == 0


def test_what_cannot_be_done_is_said(cluster, client, points):
    cluster.ensure(client, 1)
    path = points[1]
    for options, sentence in (
        ({"covariance_type": "tied"}, "covariance_type is 'tied'"),
        ({"n_components": 6501}, "n_components is 6501, but there are 6500 points"),
        ({"reg_covar": 0}, "reg_covar"),
        ({"tol": -1}, "tol"),
        ({"least_share": 0}, "least_share is 0"),
    ):
        with pytest.raises(dunlin.InputError, match=sentence):
            GaussianMixture(client=client, **{**OPTIONS, **options}).fit(path)
