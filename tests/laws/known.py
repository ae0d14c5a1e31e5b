# SPDX-License-Identifier: Apache-2.0
"""Breaches that are known and not mended: (test, cases, reason). Each case must fail, so that a mended one has to leave."""

_METRICS = ("euclidean", "cosine", "manhattan", "correlation")
_MIXTURES = tuple(f"mixture {kind}" for kind in ("diagonal", "full", "spherical", "tied"))
_MEANS = ("strength", "length")


def _doors(*names):
    return names + tuple("dunlin " + name for name in names)


KNOWN = [
    # Offsets
    ("test_batch", (*_doors("assign"), "KMeans"), "a row alone at 1e9 is narrowed without an offset"),
    ("test_batch", ("GaussianMixture",), "scikit-learn's products far from zero, whose digits depend on the number of rows"),
    ("test_origin", ("TSNE", "UMAP", "PaCMAP"), "rows that are all equal have no offset"),
    ("test_origin", _doors(*(f"score {metric}" for metric in _METRICS)), "a map is float32 without an offset"),
    ("test_origin", _doors(*(f"score graph {means}" for means in _MEANS)), "a map is float32 without an offset"),
    ("test_origin", ("hulls", "remove_overlaps"), "a map is float32 without an offset"),
    ("test_origin", ("KMeans", "GaussianMixture", "MDS", "ClassicalMDS"), "transform, predict_proba and dissimilarity_matrix_ are scikit-learn's, by products that cancel far from zero"),
    ("test_fixed_vertices_stay", ("multilevel", "eades", "fruchterman-reingold", "forceatlas2", "annealing", "stress"), "pins are float32"),
    ("test_constant_of_a_row", ("neighbors correlation",), "constant rows are none after an offset of each column"),
    # Scales
    (
        "test_unit",
        (*_doors("tsne pca", "transform tsne"), "tsne", "umap", "umap pca", "tsne pca correlation", "TSNE", "UMAP", "ParametricTSNE"),
        "PCA and squared distances overflow float32 above 2^61 and vanish below 2^-64",
    ),
    ("test_unit", ("pacmap", "pacmap pca", "pacmap start", "pacmap fixed", "PaCMAP", "tsne fixed"), "squared distances vanish in float32 below 2^-64"),
    ("test_unit", ("reliability",), "perturbation is along principal axes of float32"),
    ("test_unit", (*_doors("kmeans plusplus"), *_MIXTURES), "k-means++ draws by squared distances, which vanish in float32 below 2^-75"),
    ("test_unit", ("ParametricTSNE rbm",), "whole numbers are divided by 255, others by nothing"),
    ("test_unit_of_a_start", ("tsne", "umap", "pacmap"), "a start is used as it is"),
    ("test_columns", ("tsne pca correlation",), "correlation after PCA depends on the signs of axes"),
    # Shapes, NaN and the far away
    ("test_shape", ("tsne fixed", "umap fixed", "pacmap fixed"), "a plane and a space are exchanged; 1e38 is taken"),
    ("test_shape", ("tsne anchor",), "anchors of another number of axes, NaN, infinity and 1e38 are taken"),
    ("test_shape", ("umap start", "mds init", "mds fixed"), "1e38 is taken"),
    # Steps
    ("test_anchors_hold_the_mean_and_bound_the_distance", ("",), "springs above a strength of 12 oscillate, far anchors are not reached"),
    ("test_diffusion_has_a_maximum_principle_and_a_mass", ("graph-1.0", "graph-10.0"), "the default step of graphs is stable, not accurate"),
    ("test_second", ("waves combinatorial", "waves random-walk"), "the default step of graphs is stable, not accurate"),
    ("test_diffusion_ends_at_the_mean", ("",), "--rest has no unit of time and value"),
    # Statistics
    ("test_unit_of_a_column", ("mixture diagonal", "mixture full", "mixture tied"), "the floor of variances is that of all columns"),
    ("test_groups_without_a_known_pair_are_said", ("",), "mds does not say that items fall into groups"),
    ("test_distances_of_the_plane_are_mapped_exactly", ("interval", "interval with less"), "the intercept of interval is not below 0"),
    ("test_second", ("score cosine", "score correlation"), "radii of density_correlation are not those of the page"),
    ("test_strengths_have_an_effect", ("stress",), "strengths are not read"),
    ("test_order", _doors(*(f"score graph {means}" for means in _MEANS)), "ties of coincident points go to the smaller number"),
    ("test_fewer_distinct_rows_than_clusters_are_said", ("kmeans", "mixture", "kmedoids"), "nothing is said"),
    # Copies
    ("test_copies", ("transform umap", "transform pacmap", "TSNE", "UMAP", "PaCMAP"), "scales of rows that have copies are 0"),
    # Others
    ("test_order", ("transform pacmap",), "a place depends on the order of the map's rows, rarely"),
    ("test_unlabelled_rows_change_no_score", ("",), "votes are of the 10 nearest rows, also of those without a label"),
]
