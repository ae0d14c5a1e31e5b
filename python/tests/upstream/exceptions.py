# SPDX-License-Identifier: Apache-2.0
"""What is swapped for each suite of tests, and the tests that do not pass, with reasons."""

SWAPS = {
    "t_sne": [("sklearn.manifold", "TSNE", "dunlin.TSNE"), ("sklearn.manifold._t_sne", "TSNE", "dunlin.TSNE")],
    "mds": [("sklearn.manifold._mds", "MDS", "dunlin.MDS"), ("sklearn.manifold", "MDS", "dunlin.MDS"),
            ("sklearn.manifold", "ClassicalMDS", "dunlin.ClassicalMDS"),
            ("sklearn.manifold._classical_mds", "ClassicalMDS", "dunlin.ClassicalMDS")],
    "k_means": [("sklearn.cluster", "KMeans", "dunlin.KMeans")],
    "neighbors": [("sklearn.neighbors", "KNeighborsTransformer", "dunlin.KNeighborsTransformer"),
                  ("sklearn.manifold", "TSNE", "dunlin.TSNE")],
    "layout": [(place, name, f"dunlin.networkx.{name}")
               for place in ("networkx", "networkx.drawing.layout", "networkx.drawing")
               for name in ("spring_layout", "kamada_kawai_layout", "forceatlas2_layout")],
}

FILES = {
    "t_sne": ["sklearn.manifold.tests.test_t_sne"],
    "mds": ["sklearn.manifold.tests.test_mds"],
    "k_means": ["sklearn.cluster.tests.test_k_means"],
    "neighbors": ["sklearn.neighbors.tests.test_neighbors_pipeline", "sklearn.neighbors.tests.test_graph"],
    "layout": ["networkx.drawing.tests.test_layout"],
}

EXCEPTIONS = {
    "t_sne": {},
    "mds": {},
    "k_means": {},
    "neighbors": {},
    "layout": {},
}
