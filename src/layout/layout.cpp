#include <dunlin/layout.hpp>

#include "device/choose.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "device/stopwatch.hpp"
#include "layout/backend.hpp"
#include "layout/check.hpp"
#include "layout/frame.hpp"
#include "layout/resolve.hpp"
#include "layout/strengths.hpp"

namespace dunlin::layout {

namespace {

constexpr Index enough_for_gpu = 2000;  ///< vertices

/// Bytes at the worst moment: strengths, and per vertex the drawing, the tree's order and cells.
std::uint64_t bytes_wanted(const Graph& graph) {
    return static_cast<std::uint64_t>(graph.size()) * 160 + static_cast<std::uint64_t>(graph.edges()) * 4;
}

/// The graph with strengths in its weights' place; `own` holds a copy where one is needed.
const Graph& pulling(device::Cpu& cpu, const Graph& graph, Weights meaning, Graph& own) {
    std::vector<float> weights = strengths(cpu, graph, meaning);
    if (weights.empty()) return graph;
    own = {graph.offsets, graph.targets, std::move(weights)};
    return own;
}

}  // namespace

Result place(const Graph& graph, const Options& wanted, const Run& run, const Given& given) {
    Options options = wanted;
    if (given.start != nullptr) options.dim = given.start->dim;
    options = resolve(options, graph.size());
    const Device device = device::choose(run, graph.size() >= enough_for_gpu);
    device::reset_cuda_peak_memory();
    device::require_memory(run, bytes_wanted(graph), "a layout of this graph");
    device::Stopwatch watch;
    device::Cpu cpu(run);
    check_graph(cpu, graph);
    check_given(given, graph.size());

    const Frame frame = frame_of(given, options.length);
    Map start = frame.enter(given, graph.size(), options.dim, run.seed);
    Graph own;
    const Graph& pulls = pulling(cpu, graph, options.weights, own);
    std::vector<std::uint8_t> pinned(given.pinned.begin(), given.pinned.end());
    pinned.resize(static_cast<std::size_t>(graph.size()));
    Result result;
    result.seconds.start = watch.lap();

    const Task task{&pulls, std::move(start), pinned};
    Placed placed = device == Device::cuda ? place_on_cuda(task, options, run) : place_on_cpu(task, options, run);
    frame.leave(placed.map, given);
    result.seconds.optimise = watch.lap();
    result.map = std::move(placed.map);
    result.iterations = placed.ending.iterations;
    result.stopped = placed.ending.stopped;
    result.kinetic_energy = placed.kinetic_energy;
    result.cost = placed.cost;
    result.threads = placed.threads;
    result.options = options;
    result.device = device;
    if (device == Device::cuda) result.gpu_memory = device::cuda_peak_memory();
    return result;
}

}  // namespace dunlin::layout
