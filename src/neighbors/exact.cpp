#include "neighbors/exact.hpp"

#include "device/blas.hpp"
#include "neighbors/search_parts.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index few_columns = 4;  ///< up to this many, a k-d tree on floats

}  // namespace

void search_groups(device::Cpu& cpu, const Space& space, const Duplicates& groups, const Census& census,
                   std::span<const Index> queries, Index k, Watch& watch, const Take& take) {
    device::hold_blas_to_one_thread();
    const Frame frame(space, groups);
    const Index wanted = std::min(k, groups.size() - 1);
    if (frame.cols() <= few_columns) return search_few_columns(cpu, frame, queries, wanted, watch, take);
    search_many_columns(cpu, frame, census, queries, wanted, watch, take);
}

}  // namespace dunlin::neighbors
