#include "neighbors/on_device/approximate.cuh"

#include "kmeans/on_device/quantise.cuh"
#include "neighbors/checks.hpp"
#include "neighbors/on_device/block_search.cuh"
#include "neighbors/on_device/brute.cuh"
#include "neighbors/on_device/by_blocks.cuh"
#include "neighbors/on_device/cells.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;

class CellSearch {
public:
    CellSearch(Cuda& cuda, ItemSource& items, Index rows, Index degree, Metric metric, const Effort& effort)
        : cuda_(cuda),
          items_(items),
          metric_(metric),
          rows_(rows),
          degree_(degree),
          effort_(effort),
          blocks_(cuda, metric, items.cols(), std::min(degree, items.count() - 1)) {}

    FoundOnDevice run();

private:
    void plan(Index cells);
    [[nodiscard]] Judges find_judges();
    void choose_visits(Cells& cells, const Judges& judges) const;
    [[nodiscard]] bool stopped() const { return cuda_.run().stop.stop_requested(); }

    Cuda& cuda_;
    ItemSource& items_;
    Metric metric_;
    Index rows_, degree_;
    Effort effort_;
    BlockSearch blocks_;
    Index tiles_per_block_ = 0;
};

/// What is held while cells are made, and while they are searched.
void CellSearch::plan(Index cells) {
    constexpr Index most_tiles = 256, least_lists = (Judges::wanted_items + query_tile - 1) / query_tile * query_tile;
    const auto n = static_cast<std::uint64_t>(items_.count());
    const std::uint64_t values = n * static_cast<std::uint64_t>(items_.cols()) * sizeof(float);
    const std::uint64_t making = values + kmeans::quantising_bytes(items_.count(), items_.cols(), cells) + n * 16;
    const std::uint64_t padded = n + static_cast<std::uint64_t>(cells) * query_tile;
    tiles_per_block_ = std::min(most_tiles, static_cast<Index>(padded / query_tile) + 1);
    const auto lists = static_cast<std::uint64_t>(std::max(tiles_per_block_ * query_tile, least_lists));
    const std::uint64_t searching = graph_bytes(rows_, degree_) + padded * (blocks_.bytes_per_base_row() + 12) +
                                    lists * blocks_.bytes_per_query() + sorting_bytes(items_.count(), degree_);
    const std::uint64_t allowed = device::allowance(cuda_), wanted = std::max(making, searching);
    require_device_memory(wanted, allowed, rows_, degree_);
    blocks_.prepare(static_cast<Index>(lists), static_cast<Index>(lists), sorting_bytes(items_.count(), degree_),
                    items_.sample(cuda_, 0, items_.count()));
}

Judges CellSearch::find_judges() {
    Judges judges{.items = draw_from_parts(items_.count(), Judges::wanted_items, cuda_.run().seed)};
    device::CudaBuffer<Index> sampled;
    cuda_.upload(sampled, judges.items);
    LoadedRows loaded, none;
    blocks_.set_base(items_.load(cuda_, 0, items_.count(), none));
    blocks_.search(items_.chosen(cuda_, sampled, loaded), false);
    judges.take(cuda_, blocks_.nearest());
    return judges;
}

/// Has each cell visit as many as are given; or the least number, nearest first, in which the sampled items would have
/// found the wanted share of their neighbours, less three standard errors.
void CellSearch::choose_visits(Cells& cells, const Judges& judges) const {
    const Index least = judges.wanted + 1;  // lists are complete
    if (effort_.probes) return cells.visit_nearest(*effort_.probes, least);
    std::vector<std::vector<Index>> ranks;
    for (std::size_t i = 0; i < judges.items.size(); ++i) {
        if (Judges::measures(i)) continue;
        const std::vector<Index> ranks_of_cells = cells.ranks_by(cells.cell_of(judges.items[i]));
        std::vector<Index>& own = ranks.emplace_back();
        for (const Index item : judges.nearest_of(i)) own.push_back(ranks_of_cells[at(cells.cell_of(item))]);
        std::sort(own.begin(), own.end());
    }
    cells.visit_nearest(least_cells(ranks, judges.wanted, cells.count(), effort_.recall), least);
}

FoundOnDevice CellSearch::run() {
    FoundOnDevice found{.graph = empty_lists(cuda_, rows_, degree_)};
    const Index wanted_cells = cells_for(items_.count(), effort_);
    plan(wanted_cells);
    Cells cells = cut_into_cells(cuda_, items_, wanted_cells);
    const Judges judges = find_judges();
    if (stopped()) return found;
    found.method = Method::approximate;
    choose_visits(cells, judges);
    found.probes = cells.mean_visited();
    search_by_blocks(cuda_, {items_, cells, judges, metric_, degree_, tiles_per_block_}, blocks_.nearest(), found,
                     [&](CellBlock& block) {
                         LoadedRows none;
                         blocks_.search(items_.load(cuda_, block.first, block.count, none),
                                        items_.sample(cuda_, block.first, block.count), cells, block);
                     });
    return found;
}

}  // namespace

bool has_cells(Cuda& cuda, const ItemSource& items, Index degree, Metric metric) {
    if (!items.held() || items.count() < query_tile) return false;
    return BlockSearch(cuda, metric, items.cols(), std::min(degree, items.count() - 1)).has_halves();
}

FoundOnDevice search_cells(Cuda& cuda, ItemSource& items, Index rows, Index degree, Metric metric,
                           const Effort& effort) {
    return CellSearch(cuda, items, rows, degree, metric, effort).run();
}

}  // namespace dunlin::neighbors
