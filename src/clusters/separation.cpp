// SPDX-License-Identifier: Apache-2.0
#include <dunlin/separation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/cpu.hpp"
#include "device/fail.hpp"
#include "device/memory.hpp"
#include "graph/both_ways.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::clusters {

namespace {

constexpr double unmeasured = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t between_stops = 65536;  ///< points between two cancellation points

/// Neighbors in both directions; two points that list each other are neighbors twice.
using Adjacency = graph::BothWays<Index>;

/// A set of points that grows in an adjacency. One for each worker.
class GrowingGroup {
public:
    explicit GrowingGroup(const Adjacency& graph) : graph_(graph), mark_(at(graph.size()), 0) {}

    static std::uint64_t bytes(Index points) { return at(points) * (sizeof(std::uint32_t) + 2 * sizeof(Index)); }

    void clear() {
        if (++round_ == 0) std::fill(mark_.begin(), mark_.end(), 0U), round_ = 1;
        members_.clear();
    }
    void add(Index p) {
        mark_[at(p)] = round_;
        members_.push_back(p);
    }
    [[nodiscard]] bool has(Index p) const { return mark_[at(p)] == round_; }

    /// Grows from one of these points, and where there are no more neighbors, from any point that is left.
    void grow(std::span<const Index> from, std::uint64_t seed, std::uint64_t trial) {
        clear();
        std::uint64_t draw = 0;
        add(from[at(static_cast<Offset>(math::random_below(from.size(), seed, trial, draw)))]);
        for (std::size_t layer = 0; members_.size() < from.size();) {
            const std::size_t end = members_.size();
            add_neighbors(layer, from.size(), seed, trial);
            layer = end;
            if (members_.size() > end) continue;
            Index start = 0;
            do {
                const auto points = static_cast<std::uint64_t>(graph_.size());
                start = static_cast<Index>(math::random_below(points, seed, trial, ++draw));
            } while (has(start));
            add(start);
        }
    }

    [[nodiscard]] double conductance() const {
        Offset pairs = 0, cut = 0;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (i % between_stops == 0) progress::cancellation_point();
            const std::span<const Index> near = graph_.of(members_[i]);
            pairs += std::ssize(near);
            cut += std::count_if(near.begin(), near.end(), [&](Index q) { return !has(q); });
        }
        const Offset fewer = std::min(pairs, graph_.entries() - pairs);
        return fewer > 0 ? static_cast<double>(cut) / static_cast<double>(fewer) : cut > 0 ? 1 : unmeasured;
    }

private:
    /// Adds the neighbors of the members from `layer` on, or a random part of them up to a number of members.
    void add_neighbors(std::size_t layer, std::size_t most, std::uint64_t seed, std::uint64_t trial) {
        const std::size_t end = members_.size();
        for (std::size_t i = layer; i < end; ++i) {
            if (i % between_stops == 0) progress::cancellation_point();
            for (const Index q : graph_.of(members_[i])) {
                if (!has(q)) add(q);
            }
        }
        if (members_.size() <= most) return;
        const auto before = [&](Index p, Index q) {
            const auto a = math::random_bits(~seed, trial, static_cast<std::uint64_t>(p)),
                       b = math::random_bits(~seed, trial, static_cast<std::uint64_t>(q));
            return a != b ? a < b : p < q;
        };
        const auto kept = members_.begin() + static_cast<std::ptrdiff_t>(most);
        std::nth_element(members_.begin() + static_cast<std::ptrdiff_t>(end), kept, members_.end(), before);
        for (auto left = kept; left != members_.end(); ++left) mark_[at(*left)] = 0;
        members_.erase(kept, members_.end());
    }

    const Adjacency& graph_;
    std::vector<std::uint32_t> mark_;  ///< per point: the last round in which it was a member
    std::uint32_t round_ = 0;
    std::vector<Index> members_;
};

/// The points of each cluster.
std::vector<std::vector<Index>> members_of(const std::vector<Index>& labels) {
    std::vector<std::vector<Index>> members;
    for (std::size_t p = 0; p < labels.size(); ++p) {
        if (labels[p] < 0) continue;
        if (labels[p] >= std::ssize(members)) members.resize(at(labels[p]) + 1);
        members[at(labels[p])].push_back(static_cast<Index>(p));
    }
    return members;
}

