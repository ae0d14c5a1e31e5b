// SPDX-License-Identifier: Apache-2.0
#include "forces/attraction/springs.cuh"
#include "graph/coarsen.cuh"
#include "layout/annealing.cuh"
#include "layout/backend.hpp"
#include "layout/borders.hpp"
#include "layout/cuda_repeller.cuh"
#include "layout/eades.hpp"
#include "layout/forceatlas2.hpp"
#include "layout/fruchterman_reingold.hpp"
#include "layout/initial_layout.hpp"
#include "layout/low_stress.hpp"
#include "layout/multilevel.hpp"
#include "layout/sparse_stress.cuh"
#include "layout/stress_pairs.cuh"
#include "layout/units.hpp"

namespace dunlin::layout {

namespace {

using device::Cuda;
using DeviceDrawing = Drawing<Cuda>;

device::CudaBuffer<float> start_of(Cuda& cuda, const graph::DeviceLevel& level, const LayoutInput& task,
                                   const Options& options, const Run& run) {
    device::CudaBuffer<float> start;
    if (task.start != nullptr) {
        cuda.upload(start, task.start->coordinates);
        return start;
    }
    progress::ProgressReporter reporter(run, "start", 1);
    const bool done = progress::run_cancellable(run.stop, [&] {
        start = kept_layout(cuda, Offset{task.graph->size()} * options.dim, [&](checkpoint::Loop& loop) {
            const auto hierarchy = build_hierarchy(cuda, level, run.seed);
            const CoarsestLayout coarsest_layout =
                place_coarsest(cuda, hierarchy.level(hierarchy.coarsest()), options.dim, run.seed);
            return initial_layout(cuda, hierarchy, coarsest_layout, run.seed, loop);
        });
    });
    if (!done) cuda.upload(start, random_layout(task.graph->size(), options.dim, run.seed).coordinates);
    return start;
}

run::Ending forceatlas2(Cuda& cuda, DeviceDrawing& drawing, const graph::DeviceGraph& graph, const LayoutInput& task,
                        const Options& o, const Run& run) {
    set_masses(cuda, drawing, graph, task.masses);
    const forces::CudaSprings springs(cuda, graph);
    CudaRepeller<forces::InversePower<1>> repeller(cuda, o, drawing.positions());
    const auto points = [&](const Options& part) {
        return forceatlas2(cuda, drawing, springs, repeller, speed_limits_of({}), part, run);
    };
    if (task.radii.empty()) return points(o);
    const BorderEdges edges = borders_of(cuda, drawing, graph, task.radii);
    CudaDiscRepeller disc_repeller(cuda, edges.radii, drawing.positions());
    const auto discs = [&](const Options& part) {
        return forceatlas2(cuda, drawing, edges, disc_repeller, speed_limits_of(task.radii), part, run);
    };
    return points_then_discs(cuda, points, discs, o);
}

run::Ending place(Cuda& cuda, DeviceDrawing& drawing, const graph::DeviceGraph& graph, const LayoutInput& task,
                  const Options& o, const Run& run) {
    if (o.method == Method::forceatlas2) return forceatlas2(cuda, drawing, graph, task, o, run);
    const forces::CudaSprings springs(cuda, graph);
    if (o.method == Method::multilevel) {
        CudaRepeller<forces::StudentT> repeller(cuda, o, drawing.positions());
        return refine(cuda, drawing, springs, repeller, o, task.start == nullptr, run);
    }
    if (o.method == Method::eades) {
        CudaRepeller<forces::InversePower<2>> repeller(cuda, o, drawing.positions());
        return eades(cuda, drawing, springs, repeller, o, run);
    }
    CudaRepeller<forces::InversePower<1>> repeller(cuda, o, drawing.positions());
    return fruchterman_reingold(cuda, drawing, springs, repeller, o, run);
}

}  // namespace

LayoutOutput backend::place_on_cuda(const LayoutInput& task, const Options& options, const Run& run) {
    Cuda cuda(run);
    const graph::DeviceGraph graph = graph::upload(cuda, *task.graph);
    device::CudaBuffer<float> lengths;
    if (!task.lengths.empty()) cuda.upload(lengths, task.lengths);
    const graph::DeviceLevel level{&graph, lengths.data()};
    device::CudaBuffer<float> start = start_of(cuda, level, task, options, run);
    LayoutOutput placed;
    if (options.method == Method::stress) {
        placed.ending = place_by_stress(cuda, level, task, options, run, start);
        placed.map = {options.dim, cuda.host(start)};
        return placed;
    }
    if (options.method == Method::annealing) {
        DeviceDrawing drawing = drawing_at(cuda, std::move(start), options.dim, task.pinned);
        placed.ending = annealing(cuda, drawing, *task.graph, options, run, placed.cost);
        placed.map = {options.dim, cuda.host(drawing.y)};
        return placed;
    }
    DeviceDrawing drawing = drawing_for_forces(cuda, std::move(start), options.dim, task.pinned);
    drawing.gravity = options.gravity.value_or(0);
    drawing.units = task.units;
    placed.ending = place(cuda, drawing, graph, task, options, run);
    placed.kinetic_energy = cuda.read(drawing.kinetic);
    placed.map = {options.dim, coordinates_in_lengths(cuda, drawing)};
    placed.steered = std::move(drawing.steered);
    return placed;
}

}  // namespace dunlin::layout
