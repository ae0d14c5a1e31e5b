# SPDX-License-Identifier: Apache-2.0
"""What shows the maps of the runs of a thread while they form."""

import numpy as np

from . import _core, _device
from ._run import logger, watch_no_more_with, watch_with


class Watching:
    """Context: the maps of so many points that the functions of this thread make are shown by a session while they form."""

    def __init__(self, session, points):
        self.session, self.points = session, points

    def __enter__(self):
        self._snapshots = _core.Snapshots(self.session.move, self.points)
        self._snapshots.begin()
        watch_with(self)
        return self

    def __exit__(self, *error):
        watch_no_more_with(self)
        self._snapshots.wait()
        self._snapshots.end()
        self._harmless(self.session.rest)

    def tell(self, stage, done, total, cost):
        self._harmless(self.session.tell, stage, done, total, cost)

    def finish(self, map, was_stopped):
        """The end of a run, whose map this is; other results and maps of other points are not shown. was_stopped: None of what
        is no run."""
        if map is not None and map.ndim == 2 and map.shape[0] == self.points:
            self._snapshots.wait()
            map = _device.host(map) if _device.is_on_gpu(map) else map
            if not np.isnan(map).any():
                self._harmless(self.session.show, np.array(map, np.float32))
        if was_stopped is not None:
            self._harmless(self.session.end, was_stopped)

    @staticmethod
    def _harmless(do, *arguments):
        """A run does not fail because it is watched."""
        try:
            do(*arguments)
        except Exception as error:  # noqa: BLE001
            logger.warning("the map is not shown: %s", error)
