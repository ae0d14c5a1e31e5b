// SPDX-License-Identifier: Apache-2.0
#include "kmeans/products.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kmeans/lanes.hpp"

namespace dunlin::kmeans {

namespace {

/// Scores of four vectors of rows for a centroid; separate members, because g++ would keep an array in memory.
template <class Lanes>
struct Scores {
    Lanes a, b, c, d;

    DUNLIN_INLINE explicit Scores(float start) : a(Lanes{} + start), b(a), c(a), d(a) {}
    DUNLIN_INLINE void add(const Lanes& x0, const Lanes& x1, const Lanes& x2, const Lanes& x3, float y) {
        a += x0 * y;
        b += x1 * y;
        c += x2 * y;
        d += x3 * y;
    }
};

/// The two highest scores of each lane so far, and the label of the highest.
template <class Lanes>
struct HighestTwo {
    Lanes first = Lanes{} - std::numeric_limits<float>::infinity(), second = first;
    IntLanes<Lanes> label{};

    DUNLIN_INLINE void update(const Lanes& score, std::int32_t k) {
        const IntLanes<Lanes> better = score > first;
        const Lanes lesser = better ? first : score;
        second = lesser > second ? lesser : second;
        first = better ? score : first;
        label = better ? IntLanes<Lanes>{} + k : label;
    }
};

template <class Lanes>
DUNLIN_INLINE void update_all(HighestTwo<Lanes>* best, const Scores<Lanes>& scores, std::int32_t k) {
    best[0].update(scores.a, k);
    best[1].update(scores.b, k);
    best[2].update(scores.c, k);
    best[3].update(scores.d, k);
}

/// g++ otherwise loads a vector again for each of its uses, and loads then limit the loop: 15 for 12 multiplications.
/// Processors without AVX-512 have too few registers for it.
template <class Lanes>
DUNLIN_INLINE void keep_in_register([[maybe_unused]] Lanes& x) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    if constexpr (device::lanes_of<Lanes> == 16) asm("" : "+v"(x));
#endif
}

/// Scores four vectors of rows for all centroids, three centroids at a time.
template <class Lanes>
DUNLIN_INLINE void scan(const float* columns, Index cols, const CenteredCentroids& centered, HighestTwo<Lanes>* best) {
    for (Index k = 0; k < centered.padded; k += CenteredCentroids::abreast) {
        const float* y = centered.centroids.data() + Offset{k} * cols;
        Scores<Lanes> s0(-centered.half_squares[static_cast<std::size_t>(k)]);
        Scores<Lanes> s1(-centered.half_squares[static_cast<std::size_t>(k) + 1]);
        Scores<Lanes> s2(-centered.half_squares[static_cast<std::size_t>(k) + 2]);
        const float* at = columns;
        for (Index c = 0; c < cols; ++c, at += tile_rows) {
            const Lanes* x = reinterpret_cast<const Lanes*>(at);
            Lanes x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
            keep_in_register(x0);
            keep_in_register(x1);
            keep_in_register(x2);
            keep_in_register(x3);
            s0.add(x0, x1, x2, x3, y[c]);
            s1.add(x0, x1, x2, x3, y[c + cols]);
            s2.add(x0, x1, x2, x3, y[c + 2 * Offset{cols}]);
        }
        update_all(best, s0, k);
        update_all(best, s1, k + 1);
        update_all(best, s2, k + 2);
    }
}

/// Subtracts the center from the columns; squares[r] = |x'|^2 of row r.
DUNLIN_INLINE void center(float* columns, Index cols, const float* center, float* squares) {
    for (Index r = 0; r < tile_rows; ++r) squares[r] = 0;
    for (Index c = 0; c < cols; ++c, columns += tile_rows) {
        for (Index r = 0; r < tile_rows; ++r) {
            columns[r] -= center[c];
            squares[r] += columns[r] * columns[r];
        }
    }
}

/// Nearest centroid of one row in double, among centroids whose scores are within reach of the best.
DUNLIN_INLINE Index nearest_in_reach(const float* point, Index cols, const CenteredCentroids& centered,
                                     const float* centroids, Index k, float reach) {
    std::vector<float> x(centered.center.size()), scores(static_cast<std::size_t>(k));
    for (std::size_t c = 0; c < x.size(); ++c) x[c] = point[c] - centered.center[c];
    float most = -std::numeric_limits<float>::infinity();
    for (std::size_t j = 0; j < scores.size(); ++j) {
        const float* y = centered.centroids.data() + j * x.size();
        float sum = 0;
        for (std::size_t c = 0; c < x.size(); ++c) sum += x[c] * y[c];
        scores[j] = sum - centered.half_squares[j];
        most = scores[j] > most ? scores[j] : most;
    }
    double best = std::numeric_limits<double>::infinity();
    Index label = 0;
    for (Index j = 0; j < k; ++j) {
        if (scores[static_cast<std::size_t>(j)] < most - reach) continue;
        const double distance = squared_distance(point, centroids + Offset{j} * cols, cols);
        if (distance < best) best = distance, label = j;
    }
    return label;
}

template <class Lanes>
DUNLIN_INLINE void nearest_by_products_as(const float* points, Index rows, Index cols,
                                          const CenteredCentroids& centered, const float* centroids, Index k,
                                          float* columns, Index* label) {
    constexpr int lanes = device::lanes_of<Lanes>, vectors = tile_rows / lanes;
    alignas(64) float squares[tile_rows], reach[tile_rows];
    transpose<Lanes>(points, rows, cols, columns);
    center(columns, cols, centered.center.data(), squares);
    for (Index r = 0; r < tile_rows; ++r) reach[r] = centered.reach(std::sqrt(squares[r]));
    for (int v = 0; v < vectors; v += vectors_abreast) {
        HighestTwo<Lanes> best[vectors_abreast];
        scan(columns + Offset{v} * lanes, cols, centered, best);
        for (int i = 0; i < vectors_abreast; ++i) {
            const Lanes within = reinterpret_cast<const Lanes*>(reach)[v + i];
            const IntLanes<Lanes> close = best[i].first - best[i].second <= within;
            write_labels<Lanes>(
                best[i].label, close, (v + i) * lanes, rows, label, [&](Index r) __attribute__((always_inline)) {
                    return nearest_in_reach(points + Offset{r} * cols, cols, centered, centroids, k, reach[r]);
                });
        }
    }
}

}  // namespace

DUNLIN_BY_WIDTH(nearest_by_products,
                (const float* points, Index rows, Index cols, const CenteredCentroids& centered, const float* centroids,
                 Index k, float* columns, Index* label),
                (points, rows, cols, centered, centroids, k, columns, label))

}  // namespace dunlin::kmeans
