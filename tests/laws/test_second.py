# SPDX-License-Identifier: Apache-2.0
"""Law 7, a second computation: what is returned is computed again by the slow formula of its page (slow.py)."""

import functools

import dunlin
import numpy as np
import pytest
from hypothesis import assume, strategies as st

import slow
from generate import UNTIED, cases
from law import examples


def close(found, expected, bound=1e-5):
    for name, value in expected.items():
        assert name in found, f"{name} is missing; {value} by its formula"
        scale = max(1.0, np.abs(value).max()) if np.ndim(value) else max(1.0, abs(value))
        gap = np.abs(np.asarray(found[name], float) - value).max()
        assert gap <= bound * scale, f"{name} is {found[name]}, by its formula {value}"


def scores(metric, c):
    close(dunlin.score(c.Y, c.X, metric=metric), slow.scores(c.X, c.Y, metric))


def labels(c):
    close(dunlin.score(c.Y, c.X, labels=c.labels), {"label_accuracy": slow.label_accuracy(c.Y, c.labels)}, 1e-12)


def kl(c):
    close(dunlin.score(c.Y, c.X, perplexity=4), {"kl": slow.kl(slow.affinities(c.X, 4, 12), c.Y)}, 1e-4)


def kl_of_tsne(c):
    result = dunlin.tsne(c.X, perplexity=4, max_iter=40, early_exaggeration_iter=20)
    close({"kl": result.kl}, {"kl": slow.kl(slow.affinities(c.X, 4, 12), result.embedding.astype(float))}, 1e-4)


def trust(c):
    value = slow.trustworthiness(slow.distances(c.X), slow.distances(c.Y), 5)
    close({"trust": dunlin.trustworthiness(c.X, c.Y)}, {"trust": value})


def neighbors(metric, c):
    found = dunlin.neighbors(c.X, 5, metric=metric)
    D = slow.distances(c.X, metric=metric)
    np.fill_diagonal(D, np.inf)
    close({"distances": found.distances}, {"distances": np.sort(D, 1)[:, :5]})
    close({"ids": np.take_along_axis(D, found.indices, 1)}, {"ids": np.sort(D, 1)[:, :5]})


def stress(method, c):
    result = dunlin.mds(c.X, method=method)
    D, Y = slow.distances(c.X), result.embedding.astype(float)
    close({name: value for name, (value, _) in result.stress().items()}, slow.stresses(D, Y))
    close({"point": result.stress_per_point()}, {"point": slow.stress_per_point(D, Y)}, 1e-4)


def weighted(c):
    D = slow.distances(c.X)
    weights = np.triu(np.random.default_rng(len(D)).integers(1, 9, D.shape), 1).astype(np.float32)
    weights += weights.T
    result = dunlin.mds(c.X, method="smacof", weights=weights)
    Y = result.embedding.astype(float)
    expected = slow.stresses(D, Y) | {"normalized_stress_weighted": slow.weighted_stress(D, Y, weights)}
    close({name: value for name, (value, _) in result.stress().items()}, expected)


def kmeans(c):
    found = dunlin.kmeans(c.X, 3)
    near = slow.distances(c.X, found.centers)
    close({"inertia": found.inertia}, {"inertia": (near[np.arange(len(c.X)), found.labels] ** 2).sum()})
    assert (found.counts == np.bincount(found.labels, minlength=3)).all()
    close({"labels": near[np.arange(len(c.X)), found.labels]}, {"labels": near.min(1)})
    means = [c.X[found.labels == each].mean(0) for each in range(3)]
    close({"centers": found.centers}, {"centers": np.array(means)}, 1e-4)


def kmedoids(c):
    found = dunlin.kmedoids(c.X, 3)
    D = slow.distances(c.X)
    near = D[:, found.medoids]
    silhouette = slow.silhouette(D, found.labels)
    close({"inertia": found.inertia, "silhouette": found.silhouette}, {"inertia": near.min(1).sum(), "silhouette": silhouette})
    close({"labels": near[np.arange(len(D)), found.labels]}, {"labels": near.min(1)})


