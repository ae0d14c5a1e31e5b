# SPDX-License-Identifier: Apache-2.0
"""NumPy: whole arrays, in pieces that fit the cache. The tridiagonal system goes to SciPy's solve_banded (LAPACK)."""

import numpy as np
from workloads import A, DT, GAMMA, K, R, main


# begin kmeans
def kmeans(points, centroids, iterations):
    labels, piece = np.empty(len(points), np.int64), 8192
    for _ in range(iterations):
        squares = (centroids**2).sum(1)
        sums = np.zeros((3, len(centroids)))
        for begin in range(0, len(points), piece):
            part = points[begin : begin + piece]
            label = (squares - 2 * part @ centroids.T).argmin(1)
            labels[begin : begin + piece] = label
            for row, weights in zip(sums, (part[:, 0], part[:, 1], None)):
                row += np.bincount(label, weights, len(centroids))
        centroids = (sums[:2] / sums[2]).T.astype(np.float32)
    return labels, centroids
# end kmeans


# begin waves
def waves(v, w, steps):
    change, product = np.empty_like(v), np.empty_like(v)
    for _ in range(steps):
        np.multiply(v, -2, out=change)
        change[1:] += v[:-1]
        change[0] += v[1]
        change[:-1] += v[1:]
        change[-1] += v[-2]
        change *= R
        np.subtract(1, v, out=product)
        product *= v
        product *= v - A
        product -= w
        product *= DT
        change += product
        np.multiply(w, -GAMMA, out=product)
        product += v
        product *= K
        v += change
        w += product
    return v, w
# end waves


# begin solve
def solve(lower, diagonal, upper, right):
    from scipy.linalg import solve_banded

    bands = np.stack((np.roll(upper, 1), diagonal, np.roll(lower, -1)))
    return solve_banded((1, 1), bands, right, overwrite_ab=True, overwrite_b=True, check_finite=False)
# end solve


main(kmeans, waves, solve)
