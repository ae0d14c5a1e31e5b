# SPDX-License-Identifier: Apache-2.0
"""dunlin.dask on real processes, undisturbed: kinds of input, the number of clusters, the command; the bytes of one process."""

import json
import os
import random
import re
import subprocess
import sys

import numpy as np
import pytest

import dunlin

pytest.importorskip("distributed", reason="the package distributed is not installed")

from dask_processes import environment  # noqa: E402
from dask_cases import ALONE, At, count, expect_same, KMeans, OPTIONS  # noqa: E402
from dask_cases import client, cluster, patience, points  # noqa: E402, F401  fixtures


# Undisturbed


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_bytes_of_one_process(cluster, client, points, workers):
    cluster.ensure(client, workers)
    X, path = points
    model = KMeans(client=client, **OPTIONS).fit(path)
    expect_same(model, dunlin.kmeans(X, **ALONE))
    assert model.share_ == 1 and count(model, "read") == 7 and count(model, "lost") == 0


def test_every_kind_of_input_gives_the_same(cluster, client, points, tmp_path):
    import dask.array

    cluster.ensure(client, 2)
    X, path = points
    wanted = dunlin.kmeans(X, **ALONE)
    np.save(tmp_path / "a.npy", X[:2222]), np.save(tmp_path / "b.npy", X[2222:])
    X.tofile(tmp_path / "raw.f32")
    model = KMeans(client=client, **OPTIONS)
    expect_same(model.fit([tmp_path / "a.npy", tmp_path / "b.npy"]), wanted)
    expect_same(model.fit(str(tmp_path / "raw.f32"), columns=3), wanted)
    expect_same(model.fit(X), wanted)
    expect_same(model.fit(dask.array.from_array(X, chunks=(1700, 2))), wanted)


def test_a_row_far_from_zero_has_one_label(cluster, client, points):
    cluster.ensure(client, 1)
    X = points[0][:400].astype(np.float64) + 1e9
    model = KMeans(client=client, **OPTIONS).fit(X)
    assert np.array_equal([model.predict(row[None])[0] for row in X[:40]], model.labels_[:40])
    assert np.array_equal(model.predict(X[::-1]), model.labels_[::-1])
    mixture = dunlin.dask.GaussianMixture(2, random_state=0, client=client).fit(X)
    alone = np.vstack([mixture.predict_proba(row[None]) for row in X[:40]])
    assert np.allclose(alone, mixture.predict_proba(X)[:40], atol=1e-12)


def test_devices_of_the_workers(cluster, client, points):
    cluster.ensure(client, 2)
    X, path = points
    for device in ("cpu", "auto"):  # few rows: auto is the CPU
        model = KMeans(client=client, device=device, **OPTIONS).fit(path)
        expect_same(model, dunlin.kmeans(X, **ALONE))
        assert sorted(model.devices_) == sorted(client.ncores()) and set(model.devices_.values()) == {"cpu"}
        times = [each["seconds"] for each in model.events_]
        assert times == sorted(times) and all("took" in each for each in model.events_ if each["event"] == "read")
    with pytest.raises(dunlin.InputError, match="device is 'tpu'"):
        KMeans(client=client, device="tpu", **OPTIONS).fit(path)
    if dunlin.gpus():
        expect_same(KMeans(client=client, device="cuda", **OPTIONS).fit(path), dunlin.kmeans(X, **ALONE))
        return
    with pytest.warns(UserWarning, match="cannot take part: NoDeviceError"):
        with pytest.raises(dunlin.NoDeviceError, match="none of the 2 workers can take part"):
            KMeans(client=client, device="cuda", **OPTIONS).fit(path)


def test_from_64_clusters_on_a_warning_names_the_start_that_asks_less(cluster, client, points, recwarn):
    cluster.ensure(client, 2)
    X, path = points
    with pytest.warns(UserWarning, match="init='k-means||' needs some twenty requests".replace("|", r"\|")):
        KMeans(64, client=client, max_iter=1, stop="never", random_state=3).fit(path)
    recwarn.clear()
    model = KMeans(64, client=client, init="k-means||", max_iter=2, stop="never", random_state=3).fit(path)
    KMeans(63, client=client, max_iter=1, stop="never", random_state=3).fit(path)
    assert not [each for each in recwarn.list if "requests" in str(each.message)]
    expect_same(model, dunlin.kmeans(X, 64, init="k-means||", max_iter=2, stop="never", seed=3))
    asked = [each["kind"] for each in model.events_ if each["event"] == "ask"]
    assert len(asked) < 30


