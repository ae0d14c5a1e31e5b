#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include <dunlin/error.hpp>

#include "device/stopwatch.hpp"
#include "graph/components.hpp"
#include "layout/pack.hpp"
#include "layout/parts.hpp"
#include "math/rng.hpp"
#include "mds/fed.hpp"
#include "mds/feed.hpp"
#include "mds/resolve.hpp"

namespace dunlin::mds {

namespace {

/// Between components, in mean edges.
constexpr double gap_in_edges = 3;

double mean_length(const Graph& graph) {
    const double sum = std::accumulate(graph.weights.begin(), graph.weights.end(), 0.0);
    return graph.edges() > 0 ? sum / static_cast<double>(graph.edges()) : 1;
}

void refuse_unfit(const Options& o, const Given& given, Index parts, bool is_limited) {
    const auto refuse = [parts](const std::string& what) {
        throw Error(Fault::bad_input,
                    fmt::format("the graph has {} components, which are placed by themselves; {}", parts, what));
    };
    if (o.dim != 2 && o.dim != 3) refuse(fmt::format("dim is {}, and maps are packed in 2 or 3 dimensions", o.dim));
    if (given.start != nullptr || given.fixed != nullptr) refuse("leave out the map to begin with");
    if (given.weights != nullptr) refuse("leave out the weights");
    if (is_limited) refuse("place each as a graph of its own to limit its distances");
}

/// The options for one component: what it is too small for does not apply, and many share the work of one.
Options options_of_part(Options o, Index size, Index parts) {
    if (o.landmarks) o.landmarks = std::min(*o.landmarks, size);
    if (o.method == Method::dunlin && !o.iterations)
        o.iterations = std::min(annealed_steps(size), std::max(60, annealed_steps(1) / parts));
    return o;
}

}  // namespace

Result place_parts(const Dissimilarities& items, const Options& wanted, const Run& run, const Given& given) {
    Result result;
    device::Stopwatch watch;
    device::Cpu cpu(run);
    const Graph& graph = *items.graph();
    const graph::Components components = graph::components(cpu, graph);
    refuse_unfit(wanted, given, components.count(), items.feed()->is_limited());
    std::mutex counting;
    const auto place_part = [&](const layout::Part& part, Index component, bool small) {
        Run own = run;
        own.seed = math::random_bits(run.seed, static_cast<std::uint64_t>(component));
        if (small) own.threads = 1;
        if (small) own.on_progress = {};
        const auto of_part = Dissimilarities::of_graph(part.graph, own);
        Result placed = place(of_part, options_of_part(wanted, of_part.size(), components.count()), own);
        const std::lock_guard lock(counting);
        items.feed()->count(of_part.counted());
        return layout::Placed{std::move(placed.map), {placed.iterations, placed.stopped}};
    };
    layout::Placed placed = layout::place_apart(cpu, graph, {}, wanted.dim, components, place_part);
    layout::pack(cpu, placed.map, components, {}, static_cast<float>(gap_in_edges * mean_length(graph)));
    result.map = std::move(placed.map);
    result.iterations = placed.ending.iterations;
    result.stopped = placed.ending.stopped;
    result.options = resolve(items, wanted, given);
    result.threads = cpu.threads();
    result.seconds.optimise = watch.lap();
    return result;
}

}  // namespace dunlin::mds
