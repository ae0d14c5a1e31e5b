# SPDX-License-Identifier: Apache-2.0
"""What is swapped for each suite of tests, and the tests that do not pass, with reasons."""

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
}

FILES = {
    "t_sne": ["sklearn.manifold.tests.test_t_sne"],
    "mds": ["sklearn.manifold.tests.test_mds"],
    "k_means": ["sklearn.cluster.tests.test_k_means"],
    "neighbors": ["sklearn.neighbors.tests.test_neighbors_pipeline", "sklearn.neighbors.tests.test_graph"],
    "layout": ["networkx.drawing.tests.test_layout"],
}

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
}
