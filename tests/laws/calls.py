# SPDX-License-Identifier: Apache-2.0
"""The table, of points and dissimilarities; calls_maps.py goes on with maps, graphs and fields. Each public function and estimator, a small fast call of it, what it answers, and the form in which it obeys
each law. What is not named is obeyed to the byte. docs/laws.md is written from it."""

import functools

import dunlin
import numpy as np

from entry import entry
from generate import UNTIED
from roles import broken, number, other, pairs, partition, rows, rowset, within

DRAWN = "draws rows by their numbers"
SUMS = "sums of floats in the order of the rows"
CHAOS = "a descent of float32 steps, in which rounding grows"
TIES = "ties of distances go to the smaller row number"

# Neighbors
def near(metric, c, **k):
    return dunlin.neighbors(c.X, min(5, len(c.X) - 1), metric=metric, **k)


def lists(result, case):
    """Distances, and who is at them: the ids of a tie are not determined."""
    distances = np.asarray(result.distances)
    return {"distances": distances, "ids": _ids_without_ties(result.indices, distances)}


def _ids_without_ties(indices, distances):
    """Ids at distances that differ from both of their neighbors in the list; -1 elsewhere, and for the last."""
    gap = np.diff(distances, axis=1) > 1e-5 * np.abs(distances[:, 1:]) if distances.shape[1] > 1 else np.zeros((len(distances), 0), bool)
    sure = np.pad(gap, ((0, 0), (1, 0)), constant_values=True) & np.pad(gap, ((0, 0), (0, 1)), constant_values=False)
    return np.where(sure, indices, -1)


def _near_gives(unit):
    return {"distances": rows(X=unit)}


for metric, free in {
    "euclidean": "X* X+",
    "manhattan": "X* X+",
    "cosine": "X*",
    "correlation": "X* X^",
    "inner-product": "X*",
}.items():
    unit = {"cosine": 0, "correlation": 0, "inner-product": 2}.get(metric, 1)
    entry(f"neighbors {metric}", "X", functools.partial(near, metric), _near_gives(unit), free=free)

entry(
    "neighbors queries",
    "X Q",
    lambda c, **k: dunlin.neighbors(c.X, min(3, len(c.X)), queries=c.Q, **k),
    {"distances": rows("Q", X=1)},
    free="X* X+",
    batch="Q",
)
entry(
    "KNeighborsTransformer",
    "X Q",
    lambda c, **k: dunlin.KNeighborsTransformer(n_neighbors=min(3, len(c.X) - 1), **k).fit(c.X),
    {"distances": rows("Q", X=1)},
    read=lambda model, c: {"distances": model.transform(c.Q).data.reshape(len(c.Q), -1)},
    free="X* X+",
    batch="Q",
)
entry(
    "affinities",
    "X",
    lambda c, **k: dunlin.affinities(dunlin.neighbors(c.X, min(9, len(c.X) - 1), **k), 3, **k),
    {"affinities": pairs()},
    read=lambda found, c: {"affinities": found.toarray()},
    free="X* X+",
    least=11,
    order=within(1e-5, SUMS, points=UNTIED),
)

