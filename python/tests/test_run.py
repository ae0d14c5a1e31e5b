# SPDX-License-Identifier: Apache-2.0
"""Options, errors, threads, signals, callbacks, processes, and the command's bytes."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dunlin
from dunlin import _groups


@pytest.mark.parametrize(
    "given, meant",
    [
        ("n_iter", "max_iter"),
        ("random_state", "seed"),
        ("perplexty", "perplexity"),
        ("dim", "n_components"),
        ("n_threads", "n_jobs"),
        ("theta", "angle"),
    ],
)
def test_a_wrong_name_suggests_the_right_one(given, meant, blobs):
    with pytest.raises(dunlin.OptionError, match=rf"no parameter '{given}'; did you mean {meant}\?") as error:
        dunlin.tsne(blobs[0], **{given: 1})
    assert isinstance(error.value, TypeError) and error.value.option == given


@pytest.mark.parametrize(
    "options, kind, text",
    [
        ({"max_iter": -1}, ValueError, "max_iter is -1; it must be at least 0"),
        ({"max_iter": 2.5}, TypeError, "max_iter is 2.5; it must be a whole number"),
        ({"max_iter": True}, TypeError, "whole number"),
        ({"max_iter": 10**12}, ValueError, "whole number from"),
        ({"perplexity": "many"}, TypeError, "perplexity is 'many'; it must be a number"),
        ({"method": "fast"}, ValueError, "method is 'fast'; it must be one of 'auto', 'exact'"),
        ({"rate_by_phase": 1}, TypeError, "True or False"),
        ({"n_components": 5}, ValueError, "n_components is 5"),
        ({"method": "exact", "angle": 0.5}, ValueError, "angle is 0.5, but it is read only with method tree"),
        ({"device": "cuda:x"}, ValueError, "device is 'cuda:x'"),
        ({"memory": "lots"}, ValueError, "memory is 'lots'"),
        ({"n_jobs": 0}, ValueError, "n_jobs is 0"),
        ({"init": np.zeros((3, 2))}, ValueError, r"init has the shape \(3, 2\); it must be \(300, 2\)"),
    ],
)
def test_a_wrong_value_says_what_it_must_be(options, kind, text, blobs):
    with pytest.raises(kind, match=text) as error:
        dunlin.tsne(blobs[0], **options)
    assert isinstance(error.value, dunlin.Error) and error.value.option == next(reversed(options))


def test_errors_are_pickled():
    error = pickle.loads(pickle.dumps(dunlin.InputError("no", option="k", row=3)))
    assert (str(error), error.option, error.row) == ("no", "k", 3)


def test_too_little_memory(blobs):
    with pytest.raises(dunlin.OutOfMemoryError):
        dunlin.tsne(blobs[0], memory=1000)


def test_no_gpu_is_an_error_only_where_one_is_asked_for(blobs):
    if dunlin.gpus():
        pytest.skip("there is a GPU")
    with pytest.raises(dunlin.NoDeviceError):
        dunlin.kmeans(blobs[0], 3, device="cuda")


@pytest.mark.parametrize(
    "call",
    [
        lambda X, **run: dunlin.tsne(X, max_iter=100, **run).embedding,
        lambda X, **run: dunlin.kmeans(X, 3, **run).labels,
        lambda X, **run: dunlin.mds(X[:60], **run).embedding,
        lambda X, **run: dunlin.neighbors(X, 5, **run).distances,
        lambda X, **run: dunlin.mixture(X, 3, **run).means,
    ],
)
def test_the_number_of_threads_changes_no_byte(call, blobs):
    expected = call(blobs[0], n_jobs=1).tobytes()
    for n_jobs in (2, 3, 7, None, -1):
        assert call(blobs[0], n_jobs=n_jobs).tobytes() == expected
    with ThreadPoolExecutor(4) as pool:
        assert {found.tobytes() for found in pool.map(lambda _: call(blobs[0]), range(4))} == {expected}


def forked(queue, X):
    queue.put(dunlin.tsne(X, max_iter=50).embedding.tobytes())


def test_a_forked_process_runs_after_its_parent_did(blobs):
    X = blobs[0]
    expected = dunlin.tsne(X, max_iter=50).embedding.tobytes()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=forked, args=(queue, X))
    process.start()
    assert queue.get(timeout=60) == expected
    process.join(60)


def spawned(X):
    return dunlin.tsne(X, max_iter=50).embedding.tobytes()


def test_a_spawned_process_gives_the_same_bytes(blobs):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply_async(spawned, (blobs[0],)).get(timeout=120) == spawned(blobs[0])


def test_a_gpu_used_before_a_fork_is_refused_after_it(monkeypatch, blobs):
    from dunlin import _run

    monkeypatch.setattr(_run, "_gpu_process", os.getpid() + 1)
    for device in ("cuda", "cuda:0"):
        with pytest.raises(dunlin.NoDeviceError, match="forked after the use of a GPU.*spawn") as error:
            dunlin.kmeans(blobs[0], 3, device=device)
        assert error.value.option == "device"
    with pytest.warns(dunlin.PerformanceWarning, match="computes on the CPU"):
        assert dunlin.kmeans(blobs[0], 3).device == "cpu"
    monkeypatch.setattr(_run, "_gpu_process", None)
    _run.used_gpu()
    assert _run._gpu_process == os.getpid() and _run.device_after_fork("cuda") == "cuda"


def test_the_command_writes_the_same_bytes(tmp_path, blobs):
    from dunlin.__main__ import command

    try:
        program = command()
    except SystemExit:
        pytest.skip("the command is not built")
    X = blobs[0].astype(np.float64) + 1e6
    np.save(tmp_path / "X.npy", X)
    for name, options, place in (("tsne", {"max_iter": 200, "seed": 7}, dunlin.tsne), ("mds", {"seed": 7}, dunlin.mds)):
        flags = ["--seed", "7"] + (["--iterations", "200"] if name == "tsne" else [])
        subprocess.run(
            [program, name, "X.npy", "-o", "map.npy", "--quiet", "--scores", "none", *flags], cwd=tmp_path, check=True
        )
        assert np.load(tmp_path / "map.npy").tobytes() == place(X, **options).embedding.tobytes()
    for metric in ("cosine", "correlation"):
        subprocess.run(
            [program, "neighbors", "X.npy", "-k", "5", "--metric", metric, "-o", "near.npz", "--quiet"],
            cwd=tmp_path,
            check=True,
        )
        assert (
            np.load(tmp_path / "near.npz")["data"].tobytes() == dunlin.neighbors(X, 5, metric=metric).graph[2].tobytes()
        )


def test_python_m_dunlin_is_the_command():
    here = os.path.dirname(os.path.dirname(os.path.abspath(dunlin.__file__)))
    shown = subprocess.run(
        [sys.executable, "-m", "dunlin", "--version"],
        capture_output=True,
        text=True,
        env=dict(os.environ, PYTHONPATH=here),
        check=False,
    )
    if "is not installed" in shown.stderr:
        pytest.skip("the command is not built")
    assert dunlin.__version__ in shown.stdout


LONG = {
    "exact neighbors": lambda X: dunlin.neighbors(X, method="exact"),
    "approximate neighbors": lambda X: dunlin.neighbors(X, method="approximate", recall=0.999),
    "tsne": lambda X: dunlin.tsne(X, max_iter=100000),
    "kmeans": lambda X: dunlin.kmeans(X, 300, max_iter=100000, stop="never"),
    "smacof": lambda X: dunlin.mds(X[:3000], method="smacof", tol=0, max_iter=10**6),
    "mixture": lambda X: dunlin.mixture(X, 8, covariance_type="full", max_iter=100000, tol=0),
    "score": lambda X: dunlin.score(X[:, :2], X),
}


@pytest.fixture(scope="module")
def wide():
    return np.random.default_rng(0).standard_normal((20000, 784), np.float32)


@pytest.mark.parametrize("moment", [0.05, 0.4, 2.0])
@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_a_run_soon_and_keeps_the_last_map(name, moment, wide, interruptible):
    X, sent = wide, []

    def interrupt():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(moment, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt) as error:
            LONG[name](X)
            pytest.skip("the work took less time")
    finally:
        timer.cancel()
        timer.join()
    # Seconds of work, not of the clock: other processes may have the cores. All threads of 0.25 s
    assert time.process_time() - sent[0] < 0.25 * dunlin._core.usable_threads(0) + 0.05
    partial = getattr(error.value, "partial", None)
    assert name == "score" or partial is None or partial.stopped == "cancelled"
    assert dunlin.kmeans(X[:100], 3).stopped == "converged"


def test_callbacks_see_the_map_and_can_stop(blobs):
    seen = []

    def look(iteration, error, embedding):
        seen.append((iteration, embedding.shape))
        return iteration >= 100

    result = dunlin.tsne(blobs[0], max_iter=1000, callbacks=look, callbacks_every_iters=50)
    assert result.stopped == "cancelled" and 100 <= result.n_iter < 1000
    assert [iteration for iteration, _ in seen][:2] == [50, 100] and seen[0][1] == (300, 2)
    assert result.embedding.tobytes() == dunlin.tsne(blobs[0], max_iter=1000, callbacks=[look]).embedding.tobytes()


def test_the_exception_of_a_callback_arrives(blobs):
    def fail(iteration, error, embedding):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine") as error:
        dunlin.tsne(blobs[0], callbacks=fail)
    assert error.value.partial.embedding.shape == (300, 2)


def test_the_gil_is_free_during_a_run():
    X = np.random.default_rng(0).normal(size=(6000, 50)).astype(np.float32)
    counted = 0
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(dunlin.tsne, X, max_iter=150)
        while not run.done():
            counted += 1
            time.sleep(0.001)
    assert counted > 20


def lines_of(err):
    """Stages of bars by tqdm, and how the last bar ends."""
    lines = [line.strip() for line in err.replace("\r", "\n").split("\n") if "%" in line]
    return list(dict.fromkeys(line.split(":")[0] for line in lines)), lines[-1]


def test_a_bar_ends_at_all_of_it(capfd, blobs):
    pytest.importorskip("tqdm")
    dunlin.tsne(blobs[0], max_iter=50, verbose=1)
    stages, last = lines_of(capfd.readouterr().err)
    assert stages[-3:] == ["optimize", "score", "finished"] and last.startswith("finished: 100%|")
    dunlin.mds(blobs[0][:60], verbose=1)  # converges before its limit
    assert lines_of(capfd.readouterr().err)[1].startswith("finished: 100%|")
    dunlin.kmeans(blobs[0], 3, n_init=3, verbose=1)  # the same stages several times
    assert lines_of(capfd.readouterr().err)[1].startswith("finished: 100%|")


def test_the_bar_of_a_stopped_run_says_so(capfd, blobs):
    pytest.importorskip("tqdm")
    dunlin.tsne(blobs[0], verbose=1, callbacks=lambda iteration, error, map: iteration >= 150)
    assert lines_of(capfd.readouterr().err)[1].startswith("optimize, stopped:  20%|")

    def fail(iteration, error, map):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        dunlin.tsne(blobs[0], verbose=1, callbacks=fail)
    assert lines_of(capfd.readouterr().err)[1].startswith("optimize, stopped:   7%|")


def test_a_run_within_a_callback_leaves_the_bar_alone(capfd, blobs):
    pytest.importorskip("tqdm")
    dunlin.tsne(blobs[0], max_iter=100, verbose=1, callbacks=lambda i, e, map: dunlin.draw(map) is None)
    stages, last = lines_of(capfd.readouterr().err)
    assert stages.count("finished") == 1 and last.startswith("finished: 100%|")


def test_without_tqdm_stages_are_lines(capfd, blobs, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    dunlin.tsne(blobs[0], max_iter=50, verbose=1)
    lines = capfd.readouterr().err.splitlines()
    assert "dunlin: optimize" in lines and lines[-1].startswith("dunlin: finished, ")
    dunlin.tsne(blobs[0], verbose=1, callbacks=lambda iteration, error, map: iteration >= 150)
    assert capfd.readouterr().err.splitlines()[-1].startswith("dunlin: optimize stopped at 150 of 750, ")


def test_results_are_pickled(blobs):
    for result in (dunlin.tsne(blobs[0], max_iter=50), dunlin.mds(blobs[0]), dunlin.layout((3, [(0, 1), (1, 2)]))):
        again = pickle.loads(pickle.dumps(result))
        assert np.asarray(again).tobytes() == np.asarray(result).tobytes() and again.options == result.options


def test_import_loads_none_of_the_big_packages_and_starts_no_thread():
    code = """