def test_labels_are_written_by_the_workers(cluster, client, points, tmp_path):
    cluster.ensure(client, 2)
    X, path = points
    model = KMeans(client=client, labels=tmp_path / "labels.npy", **OPTIONS).fit(path)
    expect_same(model, dunlin.kmeans(X, **ALONE))
    assert np.load(tmp_path / "labels.npy").tobytes() == model.labels_.tobytes()


def test_a_stop_leaves_a_former_file_of_labels(cluster, client, points, tmp_path):
    cluster.ensure(client, 2)
    (tmp_path / "labels.npy").write_bytes(b"former")
    model = KMeans(client=client, labels=tmp_path / "labels.npy", callbacks=lambda stage, *_: stage == "labels", **OPTIONS)
    model.fit(points[1])
    assert model.stopped_ == "cancelled" and model.labels_ is None
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("labels.npy", b"former")]


def test_float64_is_shifted_by_the_rows_that_decide_in_one_process(cluster, client, points, tmp_path):
    import dask.array

    cluster.ensure(client, 2)
    X = points[0].astype(np.float64) + [1e6, 0, -3e7]
    np.save(tmp_path / "far.npy", X)
    wanted = dunlin.kmeans(X, **ALONE)
    assert wanted.centers.dtype == np.float64
    for source in (tmp_path / "far.npy", dask.array.from_array(X, chunks=(1000, 3)), X):
        expect_same(KMeans(client=client, **OPTIONS).fit(source), wanted)


def test_weights(cluster, client, points, tmp_path):
    cluster.ensure(client, 2)
    X, path = points
    weights = np.random.default_rng(1).uniform(0.5, 4, len(X)).astype(np.float32)
    np.save(tmp_path / "weights.npy", weights)
    wanted = dunlin.kmeans(X, sample_weight=weights, **ALONE)
    model = KMeans(client=client, **OPTIONS)
    expect_same(model.fit(path, sample_weight=str(tmp_path / "weights.npy")), wanted)
    expect_same(model.fit(X, sample_weight=weights), wanted)
    with pytest.raises(dunlin.OptionError, match="must be the path"):
        model.fit(path, sample_weight=weights)


def test_what_cannot_be_done_is_said(cluster, client, points, tmp_path):
    X, path = points
    (tmp_path / "points.csv").write_text("1,2\n3,4\n")
    model = KMeans(client=client, **OPTIONS)
    with pytest.raises(dunlin.InputError, match="is not a .npy file; give columns=d"):
        model.fit(tmp_path / "points.csv")
    with pytest.raises(dunlin.FileError, match="nowhere.npy cannot be read: No such file"):
        model.fit("nowhere.npy")
    np.save(tmp_path / "fortran.npy", np.asfortranarray(X[:100]))
    with pytest.raises(dunlin.FileError, match="Fortran order"):
        model.fit(tmp_path / "fortran.npy")
    with open(path, "rb") as file:
        (tmp_path / "short.npy").write_bytes(file.read()[:-4])
    with pytest.raises(dunlin.FileError, match="short.npy is truncated"):
        model.fit(tmp_path / "short.npy")
    with pytest.raises(dunlin.InputError, match="least_share is 0"):
        KMeans(client=client, least_share=0).fit(path)
    with pytest.raises(dunlin.InputError, match="must be rows and columns"):
        model.fit(np.zeros((0, 3), np.float32))
    with pytest.warns(UserWarning, match=r"init='k-means\|\|' needs"):
        KMeans(client=client, n_clusters=64, random_state=1, max_iter=1).fit(path)


# The number of clusters


@pytest.mark.parametrize("criterion", ["bic", "aic", "silhouette"])
def test_the_number_of_clusters_is_chosen_as_in_one_process(cluster, client, points, criterion):
    cluster.ensure(client, 2)
    X, path = points
    wanted = dunlin.choose_k(X, 6, least=2, criterion=criterion, seed=3, max_iter=9)
    model = KMeans(client=client, n_clusters=2, up_to=6, criterion=criterion, random_state=3, max_iter=9, n_init=1)
    expect_same(model.fit(path), wanted.best)
    assert model.curve_ == wanted.curve and [clusters for clusters, _, _ in model.curve_] == [2, 3, 4, 5, 6]
    # the first center of each number and, for the silhouette alone, once the rows of the sample
    kinds = [each["kind"] for each in model.events_ if each["event"] == "ask"]
    assert kinds.count("rows") == 5 + (criterion == "silhouette")
    assert count(model, "read") == 7


