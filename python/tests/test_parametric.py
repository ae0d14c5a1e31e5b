# SPDX-License-Identifier: Apache-2.0
"""ParametricTSNE."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone

import dunlin

QUICK = dict(hidden_layer_sizes=(20, 10), pretrain_epochs=3, max_iter=2, random_state=3)


def rows(n=300, d=8, at=0.0):
    random = np.random.default_rng(1)
    centers = random.normal(0, 6, (3, d))
    return at + centers[np.arange(n) % 3] + random.normal(size=(n, d))


def test_new_rows():
    X = rows()
    model = dunlin.ParametricTSNE(**QUICK)
    map = model.fit_transform(X[:240])
    assert map.shape == (240, 2) and map.dtype == np.float32
    np.testing.assert_array_equal(map, model.embedding_)
    np.testing.assert_allclose(model.transform(X[:240]), map, atol=1e-3)
    assert model.transform(X[240:]).shape == (60, 2)
    assert np.isfinite(model.kl_divergence_) and model.n_iter_ == 6 and model.stopped_ == "budget"
    again = clone(model).set_params(n_jobs=1).fit(X[:240])
    np.testing.assert_array_equal(again.embedding_, map)
    assert list(model.get_feature_names_out()) == ["parametrictsne0", "parametrictsne1"]


def test_columns_far_from_zero():
    near = dunlin.ParametricTSNE(**QUICK).fit(rows())
    far = dunlin.ParametricTSNE(**QUICK).fit(rows(at=1e7))
    np.testing.assert_allclose(far.transform(rows(at=1e7)), far.embedding_, atol=1e-2)
    assert abs(far.kl_divergence_ - near.kl_divergence_) < 0.5 * near.kl_divergence_


def test_prototypes(tmp_path):
    X = rows().astype(np.float32)
    model = dunlin.ParametricTSNE(n_prototypes=0, **QUICK).fit(X)
    assert model.model_["prototypes"].shape == (0, 2)
    model.save(tmp_path / "model.npz")
    loaded = dunlin.ParametricTSNE.load(tmp_path / "model.npz")
    assert loaded.n_components == 2 and loaded.n_prototypes == 0
    np.testing.assert_array_equal(loaded.transform(X), model.transform(X))
    three = dunlin.ParametricTSNE(3, n_prototypes=40, **QUICK).fit(X)
    assert three.model_["prototypes"].shape == (40, 3)
    np.testing.assert_array_equal(three.transform(X), three.embedding_)
    with pytest.raises(ValueError, match="at most 300"):
        dunlin.ParametricTSNE(n_prototypes=301, **QUICK).fit(X)


@pytest.mark.parametrize("pretrain", ["rbm", "none"])
def test_pretraining(pretrain):
    options = {**QUICK, "pretrain": pretrain}
    if pretrain == "none":
        del options["pretrain_epochs"]
    model = dunlin.ParametricTSNE(5, freedom=2.5, **options).fit(rows())
    assert model.embedding_.shape == (300, 5)


def test_files(tmp_path):
    X = rows().astype(np.float32)
    model = dunlin.ParametricTSNE(**QUICK).fit(X)
    path = tmp_path / "model.npz"
    model.save(path)
    loaded = dunlin.ParametricTSNE.load(path)
    np.testing.assert_array_equal(loaded.transform(X), model.transform(X))
    assert loaded.hidden_layer_sizes == (20, 10) and loaded.n_features_in_ == 8
    assert loaded.n_components == 2 and loaded.n_prototypes == 150 == len(model.model_["prototypes"])
    arrays = np.load(path)
    assert arrays["weights_1"].shape == (8, 20)
    assert "layers 20,10\n" in bytes(arrays["made_by"]).decode()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(X), model.transform(X))
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(dunlin.FileError):
        dunlin.ParametricTSNE.load(path)


def test_a_stopped_fit_goes_on(tmp_path, interruptible):
    X, file = rows(1200).astype(np.float32), tmp_path / "run.checkpoint"
    options = {**QUICK, "hidden_layer_sizes": (200, 100), "max_iter": 200, "pretrain": "none", "loss": "whole"}
    del options["pretrain_epochs"]
    plain = dunlin.ParametricTSNE(**options).fit(X)

    def interrupt():
        until = time.monotonic() + 60
        while not (tmp_path / "run.checkpoint.previous").exists() and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    watcher = threading.Thread(target=interrupt)
    watcher.start()
    with pytest.raises(KeyboardInterrupt):
        dunlin.ParametricTSNE(**options, checkpoint=file, checkpoint_every=0).fit(X)
    watcher.join()
    with pytest.raises(dunlin.FileError, match="its seed is 3, and that of this run is 4"):
        dunlin.ParametricTSNE(**{**options, "random_state": 4}, checkpoint=file, resume=True).fit(X)
    rest = dunlin.ParametricTSNE(**options, checkpoint=file, resume=True).fit(X)
    assert rest.embedding_.tobytes() == plain.embedding_.tobytes() and rest.n_iter_ == plain.n_iter_
    with pytest.raises(dunlin.InputError, match="resume"):
        dunlin.ParametricTSNE(**options, resume=True).fit(X)


def test_errors():
    X = rows()
    with pytest.raises(dunlin.InputError, match="hidden_layer_sizes|layers"):
        dunlin.ParametricTSNE(hidden_layer_sizes=(0,)).fit(X)
    with pytest.raises(dunlin.InputError, match="perplexity is 400"):
        dunlin.ParametricTSNE(perplexity=400).fit(X)
    with pytest.raises(dunlin.NoDeviceError):
        dunlin.ParametricTSNE(device="cuda").fit(X)
    with pytest.raises(dunlin.InputError, match="pretrain"):
        dunlin.ParametricTSNE(4).fit(X)
    with pytest.raises(dunlin.InputError, match="all points are equal"):
        dunlin.ParametricTSNE().fit(np.ones((10, 2)))
    with pytest.raises(ValueError, match="8 features"):
        dunlin.ParametricTSNE(**QUICK).fit(X).transform(X[:, :5])


def test_check_estimator():
    from sklearn.utils.estimator_checks import check_estimator

    checks = check_estimator(dunlin.ParametricTSNE(**QUICK), on_fail=None)
    failed = [check["check_name"] for check in checks if check["status"] == "failed"]
    assert not failed and len(checks) >= 40
