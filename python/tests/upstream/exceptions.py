# SPDX-License-Identifier: Apache-2.0
"""What is swapped for each suite of tests, and the tests that do not pass, with reasons."""

_CLASSES = ("TSNE", "TSNEEmbedding")
_AFFINITIES = (
    "Affinities",
    "PerplexityBasedNN",
    "Multiscale",
    "MultiscaleMixture",
    "Uniform",
    "FixedSigmaNN",
    "PrecomputedAffinities",
)
_STARTS = ("pca", "random", "spectral")

SWAPS = {
    "t_sne": [("sklearn.manifold", "TSNE", "dunlin.TSNE"), ("sklearn.manifold._t_sne", "TSNE", "dunlin.TSNE")],
    "mds": [
        ("sklearn.manifold._mds", "MDS", "dunlin.MDS"),
        ("sklearn.manifold", "MDS", "dunlin.MDS"),
        ("sklearn.manifold", "ClassicalMDS", "dunlin.ClassicalMDS"),
        ("sklearn.manifold._classical_mds", "ClassicalMDS", "dunlin.ClassicalMDS"),
    ],
    "k_means": [("sklearn.cluster", "KMeans", "dunlin.KMeans")],
    "neighbors": [
        ("sklearn.neighbors", "KNeighborsTransformer", "dunlin.KNeighborsTransformer"),
        ("sklearn.manifold", "TSNE", "dunlin.TSNE"),
    ],
    "layout": [
        (place, name, f"dunlin.networkx.{name}")
        for place in ("networkx", "networkx.drawing.layout", "networkx.drawing")
        for name in ("spring_layout", "fruchterman_reingold_layout", "kamada_kawai_layout", "forceatlas2_layout")
    ],
    "opentsne": [
        *((place, name, f"dunlin.opentsne.{name}") for place in ("openTSNE", "openTSNE.tsne") for name in _CLASSES),
        *(("openTSNE.affinity", name, f"dunlin.opentsne.affinity.{name}") for name in _AFFINITIES),
        *(("openTSNE.initialization", name, f"dunlin.opentsne.initialization.{name}") for name in _STARTS),
    ],
}

SWAPS["hdbscan"] = [
    *((place, "HDBSCAN", "dunlin.hdbscan.HDBSCAN") for place in ("hdbscan", "hdbscan.hdbscan_", "hdbscan.flat")),
    ("hdbscan", "hdbscan", "dunlin.hdbscan.hdbscan"),
    *(
        (place, name, f"dunlin.hdbscan.{name}")
        for place in ("hdbscan", "hdbscan.prediction")
        for name in ("approximate_predict", "approximate_predict_scores", "membership_vector", "all_points_membership_vectors")
    ),
]

# Suites of which dunlin.patch() replaces the names, with the original where the library lacks something
PATCHED = ("umap", "scanpy", "pacmap", "atlas")
# What is patched for a suite of another name
PATCHES = {"atlas": ("umap",)}

# opentsne: those of its source distribution that use what is swapped (run.py fetches it)
FILES = {
    "t_sne": ["sklearn.manifold.tests.test_t_sne"],
    "mds": ["sklearn.manifold.tests.test_mds"],
    "k_means": ["sklearn.cluster.tests.test_k_means"],
    "neighbors": ["sklearn.neighbors.tests.test_neighbors_pipeline", "sklearn.neighbors.tests.test_graph"],
    "layout": ["networkx.drawing.tests.test_layout"],
    "opentsne": [
        f"tests.{name}"
        for name in ("test_tsne", "test_correctness", "test_affinities", "test_different_usages", "test_sklearn_wrapper")
    ],
    "scanpy": [
        f"tests/test_{name}.py" for name in ("embedding", "neighbors", "neighbors_common", "neighbors_key_added", "ingest")
    ],
    "pacmap": [
        f"test/test_{name}.py"
        for name in ("general", "metric", "randomness", "transform", "transform_iris", "transform_tree", "localmap")
    ],
    "atlas": ["tests/test_projection.py"],
    "hdbscan": [f"hdbscan.tests.test_{name}" for name in ("hdbscan", "flat", "branches", "prediction_utils")],
    # Those of its sources that use the class or functions that are replaced
    "umap": [
        f"umap.tests.test_{name}"
        for name in (
            "aligned_umap",
            "composite_models",
            "data_input",
            "densmap",
            "umap_get_feature_names_out",
            "umap_nn",
            "umap_on_iris",
            "umap_ops",
            "umap_repeated_data",
            "umap_trustworthiness",
            "umap_validation_params",
        )
    ],
}