void measure(device::Cpu& cpu, const Adjacency& graph, const std::vector<Index>& labels, const Run& run,
             Separations& result) {
    const std::vector<std::vector<Index>> clusters = members_of(labels);
    std::vector<GrowingGroup> groups(at(cpu.threads()), GrowingGroup(graph));
    progress::ProgressReporter reporter(run, "separation", std::ssize(clusters));
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        const std::vector<Index>& cluster = clusters[c];
        if (cluster.empty() || std::ssize(cluster) == graph.size()) {
            result.conductances.push_back(unmeasured), result.grown.push_back(unmeasured);
            continue;
        }
        groups.front().clear();
        for (const Index p : cluster) groups.front().add(p);
        result.conductances.push_back(groups.front().conductance());
        std::vector<double> grown(at(Offset{grown_groups}));
        cpu.blocks(grown_groups, 1, [&](Offset trial, Offset, int worker) {
            GrowingGroup& group = groups[at(worker)];
            group.grow(cluster, run.seed, c * at(Offset{grown_groups}) + static_cast<std::uint64_t>(trial));
            grown[at(trial)] = group.conductance();
        });
        const auto middle = grown.begin() + grown_groups / 2;
        std::nth_element(grown.begin(), middle, grown.end());
        result.grown.push_back(*middle);
        reporter.tick(static_cast<Offset>(c) + 1);
    }
}

void check_labels(const std::vector<Index>& labels, Index rows) {
    if (std::ssize(labels) != rows) {
        throw Error(Fault::bad_input, fmt::format("the data has {} rows, and the clusters are of {} points; give the "
                                                  "data of these points, a row for each",
                                                  rows, labels.size()));
    }
    for (std::size_t p = 0; p < labels.size(); ++p) {
        if (labels[p] >= rows)
            device::bad_row(static_cast<Offset>(p), fmt::format("point {} has the label {}; labels of {} points number "
                                                                "clusters from 0, at most {}",
                                                                p, labels[p], rows, rows - 1));
    }
}

void check_targets(const Graph& lists) {
    for (Index p = 0; p < lists.size(); ++p) {
        for (Offset e = lists.offsets[at(p)]; e < lists.offsets[at(p) + 1]; ++e) {
            const Index q = lists.targets[at(e)];
            if (q < 0 || q >= lists.size() || q == p)
                device::bad_row(p, fmt::format("point {} lists point {} as a neighbor; neighbors are other points, 0 "
                                               "to {}",
                                               p, q, lists.size() - 1));
        }
    }
}

/// Separations in the lists that make_lists(result) gives, until they are done or stopped.
template <class MakeLists>
Separations in_lists(const std::vector<Index>& labels, Offset edges, Separations result, const Run& run,
                     const MakeLists& make_lists) {
    const auto points = static_cast<Index>(labels.size());
    device::Cpu cpu(run);
    device::require_memory(
        run, Adjacency::bytes(points, edges) + static_cast<std::uint64_t>(cpu.threads()) * GrowingGroup::bytes(points),
        fmt::format("groups grown among {} points", points));
    const bool done = progress::run_cancellable(run.stop, [&] {
        const Adjacency graph(make_lists(result), [](Index other, Offset) { return other; });
        progress::cancellation_point();
        progress::Stopwatch watch;
        measure(cpu, graph, labels, run, result);
        result.seconds["separation"] = watch.lap();
    });
    if (!done) result.conductances.clear(), result.grown.clear();
    result.stopped = done ? Stopped::converged : Stopped::cancelled;
    result.threads = cpu.threads();
    device::complete(result, Device::cpu, run);
    return result;
}

}  // namespace

Separations separations(const std::vector<Index>& labels, MatrixView<const float> data,
                        const SeparationOptions& options, const Run& run) {
    options::check(options);
    check_labels(labels, data.rows);
    Separations result;
    result.options = options;
    const Index k = std::min(options.of_neighbors, std::max(data.rows - 1, 0));
    if (k == 0) {
        result.conductances.assign(members_of(labels).size(), unmeasured);
        result.grown = result.conductances;
        device::complete(result, Device::cpu, run);
        return result;
    }
    return in_lists(labels, Offset{data.rows} * k, std::move(result), run, [&](Separations& of) {
        neighbors::Result near = neighbors::search(data, {.k = k, .metric = options.of_metric}, run);
        for (const auto& [stage, seconds] : near.seconds.stages()) of.seconds[stage] = seconds;
        if (near.stopped == Stopped::cancelled) throw progress::Cancelled();
        return std::move(near.graph);
    });
}

Separations separations(const std::vector<Index>& labels, const Graph& neighbors, const Run& run) {
    device::require_cpu(run, "groups are compared");
    check_labels(labels, neighbors.size());
    check_targets(neighbors);
    return in_lists(labels, neighbors.edges(), {}, run, [&](Separations&) -> const Graph& { return neighbors; });
}

}  // namespace dunlin::clusters
