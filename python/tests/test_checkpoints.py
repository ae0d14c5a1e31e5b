# SPDX-License-Identifier: Apache-2.0
"""Runs that are stopped or killed and resumed have the bytes of a run that is not."""

import logging
import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

import dunlin


def lattice(width, height):
    edges = [(i, i + 1) for i in range(width * height) if i % width < width - 1]
    return width * height, edges + [(i, i + width) for i in range(width * (height - 1))]


def values_of(result):
    """Arrays and numbers of a result as bytes."""
    if hasattr(result, "best"):
        return repr(result.curve).encode() + values_of(result.best)
    names = ("embedding", "labels", "centers", "inertia", "v", "activation")
    found = [np.asarray(getattr(result, name)).tobytes() for name in names if hasattr(result, name)]
    if isinstance(getattr(result, "graph", None), tuple):
        found += [np.asarray(part).tobytes() for part in result.graph[:3]]
    return b"".join(found or [np.asarray(result).tobytes()])


CALLS = {
    "tsne": lambda X, **run: dunlin.tsne(X, max_iter=150, **run),
    "umap": lambda X, **run: dunlin.umap(X, n_epochs=100, **run),
    "pacmap": lambda X, **run: dunlin.pacmap(X, num_iters=(20, 20, 60), **run),
    "kmeans": lambda X, **run: dunlin.kmeans(X, 20, n_init=4, init="random", **run),
    "choose_k": lambda X, **run: dunlin.choose_k(X, 7, n_init=2, **run),
    "layout": lambda X, **run: dunlin.layout(lattice(20, 20), **run),
    "mds": lambda X, **run: dunlin.mds(X, method="smacof", max_iter=60, tol=0, **run),
    "neighbors": lambda X, **run: dunlin.neighbors(X, 9, method="exact", **run),
    "waves": lambda X, **run: dunlin.waves((40, 30), stimulate=0, until=30, **run),
}
MAPS = ("tsne", "umap", "pacmap", "layout", "mds")


@pytest.mark.parametrize("name", CALLS)
def test_a_finished_run_is_resumed_to_the_same_bytes(name, tmp_path, blobs):
    call, file = CALLS[name], tmp_path / "run.checkpoint"
    plain = call(blobs[0])
    written = call(blobs[0], checkpoint=file, checkpoint_every=0)
    resumed = call(blobs[0], checkpoint=os.fspath(file), resume=True, n_jobs=1)
    assert values_of(written) == values_of(plain) == values_of(resumed)
    use = getattr(resumed, "best", resumed).checkpoint
    assert use["file"] == os.fspath(file) and use["resumed_from"] is not None and use["failure"] == ""
    first = getattr(written, "best", written).checkpoint
    assert first["resumed_from"] is None and first["writes"] > 0 and first["bytes"] == os.path.getsize(file)
    assert getattr(plain, "best", plain).checkpoint is None


@pytest.mark.parametrize("name", MAPS)
def test_a_stopped_run_goes_on(name, tmp_path, blobs):
    call, run = CALLS[name], {"checkpoint": tmp_path / "run.checkpoint"}
    part = call(blobs[0], callbacks=lambda iteration, error, embedding: iteration >= 20, callbacks_every_iters=10, **run)
    assert part.stopped == "cancelled" and part.checkpoint["writes"] == 1
    rest = call(blobs[0], resume=True, **run)
    assert values_of(rest) == values_of(call(blobs[0])) and rest.checkpoint["resumed_from"] > 0


KILLED = """
import numpy as np, dunlin
dunlin.tsne(np.load("X.npy"), max_iter=100000, tol=0, seed=3, checkpoint="run.checkpoint", checkpoint_every=0.02)
"""


def test_a_killed_process_loses_an_interval(tmp_path, blobs):
    np.save(tmp_path / "X.npy", blobs[0])
    here = os.path.dirname(os.path.dirname(os.path.abspath(dunlin.__file__)))
    environment = dict(os.environ, PYTHONPATH=here)
    process = subprocess.Popen([sys.executable, "-c", KILLED], cwd=tmp_path, env=environment)
    file = tmp_path / "run.checkpoint"
    until = time.monotonic() + 60
    while not (tmp_path / "run.checkpoint.previous").exists() and time.monotonic() < until:
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert (tmp_path / "run.checkpoint.previous").stat().st_size > 0  # killed between two renames it is the only file
    options = {"max_iter": 100000, "tol": 0, "seed": 3}
    stop_at = None

    def stop(iteration, error, embedding):
        return stop_at is not None and iteration >= stop_at

    with pytest.raises(dunlin.FileError, match="its perplexity is 30, and that of this run is 5"):
        dunlin.tsne(blobs[0], checkpoint=file, resume=True, perplexity=5, **options)
    stop_at = 1
    run = {"callbacks": stop, "callbacks_every_iters": 1}
    resumed = dunlin.tsne(blobs[0], checkpoint=file, resume=True, **options, **run)
    assert resumed.checkpoint["resumed_from"] > 0
    stop_at = resumed.n_iter
    assert resumed.embedding.tobytes() == dunlin.tsne(blobs[0], **options, **run).embedding.tobytes()


def test_ctrl_c_writes_a_file(tmp_path, blobs, interruptible):
    def interrupt(iteration, error, embedding):
        os.kill(os.getpid(), signal.SIGINT)

    options = {"max_iter": 100000, "tol": 0, "checkpoint": tmp_path / "run.checkpoint", "callbacks_every_iters": 7}
    with pytest.raises(KeyboardInterrupt) as error:
        dunlin.tsne(blobs[0], callbacks=interrupt, **options)
    part = error.value.partial
    assert part.checkpoint["writes"] == 1
    rest = dunlin.tsne(blobs[0], resume=True, callbacks=lambda *_: True, **options)
    assert rest.checkpoint["resumed_from"] == part.n_iter
    assert rest.checkpoint["computed_again"] == ["start", "neighbors", "affinities"]


