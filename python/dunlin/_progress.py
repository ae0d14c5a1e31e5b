# SPDX-License-Identifier: Apache-2.0
"""The bar of verbose=1: one for a run, which goes through its stages. A finished stage is at 100%, also one that converged
before its limit; that of a run that was stopped stays where it was and says so."""

import contextlib
import sys
import threading
import time

_open = threading.local()  # .bars: of the runs of this thread, the innermost last


class Bar:
    """A bar by tqdm where that is installed, else lines on standard error."""

    def __init__(self):
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm, self._bar, self._stage, self._began = tqdm, None, None, 0
        self._done = self._total = self._shown = 0
        self.is_telling = False
        self.was_stopped = False

    def tell(self, stage, done, total, cost):
        if self not in _bars():
            _bars().append(self)
        if stage != self._stage:
            self._begin(stage, total)
        self._done, self._total = done, total
        if self._bar is None:
            return
        if total != self._bar.total:
            self._restart(total)
        self._bar.n = done
        if cost == cost:
            self._bar.set_postfix_str(f"cost {cost:.4g}", refresh=False)
        now = time.monotonic()
        if done == total or now >= self._shown + 0.1:
            self._shown = now
            self._bar.refresh()

    @contextlib.contextmanager
    def telling(self):
        """While callbacks of its run are called: what they run is another run."""
        self.is_telling = True
        try:
            yield
        finally:
            self.is_telling = False

    def _begin(self, stage, total):
        if self._stage is None:
            self._began = time.monotonic()
        self._fill()
        if self._tqdm is None:
            if stage != self._stage:
                print(f"dunlin: {stage}", file=sys.stderr)
        elif self._bar is None:
            self._bar = self._tqdm(total=total, desc=stage, file=sys.stderr)
        else:
            self._restart(total)
            self._bar.set_description_str(stage, refresh=False)
            self._bar.set_postfix_str("", refresh=False)
        self._stage = stage

    def _restart(self, total):
        self._bar.reset(total=total)  # a notebook's bar learns its length by this alone

    def _fill(self):
        """The stage is over."""
        if self._bar is None or not self._total:
            return
        if 0 < self._done < self._total:  # fewer steps were enough
            self._restart(self._done)
        self._bar.n = self._bar.total
        self._bar.refresh()

    def end(self, was_stopped):
        if self in _bars():
            _bars().remove(self)
        if self._stage is None:
            return
        seconds = time.monotonic() - self._began
        if self._bar is None:
            how = f"{self._stage} stopped at {self._done} of {self._total}" if was_stopped else "finished"
            print(f"dunlin: {how}, {seconds:.3g} s", file=sys.stderr)
            return
        if was_stopped:
            self._bar.set_description_str(f"{self._stage}, stopped", refresh=False)
        else:
            self._fill()
            self._bar.set_description_str("finished", refresh=False)
        self._bar.set_postfix_str("", refresh=False)
        self._bar.bar_format = f"{{desc}}: {{percentage:3.0f}}%|{{bar}}| {seconds:.3g} s"
        self._bar.refresh()
        self._bar.close()
        self._bar = self._stage = None


def _bars():
    if not hasattr(_open, "bars"):
        _open.bars = []
    return _open.bars


def end(values, raised):
    """A run of this thread has ended: that of the innermost bar, unless this is called within its callbacks."""
    bars = _bars()
    if bars and not bars[-1].is_telling:
        stopped = values.get("stopped") if isinstance(values, dict) else None
        bar = bars[-1]
        bar.end(raised is not None or (stopped == "cancelled" if stopped else bar.was_stopped))


def begin():
    """A new bar. Those that runs of this thread left open, which an error ended, say that they were stopped."""
    for bar in [bar for bar in _bars() if not bar.is_telling]:
        bar.end(True)
    return Bar()
