#include "forces/attraction_springs.hpp"
#include "layout/annealing.hpp"
#include "layout/backend.hpp"
#include "layout/eades.hpp"
#include "layout/forceatlas2.hpp"
#include "layout/fruchterman_reingold.hpp"
#include "layout/multilevel.hpp"
#include "layout/outline.hpp"
#include "layout/repeller.hpp"

namespace dunlin::layout {

namespace {

using device::Cpu;
using Placing = Drawing<Cpu>;

Ending forceatlas2(Cpu& cpu, Placing& drawing, const Graph& graph, const Options& o, const Run& run) {
    for (std::size_t v = 0; v < drawing.charges.size(); ++v) {
        drawing.charges[v] = static_cast<float>(1 + graph.offsets[v + 1] - graph.offsets[v]);
    }
    Repeller<forces::InversePower<1>> repeller(o, drawing.n);
    if (o.linlog) return forceatlas2(cpu, drawing, graph, repeller, forces::LinLogSpring{}, o, run);
    return forceatlas2(cpu, drawing, graph, repeller, forces::LinearSpring{}, o, run);
}

Ending place(Cpu& cpu, Placing& drawing, const Task& task, const Options& o, const Run& run) {
    if (o.method == Method::multilevel) {
        Repeller<forces::StudentT> repeller(o, drawing.n);
        return glide(cpu, drawing, *task.graph, repeller, o, task.start == nullptr, run);
    }
    if (o.method == Method::forceatlas2) return forceatlas2(cpu, drawing, *task.graph, o, run);
    if (o.method == Method::eades) {
        Repeller<forces::InversePower<2>> repeller(o, drawing.n);
        return eades(cpu, drawing, *task.graph, repeller, o, run);
    }
    Repeller<forces::InversePower<1>> repeller(o, drawing.n);
    return fruchterman_reingold(cpu, drawing, *task.graph, repeller, o, run);
}

std::vector<float> start_of(Cpu& cpu, const Task& task, const Options& options, const Run& run) {
    if (task.start != nullptr) return task.start->coordinates;
    return outline_of(cpu, {task.graph, task.lengths}, options.dim, run.seed, run.stop);
}

}  // namespace

Placed place_on_cpu(const Task& task, const Options& options, const Run& run) {
    Cpu cpu(run);
    auto drawing = drawing_at(cpu, start_of(cpu, task, options, run), options.dim, task.pinned);
    drawing.gravity = options.gravity.value_or(0);
    if (options.method == Method::annealing) {
        double cost = 0;
        const Ending ending = annealing(cpu, drawing, *task.graph, options, run, 1, cost);
        return {{options.dim, std::move(drawing.y)}, ending, 0, cpu.threads(), cost};
    }
    const Ending ending = place(cpu, drawing, task, options, run);
    return {{options.dim, std::move(drawing.y)}, ending, drawing.kinetic.value, cpu.threads()};
}

}  // namespace dunlin::layout