def mixture(kind, c):
    found = dunlin.mixture(c.X, 2, covariance_type=kind, responsibilities=True)
    d = c.X.shape[1]
    full = {
        "diagonal": lambda C: [np.diag(row) for row in C],
        "full": lambda C: C,
        "spherical": lambda C: [np.eye(d) * value for value in np.ravel(C)],
        "tied": lambda C: [C, C],
    }[kind](np.asarray(found.covariances, float))
    rows = slow.log_likelihood(c.X, found.weights, found.means, full)
    close({"log_likelihood": found.log_likelihood}, {"log_likelihood": rows.mean()}, 1e-4)
    parameters = 1 + 2 * d + {"diagonal": 2 * d, "full": d * (d + 1), "spherical": 2, "tied": d * (d + 1) // 2}[kind]
    close({"bic": found.bic}, {"bic": -2 * rows.sum() + parameters * np.log(len(c.X))}, 1e-4)
    assert (found.labels == found.responsibilities.argmax(1)).all()


def graph(means, c):
    close(dunlin.score(c.pos, graph=c.G, weight_means=means), slow.graph_scores(c.G, c.pos, means == "length"), 1e-6)


def waves(laplacian, c):
    found = dunlin.waves(c.G, model="diffusion", laplacian=laplacian, start_v=c.v, until=1.0)
    close({"v": found.v}, {"v": slow.diffused(c.G, c.v, 1.0, laplacian == "random-walk")}, 0.01)


def waves_exact(c):
    found = dunlin.waves(c.G, model="diffusion", start_v=c.v, until=1.0, tolerance=1e-7)
    close({"v": found.v}, {"v": slow.diffused(c.G, c.v, 1.0)}, 1e-4)


def path_distances(c):
    found = dunlin.MDS  # noqa: F841  the matrix of a graph is that of its kmedoids
    medoids = dunlin.kmedoids(graph=c.G, n_clusters=2, init="build")
    D = slow.paths(c.G, True)
    close({"inertia": medoids.inertia}, {"inertia": D[:, medoids.medoids].min(1).sum()})


def strings(c):
    close({"D": dunlin.sequence_distances(c.strings)}, {"D": slow.pairwise(c.strings, slow.edit)})


def tracks(c):
    close({"D": dunlin.sequence_distances(c.tracks)}, {"D": slow.pairwise(c.tracks, slow.frechet)})


def density(c):
    found = dunlin.density(c.Y, nodes=64)
    h = found.options["bandwidth"]
    if h > 2.01 * found.spacing:  # else it is two distances between nodes
        close({"bandwidth": h}, {"bandwidth": slow.bandwidth(c.Y)}, 1e-4)
    field = slow.density(c.Y, h, found.axes)
    close({"field": found.field / field.max()}, {"field": field / field.max()}, 2e-4)
    close({"mass": found.mass}, {"mass": len(c.Y)})


SECOND = {
    **{f"score {metric}": ("Y X", functools.partial(scores, metric)) for metric in slow.METRICS},
    "score labels": ("Y X labels", labels),
    "score kl": ("Y X", kl),
    "tsne kl": ("X", kl_of_tsne),
    "trustworthiness": ("X Y", trust),
    **{f"neighbors {metric}": ("X", functools.partial(neighbors, metric)) for metric in slow.METRICS},
    **{f"mds {method}": ("X", functools.partial(stress, method)) for method in ("dunlin", "smacof", "classical", "pivot")},
    "mds weights": ("X", weighted),
    "kmeans": ("X", kmeans),
    "kmedoids": ("X", kmedoids),
    **{f"mixture {kind}": ("X", functools.partial(mixture, kind)) for kind in ("diagonal", "full", "spherical", "tied")},
    **{f"score graph {means}": ("G pos", functools.partial(graph, means)) for means in ("strength", "length")},
    **{f"waves {laplacian}": ("G v", functools.partial(waves, laplacian)) for laplacian in ("combinatorial", "random-walk")},
    "waves tolerance": ("G v", waves_exact),
    "paths": ("G", path_distances),
    "strings": ("strings", strings),
    "tracks": ("tracks", tracks),
    "density": ("Y", density),
}


@pytest.mark.parametrize("name", SECOND)
@examples(6)
def test_second(name, data):
    names, check = SECOND[name]
    few = name in ("paths", "strings", "tracks") or name.startswith(("waves", "score graph"))
    case = data.draw(cases(names.split(), 5 if few else 32, 14 if few else 40, (3, 6), points=UNTIED, graphs=("random", "path", "star", "complete")), "case")
    assume("G" not in names or len(case.G[1]) > 1)
    check(case)
