// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/cells/cell_search.cuh"

#include "kmeans/cuda/coarse_assignment.cuh"
#include "math/at.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/cuda/cells/apart_queries.cuh"
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
          blocks_(cuda, search.metric, items_.cols(), search.wanted()) {}

    FoundOnDevice run();

private:
    void plan(Index cells);
    [[nodiscard]] CudaRecallSample find_sample();
    void choose_probes(CellPartition& cells, const CudaRecallSample& sample) const;
    void search_all(const CellPartition& cells, CudaRecallSample& sample, FoundOnDevice& found);
    void search_queries(SortedItems& sorted, double reach, CudaRecallSample& sample, FoundOnDevice& found);
    [[nodiscard]] ItemRows all_items() const {
        LoadedRows none;
        return items_.load(cuda_, 0, items_.count(), none);
    }

    Cuda& cuda_;
    ItemSearch search_;
    ItemSource& items_;
    SearchParameters parameters_;
    BlockSearch blocks_;
    Index tiles_per_block_ = 0, lists_ = 0;
    Index batch_ = 0;  ///< queries apart from the items that are assigned to cells together
};

/// Chooses the block size so that cutting the cells and searching them fits into memory.
void CellSearch::plan(Index cells) {
    constexpr Index most_tiles = 256, few_queries = 1 << 10,
                    least_lists = (sample_of_rows.all + query_tile - 1) / query_tile * query_tile;
    const auto n = static_cast<std::uint64_t>(items_.count());
    const std::uint64_t values = n * static_cast<std::uint64_t>(items_.cols()) * sizeof(float);
    const std::uint64_t making = values + kmeans::coarse_assignment_bytes(items_.count(), items_.cols(), cells) +
                                 n * 16 +
                                 static_cast<std::uint64_t>(cells) * static_cast<std::uint64_t>(cells) * sizeof(Index);
    const std::uint64_t padded = n + static_cast<std::uint64_t>(cells) * query_tile;
    const std::uint64_t sorting = sorting_bytes(items_.count(), search_.list_degree());
    const std::uint64_t allowed = device::allowance(cuda_);
    const auto wanted = [&] {
        const Index all_tiles =
            search_.apart != nullptr ? most_tiles_of(batch_, cells) : static_cast<Index>(padded / query_tile) + 1;
        tiles_per_block_ = std::min(most_tiles, all_tiles);
        lists_ = std::max(tiles_per_block_ * query_tile, least_lists);
        const std::uint64_t searching = graph_bytes(search_.lists(), search_.list_degree()) +
                                        padded * (blocks_.bytes_per_base_row() + 12) +
                                        static_cast<std::uint64_t>(lists_) * blocks_.bytes_per_query() + sorting;
        if (search_.apart == nullptr) return std::max(making, searching);
        return std::max(making, searching + n * 32 + apart_bytes(search_, batch_, lists_, items_.cols(), cells));
    };
    if (search_.apart != nullptr) batch_ = largest_batch(search_);
    while (search_.apart != nullptr && wanted() > allowed && batch_ > few_queries) batch_ /= 2;
    require_device_memory(wanted(), allowed, search_.lists(), search_.list_degree());
    blocks_.prepare(lists_, lists_, sorting, items_.sample(cuda_, 0, items_.count()));
}

/// The recall sample with its exact neighbors.
CudaRecallSample CellSearch::find_sample() {
    CudaRecallSample sample(cuda_, items_.groups(), search_.rows, search_.degree(), parameters_);
    device::CudaBuffer<Index> sampled;
    cuda_.upload(sampled, sample.items());
    LoadedRows loaded;
    blocks_.want(search_.listed());
    blocks_.set_base(all_items());
    blocks_.search(items_.gather(cuda_, sampled, loaded), false);
    sample.set_truth(cuda_, items_.groups(), blocks_.nearest());
    return sample;
}