# Clusters
entry(
    "kmeans",
    "X C weights",
    lambda c, **k: dunlin.kmeans(c.X, len(c.C), init=c.C, sample_weight=c.weights, **k),
    {"labels": rows(), "centers": other(X=1, moves="X"), "counts": other(), "inertia": number(X=2)},
    free="X* X+",
    order=within(1e-12, SUMS),
    units=within(1e-6, "centers are float32 less their offset"),
)
entry(
    "kmeans cosine",
    "X C",
    lambda c, **k: dunlin.kmeans(c.X, len(c.C), init=c.C, metric="cosine", **k),
    {"labels": rows(), "counts": other(), "inertia": number()},
    free="X*",
    order=within(1e-12, SUMS),
)
entry(
    "kmeans plusplus",
    "X",
    lambda c, **k: dunlin.kmeans(c.X, 3, **k),
    {"labels": rows(), "counts": other(), "inertia": number(X=2)},
    free="X* X+",
    order=broken(DRAWN + "; give the first centers"),
)
entry(
    "assign",
    "X C",
    lambda c, **k: dunlin.assign(c.X, c.C, **k),
    {"labels": rows(), "inertia": number(X=2)},
    free="X* X+",
    batch="X",
    order=within(1e-12, SUMS),
)
entry(
    "choose_k",
    "X",
    lambda c, **k: dunlin.choose_k(c.X, 3, **k),
    {"inertias": other(X=2), "k": number()},
    read=lambda found, c: {"inertias": [step[1] for step in found.curve], "k": len(found.best.counts)},
    free="X* X+",
    order=broken(DRAWN),
)
entry(
    "KMeans",
    "X Q C",
    lambda c, **k: dunlin.KMeans(len(c.C), init=c.C, n_init=1, device="cpu").fit(c.X),
    {"predicted": rows("Q"), "distances": rows("Q", X=1), "centers": other(X=1, moves="X")},
    read=lambda model, c: {"predicted": model.predict(c.Q), "distances": model.transform(c.Q), "centers": model.cluster_centers_},
    free="X* X+",
    batch="Q",
    order=within(1e-6, SUMS),
    units=within(1e-5, "centers are float32 less their offset"),
)
for covariance in ("diagonal", "full", "spherical", "tied"):
    entry(
        f"mixture {covariance}",
        "X",
        lambda c, covariance=covariance, **k: dunlin.mixture(c.X, 2, covariance_type=covariance, responsibilities=True, **k),
        {"labels": rows(), "responsibilities": rows(), "weights": other(), "means": other(X=1, moves="X"), "covariances": other(X=2)},
        free="X* X+" + {"diagonal": " X|", "full": " X|", "tied": " X|"}.get(covariance, ""),
        least=12,
        order=broken(DRAWN),
        units=within(1e-5, "means are float32 less their offset"),
    )
entry(
    "GaussianMixture",
    "X Q",
    lambda c, **k: dunlin.GaussianMixture(2, covariance_type="diag", random_state=0).fit(c.X),
    {"predicted": rows("Q"), "proba": rows("Q"), "samples": rows("Q")},
    read=lambda m, c: {"predicted": m.predict(c.Q), "proba": m.predict_proba(c.Q), "samples": m.score_samples(c.Q)},
    free="X+",
    batch="Q",
    least=12,
    order=broken(DRAWN),
    units=within(1e-5, "means are float32 less their offset"),
)
for source in ("X", "D", "strings", "tracks"):
    entry(
        f"kmedoids {source}",
        source,
        lambda c, source=source, **k: dunlin.kmedoids(
            n_clusters=3, init="build", **{{"D": "dissimilarities"}.get(source, source): c[source]}, **k
        ),
        {"labels": rows(source), "counts": other(), "inertia": number(**{source: 1}), "silhouette": number()},
        free={"X": "X* X+", "D": "D*"}.get(source, ""),
        order=broken(TIES + ", and swaps are tried in the order of items"),
    )
entry(
    "KMedoids",
    "X Q",
    lambda c, **k: dunlin.KMedoids(3, init="build", random_state=0).fit(c.X),
    {"predicted": rows("Q"), "distances": rows("Q", X=1)},
    read=lambda model, c: {"predicted": model.predict(c.Q), "distances": model.transform(c.Q)},
    free="X*",
    batch="Q",
    order=broken(TIES + ", and swaps are tried in the order of items"),
)

