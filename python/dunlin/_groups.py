# SPDX-License-Identifier: Apache-2.0
"""The lists of options with the names that Python uses."""

from ._options import Group
from ._run import CHECKPOINT, RUN


TSNE = Group(
    "tsne",
    {
        "dim": "n_components",
        "k": "n_neighbors",
        "pca": "n_pcs",
        "start": "init",
        "iterations": "max_iter",
        "exaggerated_iterations": "early_exaggeration_iter",
        "exaggeration": "early_exaggeration",
        "least_learning_rate": "min_learning_rate",
        "first_momentum": "initial_momentum",
        "least_gain": "min_gain",
        "longest_step": "max_step_norm",
        "tolerance": "tol",
        "patience": "n_iter_without_progress",
        "repulsion": "method",
        "theta": "angle",
        "spacing": "grid_spacing",
    },
    without=("perplexity", "perplexities", "affinities"),
)
UMAP = Group(
    "umap",
    {
        "dim": "n_components",
        "k": "n_neighbors",
        "mix": "set_op_mix_ratio",
        "negatives": "negative_sample_rate",
        "pca": "n_pcs",
        "start": "init",
        "iterations": "n_epochs",
        "least_gain": "min_gain",
        "longest_step": "max_step_norm",
        "repulsion": "method",
        "theta": "angle",
        "spacing": "grid_spacing",
    },
)
PLACE = Group(
    "place",
    {
        "method": "map_method",
        "k": "n_neighbors",
        "pca": "n_pcs",
        "mix": "set_op_mix_ratio",
        "negatives": "negative_sample_rate",
        "starts": "n_starts",
        "steps": "max_iter",
        "tolerance": "tol",
        "repulsion": "method",
        "spacing": "grid_spacing",
    },
)
INVERSE = Group("inverse", {"k": "n_neighbors", "nearest": "n_nearest", "steps": "max_iter"})
PACMAP = Group(
    "pacmap",
    {
        "dim": "n_components",
        "k": "n_neighbors",
        "pca": "n_pcs",
        "start": "init",
        "iterations": "num_iters",
        "repulsion": "method",
        "theta": "angle",
        "spacing": "grid_spacing",
    },
)
PARAMETRIC = Group(
    "parametric",
    {
        "dim": "n_components",
        "layers": "hidden_layer_sizes",
        "batch": "batch_size",
        "epochs": "max_iter",
        "rate": "learning_rate",
    },
)
NEIGHBORS = Group("neighbors", {"k": "n_neighbors"})
KMEANS = Group(
    "kmeans",
    {
        "clusters": "n_clusters",
        "start": "init",
        "restarts": "n_init",
        "iterations": "max_iter",
        "tolerance": "tol",
        "method": "algorithm",
    },
)
KMEDOIDS = Group(
    "kmedoids", {"clusters": "n_clusters", "start": "init", "restarts": "n_init", "iterations": "max_iter"}
)
COMMUNITIES = Group("communities", {"iterations": "n_iterations"}, without=("method",))
CLUSTERS = Group(
    "clusters",
    {
        "min_size": "min_cluster_size",
        "max_size": "max_cluster_size",
        "select": "cluster_selection_method",
        "epsilon": "cluster_selection_epsilon",
        "single": "allow_single_cluster",
    },
)
SEPARATION = Group("separation")
NAMING = Group("naming", without=("order",))
SEQUENCES = Group("sequences")
# The metric of points and that of sequences are one parameter of mds() and kmedoids()
SEQUENCES_BESIDE_POINTS = Group("sequences", without=("metric",))
MIXTURE = Group(
    "mixture",
    {
        "components": "n_components",
        "covariance": "covariance_type",
        "restarts": "n_init",
        "iterations": "max_iter",
        "tolerance": "tol",
        "floor": "reg_covar",
        "floor_unit": "reg_covar_unit",
    },
)
LAYOUT = Group(
    "layout", {"weights": "weight_means", "length": "k", "tolerance": "threshold", "scaling": "scaling_ratio"}
)
MDS = Group(
    "mds",
    {
        "dim": "n_components",
        "start": "init",
        "starts": "n_init",
        "iterations": "max_iter",
        "tolerance": "tol",
        "landmarks": "n_landmarks",
    },
)
MDS_POINTS = Group("mds_points")
NORMALIZE = Group("normalize")
RELIABILITY = Group("reliability", {"k": "n_neighbors", "iterations": "max_iter"})
SCORES = Group("scores", {"scores": "extent"})
LAYOUT_SCORES = Group("layout_scores", {"scores": "extent"}, without=("lengths",))
STRESS = Group("stress", {"scores": "extent"})
DENSITY = Group("density")
SURFACE = Group("surface")
HULLS = Group("hulls")
WAVES = Group("waves")
_PICTURE = {"names": "str, int or sequence of str", "palette": "list of colors or dict of them by label"}
DRAW = Group("draw", types=_PICTURE | {"color": "str, or list, dict or table of colorings"})
LANDSCAPE = Group("landscape")
# Of the page in a notebook, whose size is the cell's
PAGE = Group("draw", without=("width", "height", "color", "leaders", "vertex_names", "panels_per_row"), types=_PICTURE)
READ = Group("read", types={"columns": "str or list of str and int", "fill": "str or float"})
READ_GRAPH = Group("read_graph", without=("labels", "decimal"))


def known_names(*groups, own):
    names = set(own) | {"n_jobs", "verbose", "callbacks"}
    for group in (*groups, RUN):
        names |= set(group.names())
    return names


GROUPS = {
    "tsne": (TSNE, CHECKPOINT),
    "umap": (UMAP, CHECKPOINT),
    "transform": (PLACE,),
    "inverse": (INVERSE,),
    "pacmap": (PACMAP, CHECKPOINT),
    "neighbors": (NEIGHBORS, CHECKPOINT),
    "kmeans": (KMEANS, CHECKPOINT),
    "kmedoids": (MDS_POINTS, SEQUENCES_BESIDE_POINTS, KMEDOIDS),
    "leiden": (COMMUNITIES,),
    "louvain": (COMMUNITIES,),
    "clusters": (CLUSTERS, SEPARATION),
    "group_names": (NAMING,),
    "sequence_distances": (SEQUENCES,),
    "mixture": (MIXTURE,),
    "choose_mixture": (MIXTURE,),
    "layout": (LAYOUT, CHECKPOINT),
    "mds": (MDS_POINTS, SEQUENCES_BESIDE_POINTS, MDS, CHECKPOINT),
    "reliability": (RELIABILITY,),
    "score": (SCORES, LAYOUT_SCORES),
    "density": (DENSITY,),
    "surface": (SURFACE,),
    "hulls": (HULLS,),
    "waves": (WAVES, CHECKPOINT),
    "draw": (DRAW, LANDSCAPE),
    "view": (PAGE, LANDSCAPE),
    "watch": (PAGE,),
    "read": (READ, READ_GRAPH),
    "run": (RUN,),
    "checkpoint": (CHECKPOINT,),
}
POINTS_OWN = """
X : array of shape (n, d)
    Points, as for tsne().
"""
