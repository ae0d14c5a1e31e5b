// SPDX-License-Identifier: Apache-2.0
#include "forces/attraction/springs.hpp"
#include "layout/annealing.hpp"
#include "layout/backend.hpp"
#include "layout/borders.hpp"
#include "layout/eades.hpp"
#include "layout/forceatlas2.hpp"
#include "layout/fruchterman_reingold.hpp"
#include "layout/initial_layout.hpp"
#include "layout/low_stress.hpp"
#include "layout/multilevel.hpp"
#include "layout/repeller.hpp"
#include "layout/units.hpp"

namespace dunlin::layout {

namespace {

using device::Cpu;
using DeviceDrawing = Drawing<Cpu>;

run::Ending forceatlas2(Cpu& cpu, DeviceDrawing& drawing, const LayoutInput& task, const Options& o, const Run& run) {
    set_masses(cpu, drawing, *task.graph, task.masses);
    Repeller<forces::InversePower<1>> repeller(o, drawing.n);
    const auto points = [&](const Options& part) {
        return forceatlas2(cpu, drawing, *task.graph, repeller, speed_limits_of({}), part, run);
    };
    if (task.radii.empty()) return points(o);
    const BorderEdges edges = borders_of(cpu, drawing, *task.graph, task.radii);
    DiscRepeller disc_repeller(edges.radii);
    const auto discs = [&](const Options& part) {
        return forceatlas2(cpu, drawing, edges, disc_repeller, speed_limits_of(task.radii), part, run);
    };
    return points_then_discs(cpu, points, discs, o);
}

run::Ending place(Cpu& cpu, DeviceDrawing& drawing, const LayoutInput& task, const Options& o, const Run& run) {
    if (o.method == Method::multilevel) {
        Repeller<forces::StudentT> repeller(o, drawing.n);
        return refine(cpu, drawing, *task.graph, repeller, o, task.start == nullptr, run);
    }
    if (o.method == Method::forceatlas2) return forceatlas2(cpu, drawing, task, o, run);
    if (o.method == Method::eades) {
        Repeller<forces::InversePower<2>> repeller(o, drawing.n);
        return eades(cpu, drawing, *task.graph, repeller, o, run);
    }
    Repeller<forces::InversePower<1>> repeller(o, drawing.n);
    return fruchterman_reingold(cpu, drawing, *task.graph, repeller, o, run);
}

std::vector<float> start_of(Cpu& cpu, const LayoutInput& task, const Options& options, const Run& run) {
    if (task.start != nullptr) return task.start->coordinates;
    progress::ProgressReporter reporter(run, "start", 1);
    std::vector<float> start;
    const bool done = progress::run_cancellable(
        run.stop, [&] { start = initial_layout(cpu, {task.graph, task.lengths}, options.dim, run.seed); });
    return done ? std::move(start) : random_layout(task.graph->size(), options.dim, run.seed).coordinates;
}

}  // namespace

LayoutOutput place_on_cpu(const LayoutInput& task, const Options& options, const Run& run) {
    Cpu cpu(run);
    std::vector<float> start = start_of(cpu, task, options, run);
    if (options.method == Method::stress) {
        const run::Ending ending =
            place_by_stress(cpu, graph::Level{task.graph, task.lengths}, task, options, run, start);
        return {{options.dim, std::move(start)}, ending, 0, cpu.threads()};
    }
    if (options.method == Method::annealing) {
        auto drawing = drawing_at(cpu, std::move(start), options.dim, task.pinned);
        double cost = 0;
        const run::Ending ending = annealing(cpu, drawing, *task.graph, options, run, cost);
        return {{options.dim, std::move(drawing.y)}, ending, 0, cpu.threads(), cost};
    }
    auto drawing = drawing_for_forces(cpu, std::move(start), options.dim, task.pinned);
    drawing.gravity = options.gravity.value_or(0);
    drawing.units = task.units;
    LayoutOutput placed;
    placed.ending = place(cpu, drawing, task, options, run);
    placed.map = {options.dim, coordinates_in_lengths(cpu, drawing)};
    placed.kinetic_energy = drawing.kinetic.value;
    placed.threads = cpu.threads();
    placed.steered = std::move(drawing.steered);
    return placed;
}

}  // namespace dunlin::layout
