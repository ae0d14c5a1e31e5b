# SPDX-License-Identifier: Apache-2.0
"""The table, of points and dissimilarities; calls_maps.py goes on with maps, graphs and fields. Each public function and estimator, a small fast call of it, what it answers, and the form in which it obeys
each law. What is not named is obeyed to the byte. docs/laws.md is written from it."""

import functools

import dunlin
import numpy as np

from entry import entry
from generate import UNTIED
from roles import EQUAL, broken, number, other, pairs, partition, rows, rowset, within

DRAWN = "draws rows by their numbers"
SUMS = "sums of floats in the order of the rows"
CHAOS = "a descent of float32 steps, in which rounding grows"
ANSWERS = within(1e-6, "rows of float32 have answers of float32")
DOUBLE = within(1e-6, "float64 rows have float64 distances, as in scikit-learn")
TIES = "ties of distances go to the smaller row number"

A_CONSTANT = "a constant of 1013 beside a spread of 1 leaves float32 a step of 6e-5"

# Neighbors
def near(metric, c, **k):
    return dunlin.neighbors(c.X, min(5, len(c.X) - 1), metric=metric, **k)


for metric, free in {
    "euclidean": "X* X+",
    "manhattan": "X* X+",
    "cosine": "X*",
    "correlation": "X* X^",
    "inner-product": "X*",
    "chebyshev": "X*",
    "hamming": "X*",
    "jaccard": "X*",
    "dice": "X*",
}.items():
    unit = {"inner-product": 2, "euclidean": 1, "manhattan": 1, "chebyshev": 1}.get(metric, 0)
    units = within(1e-4, A_CONSTANT) if metric == "correlation" else EQUAL
    entry(f"neighbors {metric}", "X", functools.partial(near, metric), {"distances": rows(X=unit)}, free=free, units=units)

