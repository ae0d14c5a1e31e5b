// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/cells/apart_queries.cuh"

#include <algorithm>

#include "device/ranks.hpp"
#include "math/at.hpp"
#include "neighbors/cuda/emit.cuh"
#include "progress/progress.hpp"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Some queries, sorted by cell. Those of no cell, far outside, are the last.
struct SortedQueries {
    ItemRows rows;                 ///< in their own order
    SortedByCell by_cell = {};     ///< the sorted queries
    CudaBuffer<Index> order = {};  ///< sorted query i is row order[i]

    [[nodiscard]] Index assigned() const { return by_cell.begins.back(); }
    ItemRows load(Cuda& cuda, Metric metric, Index first, Index count, LoadedRows& loaded) const {
        return gather_rows(cuda, metric, rows, order.data() + first, count, loaded);
    }
};

SortedQueries sort_queries(Cuda& cuda, const ItemRows& rows, CudaBuffer<Index> cell, Index cells) {
    SortedQueries sorted{.rows = rows};
    sorted.by_cell = sort_by_cell(cuda, cells, cell, sorted.order);
    return sorted;
}

bool stopped(const Cuda& cuda) { return cuda.run().stop.stop_requested(); }

/// Calls take(first, count) after each search, whose lists are those of these sorted queries.
template <class Take>
void search_sorted(Cuda& cuda, const ApartCellSearch& apart, const SortedQueries& queries, const Take& take) {
    CellBlocks blocks(queries.by_cell, apart.cells, apart.tiles);
    LoadedRows loaded;
    while (blocks.more()) {
        CellBlock block = blocks.next(cuda);
        const ItemRows rows = queries.load(cuda, apart.search.metric, block.first, block.count, loaded);
        apart.search_block(rows, queries.by_cell, block);
        if (stopped(cuda)) return;
        take(block.first, block.count);
    }
    const Index all = queries.rows.rows.count;
    for (Index first = queries.assigned(); first < all; first += apart.far_batch) {
        const Index count = std::min(apart.far_batch, all - first);
        apart.search_far(queries.load(cuda, apart.search.metric, first, count, loaded));
        if (stopped(cuda)) return;
        take(first, count);
    }
}

/// The sample's items are ascending, and so are their cells: they are sorted already.
Recall search_sample(Cuda& cuda, const ApartCellSearch& apart) {
    const ItemSource& items = apart.search.items;
    std::vector<Index> cells;
    for (const Index item : apart.sample.items()) cells.push_back(apart.cells.cell_of(item));
    CudaBuffer<Index> sampled, cell;
    cuda.upload(sampled, apart.sample.items());
    cuda.upload(cell, cells);
    LoadedRows loaded;
    const SortedQueries queries =
        sort_queries(cuda, items.gather(cuda, sampled, loaded), std::move(cell), apart.cells.count());
    search_sorted(cuda, apart, queries, [&](Index first, Index count) {
        apart.sample.record_sampled(cuda, items.groups(), first, count, apart.exact.nearest());
    });
    return apart.sample.recall();
}

/// The probes were calibrated by what a search of all cells finds, which may be more for lists that overflow there.
Recall reach_recall(Cuda& cuda, const ApartCellSearch& apart) {
    CellPartition& cells = apart.cells;
    Recall recall = search_sample(cuda, apart);
    while (!apart.parameters.probes && recall.mean < apart.parameters.recall && !stopped(cuda)) {
        const Index probes = *std::min_element(cells.probes.begin(), cells.probes.end());
        if (probes == cells.count()) require_reachable_recall(apart.parameters, recall.mean);
        cells.set_probes(probes + std::max(1, probes / 16), apart.search.wanted() + 1);
        recall = search_sample(cuda, apart);
    }
    return recall;
}

}  // namespace

void search_apart(Cuda& cuda, const ApartCellSearch& apart, FoundOnDevice& found) {
    const ItemSearch& search = apart.search;
    apart.exact.want(search.listed());
    const Recall recall = reach_recall(cuda, apart);
    found.recall = recall.mean;
    found.recall_se = recall.se;
    found.probes = apart.cells.mean_probes();
    apart.exact.want(search.wanted());
    const device::Rank* const rank = device::Rank::current();
    const device::Slice own = rank != nullptr ? rank->slice(search.lists()) : device::Slice{0, search.lists()};
    const auto first_own = static_cast<Index>(own.begin), end = static_cast<Index>(own.end);
    progress::ProgressReporter reporter(cuda.run(), "neighbors", own.size());
    LoadedRows loaded;
    for (Index begin = first_own; begin < end && !stopped(cuda); begin += apart.batch) {
        const ItemRows rows = search.apart->load(cuda, begin, std::min(apart.batch, end - begin), loaded);
        const SortedQueries queries = sort_queries(cuda, rows, apart.assign(rows.rows), apart.cells.count());
        search_sorted(cuda, apart, queries, [&](Index first, Index count) {
            emit_queries(cuda, search.items.groups(), {begin, queries.order.data() + first}, count,
                         apart.exact.nearest(), search.metric, search.list_degree(), found.graph);
            reporter.tick(begin - first_own + first + count);
        });
    }
}

std::uint64_t apart_bytes(const ItemSearch& search, Index batch, Index lists, Index cols, Index cells) {
    const auto rows = static_cast<std::uint64_t>(batch);
    const std::uint64_t values =
        (static_cast<std::uint64_t>(search.items.cols()) + 2 * static_cast<std::uint64_t>(cols));
    return rows * (values * sizeof(float) + 48) + kmeans::coarse_assignment_bytes(batch, cols, cells) +
           static_cast<std::uint64_t>(lists) * 48;
}

Index largest_batch(const ItemSearch& search) {
    constexpr Index values = 1 << 24, most = 1 << 18, least = 1 << 10;
    return std::min(search.lists(), std::clamp(values / search.items.cols(), least, most));
}

void search_items_probed(Cuda& cuda, const ItemSource& items, BlockSearch& exact, const CellPartition& cells,
                         const ItemRows& queries, const SortedByCell& by_cell, Index first,
                         std::span<const Index> unsettled, std::size_t together) {
    LoadedRows loaded;
    for (std::size_t begin = 0, end = 0; begin < unsettled.size() && !stopped(cuda); begin = end) {
        const Index cell = by_cell.cell_of(first + unsettled[begin]);
        while (end < unsettled.size() && by_cell.cell_of(first + unsettled[end]) == cell) ++end;
        const std::vector<Index> probed = cells.items_probed_by(cell);
        for (std::size_t from = 0; from < probed.size(); from += together) {
            CudaBuffer<Index> piece;
            cuda.upload(piece, std::span(probed).subspan(from, std::min(together, probed.size() - from)));
            exact.search_some(queries, unsettled.subspan(begin, end - begin), items.gather(cuda, piece, loaded),
                              from > 0);
        }
    }
}

}  // namespace dunlin::neighbors
