// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/exact/block_search.cuh"

#include <algorithm>
#include <numeric>

#include "neighbors/cuda/exact/brute_force.cuh"
#include "neighbors/cuda/exact/differences.cuh"
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
    set_frame(sample);
    listing_.prepare(lists);
    const auto rows = static_cast<std::size_t>(queries), wanted = static_cast<std::size_t>(nearest_.wanted);
    cuda_.resize(nearest_.keys, rows * wanted);
    cuda_.resize(nearest_.items, rows * wanted);
    cuda_.resize(unsettled_, static_cast<std::size_t>(lists));
}

void BlockSearch::set_frame(const DeviceRows& sample) {
    if (has_halves()) listing_.set_frame(find_frame(cuda_, sample));
}

void BlockSearch::plan_base(const ItemRows& base) {
    base_ = base;
    plan_ = plan_filter(base.rows.count, nearest_.wanted + 1, base_tile);
    order_base(cuda_, base.rows.count, base_order_);
}

void BlockSearch::set_base(const ItemRows& base) {
    plan_base(base);
    if (has_halves()) listing_.set_base(base.rows, base_order_);
}

/// Lists candidates of some queries of a block by float32 differences. order: the base's rows to compare with.
void BlockSearch::list_by_differences(std::span<const Index> which, const Index* order, const FilterPlan& plan,
                                      RefineTask& refinement) {
    cuda_.upload(which_, which);
    const DifferenceFilter rows{refinement.queries.rows, base_.rows, which_.data(), order, refinement.count};
    refinement.which = which_.data();
    refinement.measure = measure_of(rows);
    CandidateLists& lists = listing_.lists();
    Reach& reach = listing_.reach();
    reset(cuda_, refinement.count, reach);
    cuda_.fill(lists.counts, lists.counts.size(), static_cast<int>(plan.ends[0]));
    list_all(cuda_, rows, plan.ends[0], lists);
    for (std::size_t pass = 0; pass + 1 < plan.ends.size(); ++pass) {
        tighten_differences(cuda_, refinement.count, plan.ranks[pass], refinement.measure, lists, reach);
        const double products = 16.0 * refinement.count * cols_;  // differences are about that much slower
        in_pieces(cuda_, plan.ends[pass], plan.ends[pass + 1], products, [&](Index begin, Index end) {
            filter_candidates(cuda_, rows, reach.limits.data(), begin, end, lists);
        });
    }
}

/// Returns the queries whose lists are incomplete.
std::vector<Index> BlockSearch::refine_lists(const RefineTask& refinement, std::span<const Index> list_rows) {
    refine(cuda_, refinement, listing_.lists(), listing_.reach(), nearest_, unsettled_);
    return unsettled_queries(cuda_, unsettled_, list_rows);
}

/// Searches some queries of a block by differences; returns those that are still unsettled.
std::vector<Index> BlockSearch::refine_by_differences(const ItemRows& queries, std::span<const Index> which,
                                                      const Index* order, const FilterPlan& plan, bool merge) {
    RefineTask refinement{.queries = queries, .base = base_, .count = static_cast<Index>(which.size()), .merge = merge};
    list_by_differences(which, order, plan, refinement);
    return refine_lists(refinement, which);
}

void BlockSearch::search(const ItemRows& queries, bool merge) {
    std::vector<Index> unsettled(static_cast<std::size_t>(queries.rows.count));
    std::iota(unsettled.begin(), unsettled.end(), 0);
    if (has_halves()) {
        RefineTask refinement{.queries = queries, .base = base_, .count = queries.rows.count, .merge = merge};
        listing_.list_near(queries.rows, plan_);
        listing_.describe(refinement);
        unsettled = refine_lists(refinement, unsettled);
    }
    if (listing_.can_list() && !unsettled.empty())
        unsettled = refine_by_differences(queries, unsettled, base_order_.data(), plan_, merge);
    if (!unsettled.empty()) rank_by_sorting(cuda_, queries, unsettled, base_, merge, spare_, nearest_);
}

void BlockSearch::search_some(const ItemRows& queries, std::span<const Index> which, const ItemRows& base, bool merge) {
    plan_base(base);
    const std::size_t together = unsettled_.size();
    for (std::size_t begin = 0; begin < which.size(); begin += together) {
        const auto some = which.subspan(begin, std::min(together, which.size() - begin));
        const std::vector<Index> unsettled = refine_by_differences(queries, some, base_order_.data(), plan_, merge);
        if (!unsettled.empty()) rank_by_sorting(cuda_, queries, unsettled, base_, merge, spare_, nearest_);
    }
}

std::vector<Index> BlockSearch::search_probed(const ItemRows& queries, const DeviceRows& sample, const ItemRows& base,
                                              CellBlock& block) {
    base_ = base;
    listing_.set_frame(find_frame(cuda_, sample, room_of_cells));
    listing_.set_base(base_.rows, block.base);
    listing_.list_probed(queries.rows, block);
    RefineTask refinement{.queries = queries,
                          .base = base_,
                          .which = block.which.data(),
                          .count = static_cast<Index>(block.which.size())};
    listing_.describe(refinement);
    return refine_lists(refinement, cuda_.host(block.which));
}

void BlockSearch::search(const ItemRows& queries, const DeviceRows& sample, const CellPartition& cells,
                         CellBlock& block) {
    const std::vector<Index> unsettled = search_probed(queries, sample, base_, block);
    // Whole cells, at least so many queries together: fewer take as long
    constexpr std::ptrdiff_t at_once = 1024;
    const auto cell_of = [&](Index row) { return cells.cell_of(block.first + row); };
    for (auto begin = unsettled.begin(); begin != unsettled.end();) {
        const Index last = cell_of(begin[std::min(at_once, unsettled.end() - begin) - 1]);
        const auto end = std::find_if(begin, unsettled.end(), [&](Index row) { return cell_of(row) > last; });
        settle_probed(queries, {begin, end}, probed_by(cuda_, cells, cell_of(*begin), last + 1));
        begin = end;
    }
}

/// Unsettled queries of some cells: by differences with the probed items, then by brute force.
void BlockSearch::settle_probed(const ItemRows& queries, std::vector<Index> unsettled, const ProbedItems& probed) {
    unsettled = refine_by_differences(queries, unsettled, probed.order.data(),
                                      plan_filter(probed.count, nearest_.wanted + 1, base_tile), false);
    if (!unsettled.empty()) rank_by_sorting(cuda_, queries, unsettled, base_, false, spare_, nearest_);
}

}  // namespace dunlin::neighbors
