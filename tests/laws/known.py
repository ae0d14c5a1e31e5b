# SPDX-License-Identifier: Apache-2.0
"""Breaches that are known and not mended: (test, cases, reason). Each case must fail, so that a mended one has to leave."""

_MIXTURES = tuple(f"mixture {kind}" for kind in ("diagonal", "full", "spherical", "tied"))


def _doors(*names):
    return names + tuple("dunlin " + name for name in names)


KNOWN = [
    # Scales
    (
        "test_unit",
        (*_doors("transform tsne", "kmeans plusplus"), "tsne fixed", "TSNE", "pacmap", "pacmap pca", "pacmap start", "pacmap fixed", "PaCMAP", *_MIXTURES),
        "squared distances of float32 overflow above 2^61 or vanish below 2^-64",
    ),
    ("test_unit", ("reliability",), "perturbation is a step of float32"),
    ("test_unit", ("dunlin density",), "the command reports bands, which this table does not read"),
    ("test_origin", _doors("density"), "nodes of the grid are placed in float32 less an origin"),
    ("test_constant_of_a_row", ("neighbors correlation",), "rows that are not far from zero are rounded with the constant"),
    # Statistics
    ("test_strengths_have_an_effect", ("stress",), "strengths are not read, which a line says"),
    # Copies
    ("test_copies", ("transform pacmap", "TSNE"), "places beside several copies lie among the copies, which are apart"),
    # Shapes and the far away
    ("test_shape", ("tsne fixed", "umap fixed", "pacmap fixed"), "a map of three columns is a map in space, unless the number of axes is given"),
    ("test_shape", ("mds init", "mds fixed"), "1e38 is taken"),
    ("test_command", ("dunlin density",), "the command reports bands, which this table does not read"),
]
