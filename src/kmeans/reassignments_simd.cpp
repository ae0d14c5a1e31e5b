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

/// Vectors of a register's size, and the vectors of half its size that have as many lanes.
template <int bytes>
struct Wide;
template <>
struct Wide<64> {
    using Doubles = double __attribute__((vector_size(64)));
    using Integers = Sum __attribute__((vector_size(64)));
    using Floats = float __attribute__((vector_size(32)));
    using Labels = Index __attribute__((vector_size(32)));
};
template <>
struct Wide<32> {
    using Doubles = double __attribute__((vector_size(32)));
    using Integers = Sum __attribute__((vector_size(32)));
    using Floats = float __attribute__((vector_size(16)));
    using Labels = Index __attribute__((vector_size(16)));
};
template <>
struct Wide<16> {
    using Doubles = double __attribute__((vector_size(16)));
    using Integers = Sum __attribute__((vector_size(16)));
    using Floats = float __attribute__((vector_size(8)));
    using Labels = Index __attribute__((vector_size(8)));
};
template <class Lanes>
constexpr int wide_lanes = device::lanes_of<Lanes> / 2;
template <class Lanes>
constexpr int wide_vectors = tile_rows / wide_lanes<Lanes>;

/// to_integer (formulas.hpp) of the rows' coordinates in one column.
template <class Lanes>
DUNLIN_INLINE void to_integers(const float* column, double scale, typename Wide<sizeof(Lanes)>::Integers* out) {
    using W = Wide<sizeof(Lanes)>;
    constexpr double round_here = 6755399441055744.0;
    for (int v = 0; v < wide_vectors<Lanes>; ++v) {
        typename W::Floats x;
        std::memcpy(&x, column + v * wide_lanes<Lanes>, sizeof x);
        const typename W::Doubles rounded = __builtin_convertvector(x, typename W::Doubles) * scale + round_here;
        std::memcpy(out + v, &rounded, sizeof rounded);
        out[v] -= std::bit_cast<Sum>(round_here);
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
            to_integers<Lanes>(tile.columns + Offset{c} * tile_rows, tile.scales[c], values);
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
