# SPDX-License-Identifier: Apache-2.0
"""Communities beside igraph and leidenalg: mean weighted modularity over seeds with its standard error, processor seconds.

    python bench/communities_peers.py [--seeds 32] [--large] [GRAPH ...]

GRAPH: an edge list of two columns (.txt, .txt.gz, .txt.xz, .csv.xz; lines with # are left out) or a .npz of SciPy. Without one:
kNN graphs of digits, of blobs and of uniform points, and planted groups of unequal sizes. --large: planted groups of 500,000
nodes and 5 million edges, one seed, without leidenalg. Needs dunlin, igraph, leidenalg, scikit-learn.
"""

import argparse
import gzip
import lzma
import random
import time

import igraph
import leidenalg
import numpy as np
import scipy.sparse as sp

import dunlin


def symmetric(n, i, j, w=None):
    """The undirected simple graph of some edges, of which the heaviest counts."""
    i, j = np.asarray(i), np.asarray(j)
    kept = i != j
    w = np.ones(len(i)) if w is None else np.asarray(w)
    a = sp.coo_matrix((w[kept], (i[kept], j[kept])), (n, n)).tocsr()
    a.data[:] = 1
    return a.maximum(a.T).tocsr()


def read(path):
    if path.endswith(".npz"):
        return sp.load_npz(path).tocsr()
    opened = lzma.open if path.endswith(".xz") else gzip.open if path.endswith(".gz") else open
    with opened(path, "rt") as file:
        rows = [line.replace(",", " ").split()[:2] for line in file if line[0] not in "#%"]
    ends = np.array([row for row in rows if row[0].isdigit()], np.int64)
    nodes, numbers = np.unique(ends, return_inverse=True)
    numbers = numbers.reshape(ends.shape)
    return symmetric(len(nodes), numbers[:, 0], numbers[:, 1])


def knn(points, k=15):
    from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(points, k - 1).tocoo()
    return symmetric(len(points), graph.row, graph.col)


def planted(n, degree, outside, seed):
    """Groups of 20 to 1000 nodes with a power law, degrees with a power law; a share of edges leads anywhere."""
    draw = np.random.default_rng(seed)
    sizes = []
    while sum(sizes) < n:
        sizes.append(int(min(1000, 20 / (1 - draw.random()))))
    sizes[-1] -= sum(sizes) - n
    group, first = np.repeat(np.arange(len(sizes)), sizes), np.concatenate([[0], np.cumsum(sizes)])
    degrees = np.minimum(200, degree / 3 * (1 - draw.random(n)) ** (-1 / 1.5)).astype(int) + 1
    source = np.repeat(np.arange(n), degrees)
    near = first[group[source]] + (draw.random(len(source)) * np.array(sizes)[group[source]]).astype(int)
    far = draw.permutation(source)
    order = draw.permutation(n)  # neighbors are not near in memory
    return symmetric(n, order[source], order[np.where(draw.random(len(source)) < outside, far, near)])


def graphs():
    from sklearn.datasets import load_digits, make_blobs

    yield "digits kNN", knn(load_digits().data)
    yield "blobs kNN", knn(make_blobs(20000, 10, centers=60, cluster_std=3.0, random_state=1)[0])
    yield "uniform kNN", knn(np.random.default_rng(0).random((30000, 2)), 10)
    yield "planted", planted(20000, 12, 0.35, 3)


def measured(call, graph, weights, seeds):
    """(mean modularity, its standard error, processor seconds of a run)."""
    found, spent = [], 0.0
    for seed in range(1, seeds + 1):
        begin = time.process_time()
        labels = call(seed)
        spent += time.process_time() - begin
        found.append(graph.modularity(labels, weights=weights))
    error = np.std(found, ddof=1) / len(found) ** 0.5 if len(found) > 1 else float("nan")
    return np.mean(found), error, spent / seeds


def of_igraph(graph, weights):
    def call(seed):
        random.seed(seed)
        igraph.set_random_number_generator(random)
        return graph.community_leiden("modularity", weights=weights, n_iterations=2).membership

    return call


def of_leidenalg(graph, weights):
    kind = leidenalg.RBConfigurationVertexPartition
    return lambda seed: leidenalg.find_partition(graph, kind, weights=weights, n_iterations=2, seed=seed).membership


def compare(name, matrix, seeds, with_leidenalg=True):
    upper = sp.triu(matrix, 1).tocoo()
    graph = igraph.Graph(n=matrix.shape[0], edges=np.column_stack([upper.row, upper.col]))
    weights = upper.data.astype(float).tolist()
    peers = {
        "dunlin": lambda seed: dunlin.leiden(matrix, seed=seed, n_jobs=1).labels.tolist(),
        "louvain": lambda seed: dunlin.louvain(matrix, seed=seed, n_jobs=1).labels.tolist(),
        "igraph": of_igraph(graph, weights),
    }
    if with_leidenalg:
        peers["leidenalg"] = of_leidenalg(graph, weights)
    for peer, call in peers.items():
        mean, error, seconds = measured(call, graph, weights, seeds)
        print(f"{name:14} {matrix.shape[0]:8} {upper.nnz:9} {peer:10} {mean:.5f} {error:.5f} {seconds:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="*", metavar="GRAPH")
    parser.add_argument("--seeds", type=int, default=32)
    parser.add_argument("--large", action="store_true")
    given = parser.parse_args()
    print("graph                 n     edges peer       modularity  s.e.  processor s")
    if given.large:
        compare("planted", planted(500000, 12.5, 0.3, 5), 1, with_leidenalg=False)
        return
    for name, matrix in ((path, read(path)) for path in given.graphs) if given.graphs else graphs():
        compare(name, matrix, given.seeds)


if __name__ == "__main__":
    main()