import os, sys, numpy
before, threads = set(sys.modules), len(os.listdir("/proc/self/task"))
import dunlin
new = {name.split(".")[0] for name in set(sys.modules) - before}
assert not new & {"scipy", "sklearn", "networkx", "matplotlib", "pandas"}, new
print(len(os.listdir("/proc/self/task")) - threads)
"""
    here = os.path.dirname(os.path.dirname(os.path.abspath(dunlin.__file__)))
    environment = dict(os.environ, PYTHONPATH=here)
    shown = subprocess.run([sys.executable, "-c", code], check=True, env=environment, capture_output=True, text=True)
    # Debian's OpenBLAS starts its threads when it is loaded
    assert int(shown.stdout) <= len(os.sched_getaffinity(0)) - 1


def test_signatures_and_docstrings_follow_the_library_s_lists():
    import inspect

    for function in (
        dunlin.tsne,
        dunlin.kmeans,
        dunlin.layout,
        dunlin.mds,
        dunlin.neighbors,
        dunlin.mixture,
        dunlin.draw,
    ):
        names = list(inspect.signature(function).parameters)
        assert len(names) == len(set(names)) and "options" not in names
        for name in names:
            if name not in ("n_jobs", "verbose", "callbacks"):
                assert f"\n{name} : " in "\n" + function.__doc__, (function.__name__, name)
    assert inspect.signature(dunlin.kmeans).parameters["max_iter"].default == 300
    assert dunlin.options("tsne")["max_iter"][0] == _groups.TSNE.rows["max_iter"][5] == 750
