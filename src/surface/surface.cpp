// SPDX-License-Identifier: Apache-2.0
#include <dunlin/surface.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/check.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/fail.hpp"
#include "device/memory.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "progress/stopwatch.hpp"
#include "surface/cuda.hpp"
#include "surface/front.hpp"
#include "surface/inside.hpp"
#include "surface/measures.hpp"
#include "surface/problem.hpp"

namespace dunlin::surface {

template <class Real>
void check(const FieldView<Real>& grid) {
    const auto& n = grid.nodes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (n[axis] < 2) {
            device::bad_option("nodes", fmt::format("nodes are {} x {} x {}, which has no cells; a surface needs at "
                                                    "least 2 nodes along each axis",
                                                    n[0], n[1], n[2]));
        }
        if (!(grid.spacing[axis] > 0) || !std::isfinite(grid.spacing[axis])) {
            device::bad_option("spacing", fmt::format("spacing along {} is {}; it must be above 0 and finite",
                                                      "xyz"[axis], grid.spacing[axis]));
        }
        if (!std::isfinite(grid.origin[axis])) {
            device::bad_option("origin",
                               fmt::format("origin along {} is {}; it must be finite", "xyz"[axis], grid.origin[axis]));
        }
        const double far = std::abs(grid.origin[axis]) + grid.spacing[axis] * n[axis];
        if (far > static_cast<double>(std::numeric_limits<float>::max())) {
            device::bad_option(
                "spacing", fmt::format("spacing along {} is {} for {} nodes; positions beyond {:.3g} have "
                                       "no float32, use smaller units",
                                       "xyz"[axis], grid.spacing[axis], n[axis], std::numeric_limits<float>::max()));
        }
    }
    if (static_cast<Offset>(grid.values.size()) != grid.size()) {
        device::bad_option("values", fmt::format("values are {} and the grid of {} x {} x {} nodes has {}; give one "
                                                 "value per node",
                                                 grid.values.size(), n[0], n[1], n[2], grid.size()));
    }
}

void require_numbers(const MeshSizes& sizes) {
    constexpr Offset most = std::numeric_limits<Index>::max();
    if (sizes.all_vertices() <= most && sizes.all_triangles() <= most) return;
    throw Error(Fault::bad_input,
                fmt::format("the surface has {} vertices and {} triangles, and at most {} of each have 32-bit numbers; "
                            "smooth the values or use a coarser grid",
                            sizes.all_vertices(), sizes.all_triangles(), most));
}

std::uint64_t bytes_of(const MeshSizes& sizes) {
    return 6 * sizeof(float) * static_cast<std::uint64_t>(sizes.all_vertices()) +
           3 * sizeof(Index) * static_cast<std::uint64_t>(sizes.all_triangles());
}

namespace {

/// Sets the size of an array, with cancellation points.
template <class T>
void grow(std::vector<T>& array, Offset size) {
    constexpr std::size_t piece = std::size_t{1} << 24;
    array.reserve(at(size));
    while (array.size() < at(size)) {
        progress::cancellation_point();
        array.resize(std::min(at(size), array.size() + piece));
    }
}

math::Vec3 first_vertex(const Mesh& mesh) {
    if (mesh.positions.empty()) return {};
    return {{static_cast<double>(mesh.positions[0]), static_cast<double>(mesh.positions[1]),
             static_cast<double>(mesh.positions[2])}};
}

}  // namespace

Measures measure(device::Cpu& cpu, const Mesh& mesh, const MeshSizes& sizes, bool is_open) {
    const math::Vec3 center = first_vertex(mesh);
    device::Cell<Sums> surface, cap;
    const auto terms = [&](Offset triangle) {
        return terms_of(mesh.positions.data(), mesh.triangles.data() + 3 * triangle, center);
    };
    cpu.sum(sizes.triangles, terms, surface);
    cpu.sum(sizes.cap_triangles, [&](Offset t) { return terms(sizes.triangles + t); }, cap);
    return measures_of(surface.value, cap.value, sizes, is_open);
}

Measures measures_of(const Sums& surface, const Sums& cap, const MeshSizes& sizes, bool is_open) {
    Measures measures{.area = surface.at[0] + cap.at[0],
                      .cap = cap.at[0],
                      .volume = {},
                      .vertices = sizes.all_vertices(),
                      .edges = sizes.edges(is_open),
                      .triangles = sizes.all_triangles()};
    if (!is_open) measures.volume = surface.at[1] + cap.at[1];
    return measures;
}

