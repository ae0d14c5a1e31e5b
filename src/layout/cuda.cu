#include "forces/attraction_springs.cuh"
#include "graph/coarsen.cuh"
#include "layout/annealing.hpp"
#include "layout/backend.hpp"
#include "layout/cuda_repeller.cuh"
#include "layout/eades.hpp"
#include "layout/fruchterman_reingold.hpp"
#include "layout/multilevel.hpp"

namespace dunlin::layout {

/// A word of annealing.hpp: several threads share a move.
template <int D>
void weigh(device::Cuda& cuda, const Weigh<D>& weigh) {
    cuda.each(Offset{most_at_once} * weigh.scene.shares, weigh);
}

namespace {

using device::Cuda;
using Placing = Drawing<Cuda>;

constexpr int annealing_shares = 32;

Ending place(Cuda& cuda, Placing& drawing, const Task& task, const Options& o, const Run& run) {
    const graph::DeviceGraph edges = graph::upload(cuda, *task.graph);
    const forces::CudaSprings springs(cuda, edges);
    if (o.method == Method::multilevel) {
        CudaRepeller<forces::StudentT> repeller(cuda, o, drawing.positions());
        return glide(cuda, drawing, springs, repeller, o, !task.start_is_given, run);
    }
    if (o.method == Method::eades) {
        CudaRepeller<forces::InversePower<2>> repeller(cuda, o, drawing.positions());
        return eades(cuda, drawing, springs, repeller, o, run);
    }
    CudaRepeller<forces::InversePower<1>> repeller(cuda, o, drawing.positions());
    return fruchterman_reingold(cuda, drawing, springs, repeller, o, run);
}

}  // namespace

Ladder ladder_on_cuda(const graph::Level& finest, const Run& run) {
    Ladder ladder{finest, {}};
    if (ladder.size(0) <= coarsest) return ladder;
    Cuda cuda(run);
    graph::DeviceCoarsening last{graph::upload(cuda, *finest.graph), {}, {}};
    if (!finest.lengths.empty()) cuda.upload(last.lengths, finest.lengths);
    while (last.graph.size() > coarsest) {
        last = graph::coarsen(cuda, last.level(), run.seed + ladder.top());
        ladder.steps.push_back({graph::download(cuda, last.graph), cuda.host(last.lengths), cuda.host(last.parent)});
    }
    return ladder;
}

Placed place_on_cuda(const Task& task, const Options& options, const Run& run) {
    Cuda cuda(run);
    Placing drawing = drawing_at(cuda, std::span(task.start.coordinates), task.start.dim, task.pinned);
    drawing.gravity = options.gravity.value_or(0);
    Placed placed;
    if (options.method == Method::annealing) {
        placed.ending = annealing(cuda, drawing, *task.graph, options, run, annealing_shares, placed.cost);
    } else {
        placed.ending = place(cuda, drawing, task, options, run);
        placed.kinetic_energy = cuda.read(drawing.kinetic);
    }
    placed.map = {task.start.dim, cuda.host(drawing.y)};
    return placed;
}

}  // namespace dunlin::layout
