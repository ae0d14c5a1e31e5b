# SPDX-License-Identifier: Apache-2.0
"""A start of given memberships, without points: by the eigenvectors of their graph, or random."""

import numpy as np

from ._errors import InputError

_WIDTH = 10.0  # of the largest coordinate, as in umap-learn
_DENSE = 64  # nodes: of fewer the whole spectrum is computed


def of_memberships(graph, dim, kind, seed):
    """(n, dim) places, float32. kind: 'spectral', the leading eigenvectors of D^-1/2 W D^-1/2 but the first (Belkin and Niyogi
    2003), unconnected parts side by side; or 'random', uniform in a cube."""
    generator = np.random.default_rng(seed)
    n = graph.shape[0]
    if kind == "random":
        return generator.uniform(-_WIDTH, _WIDTH, (n, dim)).astype(np.float32)
    if kind not in ("spectral", "tswspectral"):
        raise InputError(f"init is {kind!r}; of memberships without points it is 'spectral', 'random' or an array", option="init")
    places = _of_parts(graph, dim, generator)
    most = np.abs(places).max(initial=0)
    places = places * (_WIDTH / most if most > 0 else 1)
    return (places + generator.normal(0, 1e-4, places.shape)).astype(np.float32)


def _of_parts(graph, dim, generator):
    """The eigenvectors of each connected part, in a box whose side is the root of its share, the boxes in rows."""
    from scipy.sparse.csgraph import connected_components

    count, part_of = connected_components(graph, directed=False)
    if count <= 1:
        return _eigenvectors(graph, dim, generator)
    sizes = np.bincount(part_of)
    sides = np.sqrt(sizes / sizes.max())
    per_row, places = int(np.ceil(np.sqrt(count))), np.zeros((graph.shape[0], dim))
    corner, height = np.zeros(dim), 0.0
    for number, part in enumerate(np.argsort(-sizes, kind="stable")):
        if number % per_row == 0:
            corner[0], corner[-1], height = 0.0, corner[-1] + 1.5 * height if dim > 1 else corner[0], 0.0
        rows = np.flatnonzero(part_of == part)
        own = _eigenvectors(graph[rows][:, rows], dim, generator) if len(rows) > dim + 1 else generator.uniform(-1, 1, (len(rows), dim))
        most = np.abs(own).max(initial=0)
        places[rows] = corner + own * (0.5 * sides[part] / most if most > 0 else 1)
        corner[0] += 1.5 * sides[part]
        height = max(height, sides[part])
    return places - places.mean(0)


def _eigenvectors(graph, dim, generator):
    from scipy.sparse import csr_matrix, diags
    from scipy.sparse.linalg import ArpackError, eigsh

    graph = csr_matrix(graph, dtype=np.float64)
    n = graph.shape[0]
    if n <= dim + 1:
        return generator.uniform(-1, 1, (n, dim))
    roots = np.sqrt(np.asarray(graph.sum(axis=1)).reshape(-1))
    inverse = diags(1 / np.where(roots > 0, roots, 1))
    walk = inverse @ graph @ inverse
    first = generator.uniform(-1, 1, n)
    try:
        if n <= _DENSE:
            vectors = np.linalg.eigh(walk.toarray())[1][:, ::-1][:, 1 : dim + 1]
        else:
            values, vectors = eigsh(walk, dim + 1, which="LA", v0=first, tol=1e-4, ncv=min(n, max(2 * dim + 1, 20)), maxiter=5 * n)
            vectors = vectors[:, np.argsort(-values)][:, 1:]
    except ArpackError:  # not converged
        return generator.uniform(-1, 1, (n, dim))
    signs = np.sign(vectors[np.abs(vectors).argmax(0), np.arange(dim)])
    return vectors * signs
