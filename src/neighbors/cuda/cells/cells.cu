// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/cells/cells.cuh"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <dunlin/error.hpp>

#include "math/at.hpp"
#include "neighbors/cuda/filter_rows.cuh"
#include "neighbors/cuda/sorting.cuh"
#include "numerics/sort.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// begins[c] = number of the sorted values below c.
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

/// Block c sorts all cells by the distance of their centroids from that of c.
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

std::vector<Index> order_centroids(Cuda& cuda, const CudaBuffer<float>& centroids, Index cells, Index cols) {
    CudaBuffer<Index> near(at(cells) * at(cells), cuda.stream());
    int padded = 1;
    while (padded < cells) padded *= 2;
    const int bytes = padded * static_cast<int>(sizeof(unsigned long long));
    int most = 0;
    device::cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.run().gpu()));
    if (bytes > most)
        throw Error(Fault::bad_input,
                    std::to_string(cells) + " cells are sorted in " + std::to_string(bytes) +
                        " bytes of shared memory and this GPU has " + std::to_string(most) + "; lower cells",
                    {.option = "cells"});
    device::cuda_check(cudaFuncSetAttribute(near_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    near_kernel<<<static_cast<unsigned>(cells), 256, static_cast<std::size_t>(bytes), cuda.stream()>>>(
        centroids.data(), cells, cols, padded, near.data());
    device::cuda_check(cudaGetLastError());
    return cuda.host(near);
}

/// A greedy chain of centroids, each followed by the nearest one not yet in the chain, so that near cells get near
/// numbers.
std::vector<Index> chain_centroids(const std::vector<Index>& near, Index cells) {
    std::vector<Index> chain{0};
    std::vector<bool> taken(at(cells), false);
    taken[0] = true;
    while (std::ssize(chain) < cells) {
        const auto from = near.begin() + Offset{chain.back()} * cells;
        const Index next = *std::find_if(from, from + cells, [&](Index cell) { return !taken[at(cell)]; });
        taken[at(next)] = true;
        chain.push_back(next);
    }
    return chain;
}

/// `near` with cells renumbered by their position in the chain.
std::vector<Index> renumbered(const std::vector<Index>& near, const std::vector<Index>& chain,
                              const std::vector<Index>& place) {
    std::vector<Index> of_cells;
    of_cells.reserve(near.size());
    for (const Index centroid : chain) {
        const auto from = near.begin() + centroid * std::ssize(chain);
        std::transform(from, from + std::ssize(chain), std::back_inserter(of_cells),
                       [&](Index c) { return place[at(c)]; });
    }
    return of_cells;
}

struct RenumberCells {
    const Index* place;
    Index* cell;
    __device__ void operator()(Offset i) const { cell[i] = place[cell[i]]; }
};

struct SetPlaces {
    const Index *cell_of_tile, *tiles, *begins;
    Index* places;
    __device__ void operator()(Offset place) const {
        const Index cell = cell_of_tile[place / query_tile];
        const Offset row = begins[cell] + place - Offset{tiles[cell]} * query_tile;
        places[place] = row < begins[cell + 1] ? static_cast<Index>(row) : -1;
    }
};

/// Computes tiles and places from the first rows of the cells.
void lay_out(Cuda& cuda, SortedByCell& cells) {
    cells.tiles = {0};
    for (Index c = 0; c < cells.count(); ++c) {
        const Index tiles = (cells.size(c) + query_tile - 1) / query_tile;
        cells.tiles.push_back(cells.tiles.back() + tiles);
        cells.cell_of_tile.insert(cells.cell_of_tile.end(), at(tiles), c);
    }
    if (cells.tiles.back() == 0) return;
    CudaBuffer<Index> cell_of_tile, tiles, begins;
    cuda.upload(cell_of_tile, cells.cell_of_tile);
    cuda.upload(tiles, cells.tiles);
    cuda.upload(begins, cells.begins);
    cuda.resize(cells.places, at(cells.tiles.back()) * at(query_tile));
    cuda.each(static_cast<Offset>(cells.places.size()),
              SetPlaces{cell_of_tile.data(), tiles.data(), begins.data(), cells.places.data()});
    cuda.wait();
}

/// The largest distance of a row's coordinates from those of its centroid, in all lanes of a warp.
__device__ double residual_extent(const DeviceRows& rows, Index row, const float* centroid) {
    double most = 0;
    for (auto c = static_cast<Index>(threadIdx.x % 32); c < rows.cols; c += 32) {
        most = fmax(most, fabs(rows.value(row, c) - static_cast<double>(centroid[c])));
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) most = fmax(most, __shfl_xor_sync(~0U, most, lanes));
    return most;
}

struct FindLargestResidual {
    DeviceRows rows;
    const Index *cell, *centroid_of;
    const float* centroids;
    double* most;  ///< positive doubles are ordered like their bits
    __device__ void operator()(Offset r) const {
        const auto row = static_cast<Index>(r);
        const double extent = residual_extent(rows, row, centroids + Offset{centroid_of[cell[row]]} * rows.cols);
        if (threadIdx.x % 32 != 0 || extent <= *static_cast<volatile double*>(most)) return;
        atomicMax(reinterpret_cast<unsigned long long*>(most),
                  static_cast<unsigned long long>(__double_as_longlong(extent)));
    }
};

/// From the centroid of each row to its cell.
struct MapToCells {
    DeviceRows rows;
    const float* centroids;
    const Index* cell_of;
    double reach;
    Index none;
    Index* cell;
    __device__ void operator()(Offset r) const {
        const auto row = static_cast<Index>(r);
        const Index centroid = cell[row];
        const bool far = residual_extent(rows, row, centroids + Offset{centroid} * rows.cols) > reach;
        if (threadIdx.x % 32 == 0) cell[row] = far ? none : cell_of[centroid];
    }
};

/// Replaces positions among the probed items by items. Probed cell v has positions from begins[v] on, and items from
/// firsts[v] on.
struct MapToItems {
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

ProbedItems probed_by(Cuda& cuda, const CellPartition& cells, Index begin, Index end) {
    ProbedItems probed;
    std::vector<Index> begins, firsts;
    std::vector<Index> of(at(end - begin));
    std::iota(of.begin(), of.end(), begin);
    for (const Index cell : cells.probed_by(of)) {
        begins.push_back(probed.count);
        firsts.push_back(cells.begins[at(cell)]);
        probed.count += cells.size(cell);
    }
    CudaBuffer<Index> from, first;
    cuda.upload(from, begins);
    cuda.upload(first, firsts);
    order_base(cuda, probed.count, probed.order);
    cuda.each(static_cast<Offset>(probed.order.size()),
              MapToItems{from.data(), first.data(), static_cast<Index>(begins.size()), probed.order.data()});
    return probed;
}

Index SortedByCell::cell_of(Index row) const {
    return static_cast<Index>(std::upper_bound(begins.begin(), begins.end(), row) - begins.begin()) - 1;
}

SortedByCell sort_by_cell(Cuda& cuda, Index cells, CudaBuffer<Index>& cell, CudaBuffer<Index>& order) {
    SortedByCell sorted;
    const auto rows = static_cast<Index>(cell.size());
    CudaBuffer<Index> begins(at(cells) + 1, cuda.stream());
    numerics::count_up(cuda, rows, order);
    numerics::sort_pairs(cuda, cell, order, 0, 32);
    cuda.each(Offset{cells} + 1, FindBegins{cell.data(), rows, begins.data()});
    sorted.begins = cuda.host(begins);
    lay_out(cuda, sorted);
    return sorted;
}

std::vector<Index> CellPartition::ranks_by(Index cell) const {
    std::vector<Index> ranks(at(count()));
    for (Index rank = 0; rank < count(); ++rank) ranks[at(near[at(cell) * at(count()) + at(rank)])] = rank;
    return ranks;
}

std::vector<Index> CellPartition::probed_by(std::span<const Index> of) const {
    std::vector<bool> marked(at(count()), false);
    for (auto next = of.begin(); next != of.end(); ++next) {
        const Index cell = *next;
        if (next != of.begin() && cell == *(next - 1)) continue;
        const auto nearest = near.begin() + Offset{cell} * count();
        std::for_each(nearest, nearest + probes[at(cell)], [&](Index c) { marked[at(c)] = true; });
    }
    std::vector<Index> cells;
    for (Index cell = 0; cell < count(); ++cell) {
        if (marked[at(cell)]) cells.push_back(cell);
    }
    return cells;
}

std::vector<Index> CellPartition::items_probed_by(Index cell) const {
    std::vector<Index> probed;
    for (const Index other : probed_by({&cell, 1})) {
        for (Index item = begins[at(other)]; item < begins[at(other) + 1]; ++item) probed.push_back(item);
    }
    return probed;
}

void CellPartition::set_probes(Index cells, Index least) {
    probes.clear();
    for (Index cell = 0; cell < count(); ++cell) {
        probes.push_back(std::clamp(cells, ranks_that_hold(cell, least), count()));
    }
}

Index CellPartition::ranks_that_hold(Index cell, Index least) const {
    Index ranks = 0;
    for (Index held = 0; held < least && ranks < count(); ++ranks) {
        held += size(near[at(cell) * at(count()) + at(ranks)]);
    }
    return ranks;
}

Index CellPartition::mean_probes() const {
    double sum = 0;
    for (Index cell = 0; cell < count(); ++cell) sum += 1.0 * size(cell) * probes[at(cell)];
    return static_cast<Index>(std::lround(sum / begins.back()));
}

SortedItems sort_into_cells(Cuda& cuda, ItemSource& items, kmeans::CoarseAssignment found, Index cols) {
    const auto count = static_cast<Index>(found.centroids.size() / at(cols));
    const std::vector<Index> near = order_centroids(cuda, found.centroids, count, cols);
    SortedItems sorted{.centroids = chain_centroids(near, count), .cell = std::move(found.cell)};
    std::vector<Index> place(at(count));
    for (Index c = 0; c < count; ++c) place[at(sorted.centroids[at(c)])] = c;

    sorted.quantizer = {std::move(found.centroids), std::move(found.frame), {}, cols};
    cuda.upload(sorted.quantizer.cell_of, place);
    cuda.each(items.count(), RenumberCells{sorted.quantizer.cell_of.data(), sorted.cell.data()});
    static_cast<SortedByCell&>(sorted.cells) = sort_by_cell(cuda, count, sorted.cell, sorted.order);
    sorted.cells.near = renumbered(near, sorted.centroids, place);
    items.reorder(cuda, sorted.order);
    return sorted;
}

SortedItems cut_into_cells(Cuda& cuda, ItemSource& items, Index count) {
    const Index cols = items.cols();
    return sort_into_cells(cuda, items, kmeans::assign_coarsely(cuda, items.values(cuda), cols, count), cols);
}

CudaBuffer<Index> assign_to_cells(Cuda& cuda, CellQuantizer& quantizer, const DeviceRows& rows, double reach) {
    CudaBuffer<float> values = values_of(cuda, rows);
    CudaBuffer<Index> cell =
        kmeans::assign_in_frame(cuda, values, quantizer.cols, quantizer.centroids, quantizer.frame);
    each_warp(cuda, rows.count,
              MapToCells{rows, quantizer.centroids.data(), quantizer.cell_of.data(), reach,
                         static_cast<Index>(quantizer.cell_of.size()), cell.data()});
    cuda.wait();
    return cell;
}

double largest_residual(Cuda& cuda, const SortedItems& sorted, const DeviceRows& rows) {
    CudaBuffer<Index> centroid_of;
    cuda.upload(centroid_of, sorted.centroids);
    device::CudaCell<double> most;
    cuda.set(most, 0.0);
    each_warp(cuda, rows.count,
              FindLargestResidual{rows, sorted.cell.data(), centroid_of.data(), sorted.quantizer.centroids.data(),
                                  cuda.address(most)});
    return cuda.read(most);
}

}  // namespace dunlin::neighbors
