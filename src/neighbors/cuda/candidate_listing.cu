// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/candidate_listing.cuh"

#include "neighbors/cuda/filter.cuh"
#include "neighbors/cuda/pieces.cuh"
#include "numerics/sort.cuh"

namespace dunlin::neighbors {

namespace {

/// Number of entries listed from the first `tiles` probed tiles.
struct CountFirst {
    const Index *which, *probed;
    Index tiles;
    int* counts;
    __device__ void operator()(Offset q) const {
        counts[q] = which[q] >= 0 ? min(tiles, probed[q / query_tile]) * base_tile : no_query;
    }
};

struct Remember {
    const std::uint8_t* restart;
    std::uint8_t* restarted;
    __device__ void operator()(Offset list) const { restarted[list] |= restart[list]; }
};

}  // namespace

CandidateListing::CandidateListing(device::Cuda& cuda, Index cols, Index wanted)
    : cuda_(cuda), cols_(cols), wanted_(wanted) {
    lists_.capacity = list_capacity(wanted);
    if (!can_refine(cuda, lists_.capacity)) lists_.capacity = 0;
}

bool CandidateListing::has_halves() const { return can_list() && can_filter(cuda_); }

std::uint64_t CandidateListing::bytes_per_query() const {
    return filter_row_bytes(cols_) + static_cast<std::uint64_t>(capacity()) * sizeof(Entry) + 32;
}

void CandidateListing::prepare(Index lists) {
    const auto count = static_cast<std::size_t>(lists);
    cuda_.resize(lists_.entries, count * static_cast<std::size_t>(capacity()));
    cuda_.resize(lists_.counts, count);
}

/// Queries are later refined in the order of their nearest sampled row: queries that share it have neighbors in common,
/// which are then read from the cache.
void CandidateListing::list_near(const DeviceRows& queries, const FilterPlan& plan) {
    cuda_.resize(nearest_sampled_, static_cast<std::size_t>(queries.count));
    cuda_.fill(lists_.counts, lists_.counts.size(), static_cast<int>(plan.ends[0]));
    round_queries(cuda_, queries, nullptr, queries.count, frame_, queries_);
    reset(cuda_, queries.count, reach_);
    list_all(cuda_, queries_, base_, {}, tiles_of(plan.ends[0]), lists_);
    for (std::size_t pass = 0; pass + 1 < plan.ends.size(); ++pass) {
        tighten(cuda_, plan.ranks[pass], base_, queries_, lists_, reach_,
                pass == 0 ? nearest_sampled_.data() : nullptr);
        const double products = 1.0 * queries.count * base_.width;
        in_pieces(cuda_, plan.ends[pass], plan.ends[pass + 1], products, [&](Index begin, Index end) {
            filter_candidates(cuda_, queries_, reach_.limits.data(), base_, {}, begin / base_tile, tiles_of(end),
                              lists_);
        });
    }
    ordered_ = plan.ends.size() > 1;
    if (!ordered_) return;
    numerics::count_up(cuda_, queries.count, order_);
    numerics::sort_pairs(cuda_, nearest_sampled_, order_, 0, 32);
}

/// Filters the probed tiles from position `begin` on, twice as many in each pass; all in one pass if begin is 0.
void CandidateListing::filter_probed(const CellBlock& block, Index lists, Index begin) {
    const Index longest = block.visits.longest();
    const double products = 1.0 * lists * base_.width;
    while (begin < longest) {
        const Index end = begin > 0 && begin < longest / 2 ? 2 * begin : longest;
        in_pieces(cuda_, begin * base_tile, end * base_tile, products, [&](Index from, Index to) {
            filter_candidates(cuda_, queries_, reach_.limits.data(), base_,
                              block.visits.view(from / base_tile, to / base_tile), from / base_tile, to / base_tile,
                              lists_);
        });
        tighten(cuda_, wanted_, base_, queries_, lists_, reach_, nullptr, restart_.data());
        begin = end;
    }
}

/// The first tiles are a sample of all that is near, so a pass over twice as many lists about as many rows as it keeps.
/// A list may still overflow, as around a sparse cell beside dense ones. Such queries start again with the search
/// radius of the last `wanted` entries they held, as long as that reduces their number.
void CandidateListing::list_probed(const DeviceRows& queries, CellBlock& block) {
    const Index first = capacity() / base_tile, count = static_cast<Index>(block.which.size());
    cuda_.each(count, CountFirst{block.which.data(), block.visits.counts.data(), first, lists_.counts.data()});
    cuda_.fill(restart_, lists_.counts.size(), std::uint8_t{0});
    cuda_.fill(restarted_, lists_.counts.size(), std::uint8_t{0});
    round_queries(cuda_, queries, block.which.data(), count, frame_, queries_);
    reset(cuda_, count, reach_);
    list_all(cuda_, queries_, base_, block.visits.view(0, first), first, lists_);
    tighten(cuda_, wanted_, base_, queries_, lists_, reach_, nullptr, restart_.data());
    filter_probed(block, count, first);
    for (Index before = 2 * count, left = 0;; before = left) {
        cuda_.each(count, Remember{restart_.data(), restarted_.data()});
        left = restart_queries(cuda_, queries_, lists_, restart_, block.visits.counts);
        if (left == 0 || left > before / 4 * 3) break;
        block.visits.lengths = cuda_.host(block.visits.counts);
        filter_probed(block, count, 0);
    }
    ordered_ = false;
}

void CandidateListing::describe(RefineTask& refinement) const {
    refinement.measure.scale = frame_.scale;
    refinement.half_queries = &queries_;
    refinement.half_base = &base_;
    if (ordered_) refinement.order = order_.data();
}

}  // namespace dunlin::neighbors