QUERY = "asks an index of openTSNE for the neighbors of new points; the library searches the points"
MOCK = "replaces an inner function of openTSNE and looks how it was called"
GAINS = "gains start anew in each optimize(); there is no optimizer object"
FLOAT = "wants all digits of float64; maps and searches are float32"
ROUNDING = "wants the differences of P and its transpose, unsymmetrized, to sum to less than 1e-16; it is one rounding, 1.1e-16"
DIMENSIONS = "wants 3 and 4 dimensions refused or warned of; the library refuses 4 and has 3"
COSINE = "wants the same bytes from two ways to compute cosine distances"

EXCEPTIONS = {
    "t_sne": {
        "test_verbose": "wants printed lines of scikit-learn's own stages, with the mean sigma",
        "test_n_iter_without_progress": "wants the message that scikit-learn prints by this rule",
        "test_tsne_with_different_distance_metrics[barnes_hut-cosine-cosine_distances]": COSINE,
        "test_tsne_with_different_distance_metrics[exact-cosine-cosine_distances]": COSINE,
    },
    "mds": {
        "test_normalized_stress_auto": "replaces a private function of scikit-learn's MDS and looks how it was called",
    },
    "k_means": {
        "test_kmeans_verbose": "wants lines of scikit-learn's own iterations on standard output",
    },
    "neighbors": {},
    "layout": {},
    "opentsne": {
        "test_inplace_partial_embedding_optimization_doesnt_change_init": MOCK,
        "test_optimizer_being_passed_to_partial_embeddings": GAINS,
        "test_partial_embedding_optimizer_inplace": GAINS,
        "test_transform_with_nonstandard_affinity": "wants a TypeError; the library places by these affinities",
        "test_interpolation_grid_not_called_using_bh": MOCK,
        "test_to_new": QUERY,
        "test_affinity_with_queryable_knn_index": QUERY,
        "test_constructor": MOCK,
        "test_embedding_optimize": MOCK,
        "test_embedding_transform": MOCK,
        "test_partial_embedding_optimize": MOCK,
        "test_nndescent_distances": MOCK,
        "test_nndescent_mahalanobis_distance": MOCK,
        "test_knn_kwargs": MOCK,
        "test_random_state_parameter_is_propagated_random_init_exact": MOCK,
        "test_random_state_parameter_is_propagated_pca_init_approx": MOCK,
        "test_error_exaggeration_correction": "calls openTSNE's own gradients on the map",
        "test_optimizer_being_passed_to_subsequent_embeddings": GAINS,
        "test_embedding_optimizer_inplace": GAINS,
        "test_gains_is_always_numpy_array": GAINS,
        "test_pickling_via_embedding": GAINS,
        "test_explicit_optimize_calls": GAINS,
        "test_multiple_optimize_calls": GAINS,
        "test_precomputed_initialization_is_passed_to_embedding_object": FLOAT,
        "test_parameter_init_takes_precendence_over_constructor_init": FLOAT,
        "test_pca_init_with_only_affinities_passed": FLOAT,
        "test_precomputed_dist_matrix_via_affinities_uses_spectral_init": FLOAT,
        "test_precomputed_dist_matrix_via_tsne_interface_uses_spectral_init": FLOAT,
        "TestTSNECorrectnessUsingPrecomputedDistanceMatrix::test_iris": FLOAT,
        "TestPerplexityBased::test_set_perplexity_respects_symmetrization": ROUNDING,
        "TestMultiscale::test_set_perplexities_respects_symmetrization": ROUNDING,
        "test_bh_with_n_components_gt_3": DIMENSIONS,
        "test_fft_with_n_components_gt_2": DIMENSIONS,
        "test_handles_reducing_perplexity_value": "wants a line in openTSNE's own log",
        "test_handles_precomputed_distance_matrices": "wants openTSNE's class of an index",
    },
    "hdbscan": {
        **dict.fromkeys(
            (
                "test_hdbscan_approximate_predict",
                "test_flat_base_default",
                "test_flat_base_epsilon",
                "test_switch_to_leaf",
                "test_exemplars",
            ),
            "wants clusters numbered as hdbscan's traversal meets them; here by their first points",
        ),
        "test_approx_predict_default": "compares with hdbscan's other function, whose core distances count a fitted row for itself",
    },
    "scanpy": {
        **dict.fromkeys(
            (
                "test_representation",
                "test_neighbors",
                "test_neighbors_defaults",
                "test_ingest_function",
                "test_ingest_map_embedding_umap",
                "test_ingest_backed",
            ),
            "fails without the patch, too: scanpy 1.11's Ingest sets up an index of pynndescent as before 0.7",
        ),
        "test_gauss_noknn_connectivities_euclidean": "wants 7 digits of squared distances that the library has in float32",
    },
    "pacmap": {},
    "atlas": {},
    "umap": {},
}
