// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/cells/cell_blocks.cuh"

#include <algorithm>
#include <bit>
#include <span>

#include "math/at.hpp"
#include "neighbors/cuda/filter_plan.hpp"
#include "neighbors/cuda/filter_rows.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

struct Subtract {
    const Index* places;
    Index first;
    Index* which;
    __device__ void operator()(Offset i) const { which[i] = places[i] < 0 ? -1 : places[i] - first; }
};

struct GatherTiles {
    const Index *tiles, *places;
    Index* base;
    __device__ void operator()(Offset i) const {
        base[i] = places[Offset{tiles[i / base_tile]} * base_tile + i % base_tile];
    }
};

/// The least s with count <= 2^s.
int doublings(Index count) { return std::bit_width(static_cast<unsigned>(count) - 1U); }

/// Appends the tiles of the cells that queries of `cell` probe; the tiles of cell c start at first_tile[c]. First comes
/// one tile of each of the eight nearest cells, then enough for twice the cells and twice the tiles of each, and so on,
/// so that a prefix is a sample of all that is near, also for a row near the border of its cell. In between come tiles
/// of all probed cells: around a sparse cell, the neighbors are in dense cells with more distant centroids.
void append_probes(const CellPartition& cells, Index cell, const std::vector<Index>& first_tile,
                   std::vector<Index>& tiles) {
    constexpr Index first_cells = 8;
    const Index* near = cells.near.data() + at(cell) * at(cells.count());
    std::vector<std::vector<Index>> steps;
    for (Index rank = 0; rank < cells.probes[at(cell)]; ++rank) {
        const Index first = first_tile[at(near[rank])];
        for (Index t = 0; t < tiles_of(cells.size(near[rank])); ++t) {
            const auto step = static_cast<std::size_t>(std::max(doublings(rank / first_cells + 1), doublings(t + 1)));
            if (steps.size() <= step) steps.resize(step + 1);
            steps[step].push_back(first + t);
        }
    }
    std::vector<Index> nearest;
    for (const auto& step : steps) nearest.insert(nearest.end(), step.begin(), step.end());
    const std::vector<Index> mixed = half_sampled(nearest);
    tiles.insert(tiles.end(), mixed.begin(), mixed.end());
}

/// First row of a tile of queries; for the tile after the last, the number of rows.
Index first_row(const SortedByCell& queries, Index tile) {
    if (tile == queries.tiles.back()) return queries.begins.back();
    const Index cell = queries.cell_of_tile[at(tile)];
    return queries.begins[at(cell)] + (tile - queries.tiles[at(cell)]) * query_tile;
}

/// Appends the tiles of all cells that queries of tiles [begin, end) probe. Returns the position of each cell's first
/// tile.
std::vector<Index> append_base(const SortedByCell& queries, const CellPartition& cells, Index begin, Index end,
                               std::vector<Index>& base) {
    std::vector<Index> first_tile(at(cells.count()), 0);
    for (const Index cell : cells.probed_by(std::span(queries.cell_of_tile).subspan(at(begin), at(end - begin)))) {
        first_tile[at(cell)] = static_cast<Index>(std::ssize(base));
        const Index first = cells.tiles[at(cell)] * (query_tile / base_tile);
        for (Index t = 0; t < tiles_of(cells.size(cell)); ++t) base.push_back(first + t);
    }
    return first_tile;
}

/// For the tiles of queries [begin, end).
ProbedTiles list_probed_tiles(const SortedByCell& queries, const CellPartition& cells, Index begin, Index end) {
    ProbedTiles probed{.begin = begin, .end = end};
    const std::vector<Index> first_tile = append_base(queries, cells, begin, end, probed.base);
    for (Index t = begin; t < end; ++t) {
        const Index cell = queries.cell_of_tile[at(t)];
        const bool same = t > begin && cell == queries.cell_of_tile[at(t - 1)];
        probed.begins.push_back(same ? probed.begins.back() : std::ssize(probed.tiles));
        if (!same) append_probes(cells, cell, first_tile, probed.tiles);
        probed.counts.push_back(static_cast<Index>(std::ssize(probed.tiles) - probed.begins.back()));
    }
    return probed;
}

CellBlock block_of(Cuda& cuda, const SortedByCell& queries, const CellPartition& cells, ProbedTiles probed) {
    CellBlock block;
    block.first = first_row(queries, probed.begin);
    block.count = first_row(queries, probed.end) - block.first;
    cuda.resize(block.which, at(probed.end - probed.begin) * at(query_tile));
    cuda.each(static_cast<Offset>(block.which.size()),
              Subtract{queries.places.data() + Offset{probed.begin} * query_tile, block.first, block.which.data()});
    CudaBuffer<Index> chosen;
    cuda.upload(chosen, probed.base);
    cuda.resize(block.base, probed.base.size() * at(base_tile));
    cuda.each(static_cast<Offset>(block.base.size()),
              GatherTiles{chosen.data(), cells.places.data(), block.base.data()});
    cuda.upload(block.visits.tiles, probed.tiles);
    cuda.upload(block.visits.begins, probed.begins);
    cuda.upload(block.visits.counts, probed.counts);
    block.visits.lengths = std::move(probed.counts);
    return block;
}

}  // namespace

CellBlocks::CellBlocks(const SortedByCell& queries, const CellPartition& cells, Index tiles, BlockTurn turn)
    : queries_(queries), cells_(cells), tiles_(tiles), step_(tiles * turn.of) {
    list(Offset{tiles} * turn.own);
}

void CellBlocks::list(Offset begin) {
    const Offset all = queries_.tiles.back();
    if (begin >= all) return;
    coming_ = std::async(std::launch::async, [this, begin, end = std::min(begin + tiles_, all)] {
        return list_probed_tiles(queries_, cells_, static_cast<Index>(begin), static_cast<Index>(end));
    });
}

CellBlock CellBlocks::next(Cuda& cuda) {
    ProbedTiles probed = coming_.get();
    list(Offset{probed.begin} + step_);
    return block_of(cuda, queries_, cells_, std::move(probed));
}

}  // namespace dunlin::neighbors
