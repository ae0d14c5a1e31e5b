// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>

#include "distance/tile.hpp"
#include "neighbors/quantized_rows.hpp"
#include "neighbors/search_distinct.hpp"

namespace dunlin::neighbors {

/// The strategies of search_distinct: a k-d tree in low dimensions, an inverted index for sparse rows, BLAS for inner
/// products, all pairs for metrics of terms, and a filtered scan of quantized rows for all others.
void search_low_dimensional(device::Cpu& cpu, const ItemTransform& transform, std::span<const Index> queries,
                            NeighborCounts wanted, SearchProgress& progress, const ResultCallback& take);
void search_sparse(device::Cpu& cpu, const distance::Space& space, const DistinctRows& items,
                   std::span<const Index> queries, Index k, SearchProgress& progress, const ResultCallback& take);
void search_inner_products(device::Cpu& cpu, const distance::Space& space, const DistinctRows& items,
                           std::span<const Index> queries, Index k, SearchProgress& progress,
                           const ResultCallback& take);
/// All pairs by a metric of terms (distance/measure.hpp).
void search_by_terms(device::Cpu& cpu, const distance::Space& space, const DistinctRows& items,
                     std::span<const Index> queries, Index k, SearchProgress& progress, const ResultCallback& take);
/// Pairs of rows of bits.
void search_by_bits(device::Cpu& cpu, const distance::PairMeasure& measure, const DistinctRows& items,
                    std::span<const Index> queries, Index k, SearchProgress& progress, const ResultCallback& take);
/// k: length of the rows' lists, copies included. The only strategy that can be approximate.
SearchOutcome search_high_dimensional(device::Cpu& cpu, const ItemTransform& transform,
                                      const ValueStatistics& statistics, std::span<const Index> queries, Index k,
                                      SearchParameters parameters, SearchProgress& progress,
                                      const ResultCallback& take);

/// Size of a search, from which the upper bounds below (in bytes) follow. apart: queries that are no items.
struct SearchSize {
    Index items, cols;
    Offset queries;
    Index k;
    Metric metric;
    int threads;
    Index apart = 0;

    [[nodiscard]] Offset groups() const { return Offset{items} + apart; }

    /// Number of threads that get at least one of so many blocks.
    [[nodiscard]] std::uint64_t busy(Offset blocks) const {
        return static_cast<std::uint64_t>(std::clamp<Offset>(blocks, 1, threads));
    }
};
std::uint64_t low_dimensional_bytes(const SearchSize& size);
std::uint64_t high_dimensional_bytes(const SearchSize& size, const SearchParameters& parameters);
std::uint64_t inner_product_bytes(const SearchSize& size);
std::uint64_t by_terms_bytes(const SearchSize& size);
/// nonzeros: of all items.
std::uint64_t sparse_bytes(const SearchSize& size, std::uint64_t nonzeros);

/// A count as the unsigned integer of byte counts.
constexpr std::uint64_t bytes(Offset count) { return static_cast<std::uint64_t>(count); }
/// Buffers that BLAS keeps for one thread's float product of rows x inner by inner x columns.
constexpr std::uint64_t blas_bytes(Offset rows, Offset inner, Offset columns) {
    return bytes(std::min<Offset>(inner, 1024) * (rows + columns)) * sizeof(float) + (std::uint64_t{128} << 10);
}
constexpr Offset padded(Offset count, Offset to) { return (count + to - 1) / to * to; }

inline std::vector<Index> all_items(Index items) {
    std::vector<Index> all(static_cast<std::size_t>(items));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Lays out a leaf's items as columns: `cell` coordinates of 16 columns side by side (distance/tile.hpp). Padding
/// columns repeat the first item and are ignored.
template <class Value>
void lay_out(const QuantizedRows<Value>& quantized, std::span<const Index> items, Index cell, Value* panels) {
    const auto columns =
        (std::ssize(items) + distance::group_columns - 1) / distance::group_columns * distance::group_columns;
    for (Offset column = 0; column < columns; ++column) {
        const Value* row = quantized.row(items[static_cast<std::size_t>(column < std::ssize(items) ? column : 0)]);
        Value* out =
            panels + column / distance::lanes * distance::lanes * quantized.dims + column % distance::lanes * cell;
        for (Index c = 0; c < quantized.dims; c += cell) std::copy_n(row + c, cell, out + Offset{c} * distance::lanes);
    }
}

}  // namespace dunlin::neighbors
