# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's KMeans. It has no waves and no linear systems."""

import os

from workloads import main

print("threads", os.cpu_count())


# begin kmeans
def kmeans(points, centroids, iterations):
    from sklearn.cluster import KMeans

    means = KMeans(len(centroids), init=centroids, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd")
    means.fit(points)
    if means.n_iter_ != iterations:
        raise RuntimeError(f"{means.n_iter_} iterations, not {iterations}")
    return means.labels_, means.cluster_centers_
# end kmeans


main(kmeans)
