// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>

#include <dunlin/error.hpp>
#include <dunlin/layout.hpp>

#include "arrange/pack.hpp"
#include "checkpoint/key.hpp"
#include "checkpoint/session.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "graph/check.hpp"
#include "layout/backend.hpp"
#include "layout/check.hpp"
#include "layout/components.hpp"
#include "layout/edge_weights.hpp"
#include "layout/low_stress.hpp"
#include "layout/pivots.hpp"
#include "layout/random_pivots.hpp"
#include "layout/resolve.hpp"
#include "layout/units.hpp"
#include "live/part.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "progress/cancel.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::layout {

namespace {

constexpr Index enough_for_gpu = 2000;  ///< vertices

/// Peak memory in bytes: strengths and lengths, coarser graphs (together about as large as the graph), and per vertex
/// the drawing, the tree's order and cells, and four values per pivot.
std::uint64_t bytes_needed(const Graph& graph) {
    return static_cast<std::uint64_t>(graph.size()) *
               (250 + 16 * static_cast<std::uint64_t>(pivots_for(graph.size()))) +
           static_cast<std::uint64_t>(graph.edges()) * 20;
}

/// A graph with edge strengths as weights.
struct Springs {
    Graph own;  ///< empty if the caller's graph is used
    std::vector<float> lengths;
    const Graph* graph = nullptr;
};

Springs springs_of(device::Cpu& cpu, const Graph& graph, Weights meaning) {
    EdgeWeights weights = edge_weights(cpu, graph, meaning);
    Springs springs{{}, std::move(weights.lengths), &graph};
    if (!weights.values.empty()) springs.own = {graph.offsets, graph.targets, std::move(weights.values)};
    return springs;
}

LayoutOutput place_on(Device device, const LayoutInput& task, const Options& options, const Run& run) {
    return device == Device::cuda ? place_on_cuda(task, options, run) : place_on_cpu(task, options, run);
}

/// Dimension: that of the start, which must be at least the requested one, because a flat start would stay flat.
int dimension_of(const Options& wanted, const Given& given) {
    if (given.start == nullptr) return wanted.dim;
    if (wanted.dim <= given.start->dim) return given.start->dim;
    throw Error(Fault::bad_input,
                fmt::format("dim is {} and the start has {} coordinates a vertex; leave one of the two "
                            "out, or give a start of {}",
                            wanted.dim, given.start->dim, wanted.dim));
}

/// Components of one or two vertices, of which there may be very many: placed directly, at the edge's ideal length.
LayoutOutput place_pair(const Graph& graph, std::span<const float> lengths, const Options& options,
                        std::uint64_t seed) {
    Map map{options.dim, std::vector<float>(static_cast<std::size_t>(Offset{graph.size()} * options.dim))};
    if (graph.edges() > 0) {
        const double length = lengths.empty() ? 1.0 : static_cast<double>(lengths[0]);
        const double angle = options.dim == 1 ? 0 : 2 * std::numbers::pi * math::random_uniform(seed, 0);
        const auto reach = [&](double way) { return static_cast<float>(length / 2 * way); };
        const auto axes = static_cast<std::size_t>(options.dim);
        for (std::size_t c = 0; c < std::min<std::size_t>(axes, 2); ++c) {
            map.coordinates[c] = reach(c == 0 ? std::cos(angle) : std::sin(angle));
            map.coordinates[axes + c] = -map.coordinates[c];
        }
    }
    return {std::move(map), {0, Stopped::converged}};
}

/// The radii that affect forces.
std::span<const float> radii_for_forces(const Options& options, std::span<const float> radii) {
    return options.prevent_overlap ? radii : std::span<const float>{};
}

/// Method stress above the limit for all pairs: starts from the default method's map, and returns the better of start
/// and end.
LayoutOutput lower_stress_of_default(Device device, const LayoutInput& task, const Options& options, const Run& run) {
    Run start_run = run;
    if (run.on_progress) {
        start_run.on_progress = [&](Progress progress) {
            progress.stage = "start";
            run.on_progress(progress);
        };
    }
    const Options defaults = resolve({.dim = options.dim}, task.graph->size(), device);
    LayoutOutput start = place_on(device, task, defaults, start_run);
    if (start.ending.stopped == Stopped::cancelled) return start;

    device::Cpu cpu(run);
    Pivots<device::Cpu> sample_pivots;
    Fit before;
    const bool is_measured = progress::run_cancellable(run.stop, [&] {
        sample_pivots =
            random_pivots(cpu, {task.graph, task.lengths}, validation_pivots, math::random_bits(run.seed, 0));
        before = fit_of(cpu, sample_pivots, start.map.coordinates, options.dim);
        for (float& x : start.map.coordinates) x *= static_cast<float>(before.scale);
    });
    start.ending = {0, Stopped::cancelled};
    if (!is_measured) return start;

    LayoutInput from_start = task;
    from_start.start = &start.map;
    LayoutOutput placed = place_on(device, from_start, options, run);
    const Fit after = fit_of(cpu, sample_pivots, placed.map.coordinates, options.dim);
    if (after.stress > before.stress) placed.map = std::move(start.map);
    return placed;
}

/// Sizes of vertices that affect forces.
struct VertexSizes {
    std::span<const float> radii, masses;
};

/// Places a connected graph. multilevel and stress start from the initial layout, stress of very many vertices from
/// multilevel's map, the others from random positions, on a line also from the initial layout. multilevel's map is
/// scaled to the ideal edge lengths.
LayoutOutput place_connected(Device device, const Graph& graph, std::span<const float> lengths,
                             const VertexSizes& sizes, const Units& units, const Options& options, const Run& run) {
    const Index n = graph.size();
    if (options.method == Method::multilevel && n <= 2) return place_pair(graph, lengths, options, run.seed);
    const std::vector<std::uint8_t> pinned(static_cast<std::size_t>(n));
    const bool from_initial_layout =
        options.method == Method::multilevel || options.method == Method::stress || options.dim == 1;
    LayoutInput task{&graph, lengths, nullptr, pinned, radii_for_forces(options, sizes.radii), sizes.masses, units};
    if (!from_initial_layout) {
        const Map start = random_layout(n, options.dim, run.seed);
        task.start = &start;
        return place_on(device, task, options, run);
    }
    if (options.method == Method::stress && n > all_pairs_up_to(device))
        return lower_stress_of_default(device, task, options, run);
    LayoutOutput placed = place_on(device, task, options, run);
    device::Cpu cpu(run);
    if (options.method == Method::multilevel) scale_to_lengths(cpu, graph, lengths, placed.map);
    return placed;
}

std::vector<float> of_members(std::span<const float> values, std::span<const Index> members) {
    std::vector<float> own;
    for (const Index v : members) {
        if (!values.empty()) own.push_back(values[at(v)]);
    }
    return own;
}

Run run_of_component(const Run& run, Index component, bool small) {
    Run own = run;
    own.seed = math::random_bits(run.seed, static_cast<std::uint64_t>(component));
    if (small) own.threads = 1;
    if (small) own.on_progress = {};
    return own;
}

/// Method stress from a given start: path lengths say nothing about distances between components, so each component is
/// placed separately and not packed.
LayoutOutput lower_stress_of_components(device::Cpu& cpu, const LayoutInput& task, const Options& wanted, Device device,
                                        const Run& run) {
    const graph::Components components = graph::components(cpu, *task.graph);
    const auto place_component = [&](const arrange::ComponentGraph& component_graph, Index component, bool small) {
        Map start{task.start->dim, {}};
        std::vector<std::uint8_t> pinned;
        for (const Index v : components.members_of(component)) {
            const auto row = task.start->view().row(v);
            start.coordinates.insert(start.coordinates.end(), row.begin(), row.end());
            pinned.push_back(task.pinned[at(v)]);
        }
        const Device where = small ? Device::cpu : device;
        Options options = resolve(wanted, component_graph.graph.size(), where);
        options.dim = start.dim;
        return place_on(where, {&component_graph.graph, component_graph.lengths, &start, pinned}, options,
                        run_of_component(run, component, small));
    };
    LayoutOutput placed =
        place_each_component(cpu, *task.graph, task.lengths, task.start->dim, components, place_component);
    placed.by_components = components.count() > 1;
    return placed;
}

/// Places each component with the defaults of its size, then packs them.
LayoutOutput place_components(device::Cpu& cpu, const Springs& springs, const Graph& graph,
                              const graph::Components& components, const Options& wanted, Device device, const Run& run,
                              const VertexSizes& sizes, const Units& units) {
    const auto place_component = [&](const arrange::ComponentGraph& component_graph, Index component, bool small) {
        const Device where = small ? Device::cpu : device;
        const Options options = resolve(wanted, component_graph.graph.size(), where);
        const Run own = run_of_component(run, component, small);
        const std::vector<float> own_radii = of_members(sizes.radii, components.members_of(component));
        const std::vector<float> own_masses = of_members(sizes.masses, components.members_of(component));
        std::optional<live::Part> part;
        if (!small) part.emplace(components.members_of(component), graph.size());
        return place_connected(where, component_graph.graph, component_graph.lengths, {own_radii, own_masses}, units,
                               options, own);
    };
    LayoutOutput placed = place_each_component(cpu, graph, springs.lengths, wanted.dim, components, place_component);
    const bool one_scale = wanted.pack == Pack::lengths || wanted.weights == Weights::length;
    placed.component_scale = arrange::pack_drawing(cpu, placed.map, graph, components, sizes.radii, one_scale);
    placed.by_components = true;
    return placed;
}

bool has_repulsion(Method method) { return method != Method::annealing && method != Method::stress; }

/// Places all vertices together, from the given start.
LayoutOutput place_given(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths,
                         std::span<const float> radii, const Units& units, const Options& wanted,
                         const Options& options, Device device, const Run& run, const Given& given) {
    std::vector<std::uint8_t> pinned(given.pinned.begin(), given.pinned.end());
    pinned.resize(static_cast<std::size_t>(graph.size()));
    const Map start = units.to_lengths(given, graph.size(), options.dim, run.seed);
    const LayoutInput task{&graph, lengths, &start, pinned, radii_for_forces(options, radii), given.masses, units};
    if (options.method == Method::stress) return lower_stress_of_components(cpu, task, wanted, device, run);
    return place_on(device, task, options, run);
}

/// Result of a run cancelled before the first iteration: the given start, else random positions.
LayoutOutput before_any_map(Index n, const Options& options, const Run& run, const Given& given) {
    LayoutOutput placed;
    placed.map = given.start != nullptr ? *given.start : random_layout(n, options.dim, run.seed);
    placed.ending = {0, Stopped::cancelled};
    return placed;
}

LayoutOutput place_all(device::Cpu& cpu, const Springs& springs, const Options& wanted, const Options& options,
                       Device device, const Run& run, const Given& given) {
    const Graph& graph = springs.own.size() > 0 ? springs.own : *springs.graph;
    const Units units = units_of(given, options.length);
    std::vector<float> radii(given.radii.begin(), given.radii.end());
    for (float& radius : radii) radius /= options.length;
    graph::Components components;
    const bool known = progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "start", 1);
        if (given.start == nullptr) components = graph::components(cpu, graph);
    });
    if (!known) return before_any_map(graph.size(), options, run, given);
    LayoutOutput placed;
    if (components.count() > 1) {
        placed = place_components(cpu, springs, graph, components, wanted, device, run, {radii, given.masses}, units);
    } else if (given.start != nullptr) {
        placed = place_given(cpu, graph, springs.lengths, radii, units, wanted, options, device, run, given);
    } else {
        placed = place_connected(device, graph, springs.lengths, {radii, given.masses}, units, options, run);
    }
    units.to_map_units(placed.map, given, placed.steered);
    return placed;
}

}  // namespace

