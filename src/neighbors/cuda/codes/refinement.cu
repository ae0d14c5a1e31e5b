// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/codes/refinement.cuh"

#include <limits>

#include "math/at.hpp"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Marks the items in the lists; one warp per list.
struct MarkNamed {
    ListsView lists;
    const Index* which;  ///< null: all lists are in use
    std::uint8_t* named;
    __device__ void operator()(Offset list) const {
        const int count = lists.counts[list];
        if (count > lists.capacity || (which != nullptr && which[list] < 0)) return;
        const Entry* entries = lists.entries + list * lists.capacity;
        for (int i = static_cast<int>(threadIdx.x % 32); i < count; i += 32) named[item_of(entries[i])] = 1;
    }
};

struct SetRows {
    const Index* items;
    Index* row_of;
    __device__ void operator()(Offset i) const { row_of[items[i]] = static_cast<Index>(i); }
};

}  // namespace

ListRefiner::ListRefiner(Cuda& cuda, const ItemSource& items, Index lists, Index copied)
    : cuda_(cuda), items_(items), copied_(copied), unsettled_(at(lists), cuda.stream()) {}

std::vector<Index> ListRefiner::named_by(const RefineTask& refinement, const CandidateLists& lists) {
    cuda_.fill(named_, at(items_.count()), std::uint8_t{0});
    each_warp(cuda_, refinement.count, MarkNamed{lists.view(), refinement.which, named_.data()});
    const std::vector<std::uint8_t> marks = cuda_.host(named_);
    std::vector<Index> named;
    for (std::size_t item = 0; item < marks.size(); ++item) {
        if (marks[item] != 0) named.push_back(static_cast<Index>(item));
    }
    return named;
}

/// Refines with the candidates' rows copied from the host, piece after piece.
void ListRefiner::refine_copied(RefineTask refinement, CandidateListing& listing, NearestLists& nearest) {
    const std::vector<Index> named = named_by(refinement, listing.lists());
    cuda_.fill(nearest.keys, nearest.keys.size(), std::numeric_limits<double>::infinity());
    cuda_.fill(nearest.items, nearest.items.size(), std::numeric_limits<Index>::max());
    refinement.merge = true;
    std::size_t begin = 0;
    do {  // at least once, for the marks that refine() sets
        CudaBuffer<Index> piece;
        cuda_.upload(piece, std::span(named).subspan(begin, std::min(at(copied_), named.size() - begin)));
        refinement.base = items_.gather(cuda_, piece, loaded_);
        cuda_.fill(row_of_, at(items_.count()), Index{-1});
        cuda_.each(static_cast<Offset>(piece.size()), SetRows{piece.data(), row_of_.data()});
        refinement.base.row_of = row_of_.data();
        neighbors::refine(cuda_, refinement, listing.lists(), listing.reach(), nearest, unsettled_);
        begin += at(copied_);
    } while (begin < named.size() && !cuda_.run().stop.stop_requested());
}

std::vector<Index> ListRefiner::refine(const ItemRows& queries, const Index* which, std::span<const Index> list_rows,
                                       CandidateListing& listing, NearestLists& nearest) {
    RefineTask refinement{.queries = queries,
                          .base = {},
                          .which = which,
                          .count = static_cast<Index>(list_rows.size()),
                          .listed_only = true};
    listing.describe(refinement);
    if (items_.held()) {
        refinement.base = items_.load(cuda_, 0, items_.count(), loaded_);
        neighbors::refine(cuda_, refinement, listing.lists(), listing.reach(), nearest, unsettled_);
    } else {
        refine_copied(refinement, listing, nearest);
    }
    return unsettled_queries(cuda_, unsettled_, list_rows);
}

}  // namespace dunlin::neighbors
