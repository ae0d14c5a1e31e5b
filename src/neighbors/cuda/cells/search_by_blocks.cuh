// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/ranks.hpp"
#include "neighbors/cuda/cells/cell_blocks.cuh"
#include "neighbors/cuda/emit.cuh"
#include "neighbors/cuda/item_search.cuh"
#include "neighbors/cuda/recall/recall_sample.cuh"
#include "neighbors/cuda/search.cuh"
#include "progress/progress.hpp"

namespace dunlin::neighbors {

/// What search_by_blocks searches: all items, in cells, and the sample that measures the recall.
struct SearchedCells {
    const ItemSearch& search;
    const CellPartition& cells;
    CudaRecallSample& sample;
    Index tiles;  ///< query tiles per block
};

/// Calls search(block), which fills `nearest`, for each block of queries; writes the lists to found.graph and the
/// measured recall to found. After a stop some lists are not written. Of several ranks, each searches some of the
/// blocks, in turn: what a block finds may depend on which queries it has.
template <class Search>
void search_by_blocks(device::Cuda& cuda, const SearchedCells& all, const NearestLists& nearest, FoundOnDevice& found,
                      const Search& search) {
    device::Rank* const rank = device::Rank::current();
    const BlockTurn turn = rank != nullptr ? BlockTurn{rank->index(), rank->count()} : BlockTurn{};
    CellBlocks blocks(all.cells, all.cells, all.tiles, turn);
    progress::ProgressReporter reporter(cuda.run(), "neighbors", all.search.items.count());
    while (blocks.more()) {
        CellBlock block = blocks.next(cuda);
        search(block);
        if (cuda.run().stop.stop_requested()) break;
        all.sample.record(cuda, all.search.items.groups(), block.first, block.count, nearest);
        emit(cuda, all.search.items.groups(), block.first, block.count, nearest, all.search.metric, all.search.degree(),
             found.graph);
        reporter.tick(block.first + block.count);
    }
    if (device::stops(cuda.run())) return;
    if (rank != nullptr) {
        device::Cpu cpu(1);
        const std::span<double> recorded = all.sample.recorded();
        device::all_reduce(cpu, *rank, recorded.data(), std::ssize(recorded));
    }
    reporter.tick(all.search.items.count());
    const Recall recall = all.sample.recall();
    found.recall = recall.mean;
    found.recall_se = recall.se;
}

}  // namespace dunlin::neighbors