template <class Real>
void extract_on_cpu(device::Cpu& cpu, const FieldView<Real>& grid, const Options& options, const Run& run, Mesh& mesh,
                    Measures& measures, Seconds& seconds) {
    progress::Stopwatch watch;
    const GridView<Real> view = view_of(grid, options.level);
    const std::uint64_t words = static_cast<std::uint64_t>(view.shape.all_words()) * sizeof(std::uint32_t);
    const std::uint64_t rows = static_cast<std::uint64_t>(view.shape.rows()) * 2 * sizeof(Offset);
    const std::uint64_t border = static_cast<std::uint64_t>(BorderNodes{view.shape}.count()) * sizeof(Index);
    const char* const remedy = "use a coarser grid";
    device::require_memory(run, words + rows + border, "the inside bits of the grid", remedy);
    progress::ProgressReporter counting(run, "count", 2);
    std::vector<std::uint32_t> inside(at(view.shape.all_words()));
    find_inside<Real>(cpu, view.shape, grid.values, options.level, inside);
    counting.tick(1);
    Marching<Real> marching(cpu, view, inside, options.open);
    const MeshSizes sizes = marching.count();
    counting.tick(2);
    seconds["count"] += watch.lap();
    require_numbers(sizes);
    device::require_memory(run, words + rows + border + bytes_of(sizes),
                           fmt::format("a surface of {} triangles", sizes.all_triangles()), remedy);
    progress::ProgressReporter emitting(run, "emit", view.shape.nx);
    grow(mesh.positions, 3 * sizes.all_vertices());
    grow(mesh.normals, 3 * sizes.all_vertices());
    grow(mesh.triangles, 3 * sizes.all_triangles());
    marching.emit(mesh, emitting);
    measures = measure(cpu, mesh, sizes, options.open);
    seconds["emit"] += watch.lap();
}

namespace {

/// The surface near the seeds; returns the number of visited cells.
template <class Real>
Offset extract_near_seeds(device::Cpu& cpu, const FieldView<Real>& grid, const Options& options, const Run& run,
                          Result& result) {
    progress::Stopwatch watch;
    Front<Real> front(cpu, view_of(grid, options.level));
    const MeshSizes sizes = front.count(options.seeds, options.open);
    result.seconds["count"] += watch.lap();
    require_numbers(sizes);
    device::require_memory(run, bytes_of(sizes), fmt::format("a surface of {} triangles", sizes.all_triangles()),
                           "use a coarser grid");
    grow(result.mesh.positions, 3 * sizes.vertices);
    grow(result.mesh.normals, 3 * sizes.vertices);
    grow(result.mesh.triangles, 3 * sizes.triangles);
    front.emit(result.mesh);
    result.measures = measure(cpu, result.mesh, sizes, options.open);
    result.seconds["emit"] += watch.lap();
    return front.visited();
}

MeshSizes extract_on_cuda(const FieldView<float>& grid, const Options& options, const Run& run, Mesh& mesh,
                          Seconds& seconds) {
    return extract_floats_on_cuda(grid, options, run, mesh, seconds);
}
MeshSizes extract_on_cuda(const FieldView<double>& grid, const Options& options, const Run& run, Mesh& mesh,
                          Seconds& seconds) {
    return extract_doubles_on_cuda(grid, options, run, mesh, seconds);
}

/// Values in host memory are copied to a GPU more slowly than two cores read them, so `automatic` is the CPU.
Device device_of(const Run& run) { return device::choose(run, false, {.what = "level surfaces are found"}); }

template <class Real>
Result extract_from(const FieldView<Real>& grid, const Options& options, const Run& run) {
    options::check(options);
    if (!options.seeds.empty()) device::require_cpu(run, "surfaces near seeds are");
    const Device device = device_of(run);
    check(grid);
    if (device == Device::cuda) device::reset_cuda_peak_memory();
    device::Cpu cpu(run);
    Result result;
    result.stopped = Stopped::converged;
    result.visited = Offset{grid.nodes[0] - 1} * (grid.nodes[1] - 1) * (grid.nodes[2] - 1);
    const bool is_done = progress::run_cancellable(run.stop, [&] {
        if (!options.seeds.empty()) {
            result.visited = extract_near_seeds(cpu, grid, options, run, result);
        } else if (device == Device::cpu) {
            extract_on_cpu(cpu, grid, options, run, result.mesh, result.measures, result.seconds);
        } else {
            const MeshSizes sizes = extract_on_cuda(grid, options, run, result.mesh, result.seconds);
            result.measures = measure(cpu, result.mesh, sizes, options.open);
        }
    });
    if (!is_done) result.mesh = {}, result.measures = {}, result.visited = 0, result.stopped = Stopped::cancelled;
    result.options = options;
    result.threads = cpu.threads();
    device::complete(result, device, run);
    return result;
}

}  // namespace

Result extract(const FieldView<float>& grid, const Options& options, const Run& run) {
    return extract_from(grid, options, run);
}

Result extract(const FieldView<double>& grid, const Options& options, const Run& run) {
    return extract_from(grid, options, run);
}

template void check<float>(const FieldView<float>&);
template void check<double>(const FieldView<double>&);
template void extract_on_cpu<float>(device::Cpu&, const FieldView<float>&, const Options&, const Run&, Mesh&, Measures&,
                                    Seconds&);
template void extract_on_cpu<double>(device::Cpu&, const FieldView<double>&, const Options&, const Run&, Mesh&,
                                     Measures&, Seconds&);

}  // namespace dunlin::surface