def test_what_cannot_be_resumed_says_so(tmp_path, blobs):
    X, file = blobs[0], tmp_path / "run.checkpoint"
    stopped = {"callbacks": lambda *_: True, "callbacks_every_iters": 10, "checkpoint": file}
    dunlin.tsne(X, **stopped)
    for options, text in (
        ({}, "has not finished"),
        ({"resume": True, "seed": 4}, "its seed is 1, and that of this run is 4"),
        ({"resume": True, "max_iter": 90}, "iterations is"),
    ):
        with pytest.raises(dunlin.FileError, match=text) as error:
            dunlin.tsne(X, checkpoint=file, **options)
        assert error.value.file == os.fspath(file) and isinstance(error.value, OSError)
    with pytest.raises(dunlin.FileError, match="hash of points"):
        dunlin.tsne(X + 1, checkpoint=file, resume=True)
    with pytest.raises(dunlin.FileError, match="its method is t-SNE"):
        dunlin.umap(X, checkpoint=file, resume=True)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(dunlin.FileError, match="remove it"):
        dunlin.tsne(X, checkpoint=file, resume=True)
    file.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(dunlin.FileError, match="no checkpoint of Dunlin"):
        dunlin.tsne(X, checkpoint=file)
    assert file.read_bytes() == b"a,b\n1,2\n"
    with pytest.raises(dunlin.InputError, match="resume") as error:
        dunlin.tsne(X, resume=True)
    assert error.value.option == "resume"
    with pytest.raises(dunlin.InputError, match="checkpoint_every is -1"):
        dunlin.tsne(X, checkpoint=file, checkpoint_every=-1)
    with pytest.raises(dunlin.InputError, match="classical"):
        dunlin.mds(X, method="classical", checkpoint=tmp_path / "b")
    with pytest.raises(dunlin.InputError, match="approximate"):
        dunlin.neighbors(X, method="approximate", checkpoint=tmp_path / "b")
    for call in (dunlin.mixture, dunlin.score):
        with pytest.raises(dunlin.OptionError, match="checkpoint"):
            call(X, checkpoint=tmp_path / "b")


def test_notes_go_to_the_log_and_failures_are_warnings(tmp_path, blobs, caplog):
    X, file = blobs[0], tmp_path / "folder" / "run.checkpoint"
    with pytest.raises(dunlin.FileError, match="folder"):
        dunlin.tsne(X, checkpoint=file)
    file.parent.mkdir()
    with caplog.at_level(logging.INFO, logger="dunlin"):
        dunlin.tsne(X, max_iter=20, checkpoint=file, resume=True)
        dunlin.tsne(X, max_iter=20, checkpoint=file, resume=True)
    assert "begins anew" in caplog.text and "resumed from iteration 20" in caplog.text

    def remove(iteration, error, embedding):
        if file.parent.exists():
            for name in os.listdir(file.parent):
                os.remove(file.parent / name)
            file.parent.rmdir()

    run = {"checkpoint": file, "checkpoint_every": 0, "callbacks": remove, "callbacks_every_iters": 10}
    with pytest.warns(dunlin.CheckpointWarning, match="cannot be written.*the run goes on"):
        result = dunlin.tsne(X, max_iter=40, **run)
    assert result.stopped != "cancelled" and result.checkpoint["failure"]
    assert result.embedding.tobytes() == dunlin.tsne(X, max_iter=40).embedding.tobytes()
    file.parent.mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("error", dunlin.CheckpointWarning)
        with pytest.raises(dunlin.CheckpointWarning):
            dunlin.tsne(X, max_iter=40, **run)


@pytest.mark.parametrize(
    "make",
    [
        lambda **more: dunlin.TSNE(max_iter=300, **more),
        lambda **more: dunlin.UMAP(n_epochs=100, **more),
        lambda **more: dunlin.PaCMAP(num_iters=(20, 20, 60), **more),
        lambda **more: dunlin.MDS(n_init=2, init="random", **more),
        lambda **more: dunlin.KMeans(9, n_init=3, **more),
    ],
)
def test_classes_go_on(make, tmp_path, blobs):
    from sklearn.base import clone

    X, file = blobs[0], tmp_path / "run.checkpoint"

    def fitted(**more):
        estimator = make(random_state=5, **more).fit(X)
        return getattr(estimator, "embedding_", getattr(estimator, "labels_", None)).tobytes()

    plain = fitted()
    assert fitted(checkpoint=file, checkpoint_every=0) == plain
    assert fitted(checkpoint=file, resume=True) == plain
    estimator = make(checkpoint=file, resume=True, random_state=6)
    with pytest.raises(dunlin.FileError, match="seed"):
        clone(estimator).fit(X)
    assert estimator.get_params()["checkpoint"] == file


def test_a_class_names_the_parameter(tmp_path, blobs):
    with pytest.raises(ValueError, match="checkpoint_every"):
        dunlin.TSNE(checkpoint=tmp_path / "a", checkpoint_every=-1).fit(blobs[0])
    with pytest.raises(ValueError, match="resume"):
        dunlin.TSNE(resume=True).fit(blobs[0])

    def centers(X, k, random_state):
        return X[random_state.permutation(len(X))[:k]]

    with pytest.raises(dunlin.InputError, match="makes several") as error:
        dunlin.KMeans(3, init=centers, n_init=2, checkpoint=tmp_path / "a").fit(blobs[0])
    assert error.value.option == "checkpoint"
