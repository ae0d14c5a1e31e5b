# SPDX-License-Identifier: Apache-2.0
"""igraph's Graph.community_leiden and leidenalg's find_partition, by the library where it has what they ask for."""

import functools

import numpy as np
import scipy.sparse

from . import _communities
from ._errors import InputError, UnsupportedError
from ._proxies import by_dunlin

_USUAL_BETA = 0.01


def igraph(original, strict):
    """Graph.community_leiden. The result has igraph's class, and ``quality`` is what igraph maximizes."""

    @functools.wraps(original)
    def community_leiden(
        graph, objective_function="CPM", weights=None, resolution=1, beta=_USUAL_BETA, initial_membership=None, n_iterations=2, **more
    ):
        def by_ours():
            if more or beta != _USUAL_BETA:
                raise UnsupportedError(f"{', '.join(more) or 'beta'} is given")
            if objective_function not in ("CPM", "modularity"):
                raise UnsupportedError(f"objective_function is {objective_function!r}")
            if graph.is_directed():
                raise UnsupportedError("the graph is directed")
            found = _found(graph, weights, objective_function.lower(), resolution, initial_membership, n_iterations)
            from igraph.clustering import VertexClustering

            of_modularity = {"resolution": resolution} | ({} if weights is None else {"weights": weights})
            params = {"quality": found.quality}
            return VertexClustering(graph, found.labels.tolist(), params=params, modularity_params=of_modularity)

        def by_theirs():
            return original(graph, objective_function, weights, resolution, beta, initial_membership, n_iterations, **more)

        return by_dunlin("igraph.Graph.community_leiden", graph.vcount(), by_ours, by_theirs, strict)

    return community_leiden


def leidenalg(original, strict):
    """find_partition, for partitions by modularity, with a resolution or without, and by the constant Potts model."""

    @functools.wraps(original)
    def find_partition(
        graph, partition_type, initial_membership=None, weights=None, n_iterations=2, max_comm_size=0, seed=None, **more
    ):
        def by_ours():
            quality, resolution = _objective_of(partition_type, more)
            if max_comm_size != 0:
                raise UnsupportedError("max_comm_size is given")
            found = _found(graph, weights, quality, resolution, initial_membership, n_iterations, seed)
            given = more if weights is None else {**more, "weights": weights}
            return partition_type(graph, initial_membership=found.labels.tolist(), **given)

        def by_theirs():
            return original(graph, partition_type, initial_membership, weights, n_iterations, max_comm_size, seed, **more)

        return by_dunlin("leidenalg.find_partition", graph.vcount(), by_ours, by_theirs, strict)

    return find_partition


def _objective_of(partition_type, more):
    """(quality, resolution) of a class of leidenalg and its keywords."""
    more = dict(more)
    resolution = more.pop("resolution_parameter", 1.0)
    if more:
        raise UnsupportedError(f"{', '.join(more)} is given")
    quality = {"ModularityVertexPartition": "modularity", "RBConfigurationVertexPartition": "modularity", "CPMVertexPartition": "cpm"}
    if partition_type.__name__ not in quality:
        raise UnsupportedError(f"partition_type is {partition_type.__name__}")
    return quality[partition_type.__name__], resolution


def _found(graph, weights, quality, resolution, initial_membership, n_iterations, seed=None):
    """The communities of a graph of igraph; UnsupportedError for what the library does not take."""
    options = {"quality": quality, "resolution": resolution, "n_iterations": -1 if n_iterations < 0 else n_iterations}
    if seed is not None:
        options["seed"] = int(seed)
    start = None if initial_membership is None else np.asarray(initial_membership)
    try:
        return _communities.leiden(_matrix_of(graph, weights), initial_membership=start, **options)
    except InputError as error:
        raise UnsupportedError(str(error)) from None


def _matrix_of(graph, weights):
    """Its adjacency; several edges between two nodes add up. A directed graph must be symmetric, and has the communities of
    the undirected one then."""
    n, edges = graph.vcount(), np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
    if isinstance(weights, str):
        weights = graph.es[weights]
    values = np.ones(len(edges), np.float64) if weights is None else np.asarray(weights, np.float64)
    if values.shape != (len(edges),) or not np.isfinite(values).all():
        raise UnsupportedError("weights are no numbers, one for each edge")
    if not graph.is_directed():
        edges = np.sort(edges, axis=1)
    matrix = scipy.sparse.coo_matrix((values, (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()
    if graph.is_directed() and abs(matrix - matrix.T).max() > 0:
        raise UnsupportedError("the graph is directed, and not symmetric")
    return matrix