/// Sets the number of cells to probe: as given, or the least number that reaches the wanted recall on the sample
/// (cells_for_recall). A query finds every neighbor that is in its cells.
void CellSearch::choose_probes(CellPartition& cells, const CudaRecallSample& sample) const {
    const Index least = search_.wanted() + 1;  // so that lists are complete
    if (parameters_.probes) return cells.set_probes(*parameters_.probes, least);
    std::vector<std::vector<Index>> ranks;
    for (std::size_t i = 0; i < sample.items().size(); ++i) {
        const std::vector<Index> rank_of = cells.ranks_by(cells.cell_of(sample.items()[i]));
        ranks.push_back(
            sample.sample().ranks_of(i, sample.truth(i), [&](Index item) { return rank_of[at(cells.cell_of(item))]; }));
    }
    cells.set_probes(cells_for_recall(sample.sample(), ranks, search_.degree(), cells.count(), parameters_.recall),
                     least);
}

void CellSearch::search_all(const CellPartition& cells, CudaRecallSample& sample, FoundOnDevice& found) {
    search_by_blocks(cuda_, {search_, cells, sample, tiles_per_block_}, blocks_.nearest(), found,
                     [&](CellBlock& block) {
                         LoadedRows none;
                         blocks_.search(items_.load(cuda_, block.first, block.count, none),
                                        items_.sample(cuda_, block.first, block.count), cells, block);
                     });
}

/// Queries whose lists overflow are compared with all rows that they probe, and with no others.
void CellSearch::search_queries(SortedItems& sorted, double reach, CudaRecallSample& sample, FoundOnDevice& found) {
    ApartCellSearch apart{search_, parameters_, sorted.cells, sample, blocks_, tiles_per_block_, batch_, lists_};
    apart.assign = [&](const DeviceRows& queries) { return assign_to_cells(cuda_, sorted.quantizer, queries, reach); };
    apart.search_block = [&](const ItemRows& queries, const SortedByCell& by_cell, CellBlock& block) {
        LoadedRows sampled;
        const DeviceRows some = sample_rows(cuda_, search_.metric, queries.rows, sampled);
        const std::vector<Index> unsettled = blocks_.search_probed(queries, some, all_items(), block);
        search_items_probed(cuda_, items_, blocks_, sorted.cells, queries, by_cell, block.first, unsettled,
                            at(items_.count()));
    };
    apart.search_far = [&](const ItemRows& queries) {
        blocks_.set_frame(items_.sample(cuda_, 0, items_.count()));
        blocks_.set_base(all_items());
        blocks_.search(queries, false);
    };
    search_apart(cuda_, apart, found);
}

FoundOnDevice CellSearch::run() {
    constexpr double far_residuals = 2;  // a query is far beyond so many times the largest residual of an item
    const Index wanted_cells = cell_count(items_.count(), parameters_);
    plan(wanted_cells);
    SortedItems sorted = cut_into_cells(cuda_, items_, wanted_cells);
    const double reach =
        search_.apart != nullptr ? far_residuals * largest_residual(cuda_, sorted, all_items().rows) : 0;
    sorted.cell = {};
    sorted.order = {};
    // Not before: cutting cells takes about as much memory
    FoundOnDevice found{.graph = empty_lists(cuda_, search_.lists(), search_.list_degree())};
    CudaRecallSample sample = find_sample();
    if (device::stops(cuda_.run())) return found;
    found.method = Method::approximate;
    choose_probes(sorted.cells, sample);
    found.probes = sorted.cells.mean_probes();
    if (search_.apart != nullptr) {
        search_queries(sorted, reach, sample, found);
    } else {
        search_all(sorted.cells, sample, found);
    }
    return found;
}

}  // namespace

bool can_search_cells(Cuda& cuda, const ItemSearch& search) {
    if (!search.items.held() || search.items.count() < query_tile) return false;
    return BlockSearch(cuda, search.metric, search.items.cols(), search.wanted()).has_halves();
}

FoundOnDevice search_cells(Cuda& cuda, const ItemSearch& search, const SearchParameters& parameters) {
    return CellSearch(cuda, search, parameters).run();
}

}  // namespace dunlin::neighbors
