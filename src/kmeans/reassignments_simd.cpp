// SPDX-License-Identifier: Apache-2.0
#include "kmeans/reassignments.hpp"

#include "kmeans/lanes.hpp"

namespace dunlin::kmeans {

namespace {

template <class Lanes>
DUNLIN_INLINE void find_differences_as(const Index* a, const Index* b, std::uint64_t* rows) {
    constexpr int lanes = device::lanes_of<Lanes>;
    std::uint64_t found = 0;
    for (Index first = 0; first < tile_rows; first += lanes) {
        IntLanes<Lanes> x, y;
        std::memcpy(&x, a + first, sizeof x);
        std::memcpy(&y, b + first, sizeof y);
        found |= std::uint64_t{bits_of<Lanes>(x != y)} << first;
    }
    *rows = found;
}

/// The rows' coordinates in one column as integers.
template <class Lanes>
DUNLIN_INLINE void column_to_integers(const float* column, double scale, typename Wide<sizeof(Lanes)>::Integers* out) {
    using W = Wide<sizeof(Lanes)>;
    for (int v = 0; v < wide_vectors<Lanes>; ++v) {
        typename W::Floats x;
        std::memcpy(&x, column + v * wide_lanes<Lanes>, sizeof x);
        to_integers<Lanes>(__builtin_convertvector(x, typename W::Doubles), scale, out[v]);
    }
}

template <class Lanes>
DUNLIN_INLINE void add_tile_as(const TileOfRows& tile, const Index* label, Sum sign, Index clusters, Sum* sums) {
    using W = Wide<sizeof(Lanes)>;
    typename W::Integers own[wide_vectors<Lanes>], values[wide_vectors<Lanes>];
    for (int v = 0; v < wide_vectors<Lanes>; ++v) {
        typename W::Labels labels;
        std::memcpy(&labels, label + v * wide_lanes<Lanes>, sizeof labels);
        own[v] = __builtin_convertvector(labels, typename W::Integers);
    }
    for (Index c = 0; c <= tile.cols; ++c) {
        if (c < tile.cols) {
            column_to_integers<Lanes>(tile.columns + Offset{c} * tile_rows, tile.scales[c], values);
        } else {
            for (auto& value : values) value = typename W::Integers{} + 1;
        }
        for (Index k = 0; k < clusters; ++k) {
            typename W::Integers sum{};
            for (int v = 0; v < wide_vectors<Lanes>; ++v) sum += (own[v] == Sum{k}) & values[v];
            for (int lane = 0; lane < wide_lanes<Lanes>; ++lane)
                sums[Offset{k} * (tile.cols + 1) + c] += sign * sum[lane];
        }
    }
}

}  // namespace

DUNLIN_BY_WIDTH(find_differences, (const Index* a, const Index* b, std::uint64_t* rows), (a, b, rows))
DUNLIN_BY_WIDTH(add_tile, (const TileOfRows& tile, const Index* label, Sum sign, Index clusters, Sum* sums),
                (tile, label, sign, clusters, sums))

}  // namespace dunlin::kmeans
