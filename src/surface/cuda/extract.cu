// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "device/cancel.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "device/stopwatch.hpp"
#include "math/at.hpp"
#include "surface/cuda.hpp"
#include "surface/cuda/marching.cuh"
#include "surface/problem.hpp"

namespace dunlin::surface {

namespace {

template <class T>
void download(device::Cuda& cuda, const device::CudaBuffer<T>& from, std::vector<T>& to) {
    // In pieces, so that a stop is noticed
    constexpr std::size_t piece = std::size_t{1} << 26;
    to.reserve(from.size());
    while (to.size() < from.size()) {
        device::cancellation_point();
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
        device::cancellation_point();
        cuda.copy_in(to.data() + begin, from.data() + begin, std::min(piece, from.size() - begin) * sizeof(Real));
    }
}

template <class Real>
MeshSizes extract_grid(const FieldView<Real>& grid, const Options& options, const Run& run, Mesh& mesh,
                       Seconds& seconds) {
    device::Stopwatch watch;
    device::Cuda cuda(run);
    device::ProgressReporter counting(run, "count", 2);
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
    device::ProgressReporter emitting(run, "emit", 1);
    const CudaMesh found = marching.emit();
    download(cuda, found.positions, mesh.positions);
    download(cuda, found.normals, mesh.normals);
    download(cuda, found.triangles, mesh.triangles);
    emitting.tick(1);
    seconds["emit"] += watch.lap();
    return sizes;
}

}  // namespace

MeshSizes backend::extract_floats_on_cuda(const FieldView<float>& grid, const Options& options, const Run& run,
                                          Mesh& mesh, Seconds& seconds) {
    return extract_grid(grid, options, run, mesh, seconds);
}

MeshSizes backend::extract_doubles_on_cuda(const FieldView<double>& grid, const Options& options, const Run& run,
                                           Mesh& mesh, Seconds& seconds) {
    return extract_grid(grid, options, run, mesh, seconds);
}

}  // namespace dunlin::surface
