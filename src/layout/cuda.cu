#include "forces/attraction_springs.cuh"
#include "layout/annealing.hpp"
#include "layout/backend.hpp"
#include "layout/cuda_repeller.cuh"
#include "layout/eades.hpp"
#include "layout/fruchterman_reingold.hpp"

namespace dunlin::layout {

/// A word of annealing.hpp: several threads share a move.
template <int D>
void weigh(device::Cuda& cuda, const Weigh<D>& weigh) {
    cuda.each(Offset{most_at_once} * weigh.scene.shares, weigh);
}

namespace {

using device::Cuda;

constexpr int annealing_shares = 32;

Ending place(Cuda& cuda, Drawing<Cuda>& drawing, const forces::CudaSprings& springs, const Options& o, const Run& run) {
    if (o.method == Method::eades) {
        CudaRepeller<forces::InversePower<2>> repeller(cuda, o, drawing.positions());
        return eades(cuda, drawing, springs, repeller, o, run);
    }
    CudaRepeller<forces::InversePower<1>> repeller(cuda, o, drawing.positions());
    return fruchterman_reingold(cuda, drawing, springs, repeller, o, run);
}

}  // namespace

Placed place_on_cuda(const Task& task, const Options& options, const Run& run) {
    Cuda cuda(run);
    auto drawing = drawing_at(cuda, std::span(task.start.coordinates), task.start.dim, task.pinned);
    drawing.gravity = options.gravity.value_or(0);
    cuda.set(drawing.kinetic, 0.0);
    if (options.method == Method::annealing) {
        double cost = 0;
        const Ending ending = annealing(cuda, drawing, *task.graph, options, run, annealing_shares, cost);
        return {{task.start.dim, cuda.host(drawing.y)}, ending, 0, 1, cost};
    }
    const graph::DeviceGraph edges = graph::upload(cuda, *task.graph);
    const forces::CudaSprings springs(cuda, edges);
    const Ending ending = place(cuda, drawing, springs, options, run);
    return {{task.start.dim, cuda.host(drawing.y)}, ending, cuda.read(drawing.kinetic)};
}

}  // namespace dunlin::layout
