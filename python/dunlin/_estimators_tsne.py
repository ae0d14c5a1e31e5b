# SPDX-License-Identifier: Apache-2.0
"""TSNE with scikit-learn's interface."""

from numbers import Integral, Real

import numpy as np
from scipy.sparse import issparse
from sklearn.utils._param_validation import Interval, StrOptions

from . import _methods
from ._errors import InputError, UnsupportedError
from ._estimators_embedding import ABOVE_0, AT_LEAST_0, COMMON, POSITIVE, NeighborEmbedding

_METHODS = {"auto": "auto", "barnes_hut": "tree", "tree": "tree", "exact": "exact", "fft": "grid", "grid": "grid"}
_EXPLORATION = 250


def _shown(perplexity):
    return f"{perplexity:g}" if np.ndim(perplexity) == 0 else str(perplexity)


class TSNE(NeighborEmbedding):
    """t-SNE with the parameters, units and attributes of sklearn.manifold.TSNE.

    Parameters
    ----------
    n_components : int, default 2
        1, 2 or 3.
    perplexity : float or sequence of floats, optional
        Effective number of neighbors, less than the number of points; default: 30, or (n - 1) / 3 if that is smaller. Of
        several the mean of their affinities, or with affinities='mixture' one density.
    affinities : {'gaussian', 'mixture', 'uniform'}, default 'gaussian'
        How the affinities of a point's neighbors follow from their distances; uniform: the same for each.
    freedom : float, default 1.0
        Degrees of freedom of the map's kernel (1 + r^2 / freedom)^-freedom; below 1: finer clusters.
    early_exaggeration, learning_rate, max_iter, metric, metric_params, init, random_state
        As in scikit-learn. ``learning_rate`` is in its unit.
    n_iter_without_progress : int, default 300
        Stop when the KL divergence stays above its minimum for more than this number of iterations after the early
        phase, seen every 50 iterations.
    min_grad_norm : float, default 1e-7
        Stop when the norm of the gradient, with its factor 4, is at most this; seen every 50 iterations after the early
        phase.
    verbose : int, default 0
        1: a progress bar; 2 and more: scikit-learn's lines about the end.
    method : {'auto', 'barnes_hut', 'tree', 'fft', 'grid', 'exact'}, default 'auto'
        How repulsion is summed. exact: also affinities over all pairs.
    angle : float, default 0.5
        With barnes_hut: largest cell side over distance; 0: exact.
    n_jobs : int, optional
        CPU threads; the map does not depend on it.
    n_neighbors : int, optional
        Neighbors per point; default 3 * perplexity.
    late_exaggeration : float, default 1.0
        Factor on the affinities after the early phase.
    early_exaggeration_iter : int, optional
        Iterations of the early phase; default 250.
    neighbors : {'auto', 'exact', 'approximate'}, default 'auto'
        How neighbors are found.
    recall : float, optional
        Share of the true neighbors that an approximate search is to find.
    tol : float, default 0.0
        Stop when the KL divergence falls by less than this share in 50 iterations; 0: never.
    device : str, default 'auto'
        'auto', 'cpu', 'cuda' or 'cuda:N'.
    memory : int or str, optional
        Most bytes to use, such as '4GB'.
    callbacks, callbacks_every_iters
        ``callback(iteration, error, embedding)``; a true value ends the run.
    checkpoint, checkpoint_every, resume
        As in dunlin.tsne. A run is resumed with the same random_state, which must be an int.

    Attributes
    ----------
    embedding_ : array of shape (n, n_components), float32; of points on a GPU an array of their package there
    kl_divergence_, kl_divergence_se_ : float
        KL divergence without exaggeration and its standard error (0: exact).
    n_iter_ : int
        Index of the last iteration, as in scikit-learn.
    learning_rate_, perplexity_, seed_, device_, stopped_, search_recall_
        As used.
    placed_ : PlacedResult
        Of the last call of ``transform``.
    n_features_in_, feature_names_in_
    """

    _method, _preset = _methods.METHODS["tsne"], "sklearn"
    _parameter_constraints = {
        **COMMON,
        "n_components": [POSITIVE],
        "perplexity": [None, ABOVE_0, "array-like"],
        "affinities": [StrOptions({"gaussian", "mixture", "uniform"})],
        "freedom": [Interval(Real, 0.1, 100, closed="both")],
        "early_exaggeration": [Interval(Real, 1, None, closed="left")],
        "learning_rate": [StrOptions({"auto"}), ABOVE_0],
        "max_iter": [Interval(Integral, 250, None, closed="left")],
        "n_iter_without_progress": [Interval(Integral, -1, None, closed="left")],
        "min_grad_norm": [AT_LEAST_0],
        "metric": [str, callable],
        "method": [StrOptions(set(_METHODS))],
        "angle": [Interval(Real, 0, 1, closed="both")],
        "n_neighbors": [None, POSITIVE],
        "late_exaggeration": [ABOVE_0],
        "early_exaggeration_iter": [None, Interval(Integral, 0, None, closed="left")],
        "tol": [AT_LEAST_0],
    }

    def __init__(
        self,
        n_components=2,
        *,
        perplexity=None,
        early_exaggeration=12.0,
        learning_rate="auto",
        max_iter=1000,
        n_iter_without_progress=300,
        min_grad_norm=1e-7,
        metric="euclidean",
        metric_params=None,
        init="pca",
        verbose=0,
        random_state=None,
        method="auto",
        angle=0.5,
        n_jobs=None,
        n_neighbors=None,
        late_exaggeration=1.0,
        early_exaggeration_iter=None,
        neighbors="auto",
        recall=None,
        tol=0.0,
        affinities="gaussian",
        freedom=1.0,
        device="auto",
        memory=None,
        callbacks=None,
        callbacks_every_iters=50,
        checkpoint=None,
        checkpoint_every=60.0,
        resume=False,
    ):
        self._set(locals())

    def fit_transform(self, X, y=None, *, knn_graph=None):
        """Fits the map and returns it."""
        super().fit_transform(X, y, knn_graph=knn_graph)
        if self.verbose >= 2:
            kl = self.kl_divergence_
            print(f"[t-SNE] Iteration {self.n_iter_ + 1}: error = {kl:.7f}, {self.stopped_}")
        return self.embedding_

    def _make_placer(self, run, affinity):
        if np.ndim(self.perplexity_) > 0 or self.affinities != "gaussian":
            raise InputError("new points are placed only in maps of one perplexity and affinities 'gaussian'", option="map")
        return super()._make_placer(run, affinity)

    def _place_options(self, chosen):
        kept = {name: chosen[name] for name in ("perplexity", "k") if name in chosen}
        return kept | {"method": "tsne", "exaggeration": chosen["late_exaggeration"], "freedom": self.freedom}

    def _has_progress_bar(self):
        return self.verbose == 1

    def _search(self):
        return "exact" if self.method == "exact" else self.neighbors

    def _lists(self, X, knn_graph, of, chosen, run):
        if self.metric == "precomputed" and issparse(X) and knn_graph is None and X.shape[0]:
            # scikit-learn reads one neighbor more than three perplexities; a graph of so many is enough
            stored = int(X.getnnz(axis=1).min()) - 1
            chosen["k"] = stored if chosen["k"] == stored + 1 > 1 else chosen["k"]
        return super()._lists(X, knn_graph, of, chosen, run)

    def _neighbors_of(self, chosen, n):
        k = chosen["k"]
        if self.method == "exact":
            # Distances of all pairs, some may be of points that are equal
            chosen["k"] = k if self.affinities == "uniform" else n - 1
        return k

    def _announce(self, chosen, n):
        if self.verbose >= 2:
            print(f"[t-SNE] {n} samples, {chosen.get('k', 'given')} neighbors, perplexity {_shown(self.perplexity_)}")

    def _keep(self, result, seed):
        super()._keep(result, seed)
        self.kl_divergence_, self.kl_divergence_se_ = result.kl, result.kl_se
        self.n_iter_ = max(result.n_iter - 1, 0)

    def _check(self, X):
        n = X.shape[0]
        if self.metric == "precomputed":
            if isinstance(self.init, str) and self.init == "pca":
                raise ValueError('The parameter init="pca" cannot be used with metric="precomputed".')
            super()._check(X)
            if self.method == "exact" and issparse(X):
                raise TypeError(
                    'TSNE with method="exact" does not accept sparse precomputed distance matrix. Use '
                    'method="barnes_hut" or provide the dense distance matrix.'
                )
        if self.n_components > 3:
            raise UnsupportedError("'n_components' should be inferior to 4: the library makes maps of 1, 2 and 3 dimensions")
        if self.perplexity is not None and np.max(self.perplexity) >= n:
            raise ValueError(f"perplexity ({self.perplexity}) must be less than n_samples ({n})")

    def _options(self, n):
        """The library's options; its learning rate is for a gradient without its factor 4."""
        several = self.perplexity is not None and np.ndim(self.perplexity) > 0
        if several:
            perplexity = float(np.max(self.perplexity))
            self.perplexity_ = [float(each) for each in self.perplexity]
        else:
            perplexity = min(30.0, max(1.0, (n - 1) / 3)) if self.perplexity is None else float(self.perplexity)
            self.perplexity_ = perplexity
        repulsion = "exact" if self.method == "barnes_hut" and self.angle == 0 else _METHODS[self.method]
        early = _EXPLORATION if self.early_exaggeration_iter is None else self.early_exaggeration_iter
        early = getattr(self, "_EXPLORATION_MAX_ITER", early)
        # Of a perplexity below 1 or above n - 1 no Gaussian has the entropy
        one = {"perplexity": min(max(perplexity, 1.0), max(n - 1, 1))}
        given = _methods.perplexity_options(self.perplexity) if several else one
        chosen = {
            **({} if self.affinities == "uniform" else given),
            "affinities": self.affinities,
            "freedom": self.freedom,
            "dim": self.n_components,
            "iterations": self.max_iter,
            "exaggerated_iterations": min(early, self.max_iter),
            "exaggeration": self.early_exaggeration,
            "late_exaggeration": self.late_exaggeration,
            "repulsion": repulsion,
            "tolerance": self.tol,
            "patience": max(self.n_iter_without_progress, 0),
            "min_gradient": self.min_grad_norm / 4,
        }  # start: see fit_transform
        if repulsion == "tree":
            chosen["theta"] = self.angle
        if self.learning_rate == "auto":
            self.learning_rate_ = max(n / self.early_exaggeration / 4, 50.0)
        else:
            self.learning_rate_ = self.learning_rate
        chosen["learning_rate"] = chosen["late_learning_rate"] = 4.0 * self.learning_rate_
        chosen["least_learning_rate"] = 0.0
        uniform = self.affinities == "uniform"
        k = self.n_neighbors if self.n_neighbors is not None else 15 if uniform else int(3 * perplexity + 1)
        chosen["k"] = n - 1 if self.method == "exact" and not uniform else max(1, min(n - 1, k))
        return chosen
