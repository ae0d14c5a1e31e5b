// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>

#include "kmeans/formulas.hpp"
#include "kmeans/lanes.hpp"

namespace dunlin::kmeans {

namespace {

/// The two least distances of each lane so far, and the label of the least.
template <class Lanes>
struct NearestTwo {
    Lanes first, second;
    IntLanes<Lanes> label;
};

template <class Lanes>
DUNLIN_INLINE void update(NearestTwo<Lanes>& best, const Lanes& distance, std::int32_t label) {
    const IntLanes<Lanes> nearer = distance < best.first;
    const Lanes worse = nearer ? best.first : distance;
    best.second = worse < best.second ? worse : best.second;
    best.first = nearer ? distance : best.first;
    best.label = nearer ? IntLanes<Lanes>{} + label : best.label;
}

/// Compares four vectors of rows with all centroids. Cols: number of columns if known at compile time, or 0.
template <class Lanes, int Cols>
DUNLIN_INLINE void scan(const float* columns, Index cols, const float* centroids, Index k, NearestTwo<Lanes>* best) {
    constexpr int lanes = device::lanes_of<Lanes>;
    const Index width = Cols > 0 ? Cols : cols;
    const float far = std::numeric_limits<float>::infinity();
    NearestTwo<Lanes> b0{Lanes{} + far, Lanes{} + far, {}}, b1 = b0, b2 = b0, b3 = b0;
    for (Index label = 0; label < k; ++label, centroids += width) {
        Lanes s0{}, s1{}, s2{}, s3{};
        const float* at = columns;
        for (Index c = 0; c < width; ++c, at += tile_rows) {
            const Lanes* x = reinterpret_cast<const Lanes*>(at);
            const Lanes d0 = x[0] - centroids[c], d1 = x[1] - centroids[c];
            const Lanes d2 = x[2] - centroids[c], d3 = x[3] - centroids[c];
            s0 += d0 * d0;
            s1 += d1 * d1;
            s2 += d2 * d2;
            s3 += d3 * d3;
        }
        update(b0, s0, label);
        update(b1, s1, label);
        update(b2, s2, label);
        update(b3, s3, label);
    }
    static_assert(tile_rows % (vectors_abreast * lanes) == 0);
    best[0] = b0, best[1] = b1, best[2] = b2, best[3] = b3;
}

template <class Lanes>
DUNLIN_INLINE void scan_by_width(const float* columns, Index cols, const float* centroids, Index k,
                                 NearestTwo<Lanes>* best) {
    switch (cols) {
        case 1:
            return scan<Lanes, 1>(columns, cols, centroids, k, best);
        case 2:
            return scan<Lanes, 2>(columns, cols, centroids, k, best);
        case 3:
            return scan<Lanes, 3>(columns, cols, centroids, k, best);
        case 4:
            return scan<Lanes, 4>(columns, cols, centroids, k, best);
        default:
            return scan<Lanes, 0>(columns, cols, centroids, k, best);
    }
}

template <class Lanes>
DUNLIN_INLINE void nearest_of_tile_as(const float* points, Index rows, Index cols, const float* centroids, Index k,
                                      float* columns, Index* label, BestTwo* two) {
    constexpr int lanes = device::lanes_of<Lanes>, vectors = tile_rows / lanes;
    transpose<Lanes>(points, rows, cols, columns);
    NearestTwo<Lanes> best[vectors];
    for (int v = 0; v < vectors; v += vectors_abreast) {
        scan_by_width<Lanes>(columns + Offset{v} * lanes, cols, centroids, k, best + v);
    }
    const float error = float_error(cols);
    for (int v = 0; v < vectors; ++v) {
        const IntLanes<Lanes> close = best[v].second <= best[v].first * (1 + 3 * error) + 1e-30F;
        write_labels<Lanes>(best[v].label, close, v * lanes, rows, label,
                            [&](Index r) { return nearest_in_double(points + Offset{r} * cols, cols, centroids, k); });
    }
    for (int v = 0; two != nullptr && v < vectors; ++v) {
        reinterpret_cast<Lanes*>(two->first)[v] = best[v].first;
        reinterpret_cast<Lanes*>(two->second)[v] = best[v].second;
    }
}

template <class Lanes>
DUNLIN_INLINE void find_hamerly_bound_as(const BestTwo& best, Index cols, float* least) {
    constexpr int lanes = device::lanes_of<Lanes>;
    const auto *first = reinterpret_cast<const Lanes*>(best.first),
               *second = reinterpret_cast<const Lanes*>(best.second);
    const float error = float_error(cols);
    Lanes all = Lanes{} + std::numeric_limits<float>::infinity();
    for (int v = 0; v < tile_rows / lanes; ++v) lower_hamerly_bound(all, first[v], second[v], error);
    float of_lanes[lanes];
    std::memcpy(of_lanes, &all, sizeof all);
    for (int half = lanes / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; ++i) of_lanes[i] = std::min(of_lanes[i], of_lanes[i + half]);
    }
    *least = of_lanes[0];
}

}  // namespace

DUNLIN_BY_WIDTH(nearest_of_tile,
                (const float* points, Index rows, Index cols, const float* centroids, Index k, float* columns,
                 Index* label, BestTwo* two),
                (points, rows, cols, centroids, k, columns, label, two))

DUNLIN_BY_WIDTH(find_hamerly_bound, (const BestTwo& best, Index cols, float* least), (best, cols, least))

}  // namespace dunlin::kmeans
