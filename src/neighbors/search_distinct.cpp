// SPDX-License-Identifier: Apache-2.0
#include "neighbors/search_distinct.hpp"

#include <algorithm>

#include "neighbors/exact/sparse_rows.hpp"
#include "neighbors/strategies.hpp"
#include "numerics/blas.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index some_columns = 160;  ///< up to here, bounds from bytes prune nearly all pairs

/// Cost: a column that is nonzero in both rows takes about a nanosecond; so do 64 columns as bytes.
bool mostly_zero(const distance::Space& space, const DistinctRows& groups) {
    const Index cols = space.cols();
    return space.metric() != Metric::manhattan && cols > some_columns && columns_in_common(space, groups) * 64 <= cols;
}

/// mostly_zero() on a sample of all rows, with a margin because duplicates are not yet known.
bool perhaps_mostly_zero(MatrixView<const float> points, Metric metric) {
    return metric != Metric::manhattan && points.cols > some_columns && columns_in_common(points) * 16 <= points.cols;
}

std::uint64_t count_nonzeros(device::Cpu& cpu, MatrixView<const float> points) {
    constexpr Offset grain = 256;
    std::vector<std::uint64_t> counts(static_cast<std::size_t>((points.rows + grain - 1) / grain), 0);
    cpu.blocks(points.rows, grain, [&](Offset begin, Offset end, int) {
        for (Offset r = begin; r < end; ++r) {
            const auto row = points.row(static_cast<Index>(r));
            counts[static_cast<std::size_t>(begin / grain)] += bytes(std::ssize(row) - std::ranges::count(row, 0.0F));
        }
    });
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

std::uint64_t search_bytes(device::Cpu& cpu, MatrixView<const float> points, MatrixView<const float> queries,
                           Offset rows, Index k, Metric metric, const SearchParameters& parameters) {
    const SearchSize size{points.rows, points.cols,   rows,        std::min(k, points.rows),
                          metric,      cpu.threads(), queries.rows};
    if (row_of(metric).is_by_terms) return by_terms_bytes(size);
    std::uint64_t most = 0;
    if (parameters.exact && perhaps_mostly_zero(points, metric)) {
        most = sparse_bytes(size, count_nonzeros(cpu, points) + count_nonzeros(cpu, queries));
    }
    if (metric == Metric::inner_product) return std::max(most, inner_product_bytes(size));
    if (points.cols <= low_dimensional_columns) return low_dimensional_bytes(size);
    return std::max(most, high_dimensional_bytes(size, parameters));
}

SearchOutcome search_distinct(device::Cpu& cpu, const distance::Space& space, const DistinctRows& groups,
                              const ValueStatistics& statistics, std::span<const Index> queries, NeighborCounts wanted,
                              SearchParameters parameters, SearchProgress& progress, const ResultCallback& take) {
    numerics::hold_blas_to_one_thread();
    const Index k = std::min(wanted.most, groups.size());
    if (space.measure() != nullptr) {
        search_by_terms(cpu, space, groups, queries, k, progress, take);
        return {};
    }
    if (parameters.exact && mostly_zero(space, groups)) {
        search_sparse(cpu, space, groups, queries, k, progress, take);
        return {};
    }
    if (space.metric() == Metric::inner_product) {
        search_inner_products(cpu, space, groups, queries, k, progress, take);
        return {};
    }
    const ItemTransform transform(space, groups);
    if (transform.cols() <= low_dimensional_columns) {
        search_low_dimensional(cpu, transform, queries, wanted, progress, take);
        return {};
    }
    return search_high_dimensional(cpu, transform, statistics, queries, wanted.most, parameters, progress, take);
}

}  // namespace dunlin::neighbors
