// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/cells/cell_search.cuh"

#include "kmeans/cuda/coarse_assignment.cuh"
#include "math/at.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/cuda/cells/cells.cuh"
#include "neighbors/cuda/cells/search_by_blocks.cuh"
#include "neighbors/cuda/exact/block_search.cuh"
#include "neighbors/cuda/exact/brute_force.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;

class CellSearch {
public:
    CellSearch(Cuda& cuda, const ItemSearch& search, const SearchParameters& parameters)
        : cuda_(cuda),
          search_(search),
          items_(search.items),
          parameters_(parameters),
          blocks_(cuda, search.metric, items_.cols(), search.listed()) {}

    FoundOnDevice run();

private:
    void plan(Index cells);
    [[nodiscard]] CudaRecallSample find_sample();
    void choose_probes(CellPartition& cells, const CudaRecallSample& sample) const;
    [[nodiscard]] bool stopped() const { return cuda_.run().stop.stop_requested(); }

    Cuda& cuda_;
    ItemSearch search_;
    ItemSource& items_;
    SearchParameters parameters_;
    BlockSearch blocks_;
    Index tiles_per_block_ = 0;
};

/// Chooses the block size so that cutting the cells and searching them fits into memory.
void CellSearch::plan(Index cells) {
    constexpr Index most_tiles = 256, least_lists = (sample_of_rows.all + query_tile - 1) / query_tile * query_tile;
    const auto n = static_cast<std::uint64_t>(items_.count());
    const std::uint64_t values = n * static_cast<std::uint64_t>(items_.cols()) * sizeof(float);
    const std::uint64_t making =
        values + kmeans::coarse_assignment_bytes(items_.count(), items_.cols(), cells) + n * 16;
    const std::uint64_t padded = n + static_cast<std::uint64_t>(cells) * query_tile;
    tiles_per_block_ = std::min(most_tiles, static_cast<Index>(padded / query_tile) + 1);
    const auto lists = static_cast<std::uint64_t>(std::max(tiles_per_block_ * query_tile, least_lists));
    const std::uint64_t searching = graph_bytes(search_.rows, search_.degree) +
                                    padded * (blocks_.bytes_per_base_row() + 12) + lists * blocks_.bytes_per_query() +
                                    sorting_bytes(items_.count(), search_.degree);
    const std::uint64_t allowed = device::allowance(cuda_), wanted = std::max(making, searching);
    require_device_memory(wanted, allowed, search_.rows, search_.degree);
    blocks_.prepare(static_cast<Index>(lists), static_cast<Index>(lists), sorting_bytes(items_.count(), search_.degree),
                    items_.sample(cuda_, 0, items_.count()));
}

/// The recall sample with its exact neighbors.
CudaRecallSample CellSearch::find_sample() {
    CudaRecallSample sample(cuda_, items_.groups(), search_.rows, search_.degree, parameters_);
    device::CudaBuffer<Index> sampled;
    cuda_.upload(sampled, sample.items());
    LoadedRows loaded, none;
    blocks_.set_base(items_.load(cuda_, 0, items_.count(), none));
    blocks_.search(items_.gather(cuda_, sampled, loaded), false);
    sample.set_truth(cuda_, items_.groups(), blocks_.nearest());
    return sample;
}

/// Sets the number of cells to probe: as given, or the least number that reaches the wanted recall on the sample
/// (cells_for_recall). A query finds every neighbor that is in its cells.
void CellSearch::choose_probes(CellPartition& cells, const CudaRecallSample& sample) const {
    const Index least = search_.listed() + 1;  // so that lists are complete
    if (parameters_.probes) return cells.set_probes(*parameters_.probes, least);
    std::vector<std::vector<Index>> ranks;
    for (std::size_t i = 0; i < sample.items().size(); ++i) {
        const std::vector<Index> rank_of = cells.ranks_by(cells.cell_of(sample.items()[i]));
        ranks.push_back(
            sample.sample().ranks_of(i, sample.truth(i), [&](Index item) { return rank_of[at(cells.cell_of(item))]; }));
    }
    cells.set_probes(cells_for_recall(sample.sample(), ranks, search_.degree, cells.count(), parameters_.recall),
                     least);
}

FoundOnDevice CellSearch::run() {
    FoundOnDevice found{.graph = empty_lists(cuda_, search_.rows, search_.degree)};
    const Index wanted_cells = cell_count(items_.count(), parameters_);
    plan(wanted_cells);
    CellPartition cells = cut_into_cells(cuda_, items_, wanted_cells);
    CudaRecallSample sample = find_sample();
    if (stopped()) return found;
    found.method = Method::approximate;
    choose_probes(cells, sample);
    found.probes = cells.mean_probes();
    search_by_blocks(cuda_, {search_, cells, sample, tiles_per_block_}, blocks_.nearest(), found,
                     [&](CellBlock& block) {
                         LoadedRows none;
                         blocks_.search(items_.load(cuda_, block.first, block.count, none),
                                        items_.sample(cuda_, block.first, block.count), cells, block);
                     });
    return found;
}

}  // namespace

bool can_search_cells(Cuda& cuda, const ItemSearch& search) {
    if (!search.items.held() || search.items.count() < query_tile) return false;
    return BlockSearch(cuda, search.metric, search.items.cols(), search.listed()).has_halves();
}

FoundOnDevice search_cells(Cuda& cuda, const ItemSearch& search, const SearchParameters& parameters) {
    return CellSearch(cuda, search, parameters).run();
}

}  // namespace dunlin::neighbors
