// SPDX-License-Identifier: Apache-2.0
// The shape of BLAS and LAPACK: distances by a matrix product, tridiagonal systems by dgtsv.
#include <algorithm>

#include <cblas.h>
#include <lapacke.h>

#include "workloads.hpp"

// begin kmeans
/// The nearest centroid has the least |c|^2 - 2 x.c; products of a tile of points with all centroids are one sgemm
constexpr std::size_t tile = 4096;

void run(Means& m) {
    tell_threads(openblas_get_num_threads());
    const auto k = static_cast<int>(m.clusters);
    std::vector<float> scores(tile * m.clusters), squares(m.clusters);
    for (std::size_t iteration = 0; iteration < m.iterations; ++iteration) {
        for (std::size_t c = 0; c < m.clusters; ++c) {
            squares[c] = m.centroids[2 * c] * m.centroids[2 * c] + m.centroids[2 * c + 1] * m.centroids[2 * c + 1];
        }
        std::vector<double> sums(3 * m.clusters);
        for (std::size_t begin = 0; begin < m.n; begin += tile) {
            const std::size_t rows = std::min(tile, m.n - begin);
            for (std::size_t i = 0; i < rows; ++i) std::copy(squares.begin(), squares.end(), &scores[i * m.clusters]);
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(rows), k, 2, -2, &m.points[2 * begin],
                        2, m.centroids.data(), 2, 1, scores.data(), k);
            for (std::size_t i = 0; i < rows; ++i) {
                const float* score = &scores[i * m.clusters];
                const auto label = std::min_element(score, score + k) - score;
                m.labels[begin + i] = static_cast<std::int32_t>(label);
                double* sum = &sums[3 * static_cast<std::size_t>(label)];
                sum[0] += static_cast<double>(m.points[2 * (begin + i)]);
                sum[1] += static_cast<double>(m.points[2 * (begin + i) + 1]);
                sum[2] += 1;
            }
        }
        for (std::size_t c = 0; c < m.clusters; ++c) {
            m.centroids[2 * c] = static_cast<float>(sums[3 * c] / sums[3 * c + 2]);
            m.centroids[2 * c + 1] = static_cast<float>(sums[3 * c + 1] / sums[3 * c + 2]);
        }
    }
}
// end kmeans

void run(Wave&) { missing("BLAS has no product of values one by one, which the reaction needs"); }

// begin solve
/// dgtsv exchanges rows for the largest pivot, which this system would not need; it has one thread
void run(System& s) {
    std::copy(s.right.begin(), s.right.end(), s.x.begin());
    const auto n = static_cast<lapack_int>(s.n);
    if (LAPACKE_dgtsv(LAPACK_COL_MAJOR, n, 1, &s.lower[1], s.diagonal.data(), s.upper.data(), s.x.data(), n) != 0) {
        throw std::runtime_error("dgtsv failed");
    }
}
// end solve
