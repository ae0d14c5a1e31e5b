# SPDX-License-Identifier: Apache-2.0
"""Clusters in layers for Toponymy: ``Toponymy(..., clusterer=dunlin.toponymy.Clusterer())``."""

import numpy as np

from . import _core
from ._density_clusters import clusters
from ._errors import OptionError
from ._run import Run, finished

__all__ = ["Clusterer"]


def _original():
    """Toponymy's base class, where it is installed."""
    try:
        from toponymy.clustering import Clusterer as original
    except ImportError:
        return object
    return original


class Clusterer(_original()):
    """Layers of density clusters with the parameters of ToponymyClusterer. Each layer has the clusters that do not split, with
    a larger least size than the layer before: a quantile of its sizes.

    Parameters
    ----------
    min_clusters : int, default 6
        Clusters of the last layer at least.
    min_samples : int, default 5
        The core distance of a point is that to its nearest point of this number, the point itself not counted.
    base_min_cluster_size : int, default 10
        Least size of the first layer.
    base_n_clusters : int, optional
        Number of clusters of the first layer, about, in place of base_min_cluster_size.
    next_cluster_size_quantile : float, default 0.85
    verbose : bool, default False
    n_jobs, device
        As in dunlin.clusters.

    Attributes
    ----------
    cluster_layers_ : list of layer_class
        The finest first.
    cluster_tree_ : dict
        (layer, cluster): its children, a list of (layer, cluster). The root is (number of layers, 0).
    """

    def __init__(
        self,
        min_clusters=6,
        min_samples=5,
        base_min_cluster_size=10,
        base_n_clusters=None,
        next_cluster_size_quantile=0.85,
        verbose=False,
        n_jobs=None,
        device="auto",
    ):
        if base_min_cluster_size is None and base_n_clusters is None:
            raise OptionError("give base_min_cluster_size or base_n_clusters", option="base_min_cluster_size")
        self.min_clusters, self.min_samples = min_clusters, min_samples
        self.base_min_cluster_size, self.base_n_clusters = base_min_cluster_size, base_n_clusters
        self.next_cluster_size_quantile, self.verbose = next_cluster_size_quantile, verbose
        self.n_jobs, self.device = n_jobs, device

    def fit(self, clusterable_vectors, embedding_vectors, layer_class=None, show_progress_bar=False, **layer_kwargs):
        """Finds the layers of the rows of ``clusterable_vectors``; centers are means of ``embedding_vectors``."""
        if layer_class is None:
            from toponymy.cluster_layer import ClusterLayerText as layer_class
        labels = self._labels(np.asarray(clusterable_vectors))
        vectors = np.asarray(embedding_vectors)
        self.cluster_layers_ = [
            layer_class(each, _centers(each, vectors), layer_id=number, show_progress_bar=show_progress_bar, **layer_kwargs)
            for number, each in enumerate(labels)
        ]
        self.cluster_tree_ = _tree(labels)
        return self

    def fit_predict(self, clusterable_vectors, embedding_vectors, layer_class=None, show_progress_bar=False, **layer_kwargs):
        """Finds the layers; returns (cluster_layers_, cluster_tree_)."""
        self.fit(clusterable_vectors, embedding_vectors, layer_class, show_progress_bar, **layer_kwargs)
        return self.cluster_layers_, self.cluster_tree_

    def _labels(self, points):
        """The labels of each layer, the finest first."""
        hierarchy = _Hierarchy(points, self.min_samples, self.n_jobs, self.device)
        size = self.base_min_cluster_size if self.base_n_clusters is None else hierarchy.size_for(self.base_n_clusters)
        layers = []
        while True:
            labels = hierarchy.leaves(size)
            count = labels.max(initial=-1) + 1
            if count < max(self.min_clusters, 1):
                return layers
            if self.verbose:
                print(f"layer {len(layers)}: {count} clusters of at least {size} points")
            layers.append(labels)
            wanted = int(np.quantile(np.bincount(labels[labels >= 0]), self.next_cluster_size_quantile))
            if wanted <= size + 1:
                return layers
            size = wanted


class _Hierarchy:
    """The merge tree of points, from which clusters of any least size follow without a new search."""

    def __init__(self, points, min_samples, n_jobs, device):
        self._n = len(points)
        k = min(int(min_samples) + 1, max(self._n, 1))
        found = clusters(points, min_samples=k, min_cluster_size=2, n_jobs=n_jobs, device=device)
        self._part = np.flatnonzero(found.tree.home >= 0)
        self._chain = _chain(found.linkage, len(self._part))
        self._run = Run({"n_jobs": n_jobs, "device": "cpu"})

    def leaves(self, size):
        """Labels of the clusters of at least ``size`` points that do not split; -1: of none."""
        labels = np.full(self._n, -1, np.int64)
        options = {"min_size": max(int(size), 2), "min_samples": 1, "select": "leaf"}
        labels[self._part] = finished(_core.clusters_of_graph(self._chain, options, self._run.core(), None), dict)["labels"]
        return labels

    def size_for(self, count):
        """A least size with about this many clusters."""
        low, high = 2, max(self._n // 2, 2)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.leaves(middle).max(initial=-1) + 1 >= count else (low, middle)
        return min(low, high, key=lambda size: abs(self.leaves(size).max(initial=-1) + 1 - count))


def _chain(linkage, n):
    """A path whose merge tree is that of a linkage, as lists of neighbors: the points in the order of its leaves, each beside the
    next at the level where the two are joined."""
    first, last = list(range(n)), list(range(n))
    following, level = np.full(n, -1), np.zeros(n)
    for left, right, distance, _ in linkage.tolist():
        a, b = int(left), int(right)
        following[last[a]], level[last[a]] = first[b], distance
        first.append(first[a])
        last.append(last[b])
    begin = np.flatnonzero((following >= 0) & np.isfinite(level))
    ends, levels = following[begin], level[begin].astype(np.float32)
    rows, columns, weights = np.concatenate([begin, ends]), np.concatenate([ends, begin]), np.concatenate([levels, levels])
    order = np.lexsort((columns, weights, rows))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]).astype(np.int64)
    return offsets, columns[order].astype(np.int32), weights[order]


def _centers(labels, vectors):
    """The mean vector of each cluster."""
    count, members = labels.max(initial=-1) + 1, np.flatnonzero(labels >= 0)
    sums = np.zeros((count, vectors.shape[1]))
    np.add.at(sums, labels[members], vectors[members])
    return sums / np.bincount(labels[members], minlength=count)[:, None]


def _tree(layers):
    """(layer, cluster): its children. The parent of a cluster is in the next layer that has one with its points."""
    tree = {}
    for lower, labels in enumerate(layers):
        order = np.argsort(labels, kind="stable")
        ends = np.searchsorted(labels[order], np.arange(labels.max(initial=-1) + 2))
        for cluster, (begin, end) in enumerate(zip(ends[:-1], ends[1:])):
            members = order[begin:end]
            tree.setdefault(_parent(layers, lower, members), []).append((lower, cluster))
    return tree


def _parent(layers, lower, members):
    for upper in range(lower + 1, len(layers)):
        above = layers[upper][members]
        above = above[above >= 0]
        if len(above):
            return upper, int(np.bincount(above).argmax())
    return len(layers), 0
