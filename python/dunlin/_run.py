# SPDX-License-Identifier: Apache-2.0
"""How to run: device, threads, seed, memory, progress. Nothing here but the seed changes a result."""

import logging
import os
import re
import sys
import threading
import warnings

from . import _core, _progress
from ._errors import CheckpointWarning, InputError, InputWarning, NoDeviceError, OptionError, PerformanceWarning
from ._kinds import path_of
from ._options import Group

logger = logging.getLogger("dunlin")
logger.addHandler(logging.NullHandler())

# Parameters that all functions have; n_jobs and callbacks are Python's own
RUN = Group("run", without=("threads",))
# Of functions that write checkpoints
CHECKPOINT = Group("checkpoint")
OWN = """
n_jobs : int, optional
    CPU threads. None or -1: one per core that the process may use (its affinity mask and CPU quota), at most
    OMP_NUM_THREADS; -2: one less, and so on. Results do not depend on it.
verbose : int, default 0
    1: a progress bar on standard error.
callbacks : callable or list of callables, optional
    Called as ``callback(iteration, error, embedding)``, or ``callback(stage, done, total)`` where there is no map. A
    true value that it returns ends the run with the last map.
"""
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


_watched = threading.local()  # .by: what watches the runs of this thread (_watching.py), the innermost last


def watching():
    """What watches the runs of this thread, or None: tell(stage, done, total, cost), finish(map, was_stopped)."""
    by = getattr(_watched, "by", None)
    return by[-1] if by else None


def watch_with(watcher):
    _watched.by = [*getattr(_watched, "by", ()), watcher]


def watch_no_more_with(watcher):
    _watched.by = [each for each in _watched.by if each is not watcher]


_gpu_process = None  # the process that used a GPU first; a forked child cannot


def used_gpu():
    global _gpu_process
    if _gpu_process is None:
        _gpu_process = os.getpid()


def device_after_fork(device):
    """The device, 'cpu' for 'auto' where this process was forked after the use of a GPU; 'cuda' raises there."""
    if device == "cpu" or _gpu_process in (None, os.getpid()):
        return device
    if device == "auto":
        warnings.warn(
            "this process was forked after the use of a GPU, which CUDA does not allow: it computes on the CPU",
            PerformanceWarning,
            stacklevel=5,
        )
        return "cpu"
    raise NoDeviceError(
        f"device is {device!r}, but this process was forked after the use of a GPU, which CUDA does not allow; start "
        "processes with multiprocessing.get_context('spawn')",
        option="device",
    )


def threads_of(n_jobs):
    if n_jobs is None or n_jobs == -1:
        limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
        if n_jobs is None and limit.isdigit() and int(limit) > 0:
            return min(int(limit), _core.usable_threads(0))
        return 0
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__"):
        raise OptionError(f"n_jobs is {n_jobs!r}; it must be a whole number or None", option="n_jobs")
    if n_jobs == 0:
        raise InputError("n_jobs is 0; it must be None, at least 1, or negative (-1: all cores)", option="n_jobs")
    if n_jobs < 0:
        return max(1, _core.usable_threads(0) + 1 + int(n_jobs))
    return int(n_jobs)


def bytes_of(memory):
    if memory is None:
        return 0
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*([\d.]+)\s*([kKmMgGtT]?)[bB]?\s*", memory)
        if not match:
            raise InputError(f"memory is {memory!r}; it must be bytes, such as 4000000000 or '4GB'", option="memory")
        return int(float(match[1]) * _UNITS[match[2].lower()])
    if isinstance(memory, bool) or not hasattr(memory, "__index__") and not isinstance(memory, float) or memory < 0:
        raise InputError(f"memory is {memory!r}; it must be bytes, such as 4000000000 or '4GB'", option="memory")
    return int(memory)


def checkpoint_of(given):
    """The parameters of a checkpoint, taken out of ``given``, under the library's names."""
    chosen = CHECKPOINT.take(given)
    file = chosen.get("checkpoint")
    chosen["checkpoint"] = "" if file is None else path_of(file, "checkpoint")
    return {name: value for name, value in chosen.items() if value is not None}


def notice(is_warning, sentence):
    """Called by the binding: a note goes to the log, a warning is one."""
    if is_warning:
        warnings.warn(sentence, CheckpointWarning, stacklevel=2)
    else:
        logger.info("%s", sentence)


_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


def say(sentence):
    """Tells the caller of the package in one line how what was given was taken."""
    frame, level = sys._getframe(1), 2
    while frame is not None and _is_inside(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, InputWarning, stacklevel=level)


def _is_whole(value):
    try:
        return int(value) == value
    except (TypeError, ValueError):
        return False


