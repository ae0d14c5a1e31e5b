# SPDX-License-Identifier: Apache-2.0
"""transform() of the estimators of neighbor embeddings."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._errors import InputError
from ._groups import PLACE
from ._options import translating
from ._run import RUN
from ._shared import run_of, validate_data
from ._transform import Placer


class _Ready:
    """What transform() has made: the map ready for placing by each affinity, its state, the last result."""

    def __init__(self):
        self.placers, self.state, self.placed = {}, None, None

    def __getstate__(self):
        return {"state": self.state, "placed": self.placed}

    def __setstate__(self, kept):
        self.__init__()
        self.__dict__.update(kept)


class PlacesNewPoints:
    """A map in which new points are placed. A subclass has _place_options(chosen), the library's options of placing in a
    map that was made with the options ``chosen``, and calls _keep_points at the end of fit."""

    def transform(self, X, affinity="joint"):
        """The places of new points in the map, which stays as it is (dunlin.transform).

        Points that were fitted come back near their own places. Places depend on no other row of X. Keeps the map ready
        for more calls; the points given to fit() are kept for it and must not be changed. ``placed_``: the PlacedResult
        of the last call, with ``remoteness``, above 1 for points far from those fitted.

        Parameters
        ----------
        X : array of shape (m, d)
        affinity : {"joint", "own", "best"}
            Edges of a new point: from both ends, from the new point alone, or for each point the one of the two whose place
            keeps more of its 15 nearest points. The map is kept ready for each affinity that was asked for.

        Returns
        -------
        array of shape (m, n_components), float32
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse=["csr", "csc", "coo"], dtype=[np.float64, np.float32])
        run = run_of(self, self.seed_, verbose=1 if self._has_progress_bar() else 0)
        ready = self._ready
        if affinity not in ready.placers:
            ready.placers[affinity] = self._make_placer(run, affinity)
            ready.state = ready.placers[affinity].state()
        ready.placed = ready.placers[affinity].places(X, run)
        return ready.placed.embedding

    @property
    def placed_(self):
        """The PlacedResult of the last call of transform()."""
        check_is_fitted(self)
        if self._ready.placed is None:
            raise AttributeError("transform() has not been called")
        return self._ready.placed

    def _make_placer(self, run, affinity):
        points, chosen, knn = self._fitted
        if points is None:
            raise InputError(
                f"metric is {self.metric!r}, of which transform() has no distances to new points; take a metric of the "
                "library",
                option="metric",
            )
        state = self._ready.state
        with translating(PLACE, RUN):
            return Placer(points, self.embedding_, chosen | {"affinity": affinity}, run, None if state else knn, state)

    def _keep_points(self, X, chosen, knn):
        """The points themselves, not a copy."""
        kept = {name: chosen[name] for name in ("metric", "neighbors", "recall") if name in chosen}
        points = X if self._native_metric() is not None else None
        self._fitted, self._ready = (points, kept | self._place_options(chosen), knn), _Ready()
