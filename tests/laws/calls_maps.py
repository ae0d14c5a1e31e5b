# SPDX-License-Identifier: Apache-2.0
"""The table goes on: what takes maps, graphs, fields and waves."""

import functools

import dunlin
import numpy as np

from calls import A_CONSTANT, ANSWERS, CHAOS, DRAWN, SUMS, TIES
from entry import entry
from generate import UNTIED
from roles import broken, number, other, rows, rowset, within

RANKS = ("trustworthiness", "continuity", "preservation_10", "rnx_auc", "density_correlation")
ROUNDED = "the map is float32 less its offset"
SAMPLED = ("centroid_triplets", "triplets", "distance_correlation")


# Scores of maps
def all_scores(found, c):
    return dict(found)


OF_LABELS = ("label_accuracy", "centroid_neighbors", "centroid_correlation", "centroid_triplets")
for metric in ("euclidean", "cosine", "manhattan", "correlation"):
    free = "X* Y+ Y* Y@" + {"euclidean": " X+", "manhattan": " X+", "correlation": " X^"}.get(metric, "")
    entry(
        f"score {metric}",
        "Y X",
        lambda c, metric=metric, **k: dunlin.score(c.Y, c.X, metric=metric, **k),
        dict.fromkeys((*RANKS, "preservation_15", "triplets", "distance_correlation"), number(1)),
        read=all_scores,
        free=free,
        least=32,
        dims=(3, 6),
        order=within(1e-6, SUMS + "; other triplets are drawn", only=RANKS, points=UNTIED),
        units=within(1e-4, A_CONSTANT, points=UNTIED)
        if metric == "correlation"
        else within(1e-5, "distances of float32: 2^-24 a column, over the spread of the distances", points=UNTIED),
        scale=within(1e-12, "logarithms of distances"),
    )
entry(
    "score labels",
    "Y X labels",
    lambda c, **k: dunlin.score(c.Y, c.X, labels=c.labels, **k),
    dict.fromkeys(OF_LABELS, number(1)),
    read=all_scores,
    free="X* X+ Y+ Y* Y@",
    least=32,
    dims=(3, 6),
    order=within(1e-6, SUMS, points=UNTIED),
    units=within(1e-6, SUMS, points=UNTIED),
    missing=within(1e-12, SUMS, points=UNTIED),
)
entry(
    "score kl",
    "Y X",
    lambda c, **k: dunlin.score(c.Y, c.X, perplexity=3, **k),
    {"kl": number()},
    free="X* X+ Y+ Y@",
    least=16,
    order=within(1e-6, SUMS, points=UNTIED),
    units=within(1e-4, "a squared distance has the rounding of the squared width of the data, 2^-24 of it, over a variance", points=UNTIED),
)
entry(
    "trustworthiness",
    "X Y",
    lambda c, **k: dunlin.trustworthiness(c.X, c.Y, n_neighbors=2, **k),
    {"value": number()},
    free="X* X+ Y* Y+ Y@",
    least=8,
    dims=(3, 6),
    order=within(1e-12, SUMS, points=UNTIED),
    units=within(1e-12, SUMS, points=UNTIED),
    read=lambda found, c: {"value": found},
)
RELIABLE = ("kl", "intruders", "lost", "singularity", "home", "gap", "perturbation")
entry(
    "reliability",
    "Y X",
    lambda c, **k: dunlin.reliability(c.Y, c.X, perplexity=4, perturb=True, **k),
    dict.fromkeys(RELIABLE, rows()),
    free="X* X+ Y+",
    least=16,
    order=within(1e-3, SUMS, only=("kl", "intruders", "lost"), points=UNTIED),
    units=within(1e-3, "a curvature is a difference of sums of float32; gap, home and perturbation are minima, of which there are "
                 "several", only=("kl", "intruders", "lost", "singularity"), points=UNTIED),
)
entry(
    "density",
    "Y values",
    lambda c, **k: dunlin.density(c.Y, values=c["values"], nodes=64, **k),
    {"field": other(Y=-2), "origin": other(Y=1, moves="Y"), "spacing": number(Y=1), "mass": number(), "sum": other(Y=-2), "bands": other(Y=-2)},
    read=lambda found, c: {
        **{name: getattr(found, name) for name in ("field", "origin", "spacing", "mass")},
        "sum": np.asarray(found.mean) * np.asarray(found.field),  # the mean is a quotient, without digits where the field has none
        "bands": [band["level"] for band in found.bands],
    },
    free="Y* Y+",
    units=within(1e-4, "nodes of the grid are float32 less an origin: a step of the map's width over a bandwidth"),
    scale=within(1e-12, "exponentials below the least float are 0"),
    order=within(1e-6, SUMS),
)
entry(
    "hulls",
    "V labels",
    lambda c, **k: dunlin.hulls(c.V, c.labels, cells=12, **k),
    {"vertices": rowset(V=1, moves="V"), "inside": other()},
    scale=within(1e-6, "a vertex lies in its cell by float32"),
    read=lambda found, c: {"vertices": found.vertices, "inside": sorted(hull["inside"] for hull in found.hulls)},
    free="V* V+",
    order=within(1e-5, SUMS, only=("inside",)),
    units=within(1e-4, ROUNDED, only=("inside",)),
)
entry(
    "surface",
    "cube",
    lambda c, **k: dunlin.surface(c.cube, 0.5, **k),
    {"vertices": other(), "faces": other(), "normals": other()},
)
def apart(places, c):
    """The least distance of two discs over the sum of their radii, at most 1."""
    places, radii = np.array(places, float) - np.array(places, float).mean(0), np.array(c.radii, float)
    i, j = np.triu_indices(len(places), 1)
    return min(1, (np.hypot(*(places[i] - places[j]).T) / (radii[i] + radii[j])).min(initial=1))


