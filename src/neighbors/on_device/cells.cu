#include "neighbors/on_device/cells.cuh"

#include <algorithm>
#include <bit>
#include <cmath>

#include "device/sort.cuh"
#include "kmeans/on_device/quantise.cuh"
#include "neighbors/on_device/sketch.cuh"
#include "neighbors/on_device/sorting.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// begins[c]: how many of the sorted values are below c.
struct FindBegins {
    const Index* sorted;
    Index count;
    Index* begins;
    __device__ void operator()(Offset c) const {
        Index low = 0, high = count;
        while (low < high) {
            const Index middle = low + (high - low) / 2;
            if (sorted[middle] < c) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        begins[c] = low;
    }
};

/// Block c: all cells by the distance of their centroids from that of c, itself first.
__global__ void near_kernel(const float* centroids, Index cells, Index cols, int padded, Index* near) {
    extern __shared__ unsigned long long keys[];
    const float* own = centroids + Offset{blockIdx.x} * cols;
    for (int d = static_cast<int>(threadIdx.x); d < padded; d += static_cast<int>(blockDim.x)) {
        float distance = d < cells ? 0.0F : INFINITY;
        if (d < cells && d != static_cast<int>(blockIdx.x)) {
            const float* other = centroids + Offset{d} * cols;
            for (Index c = 0; c < cols; ++c) distance += (own[c] - other[c]) * (own[c] - other[c]);
            distance = fmaxf(distance, 1e-37F);
        }
        keys[d] = static_cast<unsigned long long>(__float_as_uint(distance)) << 32 | static_cast<unsigned>(d);
    }
    __syncthreads();
    sort_block(keys, padded);
    for (Index d = static_cast<Index>(threadIdx.x); d < cells; d += static_cast<Index>(blockDim.x)) {
        near[Offset{blockIdx.x} * cells + d] = static_cast<Index>(keys[d] & 0xffffffffU);
    }
}

std::vector<Index> order_cells(Cuda& cuda, const CudaBuffer<float>& centroids, Index cells, Index cols) {
    CudaBuffer<Index> near(at(cells) * at(cells), cuda.stream());
    int padded = 1;
    while (padded < cells) padded *= 2;
    near_kernel<<<static_cast<unsigned>(cells), 256, static_cast<std::size_t>(padded) * sizeof(unsigned long long),
                  cuda.stream()>>>(centroids.data(), cells, cols, padded, near.data());
    device::cuda_check(cudaGetLastError());
    return cuda.host(near);
}

struct SetPlaces {
    const Index *cell_of_tile, *tiles, *items;
    Index* places;
    __device__ void operator()(Offset place) const {
        const Index cell = cell_of_tile[place / query_tile];
        const Offset item = items[cell] + place - Offset{tiles[cell]} * query_tile;
        places[place] = item < items[cell + 1] ? static_cast<Index>(item) : -1;
    }
};

/// Tiles and places, from where the items of cells begin.
void lay_out(Cuda& cuda, Cells& cells) {
    cells.tiles = {0};
    for (Index c = 0; c < cells.count(); ++c) {
        const Index tiles = (cells.size(c) + query_tile - 1) / query_tile;
        cells.tiles.push_back(cells.tiles.back() + tiles);
        cells.cell_of_tile.insert(cells.cell_of_tile.end(), at(tiles), c);
    }
    CudaBuffer<Index> cell_of_tile, tiles, items;
    cuda.upload(cell_of_tile, cells.cell_of_tile);
    cuda.upload(tiles, cells.tiles);
    cuda.upload(items, cells.items);
    cuda.resize(cells.places, at(cells.tiles.back()) * at(query_tile));
    cuda.each(static_cast<Offset>(cells.places.size()),
              SetPlaces{cell_of_tile.data(), tiles.data(), items.data(), cells.places.data()});
    cuda.wait();
}

struct Subtract {
    const Index* places;
    Index first;
    Index* which;
    __device__ void operator()(Offset i) const { which[i] = places[i] < 0 ? -1 : places[i] - first; }
};

/// The least step s with count <= 2^s.
int doublings(Index count) { return std::bit_width(static_cast<unsigned>(count) - 1U); }

/// Tiles of the base of the `probes` cells nearest to `cell`. A tile of each of eight cells comes first, then so many
/// more that twice the cells and twice the tiles of each are there, and so on: what is visited first is a sample of all
/// that is near, also for a row at the border of its cell.
void append_visits(const Cells& cells, Index cell, Index probes, std::vector<Index>& tiles) {
    constexpr Index in_a_query_tile = query_tile / base_tile, first_cells = 8;
    const Index* near = cells.near.data() + at(cell) * at(cells.count());
    std::vector<std::vector<Index>> steps;
    for (Index rank = 0; rank < std::min(probes, cells.count()); ++rank) {
        const Index first = cells.tiles[at(near[rank])] * in_a_query_tile;
        for (Index t = 0; t < tiles_of(cells.size(near[rank])); ++t) {
            const auto step = static_cast<std::size_t>(std::max(doublings(rank / first_cells + 1), doublings(t + 1)));
            if (steps.size() <= step) steps.resize(step + 1);
            steps[step].push_back(first + t);
        }
    }
    for (const auto& step : steps) tiles.insert(tiles.end(), step.begin(), step.end());
}

/// Puts items for their places among those of the visited cells, of which cell v has places from begins[v] on.
struct NameVisited {
    const Index *begins, *firsts;
    Index cells;
    Index* order;
    __device__ void operator()(Offset i) const {
        const Index place = order[i];
        if (place < 0) return;
        Index low = 0, high = cells - 1;
        while (low < high) {
            const Index middle = low + (high - low + 1) / 2;
            if (begins[middle] <= place) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        order[i] = firsts[low] + place - begins[low];
    }
};

}  // namespace

VisitedItems visited_by(Cuda& cuda, const Cells& cells, Index cell, Index probes) {
    VisitedItems visited;
    std::vector<Index> begins, firsts;
    for (Index rank = 0; rank < std::min(probes, cells.count()); ++rank) {
        const Index other = cells.near[at(cell) * at(cells.count()) + at(rank)];
        begins.push_back(visited.count);
        firsts.push_back(cells.items[at(other)]);
        visited.count += cells.size(other);
    }
    CudaBuffer<Index> from, first;
    cuda.upload(from, begins);
    cuda.upload(first, firsts);
    order_base(cuda, visited.count, visited.order);
    cuda.each(static_cast<Offset>(visited.order.size()),
              NameVisited{from.data(), first.data(), static_cast<Index>(begins.size()), visited.order.data()});
    return visited;
}

Index Cells::cell_of(Index item) const {
    return static_cast<Index>(std::upper_bound(items.begin(), items.end(), item) - items.begin()) - 1;
}

std::vector<Index> Cells::ranks_by(Index cell) const {
    std::vector<Index> ranks(at(count()));
    for (Index rank = 0; rank < count(); ++rank) ranks[at(near[at(cell) * at(count()) + at(rank)])] = rank;
    return ranks;
}

Index cells_for(Index items) {
    return std::clamp(static_cast<Index>(std::sqrt(static_cast<double>(items))), 1, most_cells);
}

Cells cut_into_cells(Cuda& cuda, ItemSource& items, Index count) {
    kmeans::Quantised found = kmeans::quantise(cuda, items.values(cuda), items.cols(), count);
    Cells cells;
    cells.near = order_cells(cuda, found.centroids, count, items.cols());
    CudaBuffer<Index> order, begins(at(count) + 1, cuda.stream());
    device::count_up(cuda, items.count(), order);
    device::sort_pairs(cuda, found.cell, order, 0, 32);
    cuda.each(Offset{count} + 1, FindBegins{found.cell.data(), items.count(), begins.data()});
    cells.items = cuda.host(begins);
    items.put_in_order(cuda, order);
    lay_out(cuda, cells);
    return cells;
}

CellBlock block_of(Cuda& cuda, const Cells& cells, Index begin, Index end, Index probes) {
    const auto first_item = [&](Index tile) {
        if (tile == cells.tiles.back()) return cells.items.back();
        const Index cell = cells.cell_of_tile[at(tile)];
        return cells.items[at(cell)] + (tile - cells.tiles[at(cell)]) * query_tile;
    };
    CellBlock block;
    block.probes = probes;
    block.first = first_item(begin);
    block.count = first_item(end) - block.first;
    cuda.resize(block.which, at(end - begin) * at(query_tile));
    cuda.each(static_cast<Offset>(block.which.size()),
              Subtract{cells.places.data() + Offset{begin} * query_tile, block.first, block.which.data()});

    std::vector<Index> tiles, counts;
    std::vector<Offset> begins;
    for (Index t = begin; t < end; ++t) {
        const bool same = t > begin && cells.cell_of_tile[at(t)] == cells.cell_of_tile[at(t - 1)];
        begins.push_back(same ? begins.back() : std::ssize(tiles));
        if (!same) append_visits(cells, cells.cell_of_tile[at(t)], probes, tiles);
        counts.push_back(static_cast<Index>(std::ssize(tiles) - begins.back()));
    }
    cuda.upload(block.visits.tiles, tiles);
    cuda.upload(block.visits.begins, begins);
    cuda.upload(block.visits.counts, counts);
    block.visits.longest = *std::max_element(counts.begin(), counts.end());
    return block;
}

}  // namespace dunlin::neighbors
