# SPDX-License-Identifier: Apache-2.0
"""reliability()."""

from . import _core, _intake, _match, _results
from ._anndata import points_of_map, scaling_recorded
from ._frames import Frame
from ._groups import RELIABILITY, known_names
from ._embedding import len_of
from ._options import refuse_unknown, translating, with_options
from ._run import OWN, RUN, Run, finished


class ReliabilityResult(_results.Result):
    """Of reliability(): ``ids``; ``columns``, a dict from name to an array of shape (n,), whose entries are attributes too.
    NaN: undefined for the point, or not in the sample.

    ``points_elsewhere``, ``points_torn``, ``points_unheld``: shares of the points, with ``.._se``, their standard errors
    (0: all points). ``median_newton_step`` in map units; ``nn_distance``: the unit of home and perturbation. ``stopped``
    ('converged' or 'cancelled'), ``seconds``, ``options`` as used.
    """

    def __init__(self, group, values):
        super().__init__(values, group)

    def __getattr__(self, name):
        columns = self.__dict__.get("columns", {})
        if name in columns:
            return columns[name]
        raise AttributeError(f"{type(self).__name__!r} has no {name!r}")

    def __setattr__(self, name, value):
        (self.columns if name in self.__dict__.get("columns", {}) else self.__dict__)[name] = value

    def __dir__(self):
        return [*super().__dir__(), *self.columns]

    def to_frame(self):
        """The columns as a pandas DataFrame."""
        from pandas import DataFrame

        return DataFrame(self.columns, index=self.ids)


@with_options(
    RELIABILITY,
    RUN,
    own="""
map : array of shape (n, 1, 2 or 3), or a result
    The map, made by Dunlin or by another program.
X : array of shape (n, d)
    The points of which it is a map. Where both have names of rows, they are matched by name.
knn : sparse matrix, (indices, distances), or NeighborsResult, optional
    The nearest neighbors of each point in the data, with distances.
normalize : {'none', 'standardize', 'minmax'}, optional
    Scaling of the columns of X, as for tsne(). Default: as the map was made, where it is a result.
use_rep : str, optional
    Of an AnnData X: as for transform().
"""
    + OWN,
)
def reliability(map, X, *, knn=None, normalize=None, use_rep=None, callbacks=None, verbose=0, n_jobs=None, **options):
    """How far each point of a map can be trusted. docs/reliability.md has the definitions and their limits.

    Returns
    -------
    ReliabilityResult
        A column per diagnostic, also as attributes: ``kl``, ``intruders``, ``lost``, ``singularity``, ``home``, ``gap``;
        on request ``perturbation``, ``stability``, ``null_p``. The shares ``points_elsewhere`` and ``points_torn``, and
        ``median_newton_step``, which is small in a map that has converged.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> found = dunlin.reliability(dunlin.tsne(X), X)
    >>> found.home.shape
    (200,)
    """
    known = known_names(RELIABILITY, own=("knn", "use_rep"))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, scaling=_results.scaling_for(scaling_recorded(X, map, normalize), map, knn))
    chosen = RELIABILITY.take(options)
    refuse_unknown("reliability", options, known)
    with translating(RELIABILITY, RUN):
        placed, of = Frame().taken(map, "map"), _match.rows_of_map(map, X)
        X = points_of_map(map, X, use_rep)
        points = _intake.points(X, run, metric=chosen.get("metric") or "euclidean").values
        graph = None if knn is None else _intake.without_self(_intake.csr_of(_match.graph(knn, of, "knn"), len_of(X)))
        outcome = _core.reliability(placed, points, graph, chosen, run.core(), run.callback())
        return finished(outcome, lambda values: ReliabilityResult(RELIABILITY, {**values, "ids": of.ids}))