entry(
    "remove_overlaps",
    "pos radii",
    lambda c, **k: dunlin.remove_overlaps(c.pos, c.radii, **k),
    {"moved": rows("pos", moves="pos"), "apart": number(1)},
    read=lambda found, c: {"moved": found, "apart": apart(found, c)},
    free="pos+",
    units=within(1e-3, "discs part in many ways, and touch to within the tolerance of the sweep", only=("apart",)),
    order=broken("discs are moved apart in the order of their numbers"),
)

# Drawings of graphs
FEW = {
    "multilevel": {}, "eades": {"iterations": 30}, "fruchterman-reingold": {"iterations": 30}, "forceatlas2": {"iterations": 30},
    "annealing": {"iterations": 3}, "stress": {},
}
for method, options in FEW.items():
    entry(
        f"layout {method}",
        "G",
        lambda c, method=method, options=options, **k: dunlin.layout(c.G, method=method, **options, **k),
        {"pos": rows("G")},
        least=2,
        order=broken(DRAWN.replace("rows", "vertices")),
    )
    entry(
        f"layout {method} pos",
        "G pos",
        lambda c, method=method, options=options, **k: dunlin.layout(c.G, pos=c.pos, fixed=[0], method=method, **options, **k),
        {"pos": rows("G", pos=1, moves="pos")},
        least=2,
        disguise=ANSWERS,
        order=broken("a start gets a jitter by the numbers of vertices"),
    )
GRAPH_SCORES = ("scaled_stress", "neighborhood_preservation", "edge_length_cv", "crossings", "min_angle")
for means in ("strength", "length"):
    entry(
        f"score graph {means}",
        "pos G",
        lambda c, means=means, **k: dunlin.score(c.pos, graph=c.G, weight_means=means, **k),
        dict.fromkeys(GRAPH_SCORES, number()),
        read=all_scores,
        free="pos* pos+ pos@",
        order=within(1e-6, SUMS),
        units=within(1e-6, ROUNDED),
    )
for name, call in {
    "spring_layout": lambda G, **k: dunlin.networkx.spring_layout(G, seed=1, iterations=20),
    "kamada_kawai_layout": lambda G, **k: dunlin.networkx.kamada_kawai_layout(G),
    "forceatlas2_layout": lambda G, **k: dunlin.networkx.forceatlas2_layout(G, seed=1, max_iter=20),
}.items():
    entry(
        f"networkx {name}",
        "G",
        lambda c, call=call, **k: call(as_networkx(c.G)),
        {"pos": rows("G")},
        read=lambda found, c: {"pos": np.array([found[node] for node in range(c.G[0])])},
        order=broken(DRAWN.replace("rows", "nodes")),
    )
for source in ("kmedoids", "mds"):
    entry(
        f"{source} graph",
        "G",
        lambda c, source=source, **k: getattr(dunlin, source)(
            graph=c.G, **({"n_clusters": 2, "init": "build"} if source == "kmedoids" else {"method": "classical"}), **k
        ),
        {"labels": rows("G"), "inertia": number()} if source == "kmedoids" else {"embedding": rows("G")},
        order=broken(TIES),
    )

for name in ("leiden", "louvain"):
    entry(
        name,
        "G",
        lambda c, name=name, **k: getattr(dunlin, name)(c.G, **k),
        {"labels": rows("G"), "modularity": number(), "quality": number()},
        order=broken("vertices move in classes by a hash of their numbers"),
    )


def as_networkx(G):
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(range(G[0]))
    graph.add_weighted_edges_from((int(a), int(b), float(w)) for (a, b), w in zip(G[1], G[2]))
    return graph


# Waves
for model, laplacian in (("diffusion", "combinatorial"), ("diffusion", "random-walk"), ("fitzhugh-nagumo", "combinatorial"), ("nagumo", "combinatorial"), ("gray-scott", "combinatorial")):
    entry(
        f"waves graph {model} {laplacian}",
        "G v",
        lambda c, model=model, laplacian=laplacian, **k: dunlin.waves(
            c.G, model=model, laplacian=laplacian, start_v=c.v, until=1.0, **k
        ),
        {"v": rows("G")},
        order=within(1e-12, SUMS),
    )
for scheme in ("auto", "euler", "heun", "rkc", "adi"):
    entry(
        f"waves grid {scheme}",
        "field",
        lambda c, scheme=scheme, **k: dunlin.waves((8, 7), start_v=c.field, scheme=scheme, until=2.0, **k),
        {"v": other(), "w": other()},
    )
for solver in ("thomas", "cyclic-reduction", "partition"):
    entry(
        f"waves line {solver}",
        "field",
        lambda c, solver=solver, **k: dunlin.waves(
            56, start_v=c.field.ravel(), scheme="crank-nicolson", solver=solver, until=2.0, **k
        ),
        {"v": other(), "w": other()},
    )
for scheme in ("auto", "crank-nicolson", "adaptive"):
    entry(
        f"waves line {scheme}",
        "field",
        lambda c, scheme=scheme, **k: dunlin.waves(56, start_v=c.field.ravel(), scheme=scheme, until=2.0, **k),
        {"v": other(), "w": other()},
    )
