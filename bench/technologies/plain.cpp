// SPDX-License-Identifier: Apache-2.0
// Plain loops on one thread. run.py compiles them for scalar code (-O2), with automatic vectors (-O3) and, with -D
// CLONES, for several processors at once (target_clones): what the compiler leaves to do.
#include <algorithm>

#include "workloads.hpp"

#ifdef CLONES
#define BY_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define BY_PROCESSOR
#endif

// begin kmeans
constexpr std::size_t tile = 256;

/// Rows of a tile are compared with one centroid after another, which is a loop that a compiler can vectorize
BY_PROCESSOR void assign(const float* points, std::size_t rows, const float* centroids, std::size_t clusters,
                         std::int32_t* labels) {
    float best[tile];
    for (std::size_t i = 0; i < rows; ++i) best[i] = 3e38F;
    for (std::size_t c = 0; c < clusters; ++c) {
        const float x = centroids[2 * c], y = centroids[2 * c + 1];
        for (std::size_t i = 0; i < rows; ++i) {
            const float dx = points[2 * i] - x, dy = points[2 * i + 1] - y, squared = dx * dx + dy * dy;
            labels[i] = squared < best[i] ? static_cast<std::int32_t>(c) : labels[i];
            best[i] = squared < best[i] ? squared : best[i];
        }
    }
}

void run(Means& m) {
    for (std::size_t iteration = 0; iteration < m.iterations; ++iteration) {
        std::vector<double> sums(3 * m.clusters);
        for (std::size_t begin = 0; begin < m.n; begin += tile) {
            const std::size_t rows = std::min(tile, m.n - begin);
            assign(&m.points[2 * begin], rows, m.centroids.data(), m.clusters, &m.labels[begin]);
            for (std::size_t i = begin; i < begin + rows; ++i) {
                double* sum = &sums[3 * static_cast<std::size_t>(m.labels[i])];
                sum[0] += static_cast<double>(m.points[2 * i]);
                sum[1] += static_cast<double>(m.points[2 * i + 1]);
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

// begin waves
inline void move(double left, double v, double right, double w, double* next_v, double* next_w) {
    *next_v = v + (Wave::r * ((left - 2 * v) + right) + Wave::dt * (v * (1 - v) * (v - Wave::a) - w));
    *next_w = w + Wave::k * (v - Wave::gamma * w);
}

BY_PROCESSOR void step(const double* v, const double* w, double* next_v, double* next_w, std::size_t last) {
    move(v[1], v[0], v[1], w[0], next_v, next_w);
    for (std::size_t i = 1; i < last; ++i) move(v[i - 1], v[i], v[i + 1], w[i], next_v + i, next_w + i);
    move(v[last - 1], v[last], v[last - 1], w[last], next_v + last, next_w + last);
}

void run(Wave& u) {
    for (std::size_t s = 0; s < u.steps; ++s) {
        step(u.v.data(), u.w.data(), u.next_v.data(), u.next_w.data(), u.n - 1);
        u.v.swap(u.next_v);
        u.w.swap(u.next_w);
    }
}
// end waves

// begin solve
/// Thomas' algorithm: each row needs the one before, so no compiler vectorizes it
BY_PROCESSOR void thomas(std::size_t n, const double* lower, const double* diagonal, const double* upper,
                         const double* right, double* x, double* ratio) {
    ratio[0] = upper[0] / diagonal[0];
    x[0] = right[0] / diagonal[0];
    for (std::size_t i = 1; i < n; ++i) {
        const double pivot = 1 / (diagonal[i] - lower[i] * ratio[i - 1]);
        ratio[i] = upper[i] * pivot;
        x[i] = (right[i] - lower[i] * x[i - 1]) * pivot;
    }
    for (std::size_t i = n - 1; i-- > 0;) x[i] -= ratio[i] * x[i + 1];
}

void run(System& s) {
    thomas(s.n, s.lower.data(), s.diagonal.data(), s.upper.data(), s.right.data(), s.x.data(), s.scratch.data());
}
// end solve
