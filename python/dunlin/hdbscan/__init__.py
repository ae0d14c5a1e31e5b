# SPDX-License-Identifier: Apache-2.0
"""hdbscan's class and functions, by the library.

``from dunlin.hdbscan import HDBSCAN, approximate_predict`` in place of ``from hdbscan import ...``. As there, min_samples does
not count the point itself. Pairs at equal distances join at once, so that clusters do not depend on the order of rows; clusters
are numbered by the first of their points. With hdbscan installed the class is a subclass of its HDBSCAN, and the trees have its
plots.
"""

from ._model import HDBSCAN, hdbscan
from ._prediction import (
    all_points_membership_vectors,
    approximate_predict,
    approximate_predict_scores,
    membership_vector,
)

__all__ = [
    "HDBSCAN",
    "all_points_membership_vectors",
    "approximate_predict",
    "approximate_predict_scores",
    "hdbscan",
    "membership_vector",
]
