#include "neighbors/exact.hpp"

#include "device/blas.hpp"
#include "neighbors/search_parts.hpp"
#include "neighbors/sparse_rows.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index few_columns = 4;     ///< up to this many, a k-d tree on floats
constexpr Index some_columns = 160;  ///< up to this many, bytes part nearly all pairs

/// An inner product costs about a nanosecond for a column that is not zero in both rows; so do products of bytes for 64
/// columns.
bool mostly_zero(const Space& space, const Duplicates& groups) {
    const Index cols = space.points().cols;
    return space.metric() != Metric::manhattan && cols > some_columns && columns_in_common(space, groups) * 64 <= cols;
}

}  // namespace

Outcome search_groups(device::Cpu& cpu, const Space& space, const Duplicates& groups, const Census& census,
                      std::span<const Index> queries, Index k, Effort effort, Watch& watch, const Take& take) {
    device::hold_blas_to_one_thread();
    const Index wanted = std::min(k, groups.size() - 1);
    if (effort.exact && mostly_zero(space, groups)) {
        search_few_nonzeros(cpu, space, groups, queries, wanted, watch, take);
        return {};
    }
    if (space.metric() == Metric::inner_product) {
        search_products(cpu, space, groups, queries, wanted, watch, take);
        return {};
    }
    const Frame frame(space, groups);
    if (frame.cols() <= few_columns) {
        search_few_columns(cpu, frame, queries, wanted, watch, take);
        return {};
    }
    return search_many_columns(cpu, frame, census, queries, k, effort, watch, take);
}

}  // namespace dunlin::neighbors
