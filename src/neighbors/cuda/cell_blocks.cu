// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/cell_blocks.cuh"

#include <algorithm>
#include <bit>

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

/// The least step s with count <= 2^s.
int doublings(Index count) { return std::bit_width(static_cast<unsigned>(count) - 1U); }

/// Tiles of the cells that queries of `cell` visit, of which cell c has those from first_tile[c] on. A tile of each of
/// eight cells comes first, then so many more that twice the cells and twice the tiles of each are there, and so on:
/// what is visited first is a sample of all that is near, also for a row at the border of its cell. Between these come
/// tiles from all that is visited: around a sparse cell the dense ones, farther by their middles, hold the neighbors.
void append_visits(const Cells& cells, Index cell, const std::vector<Index>& first_tile, std::vector<Index>& tiles) {
    constexpr Index first_cells = 8;
    const Index* near = cells.near.data() + at(cell) * at(cells.count());
    std::vector<std::vector<Index>> steps;
    for (Index rank = 0; rank < cells.visited[at(cell)]; ++rank) {
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

/// The first item of a tile of queries, or the end of all.
Index first_item(const Cells& cells, Index tile) {
    if (tile == cells.tiles.back()) return cells.items.back();
    const Index cell = cells.cell_of_tile[at(tile)];
    return cells.items[at(cell)] + (tile - cells.tiles[at(cell)]) * query_tile;
}

/// Appends the tiles of all cells that any of the cells [from, to) visits; returns the place of the first of each cell.
std::vector<Index> append_base(const Cells& cells, Index from, Index to, std::vector<Index>& base) {
    std::vector<Index> first_tile(at(cells.count()), 0);
    for (const Index cell : cells.visited_by(from, to)) {
        first_tile[at(cell)] = static_cast<Index>(std::ssize(base));
        const Index first = cells.tiles[at(cell)] * (query_tile / base_tile);
        for (Index t = 0; t < tiles_of(cells.size(cell)); ++t) base.push_back(first + t);
    }
    return first_tile;
}

/// For tiles of queries [begin, end).
VisitedTiles visited_tiles(const Cells& cells, Index begin, Index end) {
    VisitedTiles visited{.begin = begin, .end = end};
    const std::vector<Index> first_tile =
        append_base(cells, cells.cell_of_tile[at(begin)], cells.cell_of_tile[at(end - 1)] + 1, visited.base);
    for (Index t = begin; t < end; ++t) {
        const Index cell = cells.cell_of_tile[at(t)];
        const bool same = t > begin && cell == cells.cell_of_tile[at(t - 1)];
        visited.begins.push_back(same ? visited.begins.back() : std::ssize(visited.tiles));
        if (!same) append_visits(cells, cell, first_tile, visited.tiles);
        visited.counts.push_back(static_cast<Index>(std::ssize(visited.tiles) - visited.begins.back()));
    }
    return visited;
}

CellBlock block_of(Cuda& cuda, const Cells& cells, VisitedTiles visited) {
    CellBlock block;
    block.first = first_item(cells, visited.begin);
    block.count = first_item(cells, visited.end) - block.first;
    cuda.resize(block.which, at(visited.end - visited.begin) * at(query_tile));
    cuda.each(static_cast<Offset>(block.which.size()),
              Subtract{cells.places.data() + Offset{visited.begin} * query_tile, block.first, block.which.data()});
    CudaBuffer<Index> chosen;
    cuda.upload(chosen, visited.base);
    cuda.resize(block.base, visited.base.size() * at(base_tile));
    cuda.each(static_cast<Offset>(block.base.size()),
              GatherTiles{chosen.data(), cells.places.data(), block.base.data()});
    cuda.upload(block.visits.tiles, visited.tiles);
    cuda.upload(block.visits.begins, visited.begins);
    cuda.upload(block.visits.counts, visited.counts);
    block.visits.lengths = std::move(visited.counts);
    return block;
}

}  // namespace

CellBlocks::CellBlocks(const Cells& cells, Index tiles) : cells_(cells), tiles_(tiles) { list(0); }

void CellBlocks::list(Index begin) {
    const Index end = std::min(begin + tiles_, cells_.tiles.back());
    if (begin == end) return;
    coming_ = std::async(std::launch::async, [this, begin, end] { return visited_tiles(cells_, begin, end); });
}

CellBlock CellBlocks::next(Cuda& cuda) {
    VisitedTiles visited = coming_.get();
    list(visited.end);
    return block_of(cuda, cells_, std::move(visited));
}

}  // namespace dunlin::neighbors
