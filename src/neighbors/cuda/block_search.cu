// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/block_search.cuh"

#include <algorithm>
#include <numeric>

#include "neighbors/cuda/brute.cuh"
#include "neighbors/cuda/differences.cuh"
#include "neighbors/cuda/pieces.cuh"

namespace dunlin::neighbors {

using device::Cuda;

BlockSearch::BlockSearch(Cuda& cuda, Metric metric, Index cols, Index wanted)
    : cuda_(cuda), metric_(metric), cols_(cols), listing_(cuda, cols, wanted + 1) {
    nearest_.wanted = wanted;
}

std::uint64_t BlockSearch::bytes_per_query() const {
    return listing_.bytes_per_query() + static_cast<std::uint64_t>(nearest_.wanted) * 28 + 32;
}

bool BlockSearch::has_halves() const {
    const bool squares = metric_ != Metric::manhattan && metric_ != Metric::inner_product;
    return squares && listing_.has_halves();
}

void BlockSearch::prepare(Index queries, Index lists, std::uint64_t spare, const DeviceRows& sample) {
    spare_ = spare;
    if (has_halves()) listing_.set_frame(find_frame(cuda_, sample));
    listing_.prepare(lists);
    const auto rows = static_cast<std::size_t>(queries), wanted = static_cast<std::size_t>(nearest_.wanted);
    cuda_.resize(nearest_.keys, rows * wanted);
    cuda_.resize(nearest_.items, rows * wanted);
    cuda_.resize(left_, static_cast<std::size_t>(lists));
}

void BlockSearch::look_at(const ItemRows& base) {
    base_ = base;
    plan_ = plan_filter(base.rows.count, nearest_.wanted + 1, base_tile);
    order_base(cuda_, base.rows.count, base_order_);
}

void BlockSearch::set_base(const ItemRows& base) {
    look_at(base);
    if (has_halves()) listing_.set_base(base.rows, base_order_);
}

/// Lists what may be near some queries of a block, by differences. order: of the base's rows that are looked at.
void BlockSearch::filter_differences(std::span<const Index> which, const Index* order, const FilterPlan& plan,
                                     RankTask& ranking) {
    cuda_.upload(which_, which);
    const DifferenceFilter rows{ranking.queries.rows, base_.rows, which_.data(), order, ranking.count};
    ranking.which = which_.data();
    ranking.measure = measure_of(rows);
    CandidateLists& lists = listing_.lists();
    Reach& reach = listing_.reach();
    reset(cuda_, ranking.count, reach);
    cuda_.fill(lists.counts, lists.counts.size(), static_cast<int>(plan.ends[0]));
    list_all(cuda_, rows, plan.ends[0], lists);
    for (std::size_t pass = 0; pass + 1 < plan.ends.size(); ++pass) {
        tighten_differences(cuda_, ranking.count, plan.ranks[pass], ranking.measure, lists, reach);
        const double products = 16.0 * ranking.count * cols_;  // as much slower as they are
        in_pieces(cuda_, plan.ends[pass], plan.ends[pass + 1], products, [&](Index begin, Index end) {
            filter_candidates(cuda_, rows, reach.limits.data(), begin, end, lists);
        });
    }
}

/// Returns the queries whose lists cannot be trusted.
std::vector<Index> BlockSearch::rank_lists(const RankTask& ranking, std::span<const Index> asked) {
    rank(cuda_, ranking, listing_.lists(), listing_.reach(), nearest_, left_);
    return those_left(cuda_, left_, asked);
}

/// Ranks some queries of a block by differences; returns those that are still left.
std::vector<Index> BlockSearch::rank_differences(const ItemRows& queries, std::span<const Index> which,
                                                 const Index* order, const FilterPlan& plan, bool merge) {
    RankTask ranking{.queries = queries, .base = base_, .count = static_cast<Index>(which.size()), .merge = merge};
    filter_differences(which, order, plan, ranking);
    return rank_lists(ranking, which);
}

void BlockSearch::search(const ItemRows& queries, bool merge) {
    std::vector<Index> left(static_cast<std::size_t>(queries.rows.count));
    std::iota(left.begin(), left.end(), 0);
    if (has_halves()) {
        RankTask ranking{.queries = queries, .base = base_, .count = queries.rows.count, .merge = merge};
        listing_.list_near(queries.rows, plan_);
        listing_.describe(ranking);
        left = rank_lists(ranking, left);
    }
    if (listing_.can_list() && !left.empty()) left = rank_differences(queries, left, base_order_.data(), plan_, merge);
    if (!left.empty()) rank_by_sorting(cuda_, queries, left, base_, merge, spare_, nearest_);
}

void BlockSearch::search_some(const ItemRows& queries, std::span<const Index> which, const ItemRows& base, bool merge) {
    look_at(base);
    const std::size_t together = left_.size();
    for (std::size_t begin = 0; begin < which.size(); begin += together) {
        const auto some = which.subspan(begin, std::min(together, which.size() - begin));
        const std::vector<Index> left = rank_differences(queries, some, base_order_.data(), plan_, merge);
        if (!left.empty()) rank_by_sorting(cuda_, queries, left, base_, merge, spare_, nearest_);
    }
}

void BlockSearch::search(const ItemRows& queries, const DeviceRows& sample, const Cells& cells, CellBlock& block) {
    listing_.set_frame(find_frame(cuda_, sample, room_of_cells));
    listing_.set_base(base_.rows, block.base);
    listing_.list_visited(queries.rows, block);
    RankTask ranking{.queries = queries,
                     .base = base_,
                     .which = block.which.data(),
                     .count = static_cast<Index>(block.which.size())};
    listing_.describe(ranking);
    const std::vector<Index> left = rank_lists(ranking, cuda_.host(block.which));
    // Of whole cells, and so many at once: fewer take as long
    constexpr std::ptrdiff_t at_once = 1024;
    const auto cell_of = [&](Index row) { return cells.cell_of(block.first + row); };
    for (auto begin = left.begin(); begin != left.end();) {
        const Index last = cell_of(begin[std::min(at_once, left.end() - begin) - 1]);
        const auto end = std::find_if(begin, left.end(), [&](Index row) { return cell_of(row) > last; });
        search_visited(queries, {begin, end}, visited_by(cuda_, cells, cell_of(*begin), last + 1));
        begin = end;
    }
}

/// What is left of some cells: by differences among what they visit, and what these leave by sorting all.
void BlockSearch::search_visited(const ItemRows& queries, std::vector<Index> left, const VisitedItems& visited) {
    left = rank_differences(queries, left, visited.order.data(),
                            plan_filter(visited.count, nearest_.wanted + 1, base_tile), false);
    if (!left.empty()) rank_by_sorting(cuda_, queries, left, base_, false, spare_, nearest_);
}

}  // namespace dunlin::neighbors
