// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>

#include <dunlin/error.hpp>

#include "arrange/components.hpp"
#include "arrange/pack.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "graph/components.hpp"
#include "math/rng.hpp"
#include "mds/input/on_demand_rows.hpp"
#include "mds/on_demand/on_demand.hpp"
#include "mds/resolve.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::mds {

namespace {

/// Gap between components, in mean edge lengths.
constexpr double gap_in_edges = 3;

double mean_length(const Graph& graph) {
    const double sum = std::accumulate(graph.weights.begin(), graph.weights.end(), 0.0);
    return graph.edges() > 0 ? sum / static_cast<double>(graph.edges()) : 1;
}

void refuse_unsupported(const Options& o, const Given& given, Index parts) {
    const auto refuse = [parts](const std::string& what) {
        throw Error(Fault::bad_input,
                    fmt::format("the graph has {} components, which are placed by themselves; {}", parts, what));
    };
    if (o.dim > 3) refuse(fmt::format("dim is {}, and maps are packed in 1, 2 or 3 dimensions", o.dim));
    if (given.start != nullptr || given.fixed != nullptr) refuse("leave out the map to begin with");
    if (given.weights != nullptr) refuse("leave out the weights");
}

/// Options of one component: `landmarks` is clamped to its size, and the annealing steps are shared among the
/// components.
Options options_of_component(Options o, Index size, Index parts) {
    if (o.landmarks) o.landmarks = std::min(*o.landmarks, size);
    if (o.method == Method::dunlin && !o.iterations)
        o.iterations = std::min(annealed_steps(size), std::max(60, annealed_steps(1) / parts));
    if (mds::minimizes_stress(o.method) && !o.starts) o.starts = 1;
    return o;
}

Offset size_of(const graph::Components& components, Index component) {
    return std::ssize(components.members_of(component));
}

/// Splits a budget of distances among the components in proportion to their sizes. No component gets more than all of
/// its pairs; the rest goes to the larger ones.
std::vector<Offset> distance_budgets(const graph::Components& components, Offset distances) {
    std::vector<Index> order(static_cast<std::size_t>(components.count()));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return size_of(components, a) < size_of(components, b); });
    std::vector<Offset> shares(order.size());
    auto items = static_cast<double>(components.of.size());
    for (const Index component : order) {
        const Offset size = size_of(components, component);
        const auto even = static_cast<Offset>(static_cast<double>(distances) * static_cast<double>(size) / items);
        const Offset share = std::min({size * (size - 1) / 2, even, distances});
        shares[static_cast<std::size_t>(component)] = share;
        distances -= share;
        items -= static_cast<double>(size);
    }
    return shares;
}

/// Splits the 64 stored rows among the components in proportion to their sizes.
std::vector<Offset> rows_to_keep(const graph::Components& components) {
    constexpr Offset kept = 64;
    const Offset items = std::ssize(components.of);
    std::vector<Offset> shares;
    Offset before = 0;
    for (Index component = 0; component < components.count(); ++component) {
        const Offset after = before + size_of(components, component);
        shares.push_back(kept * after / items - kept * before / items);
        before = after;
    }
    return shares;
}

/// Copies some rows of a component to the whole graph, so that stress() can use them if the budget is exhausted.
void keep_rows(OnDemandRows& all, const OnDemandRows& part, std::span<const Index> members, Offset share) {
    for (const Index item :
         part.known_rows().first(static_cast<std::size_t>(std::min(share, std::ssize(part.known_rows()))))) {
        std::vector<float> row(static_cast<std::size_t>(all.size()), std::numeric_limits<float>::quiet_NaN());
        for (std::size_t m = 0; m < members.size(); ++m) row[static_cast<std::size_t>(members[m])] = part.row(item)[m];
        all.adopt_row(members[static_cast<std::size_t>(item)], std::move(row));
    }
}

/// Places one component; an error names it by its first vertex.
Result place_component(const Dissimilarities& part, Index first, const Options& o, const Run& run) {
    try {
        return place_part(part, o, run);
    } catch (const Error& error) {
        throw Error(error.fault(),
                    fmt::format("the component of vertex {}, of {} vertices: {}", first, part.size(), error.what()));
    }
}

}  // namespace

Result place_components(const Dissimilarities& items, const Options& wanted, const Run& run, const Given& given) {
    Result result;
    Device device = device::choose(run, false, {.what = "scaling of a graph of several components runs"});
    device::reset_cuda_peak_memory();
    progress::Stopwatch watch;
    device::Cpu cpu(run);
    const Graph& graph = *items.graph();
    const graph::Components components = graph::components(cpu, graph);
    refuse_unsupported(wanted, given, components.count());
    const bool is_limited = items.on_demand()->is_limited();
    const std::vector<Offset> shares = distance_budgets(components, items.on_demand()->remaining()),
                              kept = rows_to_keep(components);
    std::mutex counting;
    const auto place_one = [&](const arrange::ComponentGraph& component_graph, Index component, bool small) {
        Run own = run;
        own.seed = math::random_bits(run.seed, static_cast<std::uint64_t>(component));
        if (small) own.threads = 1;
        if (small) own.device = Device::cpu;
        if (small) own.on_progress = {};
        auto of_component = Dissimilarities::of_graph(component_graph.graph, own);
        if (is_limited) of_component.set_budget(shares[static_cast<std::size_t>(component)]);
        const Index first = components.members_of(component)[0];
        Result placed = place_component(of_component, first,
                                        options_of_component(wanted, of_component.size(), components.count()), own);
        const std::lock_guard lock(counting);
        device = std::max(device, placed.device);
        items.on_demand()->add_usage(of_component.usage());
        if (is_limited)
            keep_rows(*items.on_demand(), *of_component.on_demand(), components.members_of(component),
                      kept[static_cast<std::size_t>(component)]);
        result.iterations = std::max(result.iterations, placed.iterations);
        result.stopped =
            std::max(result.stopped, placed.stopped);  // the values are ordered: converged, budget, cancelled
        return std::move(placed.map);
    };
    result.stopped = Stopped::converged;
    result.map = arrange::place_each_component(cpu, graph, {}, wanted.dim, components, place_one);
    arrange::pack(cpu, result.map, components, {}, static_cast<float>(gap_in_edges * mean_length(graph)));
    result.options = resolve(items, wanted, given);
    result.threads = cpu.threads();
    result.seconds["optimize"] = watch.lap();
    device::complete(result, device, run);
    return result;
}

}  // namespace dunlin::mds