def test_a_choice_of_float64_survives_a_kill(cluster, client, points, monkeypatch, tmp_path):
    cluster.ensure(client, 3)
    X = points[0].astype(np.float64) + [1e6, 0, -3e7]
    np.save(tmp_path / "far.npy", X)
    wanted = dunlin.choose_k(X, 5, least=2, criterion="silhouette", seed=3)
    victim = sorted(cluster.workers)[0]
    At(monkeypatch, [("answered", 60, lambda: cluster.kill(victim))])
    model = KMeans(client=client, n_clusters=2, up_to=5, criterion="silhouette", random_state=3, n_init=1)
    expect_same(model.fit(tmp_path / "far.npy"), wanted.best)
    assert model.curve_ == wanted.curve and victim not in cluster.workers


@pytest.mark.filterwarnings("ignore:k-means")
def test_what_cannot_be_chosen_is_said(cluster, client, points):
    X, path = points
    for options, sentence in (
        ({"up_to": 4}, "from 5 to 4"),
        ({"up_to": 6501}, "there are 6500 points"),
        ({"up_to": 0}, "up_to is 0"),
        ({"criterion": "bic"}, "only with up_to"),
        ({"up_to": 6, "criterion": "gap"}, "criterion"),
    ):
        with pytest.raises(dunlin.InputError, match=sentence):
            KMeans(client=client, **OPTIONS, **options).fit(path)
    with pytest.raises(dunlin.OptionError, match="must be a word"):
        KMeans(client=client, init=X[:5], up_to=6, **OPTIONS).fit(path)
    with pytest.raises(dunlin.OptionError, match="without weights"):
        KMeans(client=client, up_to=6, **OPTIONS).fit(X, sample_weight=np.ones(len(X)))


# The command


@pytest.mark.parametrize("more_options", [[], ["--up-to", "7", "--criterion", "silhouette"]])
def test_the_command_has_the_files_and_the_report_of_the_plain_one(
    cluster, client, points, tmp_path, monkeypatch, more_options
):
    X, path = points
    cluster.ensure(client, 2)
    monkeypatch.chdir(tmp_path)
    options = ["--clusters", "5", "--seed", "3", "--iterations", "20", "--quiet", *more_options]
    command = [sys.executable, "-m", "dunlin", "kmeans", path, *options]
    for name, more in (("one", []), ("many", ["--scheduler", cluster.address])):
        files = [
            "-o",
            f"{name}.csv",
            "-o",
            f"{name}.npy",
            "--centroids",
            f"{name}.centroids.csv",
            "--report",
            f"{name}.json",
        ]
        done = subprocess.run([*command, *files, *more], env=environment(), capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout == "" and done.stderr == "", done
    for suffix in (".csv", ".npy", ".centroids.csv"):
        assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"many{suffix}").read_bytes(), suffix
    one, many = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("one", "many"))
    assert many["cluster"]["workers"] == 2 and many["cluster"]["share"] == 1
    for key in ("options", "iterations", "stopped", "quality", "counts", "method", "command", "dunlin", "curve"):
        assert one.get(key) == many.get(key), key
    assert ("curve" in one) == ("--up-to" in more_options)
    for words, sentence in (
        (["--method", "sequential"], "--method is not for a cluster"),
        (["--up-to", "9", "--weights", "w.npy"], "--up-to excludes"),
        (["--criterion", "aic"], "--criterion needs --up-to") if not more_options else (["--up-to", "4"], "from 5 to 4"),
    ):
        refused = subprocess.run(
            [*command, "--scheduler", cluster.address, *words], env=environment(), capture_output=True, text=True
        )
        assert refused.returncode == 2 and sentence in refused.stderr, refused


def test_the_examples_of_the_page_run(cluster, client, tmp_path, monkeypatch):
    import re

    cluster.ensure(client, 2)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DUNLIN_SCHEDULER", cluster.address)
    page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "machines.md")
    with open(page, encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
    names = {}
    for block in blocks:
        exec(compile(block, "machines.md", "exec"), names)
    names["client"].close()
    assert len(blocks) == 5