Result place(const Graph& graph, const Options& wanted, const Run& given_run, const Given& given) {
    const Run run = checkpoint::without_checkpoint(given_run);
    Options options = wanted;
    options.dim = dimension_of(wanted, given);
    const Device device = device::choose(run, graph.size() >= enough_for_gpu, {.what = "layout runs"});
    options = resolve(options, graph.size(), device);
    device::reset_cuda_peak_memory();
    device::require_memory(run, bytes_needed(graph) + bytes_of_stress(options, graph.size(), device),
                           "a layout of this graph");
    progress::Stopwatch watch;
    device::Cpu cpu(run);
    graph::require_undirected(cpu, graph);
    check_given(given, graph.size());
    if (options.prevent_overlap && given.radii.empty() && graph.size() > 0)
        throw Error(Fault::bad_input, "prevent-overlap: vertices have no radii; give one for each");
    if (!given.masses.empty() && options.method != Method::forceatlas2) {
        throw Error(Fault::bad_input, fmt::format("vertices have masses, which method {} does not read; leave them out "
                                                  "or take forceatlas2",
                                                  name_of(options.method)));
    }
    checkpoint::Session session(given_run, "layout", [&](checkpoint::Key& key) {
        key.add("device", std::string(name_of(device)));
        key.add_options(options);
        key.add_options(wanted);  // components take the defaults of their sizes
        key.add_input("graph", graph);
        if (given.start != nullptr) key.add_input("start", given.start->coordinates);
        key.add_input("pinned vertices", given.pinned);
        key.add_input("radii", given.radii);
        key.add_input("masses", given.masses);
    });
    Springs springs;
    const bool begun = progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "start", 1);
        springs = springs_of(cpu, graph, options.weights);
    });
    Result result;
    result.seconds["start"] = watch.lap();

    LayoutOutput placed = begun ? place_all(cpu, springs, wanted, options, device, run, given)
                                : before_any_map(graph.size(), options, run, given);
    result.seconds["optimize"] = watch.lap();
    result.map = std::move(placed.map);
    result.iterations = placed.ending.iterations;
    result.stopped = placed.ending.stopped;
    result.kinetic_energy = placed.kinetic_energy;
    result.cost = placed.cost;
    result.component_scale = placed.component_scale;
    result.threads = placed.threads;
    result.options = placed.by_components ? resolve_by_list(wanted) : options;
    result.options.dim = result.map.dim;
    if (has_repulsion(options.method)) result.engines = {{"repulsion", name_of(options.repulsion), 0}};
    device::complete(result, device, run);
    session.complete(result);
    return result;
}

}  // namespace dunlin::layout
