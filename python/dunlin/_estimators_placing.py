# SPDX-License-Identifier: Apache-2.0
"""transform() of the estimators of neighbor embeddings."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._errors import InputError
from ._groups import PLACE
from ._options import translating
from ._owned import owned
from ._run import RUN
from ._shared import run_of, validate_data
from ._transform import Placer


class _Ready:
    """What transform() has made: the map ready for placing by each affinity, that map, its state, the last result."""

    def __init__(self):
        self.placers, self.map, self.state, self.placed = {}, None, None, None

    def is_of(self, map):
        """Whether nothing was made of another map than this."""
        return self.map is None or not isinstance(map, np.ndarray) or np.array_equal(self.map, map)

    def __getstate__(self):
        return {"map": self.map, "state": self.state, "placed": self.placed}

    def __setstate__(self, kept):
        self.__init__()
        self.__dict__.update(kept)


class PlacesNewPoints(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """A map in which new points are placed. A subclass has _place_options(chosen), the library's options of placing in a
    map that was made with the options ``chosen``, and calls _keep_points at the end of fit.

    transform() stands in a transformer's body: scikit-learn wraps only such for set_output.
    """

    def transform(self, X, affinity="joint"):
        """The places of new points in the map, which stays as it is (dunlin.transform).

        Points that were fitted come back near their own places. Places depend on no other row of X. Keeps the map ready
        for more calls. It needs the points given to fit(), which the estimator therefore owns: they are copied, unless the
        array is read-only (``X.flags.writeable = False`` saves the memory); points on a GPU are not copied and must not be
        changed. ``placed_``: the PlacedResult of the last call, with ``remoteness``, above 1 for points far from those
        fitted.

        Parameters
        ----------
        X : array of shape (m, d)
            Columns of a table are put in the order of those that were fitted.
        affinity : {"joint", "own", "best"}
            Edges of a new point: from both ends, from the new point alone, or for each point the one of the two whose place
            keeps more of its 15 nearest points. The map is kept ready for each affinity that was asked for.

        Returns
        -------
        array of shape (m, n_components), float32; float64 in a map far from zero
        """
        return self._transform(X, affinity)

    def _transform(self, X, affinity):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse=["csr", "csc", "coo"], dtype=[np.float64, np.float32])
        run = run_of(self, self.seed_, verbose=1 if self._has_progress_bar() else 0)
        if not self._ready.is_of(self._places()):
            self._ready = _Ready()
        ready = self._ready
        if affinity not in ready.placers:
            ready.placers[affinity] = self._make_placer(run, affinity)
            ready.map, ready.state = np.array(ready.placers[affinity].map), ready.placers[affinity].state()
        ready.placed = ready.placers[affinity].places(X, run)
        return ready.placed.embedding

    def _places(self):
        """The map of the points that were kept."""
        return self.embedding_

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
            return Placer(points, self._places(), chosen | {"affinity": affinity}, run, None if state else knn, state)

    def _keep_points(self, X, chosen, knn, *given):
        """X and knn were made from what is ``given``."""
        kept = {name: chosen[name] for name in ("metric", "neighbors", "recall") if name in chosen}
        points = owned(X, *given) if self._native_metric() is not None else None
        knn = None if knn is None else tuple(owned(array, *given) for array in knn)
        self._fitted, self._ready = (points, kept | self._place_options(chosen), knn), _Ready()
