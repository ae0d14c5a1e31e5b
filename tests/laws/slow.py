# SPDX-License-Identifier: Apache-2.0
"""Numbers computed a second time, slowly, by the formulas of docs: nothing of the package is used."""

import itertools

import numpy as np
from scipy.linalg import expm
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, pearsonr

METRICS = {"euclidean": "euclidean", "cosine": "cosine", "manhattan": "cityblock", "correlation": "correlation"}


def distances(X, Y=None, metric="euclidean"):
    return cdist(X, X if Y is None else Y, METRICS[metric])


def ranks(D):
    """r(i, j): 1 for the nearest of i, 0 for i itself."""
    D = D.copy()
    np.fill_diagonal(D, -1)
    return D.argsort(1, kind="stable").argsort(1, kind="stable")


def trustworthiness(data, map, k):
    n = len(data)
    r, near = ranks(data), ranks(map)
    false = (near >= 1) & (near <= k) & (r > k)
    return 1 - 2 / (n * k * (2 * n - 3 * k - 1)) * (r - k)[false].sum()


def kept(data, map, k):
    """Q(K): the mean share of the K nearest that are kept."""
    r, s = ranks(data), ranks(map)
    return ((r >= 1) & (r <= k) & (s >= 1) & (s <= k)).sum(1).mean() / k


def rnx_auc(data, map):
    n = len(data)
    k = np.arange(1, n - 1)
    rnx = [((n - 1) * kept(data, map, each) - each) / (n - 1 - each) for each in k]
    return np.sum(rnx / k) / np.sum(1 / k)


def density_correlation(data, map):
    radii = [np.log((np.sort(D, 1)[:, 1:16] ** 2).mean(1)) for D in (data, map)]
    return pearsonr(*radii)[0]


def scores(X, Y, metric="euclidean"):
    data, map = distances(X, metric=metric), distances(Y)
    return {
        "trustworthiness": trustworthiness(data, map, 12),
        "continuity": trustworthiness(map, data, 12),
        "preservation_10": kept(data, map, 10),
        "preservation_15": kept(data, map, 15),
        "rnx_auc": rnx_auc(data, map),
        "density_correlation": density_correlation(data, map),
    }


def label_accuracy(Y, labels):
    """Leave-one-out accuracy of the 10 nearest points; a tie of votes goes to the label of the nearest."""
    right = []
    for i, near in enumerate(ranks(distances(Y))):
        order = [j for j in np.argsort(near) if 1 <= near[j] <= 10]
        votes = [labels[j] for j in order]
        right.append(max(votes, key=votes.count) == labels[i])  # max() takes the first of several
    return np.mean(right)


def affinities(X, perplexity, k):
    """Symmetric P over the k nearest, each Gaussian of entropy log(perplexity)."""
    D = distances(X) ** 2
    near = ranks(np.sqrt(D))
    P = np.zeros_like(D)
    for i, row in enumerate(D):
        of = (near[i] >= 1) & (near[i] <= k)
        low, high = -60.0, 60.0
        for _ in range(200):
            beta = np.exp((low + high) / 2)
            w = np.exp(-beta * (row[of] - row[of].min()))
            p = w / w.sum()
            entropy = -(p[p > 0] * np.log(p[p > 0])).sum()
            low, high = ((low + high) / 2, high) if entropy > np.log(perplexity) else (low, (low + high) / 2)
        P[i, of] = p
    return (P + P.T) / (2 * len(X))


def kl(P, Y):
    weights = 1 / (1 + distances(Y) ** 2)
    np.fill_diagonal(weights, 0)
    Q = weights / weights.sum()
    return (P[P > 0] * np.log(P[P > 0] / Q[P > 0])).sum()


def stresses(D, Y):
    d = distances(Y)
    gaps, scale = ((d - D) ** 2).sum(), (D**2).sum() / (d * D).sum()
    return {
        "normalized_stress": gaps / (D**2).sum(),
        "map_normalized_stress": gaps / (d**2).sum(),
        "stress1": np.sqrt(gaps / (d**2).sum()),
        "scaled_stress1": np.sqrt(((scale * d - D) ** 2).sum() / ((scale * d) ** 2).sum()),
    }


def weighted_stress(D, Y, weights):
    return (weights * (distances(Y) - D) ** 2).sum() / (weights * D**2).sum()


def stress_per_point(D, Y):
    return ((distances(Y) - D) ** 2).sum(1) / (D**2).sum(1)


def paths(G, lengths):
    n, edges, weights = G
    D = np.full((n, n), np.inf)
    np.fill_diagonal(D, 0)
    for (a, b), w in zip(edges, weights):
        D[a, b] = D[b, a] = min(D[a, b], w if lengths else 1)
    for k in range(n):
        D = np.minimum(D, D[:, k : k + 1] + D[k])
    return D


