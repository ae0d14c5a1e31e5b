// SPDX-License-Identifier: Apache-2.0
#include "scores/data_ranks.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "scores/kernels.hpp"

namespace dunlin::scores {

namespace {

/// Number of the points [begin, begin + count), at `distance` from a row, that rank before `other`, which is at
/// `bound`.
Index count_before(const float* distance, Index begin, Index count, Index other, float bound) {
    const Index smaller_ids = std::clamp(other - begin, Index{0}, count);
    const Below first = count_below(distance, smaller_ids, bound);
    const Below second = count_below(distance + smaller_ids, count - smaller_ids, bound);
    return first.less + first.equal + second.less;
}

/// Adds the points from `begin` to the ranks of one row.
void count_row(std::span<float> distance, Index begin, Index row, std::span<const Index> others,
               std::span<const float> own, std::span<Index> ranks) {
    const auto count = static_cast<Index>(distance.size());
    if (row >= begin && row < begin + count)
        distance[static_cast<std::size_t>(row - begin)] = std::numeric_limits<float>::infinity();
    const float farthest = *std::max_element(own.begin(), own.end());
    const Below any = count_below(distance.data(), count, farthest);
    if (any.less + any.equal == 0) return;
    for (std::size_t j = 0; j < others.size(); ++j) {
        // Integer sums do not depend on the order
        std::atomic_ref<Index>(ranks[j]).fetch_add(count_before(distance.data(), begin, count, others[j], own[j]),
                                                   std::memory_order_relaxed);
    }
}

}  // namespace

std::vector<Index> data_ranks(PairDistances& distances, std::span<const Index> rows, std::span<const Index> others) {
    std::vector<Index> ranks(others.size(), 1);
    if (others.empty()) return ranks;
    const std::vector<float> own = distances.to_others(rows, others);
    const std::size_t k = others.size() / rows.size();
    distances.visit_all(rows, [&](std::size_t r, Index begin, std::span<float> distance) {
        count_row(distance, begin, rows[r], others.subspan(r * k, k), std::span(own).subspan(r * k, k),
                  std::span(ranks).subspan(r * k, k));
    });
    return ranks;
}

}  // namespace dunlin::scores
