// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "device/resident.cuh"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "progress/stopwatch.hpp"
#include "surface/cuda.hpp"
#include "surface/cuda/marching.cuh"
#include "surface/measures.hpp"
#include "surface/problem.hpp"

namespace dunlin::surface {

namespace {

template <class T>
void download(device::Cuda& cuda, const device::CudaBuffer<T>& from, std::vector<T>& to) {
    // In pieces, so that a stop is noticed
    constexpr std::size_t piece = std::size_t{1} << 26;
    to.reserve(from.size());
    while (to.size() < from.size()) {
        progress::cancellation_point();
        const std::size_t begin = to.size();
        to.resize(std::min(from.size(), begin + piece));
        cuda.copy_out(to.data() + begin, from.data() + begin, (to.size() - begin) * sizeof(T));
    }
}

template <class Real>
void upload(device::Cuda& cuda, std::span<const Real> from, device::CudaBuffer<Real>& to) {
    constexpr std::size_t piece = std::size_t{1} << 26;
    cuda.resize(to, from.size());
    for (std::size_t begin = 0; begin < from.size(); begin += piece) {
        progress::cancellation_point();
        cuda.copy_in(to.data() + begin, from.data() + begin, std::min(piece, from.size() - begin) * sizeof(Real));
    }
}

template <class Real>
MeshSizes extract_grid(const FieldView<Real>& grid, const Options& options, const Run& run, Mesh& mesh,
                       Seconds& seconds) {
    progress::Stopwatch watch;
    device::Cuda cuda(run);
    progress::ProgressReporter counting(run, "count", 2);
    device::CudaBuffer<Real> values;
    upload(cuda, grid.values, values);
    counting.tick(1);
    GridView<Real> view = view_of(grid, options.level);
    view.values = values.data();
    CudaMarching<Real> marching(cuda, view, options.open);
    const MeshSizes sizes = marching.count();
    device::require_memory(run, bytes_of(sizes), "a surface of " + std::to_string(sizes.all_triangles()) + " triangles",
                           "use a coarser grid");
    counting.tick(2);
    seconds["count"] += watch.lap();
    progress::ProgressReporter emitting(run, "emit", 1);
    const CudaMesh found = marching.emit();
    download(cuda, found.positions, mesh.positions);
    download(cuda, found.normals, mesh.normals);
    download(cuda, found.triangles, mesh.triangles);
    emitting.tick(1);
    seconds["emit"] += watch.lap();
    return sizes;
}

constexpr int tile = 32, rows_of_tile = 8;

/// Values in C order. Reads and writes are in sequence if x is in sequence in `from`. A block for a tile of x and z,
/// for all y.
__global__ void reorder_kernel(DeviceFieldView from, float* to) {
    __shared__ float values[tile][tile + 1];
    const Index nx = from.nodes[0], ny = from.nodes[1], nz = from.nodes[2];
    const auto first_x = static_cast<Index>(blockIdx.x) * tile, first_z = static_cast<Index>(blockIdx.y) * tile;
    const auto lane = static_cast<Index>(threadIdx.x), row = static_cast<Index>(threadIdx.y);
    for (auto y = static_cast<Index>(blockIdx.z); y < ny; y += static_cast<Index>(gridDim.z)) {
        for (Index r = row; r < tile; r += rows_of_tile) {
            const Index x = first_x + lane, z = first_z + r;
            if (x < nx && z < nz)
                values[r][lane] = from.values[x * from.strides[0] + y * from.strides[1] + z * from.strides[2]];
        }
        __syncthreads();
        for (Index r = row; r < tile; r += rows_of_tile) {
            const Index x = first_x + r, z = first_z + lane;
            if (x < nx && z < nz) to[(Offset{x} * ny + y) * nz + z] = values[lane][r];
        }
        __syncthreads();
    }
}

bool is_in_c_order(const DeviceFieldView& grid) {
    const Offset ny = grid.nodes[1], nz = grid.nodes[2];
    return grid.strides == std::array<Offset, 3>{ny * nz, nz, 1};
}

void reorder(device::Cuda& cuda, const DeviceFieldView& from, device::CudaBuffer<float>& to) {
    const auto tiles = [](Index nodes) { return static_cast<unsigned>((nodes + tile - 1) / tile); };
    cuda.resize(to, at(Offset{from.nodes[0]} * from.nodes[1] * from.nodes[2]));
    const dim3 blocks(tiles(from.nodes[0]), tiles(from.nodes[2]),
                      static_cast<unsigned>(std::min(from.nodes[1], 65535)));
    reorder_kernel<<<blocks, dim3(tile, rows_of_tile), 0, cuda.stream()>>>(from, to.data());
    device::cuda_check(cudaGetLastError());
}

struct TriangleTerms {
    const float* positions;
    const Index* triangles;
    math::Vec3 center;
    __device__ Sums operator()(Offset t) const { return terms_of(positions, triangles + 3 * t, center); }
};

Measures measured(device::Cuda& cuda, const CudaMesh& mesh, bool is_open) {
    const MeshSizes& sizes = mesh.sizes;
    if (sizes.all_triangles() == 0) return measures_of({}, {}, sizes, is_open);
    float first[3];
    cuda.copy_out(first, mesh.positions.data(), sizeof(first));
    TriangleTerms terms{mesh.positions.data(), mesh.triangles.data(), {}};
    for (int axis = 0; axis < 3; ++axis) terms.center.at[axis] = static_cast<double>(first[axis]);
    device::CudaCell<Sums> surface, cap;
    cuda.sum(sizes.triangles, terms, surface);
    terms.triangles += 3 * sizes.triangles;
    cuda.sum(sizes.cap_triangles, terms, cap);
    return measures_of(cuda.read(surface), cuda.read(cap), sizes, is_open);
}

}  // namespace

void backend::extract_resident_on_cuda(const DeviceFieldView& grid, const Options& options, const Run& run,
                                       DeviceResult& result) {
    progress::Stopwatch watch;
    device::Cuda cuda(run);
    device::require_resident(cuda, grid.values);
    device::follow(cuda, grid.stream);
    progress::ProgressReporter counting(run, "count", 1);
    device::CudaBuffer<float> ordered;
    if (!is_in_c_order(grid)) reorder(cuda, grid, ordered);
    const FieldView<float> shape{grid.nodes, {}, grid.spacing, grid.origin};
    GridView<float> view = view_of(shape, options.level);
    view.values = ordered.size() > 0 ? ordered.data() : grid.values;
    CudaMarching<float> marching(cuda, view, options.open);
    const MeshSizes sizes = marching.count();
    counting.tick(1);
    result.seconds["count"] += watch.lap();
    progress::cancellation_point();
    progress::ProgressReporter emitting(run, "emit", 1);
    const CudaMesh mesh = marching.emit();
    result.measures = measured(cuda, mesh, options.open);
    const auto vertices = static_cast<Index>(sizes.all_vertices()),
               triangles = static_cast<Index>(sizes.all_triangles());
    result.positions = device::matrix_for_caller(cuda, mesh.positions.data(), vertices, 3);
    result.normals = device::matrix_for_caller(cuda, mesh.normals.data(), vertices, 3);
    result.triangles = device::matrix_for_caller(cuda, mesh.triangles.data(), triangles, 3);
    cuda.wait();
    emitting.tick(1);
    result.seconds["emit"] += watch.lap();
}

MeshSizes backend::extract_floats_on_cuda(const FieldView<float>& grid, const Options& options, const Run& run,
                                          Mesh& mesh, Seconds& seconds) {
    return extract_grid(grid, options, run, mesh, seconds);
}

MeshSizes backend::extract_doubles_on_cuda(const FieldView<double>& grid, const Options& options, const Run& run,
                                           Mesh& mesh, Seconds& seconds) {
    return extract_grid(grid, options, run, mesh, seconds);
}

}  // namespace dunlin::surface