def _is_inside(frame):
    """Whether this is a line of the package, or of scikit-learn, which calls methods of its classes."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package == "sklearn" or frame.f_code.co_filename.startswith(_FOLDER)


class Run:
    """A run's parameters, taken out of ``given``."""

    def __init__(self, given, verbose=0, callbacks=None, callbacks_every_iters=50, checkpoints=False, scaling=None, **fixed):
        """scaling: the value of ``normalize`` of points that are read in this run."""
        self.checkpoint = checkpoint_of(given) if checkpoints else {}
        self.scaling = scaling or "none"
        self.n_jobs = given.pop("n_jobs", None)
        self.threads = threads_of(self.n_jobs)
        self.seed = given.pop("seed", None)
        self.seed = 1 if self.seed is None else self.seed
        self.memory = bytes_of(given.pop("memory", None))
        self.device = given.pop("device", None)
        self.device = "auto" if self.device is None else self.device
        self.verbose = verbose
        if callbacks is None:
            callbacks = []
        self.callbacks = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
        for callback in self.callbacks:
            if not callable(callback):
                raise OptionError(f"callbacks holds {callback!r}, which cannot be called", option="callbacks")
        if not _is_whole(callbacks_every_iters):
            raise OptionError(
                f"callbacks_every_iters is {callbacks_every_iters!r}; it must be a whole number",
                option="callbacks_every_iters",
            )
        self.every = int(callbacks_every_iters) if self.callbacks else 0
        if self.callbacks and self.every < 1:
            raise InputError(
                f"callbacks_every_iters is {callbacks_every_iters}; it must be at least 1",
                option="callbacks_every_iters",
            )

    def with_checkpoint(self):
        """core() for the call that writes the checkpoint."""
        return {**self.core(), **self.checkpoint}

    def core(self):
        device = device_after_fork(str(self.device))
        run = {"threads": self.threads, "seed": self.seed, "memory": self.memory}
        name, _, numbers = device.partition(":")
        if (name, numbers) == ("cuda", "all"):
            run["gpus"] = list(range(len(_core.gpus())))
        elif numbers:
            if name != "cuda" or not all(re.fullmatch("[0-9]{1,9}", number) for number in numbers.split(",")):
                raise InputError(
                    f"device is {device!r}; it must be 'auto', 'cpu', 'cuda', 'cuda:N', 'cuda:N,M' or 'cuda:all'",
                    option="device",
                )
            run["gpus"] = [int(number) for number in numbers.split(",")]
        run["device"] = name
        return run

    def on_first_gpu(self):
        """The same for work that takes one GPU."""
        run = self.core()
        if "gpus" in run:
            run["gpus"] = run["gpus"][:1]
        return run

    def narrowing(self):
        return {"threads": self.threads, "memory": self.memory}

    def on_cpu(self):
        """The same for work that has no GPU version."""
        run = self.core()
        run.pop("gpus", None)
        run["device"] = "cpu"
        return run

    def callback(self, has_map=False, frame=None):
        """What the binding calls: callback(stage, done, total, cost, coordinates); None: nothing to call. frame: of the
        coordinates that callbacks get (_frames.Frame)."""
        bar, watcher = _progress.begin() if self.verbose else None, watching()
        if not self.callbacks and bar is None and watcher is None:
            return None
        callbacks = self.callbacks

        def tell(stage, done, total, cost, coordinates):
            if bar is not None:
                bar.tell(stage, done, total, cost)
            if watcher is not None:
                watcher.tell(stage, done, total, cost)
            if frame is not None and callbacks:
                coordinates = frame.restored(coordinates)
            if bar is None:
                return call(stage, done, total, cost, coordinates)
            with bar.telling():
                bar.was_stopped = call(stage, done, total, cost, coordinates) or bar.was_stopped
            return bar.was_stopped

        def call(stage, done, total, cost, coordinates):
            stop = False
            for each in callbacks:
                if coordinates is not None:
                    stop = bool(each(done, cost, coordinates)) or stop
                elif not has_map:
                    stop = bool(each(stage, done, total)) or stop
            return stop

        return tell


def finished(outcome, wrap):
    """The result of a call of the binding, (values, exception); ``wrap(values)`` is the exception's ``partial``. What the
    library has to say of the result is said."""
    values, raised = outcome
    _progress.end(values, raised)
    for sentence in values.pop("said", ()) if isinstance(values, dict) else ():
        say(sentence)
    watcher = watching()
    if watcher is not None and isinstance(values, dict):
        is_run = raised is not None or "stopped" in values  # and no picture of its map
        was_stopped = (raised is not None or values["stopped"] == "cancelled") if is_run else None
        watcher.finish(values.get("embedding", values.get("pos")), was_stopped)
    if isinstance(values, dict) and "device" in values:
        log(values)
        if values["device"] == "cuda":
            used_gpu()
    if raised is None:
        return wrap(values)
    try:
        raised.partial = wrap(values)
    except Exception:  # noqa: BLE001  what ended the run matters more
        pass
    raise raised


def log(values):
    """One line at INFO of what was chosen."""
    if not logger.isEnabledFor(logging.INFO):
        return
    parts = [f"device {values['device']}", f"{values['threads']} threads", f"seed {values['seed']}"]
    parts += [f"{part} {name}" for part, name, _ in values["engines"]]
    if values.get("recall") is not None and values["recall"] == values["recall"]:
        parts.append(f"recall of the search {values['recall']:.4g}")
    parts.append(f"{values['n_iter']} iterations, {values['stopped']}, {sum(values['seconds'].values()):.3g} s")
    logger.info("%s", "; ".join(parts))
