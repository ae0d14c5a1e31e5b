// SPDX-License-Identifier: Apache-2.0
// OpenMP's directives: with -fopenmp threads and vectors, with -fopenmp-simd vectors only.
#include <algorithm>

#include "workloads.hpp"

#ifdef _OPENMP
#include <omp.h>
static std::size_t threads() { return static_cast<std::size_t>(omp_get_max_threads()); }
#else
static std::size_t threads() { return 1; }
#endif

// begin kmeans
constexpr std::size_t tile = 256;

void run(Means& m) {
    tell_threads(static_cast<int>(threads()));
    const std::size_t tiles = (m.n + tile - 1) / tile, size = 3 * m.clusters;
    for (std::size_t iteration = 0; iteration < m.iterations; ++iteration) {
        std::vector<double> all(size);
        double* sums = all.data();
        const float *points = m.points.data(), *centroids = m.centroids.data();
        std::int32_t* labels = m.labels.data();
#pragma omp parallel for reduction(+ : sums[ : size])
        for (std::size_t t = 0; t < tiles; ++t) {
            const std::size_t begin = t * tile, end = std::min(m.n, begin + tile);
            float best[tile];
            std::fill(best, best + tile, 3e38F);
            for (std::size_t c = 0; c < m.clusters; ++c) {
                const float x = centroids[2 * c], y = centroids[2 * c + 1];
#pragma omp simd
                for (std::size_t i = begin; i < end; ++i) {
                    const float dx = points[2 * i] - x, dy = points[2 * i + 1] - y, squared = dx * dx + dy * dy;
                    labels[i] = squared < best[i - begin] ? static_cast<std::int32_t>(c) : labels[i];
                    best[i - begin] = squared < best[i - begin] ? squared : best[i - begin];
                }
            }
            for (std::size_t i = begin; i < end; ++i) {
                double* sum = sums + 3 * static_cast<std::size_t>(labels[i]);
                sum[0] += static_cast<double>(points[2 * i]);
                sum[1] += static_cast<double>(points[2 * i + 1]);
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

void run(Wave& u) {
    tell_threads(static_cast<int>(threads()));
    const std::size_t last = u.n - 1;
    for (std::size_t s = 0; s < u.steps; ++s) {
        const double *v = u.v.data(), *w = u.w.data();
        double *next_v = u.next_v.data(), *next_w = u.next_w.data();
#pragma omp parallel for simd
        for (std::size_t i = 1; i < last; ++i) move(v[i - 1], v[i], v[i + 1], w[i], next_v + i, next_w + i);
        move(v[1], v[0], v[1], w[0], next_v, next_w);
        move(v[last - 1], v[last], v[last - 1], w[last], next_v + last, next_w + last);
        u.v.swap(u.next_v);
        u.w.swap(u.next_w);
    }
}
// end waves

// begin solve
/// The partition method with a part of m rows in each lane of a vector
struct Part {
    const double *lower, *diagonal, *upper, *right;
    double *x, *ratios;
    std::size_t m;

    Part(System& s, std::size_t from, std::size_t rows)
        : lower(&s.lower[from]),
          diagonal(&s.diagonal[from]),
          upper(&s.upper[from]),
          right(&s.right[from]),
          x(&s.x[from]),
          ratios(&s.scratch[from]),
          m(rows) {}
};

template <std::size_t lanes>
void eliminate(const Part& s, Interface& z, std::size_t row) {
    const std::size_t m = s.m;
    double outer[lanes], pivot[lanes], known[lanes];
    const auto keep = [&](std::size_t at, const double* below, const double* above) {
        for (std::size_t p = 0; p < lanes; ++p) {
            z.lower[at + 2 * p] = below[p], z.diagonal[at + 2 * p] = pivot[p];
            z.upper[at + 2 * p] = above[p], z.right[at + 2 * p] = known[p];
        }
    };
    double edge[lanes];
    for (std::size_t p = 0; p < lanes; ++p) {
        outer[p] = s.lower[p * m + 1], pivot[p] = s.diagonal[p * m + 1], known[p] = s.right[p * m + 1];
        edge[p] = s.upper[p * m + m - 1];
    }
    for (std::size_t i = 2; i < m; ++i) {
#pragma omp simd
        for (std::size_t p = 0; p < lanes; ++p) {
            const double ratio = s.lower[p * m + i] / pivot[p];
            outer[p] *= -ratio;
            pivot[p] = s.diagonal[p * m + i] - ratio * s.upper[p * m + i - 1];
            known[p] = s.right[p * m + i] - ratio * known[p];
        }
    }
    keep(row + 1, outer, edge);
    for (std::size_t p = 0; p < lanes; ++p) {
        outer[p] = s.upper[p * m + m - 2], pivot[p] = s.diagonal[p * m + m - 2], known[p] = s.right[p * m + m - 2];
        edge[p] = s.lower[p * m];
    }
    for (std::size_t i = m - 2; i-- > 0;) {
#pragma omp simd
        for (std::size_t p = 0; p < lanes; ++p) {
            const double ratio = s.upper[p * m + i] / pivot[p];
            outer[p] *= -ratio;
            pivot[p] = s.diagonal[p * m + i] - ratio * s.lower[p * m + i + 1];
            known[p] = s.right[p * m + i] - ratio * known[p];
        }
    }
    keep(row, edge, outer);
}

template <std::size_t lanes>
void fill(const Part& s, const double* known) {
    const std::size_t m = s.m;
    double ratio[lanes] = {};
    for (std::size_t p = 0; p < lanes; ++p) s.x[p * m] = known[2 * p], s.x[p * m + m - 1] = known[2 * p + 1];
    for (std::size_t i = 1; i < m - 1; ++i) {
#pragma omp simd
        for (std::size_t p = 0; p < lanes; ++p) {
            const double pivot = 1 / (s.diagonal[p * m + i] - s.lower[p * m + i] * ratio[p]);
            s.ratios[p * m + i] = ratio[p] = s.upper[p * m + i] * pivot;
            s.x[p * m + i] = (s.right[p * m + i] - s.lower[p * m + i] * s.x[p * m + i - 1]) * pivot;
        }
    }
    for (std::size_t i = m - 1; i-- > 1;) {
#pragma omp simd
        for (std::size_t p = 0; p < lanes; ++p) s.x[p * m + i] -= s.ratios[p * m + i] * s.x[p * m + i + 1];
    }
}

/// Equal parts of a power of two would lie at the same places of the caches, so they are shorter, and the rest is one
/// more part
void run(System& s) {
    tell_threads(static_cast<int>(threads()));
    constexpr std::size_t lanes = 8;
    const std::size_t parts = lanes * threads();
    if (s.n / parts < 16) missing("too few rows for the threads");
    const std::size_t m = s.n / parts - 9;
    const Part rest(s, parts * m, s.n - parts * m);
    Interface z(parts + 1);
#pragma omp parallel for
    for (std::size_t p = 0; p < parts; p += lanes) eliminate<lanes>(Part(s, p * m, m), z, 2 * p);
    eliminate<1>(rest, z, 2 * parts);
    z.solve();
#pragma omp parallel for
    for (std::size_t p = 0; p < parts; p += lanes) fill<lanes>(Part(s, p * m, m), &z.right[2 * p]);
    fill<1>(rest, &z.right[2 * parts]);
}
// end solve