def graph_scores(G, Y, lengths=False):
    n, edges, weights = G
    d, r = paths(G, lengths), distances(Y)
    found = {}
    pair = np.triu(np.isfinite(d), 1)
    ratio = r[pair] / d[pair]
    scale = ratio.sum() / (ratio**2).sum()
    found["scaled_stress"] = ((scale * ratio - 1) ** 2).mean()
    length = r[edges[:, 0], edges[:, 1]] / (weights if lengths else 1)
    found["edge_length_cv"] = length.std() / length.mean()
    neighbors = [set() for _ in range(n)]
    for a, b in edges:
        neighbors[a].add(b), neighbors[b].add(a)
    near = ranks(r)
    shares = []
    for i, of in enumerate(neighbors):
        nearest = {j for j in range(n) if 1 <= near[i, j] <= len(of)}
        if of:
            shares.append(len(of & nearest) / len(of | nearest))
    found["neighborhood_preservation"] = np.mean(shares)
    found["crossings"] = sum(crosses(Y, e, f) for e, f in itertools.combinations(edges.tolist(), 2))
    angles = [smallest_angle(Y, i, sorted(of)) * len(of) / 360 for i, of in enumerate(neighbors) if len(of) > 1]
    if angles:
        found["min_angle"] = np.mean(angles)
    return found


def crosses(Y, e, f):
    if set(e) & set(f):
        return False
    a, b, c, d = Y[[*e, *f]]

    def side(p, q, r):
        return np.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0


def smallest_angle(Y, i, of):
    angles = np.sort(np.degrees(np.arctan2(*(Y[of] - Y[i]).T[::-1])))
    return np.diff(np.append(angles, angles[0] + 360)).min()


def laplacian(G, random_walk=False):
    n, edges, weights = G
    A = np.zeros((n, n))
    for (a, b), w in zip(edges, weights):
        A[a, b] += w
        A[b, a] += w
    degrees = A.sum(1)
    L = np.diag(degrees) - A
    return L / np.where(degrees > 0, degrees, 1)[:, None] if random_walk else L


def diffused(G, v, time, random_walk=False):
    return expm(-laplacian(G, random_walk) * time) @ v


def log_likelihood(X, weights, means, covariances):
    parts = [np.log(w) + multivariate_normal(m, c, allow_singular=True).logpdf(X) for w, m, c in zip(weights, means, covariances)]
    return logsumexp(np.array(parts).reshape(len(weights), len(X)), axis=0)


def edit(a, b):
    D = np.add.outer(np.arange(len(a) + 1), np.arange(len(b) + 1))
    for i, j in np.ndindex(len(a), len(b)):
        D[i + 1, j + 1] = min(D[i, j] + (a[i] != b[j]), D[i, j + 1] + 1, D[i + 1, j] + 1)
    return D[-1, -1]


def frechet(x, y):
    d = cdist(x, y)
    D = np.full((len(x) + 1, len(y) + 1), np.inf)
    D[0, 0] = 0
    for i, j in np.ndindex(d.shape):
        D[i + 1, j + 1] = max(d[i, j], min(D[i, j], D[i, j + 1], D[i + 1, j]))
    return D[-1, -1]


def pairwise(items, distance):
    return np.array([[distance(a, b) for b in items] for a in items], float)


def silhouette(D, labels):
    values = []
    for i, own in enumerate(labels):
        same = (labels == own) & (np.arange(len(labels)) != i)
        other = [D[i, labels == each].mean() for each in set(labels) - {own}]
        if not same.any() or not other:
            values.append(0.0)
            continue
        a, b = D[i, same].mean(), min(other)
        values.append((b - a) / max(a, b) if max(a, b) else 0.0)
    return np.mean(values)


def density(Y, h, axes):
    """Without the end of the Gaussians at 6 h, which is below 1e-8."""
    X, Z = np.meshgrid(*axes, indexing="ij")
    nodes = np.column_stack([X.ravel(), Z.ravel()])
    kernel = np.exp(-(distances(nodes, Y) ** 2) / (2 * h * h)) / (2 * np.pi * h * h)
    return kernel.sum(1).reshape(X.shape)


def bandwidth(Y):
    n, d = Y.shape
    range_ = np.subtract(*np.percentile(Y, (75, 25), axis=0, method="inverted_cdf"))  # by the nearest rank
    variance = Y.var(axis=0)
    s2 = np.where(range_ > 0, np.minimum(variance, (range_ / 1.349) ** 2), variance).mean()
    return np.sqrt(s2) * (4 / (n * (d + 2))) ** (1 / (d + 4)) / 2