entry(
    "neighbors queries",
    "X Q",
    lambda c, **k: dunlin.neighbors(c.X, min(3, len(c.X)), queries=c.Q, **k),
    {"distances": rows("Q", X=1)},
    free="X* X+",
    alone="Q",
)
entry(
    "KNeighborsTransformer",
    "X Q",
    lambda c, **k: dunlin.KNeighborsTransformer(n_neighbors=min(3, len(c.X) - 1), **k).fit(c.X),
    {"distances": rows("Q", X=1)},
    disguise=DOUBLE,
    read=lambda model, c: {"distances": model.transform(c.Q).data.reshape(len(c.Q), -1)},
    free="X* X+",
    alone="Q",
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

entry(
    "memberships",
    "X",
    lambda c, **k: dunlin.memberships(dunlin.neighbors(c.X, min(9, len(c.X) - 1), **k), **k),
    {"memberships": pairs()},
    read=lambda found, c: {"memberships": found.toarray()},
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
    units=within(1e-6, "centers are float32 less their offset"),
)
entry(
    "assign",
    "X C",
    lambda c, **k: dunlin.assign(c.X, c.C, **k),
    {"labels": rows(), "inertia": number(X=2)},
    free="X* X+",
    alone="X",
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
    units=within(1e-6, "centers are float32 less their offset"),
)
entry(
    "KMeans",
    "X Q C",
    lambda c, **k: dunlin.KMeans(len(c.C), init=c.C, n_init=1, random_state=0).fit(c.X),
    {"predicted": rows("Q"), "distances": rows("Q", X=1), "centers": other(X=1, moves="X")},
    read=lambda model, c: {"predicted": model.predict(c.Q), "distances": model.transform(c.Q), "centers": model.cluster_centers_},
    free="X* X+",
    alone="Q",
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
        scale=within(1e-12, "logarithms of densities"),
    )
entry(
    "choose_mixture",
    "X",
    lambda c, **k: dunlin.choose_mixture(c.X, 3, covariance_type="diagonal", **k),
    {"parameters": other(), "k": number()},
    read=lambda found, c: {"parameters": [step[2] for step in found.curve], "k": len(found.best.weights)},
    free="X* X+",
    least=12,
    order=broken(DRAWN),
)
entry(
    "GaussianMixture",
    "X Q",
    lambda c, **k: dunlin.GaussianMixture(2, covariance_type="diag", random_state=0).fit(c.X),
    {"predicted": rows("Q"), "proba": rows("Q"), "samples": rows("Q")},
    read=lambda m, c: {"predicted": m.predict(c.Q), "proba": m.predict_proba(c.Q), "samples": m.score_samples(c.Q)},
    free="X+",
    alone="Q",
    least=12,
    disguise=within(1e-6, DOUBLE.reason, points=UNTIED),
    order=broken(DRAWN),
    units=within(1e-4, "means are float32 less their offset; a squared distance of few variances has eight times their error"),
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
    alone="Q",
    order=broken(TIES + ", and swaps are tried in the order of items"),
)

for source in ("X", "D"):
    entry(
        f"clusters {source}",
        source,
        lambda c, source=source, **k: dunlin.clusters(
            min_cluster_size=4, min_samples=3, **{{"D": "dissimilarities"}.get(source, source): c[source]}, **k
        ),
        {
            "labels": partition(source),
            "strengths": rows(source),
            "outlier_scores": rows(source),
            "core_distances": rows(source, **{source: 1}),
            "n_clusters": number(),
        },
        free={"X": "X* X+", "D": "D*"}[source],
    )
entry(
    "clusters graph",
    "X",
    lambda c, **k: dunlin.clusters(graph=dunlin.neighbors(c.X, 5), min_cluster_size=4, min_samples=3, **k),
    {"labels": partition(), "strengths": rows(), "core_distances": rows(X=1), "n_clusters": number()},
    free="X* X+",
    least=8,
    order=broken(TIES),
)
entry(
    "clusters layers",
    "X",
    lambda c, **k: dunlin.clusters(
        c.X, min_cluster_size=2, min_samples=2, cluster_selection_method="leaf", layers=2, **k
    ),
    {"coarse": partition()},
    read=lambda found, c: {"coarse": found.layers[0]},
    free="X* X+",
)
entry(
    "clusters of",
    "X",
    lambda c, **k: dunlin.clusters(c.X, min_cluster_size=4, min_samples=3, of=c.X, of_neighbors=5, **k),
    {"conductance": rows()},
    read=lambda found, c: {"conductance": np.append(found.conductances, -1)[np.maximum(found.labels, -1)]},
    free="X* X+",
    least=8,
    order=broken(TIES),
)
entry(
    "HDBSCAN",
    "X Q",
    lambda c, **k: dunlin.HDBSCAN(4, min_samples=3, copy=False, prediction_data=True).fit(c.X),
    {"labels": partition(), "probabilities": rows(), "predicted": rows("Q")},
    read=lambda model, c: {"labels": model.labels_, "probabilities": model.probabilities_, "predicted": model.predict(c.Q)},
    free="X* X+",
    alone="Q",
    order=within(0, "", only=("labels", "probabilities")),
)


def of_rows(found, c, name):
    """An answer for each row: what is known of its group, by falling magnitude, so that it does not depend on numbers of columns."""
    groups = found.tree.layers[0][found.tree.labels(0)]
    known = {g: sorted((each[name] for each in found.features(g)), key=lambda x: (-abs(x), x)) for g in set(groups.tolist())}
    return np.array([known[g] for g in groups.tolist()], float).reshape(len(groups), -1)


entry(
    "group_names",
    "X labels",
    lambda c, **k: dunlin.group_names(c.labels, features=c.X, against="rest", **k),
    {"z": rows(), "auc": rows(), "difference": rows(X=1), "adjusted": rows()},
    read=lambda found, c: {name: of_rows(found, c, name) for name in ("z", "auc", "difference", "adjusted")},
    free="X* X+ X|",
    order=within(1e-12, SUMS),
)

# Maps of points
SMALL = {
    "tsne": {"max_iter": 60, "early_exaggeration_iter": 20, "perplexity": 4},
    "umap": {"n_epochs": 60, "n_neighbors": 5},
    "pacmap": {"num_iters": "20,20,20", "n_neighbors": 5},
}
SHORT = {"tsne": {"max_iter": 20, "early_exaggeration_iter": 0}, "umap": {"n_epochs": 20}, "pacmap": {"num_iters": "5,5,10"}}
LOSS = {"tsne": "kl", "umap": "cross_entropy", "pacmap": "loss"}
LIKE = within(0.25, CHAOS + ": maps of several minima have like scores", only=("trust", "kept"), points=("clusters",), minima=True)


def with_trust(loss, result, c):
    """The answers of a map, and how far it keeps neighbors, which is what maps of several minima have in common."""
    trust = dunlin.trustworthiness(c.X, result.embedding, n_neighbors=3)
    return {"embedding": result.embedding, loss: getattr(result, loss), "trust": trust}




def kept(c, map, placed, k=3):
    """Share of the k nearest rows of X of each row of Q that are among the k nearest places of its place."""
    distances = lambda A, B: ((np.array(A, float)[:, None] - np.array(B, float)[None]) ** 2).sum(2)  # noqa: E731
    of_data, of_map = (np.argsort(table, 1, kind="stable")[:, :k] for table in (distances(c.Q, c.X), distances(placed, map)))
    return np.mean([len(set(a) & set(b)) / k for a, b in zip(of_data, of_map)])


def nearest(Y, k=5):
    """Who is among the k nearest, as a matrix of zeros and ones."""
    order = ((Y[:, None] - Y[None]) ** 2).sum(2).argsort(1)[:, 1 : k + 1]
    return np.eye(len(Y))[order].sum(1)


for method, options in SMALL.items():
    make = getattr(dunlin, method)
    entry(
        method,
        "X",
        lambda c, make=make, options=options, **k: make(c.X, **options, **k),
        {"embedding": rows(), LOSS[method]: number(), "trust": number()},
        read=functools.partial(with_trust, LOSS[method]),
        free="X* X+",
        least=16,
        order=LIKE,
        columns=LIKE,
        units=LIKE,
    )
    entry(
        f"{method} pca",
        "X",
        lambda c, make=make, options=options, **k: make(c.X, n_pcs=2, **options, **k),
        {"embedding": rows(), LOSS[method]: number(), "trust": number()},
        read=functools.partial(with_trust, LOSS[method]),
        free="X* X+",
        least=16,
        dims=(3, 6),
        order=LIKE,
        columns=LIKE,
        units=LIKE,
    )
    entry(
        f"{method} start",
        "X start",
        lambda c, make=make, options=options, **k: make(c.X, init=c.start, **options, **k),
        {"embedding": rows(), LOSS[method]: number(), "trust": number()},
        read=functools.partial(with_trust, LOSS[method]),
        free="X* X+",
        least=16,
        order=LIKE,
        columns=LIKE,
        units=LIKE,
    )
    if method != "tsne":
        entry(
            f"{method} five",
            "X",
            lambda c, make=make, options=options, **k: make(c.X, n_components=5, method="drawn", **options, **k),
            {"embedding": rows(), LOSS[method]: number(), "trust": number()},
            read=functools.partial(with_trust, LOSS[method]),
            free="X* X+",
            least=16,
            order=LIKE,
            columns=LIKE,
            units=LIKE,
        )
    entry(
        f"transform {method}",
        "X Y Q",
        lambda c, method=method, options=options, **k: dunlin.transform(
            c.Q, c.X, c.Y, map_method=method, **({"perplexity": 4} if method == "tsne" else {"n_neighbors": 5}), **k
        ),
        {"embedding": rows("Q"), "cost": rows("Q"), "distance": rows("Q", X=1), "remoteness": rows("Q")},
        free="X* X+",
        alone="Q",
        least=16,
        dims=(3, 6),
        order=within(1e-3, SUMS, only=("embedding", "remoteness"), points=UNTIED),
        units=within(1e-4, "distances whose squares leave float32 are summed in double, and a place is flat in its loss"),
    )
    entry(
        f"{method} fixed",
        "X fixed",
        lambda c, make=make, options={**options, **SHORT[method]}, **k: make(c.X, fixed=c.fixed, **options, **k),
        {"held": other(moves="fixed"), "trust": number()},
        read=lambda found, c: {
            "held": found.embedding[np.isfinite(np.ma.filled(np.ma.array(c.fixed, dtype=float), np.nan))],
            "trust": dunlin.trustworthiness(c.X, found.embedding, n_neighbors=3),
        },
        free="X* X+ fixed+",
        least=16,
        dims=(3, 6),
        units=LIKE,
        columns=LIKE,
        order=broken("free points are placed beside the nearest in the order of their numbers"),
    )
entry(
    "tsne anchor",
    "X anchor",
    lambda c, **k: dunlin.tsne(c.X, anchor=c.anchor, anchor_strength=5, **{**SMALL["tsne"], "max_iter": 250}, **k),
    {"embedding": rows(moves="anchor"), "kl": number()},
    free="X* X+ anchor+",
    least=16,
    dims=(3, 6),
    order=within(0.05, CHAOS, points=("clusters",)),
    columns=within(0.05, CHAOS, points=("clusters",)),
    units=LIKE,
)
def fitted_and_placed(model, c):
    placed, map = model.transform(c.Q), model.embedding_
    trust = dunlin.trustworthiness(c.X, map, n_neighbors=3)
    return {"placed": placed, "embedding": map, "trust": trust, "kept": kept(c, map, placed)}


for name, make in {
    "TSNE": lambda: dunlin.TSNE(max_iter=250, perplexity=4, random_state=0),
    # after 20 epochs a map is at no minimum yet, and maps of other orders keep .57 and .85 of the neighbors
    "UMAP": lambda: dunlin.UMAP(n_epochs=100, n_neighbors=5, random_state=0),
    "PaCMAP": lambda: dunlin.PaCMAP(num_iters=(5, 5, 10), n_neighbors=5, random_state=0),
    "ParametricTSNE": lambda: dunlin.ParametricTSNE(
        hidden_layer_sizes=(8,), perplexity=4, pretrain_epochs=3, max_iter=1, random_state=0
    ),
}.items():
    entry(
        name,
        "X Q",
        lambda c, make=make, **k: make().fit(c.X),
        {"embedding": rows(), "placed": rows("Q"), "trust": number(), "kept": number(1)},
        read=fitted_and_placed,
        free="X* X+",
        alone="Q",
        least=16,
        order=LIKE if name != "ParametricTSNE" else broken("training draws rows by their numbers"),
        columns=LIKE if name != "ParametricTSNE" else broken("first weights are drawn by the numbers of columns"),
        units=LIKE,
        **({"disguise": ANSWERS} if name == "ParametricTSNE" else {}),
    )

entry(
    "ParametricTSNE rbm",
    "X",
    lambda c, **k: dunlin.ParametricTSNE(
        hidden_layer_sizes=(8,), pretrain="rbm", perplexity=4, pretrain_epochs=5, max_iter=1, random_state=0
    ).fit(c.X),
    {"embedding": rows()},
    read=lambda model, c: {"embedding": model.embedding_},
    free="X*",
    least=16,
    dims=(3, 6),
    columns=broken("first weights are drawn by the numbers of columns"),
    units=within(0.05, CHAOS, points=("counts",)),
    order=broken("training draws rows by their numbers"),
)
entry(
    "tsne pca correlation",
    "X",
    lambda c, **k: dunlin.tsne(c.X, n_pcs=3, metric="correlation", **SMALL["tsne"], **k),
    {"embedding": rows(), "ids": other(), "trust": number()},
    read=lambda found, c: {"embedding": found.embedding, "ids": nearest(found.embedding), "trust": dunlin.trustworthiness(c.X, found.embedding, n_neighbors=3, metric="correlation")},
    free="X*",
    least=24,
    dims=(5, 6),
    order=broken(CHAOS),
    units=LIKE,
    columns=within(0.4, CHAOS + ": 60% of the 5 nearest are kept", only=("ids",), points=("mirrored columns",)),
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
            {"embedding": rows(source, **{source: 1}), "stress1": number(1), "point": rows(source, size=1.0)},
            read=lambda result, c: {
                "embedding": result.embedding, "stress1": result.stress()["stress1"][0], "point": result.stress_per_point()
            },
            free=f"{source}*" + (" X+" if source == "X" else ""),
            order=within(1e-3, SUMS, only=("stress1",)) if method in ("classical", "smacof") else broken(DRAWN),
            units=within(1e-4, SUMS),
            **({"columns": within(1e-2, "iterations that have not ended, from " + SUMS, points=UNTIED)} if limit else {}),
        )
for beside, name in (("start", "init"), ("fixed", "fixed"), ("W", "weights")):
    entry(
        f"mds {name}",
        f"D {beside}",
        lambda c, name=name, beside=beside, **k: dunlin.mds(
            dissimilarities=c.D, method="smacof", n_init=1, max_iter=200, **{name: c[beside]}, **k
        ),
        {"embedding": rows("D")},
        order=within(1e-2, "iterations end by their tolerance, from " + SUMS, points=UNTIED)
        if name != "fixed"
        else broken("free items are moved in an order drawn by their numbers"),
        dims=(2, 6),
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
        disguise=DOUBLE,
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
