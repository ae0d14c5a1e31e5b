#include "forces/attraction_springs.hpp"
#include "layout/annealing.hpp"
#include "layout/backend.hpp"
#include "layout/eades.hpp"
#include "layout/fruchterman_reingold.hpp"
#include "layout/repeller.hpp"

namespace dunlin::layout {

namespace {

Ending place(device::Cpu& cpu, Drawing<device::Cpu>& drawing, const Graph& graph, const Options& o, const Run& run) {
    if (o.method == Method::eades) {
        Repeller<forces::InversePower<2>> repeller(o, drawing.n);
        return eades(cpu, drawing, graph, repeller, o, run);
    }
    Repeller<forces::InversePower<1>> repeller(o, drawing.n);
    return fruchterman_reingold(cpu, drawing, graph, repeller, o, run);
}

}  // namespace

Placed place_on_cpu(const Task& task, const Options& options, const Run& run) {
    device::Cpu cpu(run);
    auto drawing = drawing_at(cpu, std::span(task.start.coordinates), task.start.dim, task.pinned);
    drawing.gravity = options.gravity;
    if (options.method == Method::annealing) {
        double cost = 0;
        const Ending ending = annealing(cpu, drawing, *task.graph, options, run, 1, cost);
        return {{task.start.dim, std::move(drawing.y)}, ending, 0, cpu.threads(), cost};
    }
    const Ending ending = place(cpu, drawing, *task.graph, options, run);
    return {{task.start.dim, std::move(drawing.y)}, ending, drawing.kinetic.value, cpu.threads()};
}

}  // namespace dunlin::layout