# Maps of points
SMALL = {
    "tsne": {"max_iter": 20, "early_exaggeration_iter": 10, "perplexity": 4},
    "umap": {"n_epochs": 20, "n_neighbors": 5},
    "pacmap": {"num_iters": "5,5,10", "n_neighbors": 5},
}
LOSS = {"tsne": "kl", "umap": "cross_entropy", "pacmap": "loss"}
for method, options in SMALL.items():
    make = getattr(dunlin, method)
    entry(
        method,
        "X",
        lambda c, make=make, options=options, **k: make(c.X, **options, **k),
        {"embedding": rows(), LOSS[method]: number()},
        free="X* X+",
        least=16,
        order=within(2e-2, CHAOS, points=UNTIED) if method != "pacmap" else broken(DRAWN),
    )
    entry(
        f"{method} pca",
        "X",
        lambda c, make=make, options=options, **k: make(c.X, n_pcs=2, **options, **k),
        {"embedding": rows(), LOSS[method]: number()},
        free="X* X+",
        least=16,
        dims=(3, 6),
        order=within(2e-2, CHAOS, points=UNTIED) if method != "pacmap" else broken(DRAWN),
    )
    entry(
        f"{method} start",
        "X start",
        lambda c, make=make, options=options, **k: make(c.X, init=c.start, **options, **k),
        {"embedding": rows(), LOSS[method]: number()},
        free="X* X+",
        least=16,
        order=within(2e-2, CHAOS, points=UNTIED) if method != "pacmap" else broken(DRAWN),
    )
    entry(
        f"transform {method}",
        "X Y Q",
        lambda c, method=method, options=options, **k: dunlin.transform(
            c.Q, c.X, c.Y, map_method=method, **({"perplexity": 4} if method == "tsne" else {"n_neighbors": 5}), **k
        ),
        {"embedding": rows("Q"), "cost": rows("Q"), "distance": rows("Q"), "remoteness": rows("Q")},
        free="X* X+",
        batch="Q",
        least=16,
        order=within(1e-3, SUMS, only=("embedding", "remoteness"), points=UNTIED),
    )
for name, make in {
    "TSNE": lambda: dunlin.TSNE(max_iter=250, perplexity=4, random_state=0),
    "UMAP": lambda: dunlin.UMAP(n_epochs=20, n_neighbors=5, random_state=0),
    "PaCMAP": lambda: dunlin.PaCMAP(num_iters=(5, 5, 10), n_neighbors=5, random_state=0),
    "ParametricTSNE": lambda: dunlin.ParametricTSNE(
        hidden_layer_sizes=(8,), perplexity=4, pretrain_epochs=3, max_iter=1, random_state=0
    ),
}.items():
    entry(
        name,
        "X Q",
        lambda c, make=make, **k: make().fit(c.X),
        {"embedding": rows(), "placed": rows("Q")},
        read=lambda model, c: {"embedding": model.embedding_, "placed": model.transform(c.Q)},
        free="X* X+",
        batch="Q",
        least=16,
        order=broken("training draws rows by their numbers") if name in ("ParametricTSNE", "PaCMAP") else within(0.1, CHAOS, points=("normal",)),
    )

# Scaling
for method in ("dunlin", "smacof", "classical", "landmark", "pivot", "stochastic", "gpu-sf", "glimmer", "hybrid"):
    starts = {"n_init": 1} if method in ("dunlin", "smacof") else {}
    limit = {} if method in ("classical", "landmark", "pivot") else {"max_iter": 20}
    for source in ("X", "D"):
        entry(
            f"mds {method} {source}",
            source,
            lambda c, method=method, source=source, more={**starts, **limit}, **k: dunlin.mds(
                method=method, **{{"D": "dissimilarities"}.get(source, source): c[source]}, **more, **k
            ),
            {"embedding": rows(source, **{source: 1}), "stress1": number(), "point": rows(source)},
            read=lambda result, c: {
                "embedding": result.embedding, "stress1": result.stress()["stress1"][0], "point": result.stress_per_point()
            },
            free=f"{source}*" + (" X+" if source == "X" else ""),
            order=within(1e-3, SUMS, only=("stress1",)) if method in ("classical", "smacof") else broken(DRAWN),
            units=within(1e-4, SUMS),
        )
for name, make in {
    "MDS": lambda: dunlin.MDS(n_init=1, max_iter=20, random_state=0, normalized_stress=False, init="classical_mds"),
    "ClassicalMDS": lambda: dunlin.ClassicalMDS(),
}.items():
    entry(
        name,
        "X",
        lambda c, make=make, **k: make().fit(c.X),
        {"embedding": rows(X=1), "D": pairs(X=1)},
        read=lambda model, c: {"embedding": model.embedding_, "D": model.dissimilarity_matrix_},
        free="X* X+",
        order=within(1e-3, SUMS, only=("D",)),
        units=within(1e-4, SUMS),
    )
entry(
    "sequence_distances strings",
    "strings",
    lambda c, **k: dunlin.sequence_distances(c.strings, **k),
    {"D": pairs("strings")},
)
entry(
    "sequence_distances tracks",
    "tracks",
    lambda c, **k: dunlin.sequence_distances(c.tracks, **k),
    {"D": pairs("tracks", tracks=1)},
    free="tracks*",
)
