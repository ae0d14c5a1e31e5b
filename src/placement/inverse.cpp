// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/inverse.hpp>

#include "descent/embed.hpp"
#include "descent/given.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/memory.hpp"
#include "distance/keys.hpp"
#include "forces/places.hpp"
#include "options/check.hpp"
#include "placement/map_scale.hpp"
#include "placement/mixture_loss.hpp"
#include "placement/options.hpp"
#include "placement/reference.hpp"
#include "placement/state.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::placement {

namespace {

using umap::InverseOptions, umap::InverseResult;

constexpr Offset block = 16;  ///< places between two reports

/// The options of placing in the same map, by which inputs are checked and scales are found.
Options as_placing(const InverseOptions& o, Index cols) {
    return {.method = Method::umap,
            .k = o.k,
            .pca = cols,
            .search = o.search,
            .recall = o.recall,
            .min_dist = o.min_dist,
            .spread = o.spread,
            .a = o.a,
            .b = o.b,
            .local_connectivity = o.local_connectivity};
}

void check_places(const Map& map, const Map& places) {
    if (places.dim != map.dim) {
        throw Error(Fault::bad_input,
                    fmt::format("the places have {} dimensions and the map {}; they must agree", places.dim, map.dim));
    }
    forces::require_places(places, "list of places", forces::Holes::refused, descent::most_dimensions);
}

/// The local scales of the points.
Reference scales_of(device::Cpu& cpu, MatrixView<const float> points, const Options& options, const Run& run,
                    const Given& given, InverseResult& result) {
    if (given.state != nullptr) return reference_in(*given.state);
    neighbors::Result found;
    found.graph.offsets.assign(at(points.rows) + 1, 0);
    if (given.neighbors == nullptr && points.rows > 1) {
        found = neighbors::search(points,
                                  {.k = list_length(options), .method = options.search, .recall = options.recall}, run);
        progress::cancellation_point();
        descent::record_search(result.options, found.options.method);
        result.engines.push_back({"neighbors", name_of(found.options.method), 0});
    }
    return reference_of(cpu, given.neighbors != nullptr ? *given.neighbors : found.graph, options);
}

/// What one place is mixed of, and the memory for it.
class Mixture {
public:
    Mixture(MatrixView<const float> points, const Reference& reference, const umap::Curve& curve, int steps)
        : points_(points), reference_(reference), curve_(curve), steps_(steps) {}

    /// Writes the row of a place whose nearest points of the map these are.
    void write(std::span<const Index> nearest, std::span<const float> distances, float* row) {
        const std::size_t count = nearest.size();
        memberships_.resize(count);
        scales_.resize(count);
        Combination x(count);
        double total = 0;
        for (std::size_t j = 0; j < count; ++j) {
            const double u = static_cast<double>(curve_.a) *
                             std::pow(static_cast<double>(distances[j]), 2 * static_cast<double>(curve_.b));
            memberships_[j] = 1 / (1 + u);
            total += memberships_[j];
            const PointScale& scale = reference_.rows[at(nearest[j])];
            scales_[j] = {scale.first, std::max(scale.second, 1e-30F)};
        }
        for (std::size_t j = 0; j < count; ++j) x.weights[j] = memberships_[j] / total;
        if (steps_ > 0) improve_among(nearest, x);
        for (Index c = 0; c < points_.cols; ++c) {
            double sum = 0;
            for (std::size_t j = 0; j < count; ++j) sum += x.weights[j] * static_cast<double>(points_(nearest[j], c));
            row[c] = static_cast<float>(sum);
        }
    }

private:
    void improve_among(std::span<const Index> nearest, Combination& x) {
        const std::size_t count = nearest.size();
        squared_.assign(count * count, 0);
        for (std::size_t j = 0; j < count; ++j) {
            for (std::size_t k = 0; k < j; ++k) {
                const double squared = distance::squared_difference(points_.row(nearest[j]).data(),
                                                                    points_.row(nearest[k]).data(), points_.cols);
                squared_[j * count + k] = squared_[k * count + j] = squared;
            }
        }
        const MixtureLoss loss{squared_, memberships_, scales_};
        loss.set_image(x);
        improve(loss, steps_, x);
    }

    MatrixView<const float> points_;
    const Reference& reference_;
    umap::Curve curve_;
    int steps_;
    std::vector<double> memberships_, squared_;
    std::vector<umap::LocalScale> scales_;
};

/// Sets rows and distance of the result.
void mix(device::Cpu& cpu, MatrixView<const float> points, const Reference& reference, const Graph& lists,
         const Run& run, InverseResult& result) {
    const Offset places = lists.size();
    progress::ProgressReporter reporter(run, "inverse", places);
    std::vector<float> rows(at(places * points.cols));
    result.distance.resize(at(places));
    const umap::Curve curve{*result.options.a, *result.options.b};
    const Offset at_once = block * cpu.threads();
    for (Offset begin = 0; begin < places; begin += at_once) {
        progress::cancellation_point();
        const Offset end = std::min(places, begin + at_once);
        cpu.blocks(end - begin, block, [&](Offset first, Offset last, int) {
            Mixture mixture(points, reference, curve, result.options.steps);
            for (Offset q = begin + first; q < begin + last; ++q) {
                progress::cancellation_point();
                mixture.write(targets_of(lists, q), weights_of(lists, q), rows.data() + q * points.cols);
                result.distance[at(q)] = weights_of(lists, q).front();
            }
        });
        reporter.tick(end);
    }
    result.rows = Matrix(static_cast<Index>(places), points.cols, std::move(rows));
}

InverseResult rows_of_places(MatrixView<const float> points, const Map& map, const Map& places,
                             const InverseOptions& wanted, const Run& run, const Given& all) {
    options::check(wanted);
    const Options placing = as_placing(wanted, points.cols);
    check_place(points, map, placing, run, all);
    check_places(map, places);
    const Device device = device::choose(run, points.rows >= descent::enough_for_gpu, {.what = "inverse runs"});
    device::Cpu cpu(run);
    Given given = all;
    Graph nearest;
    if (all.neighbors != nullptr && all.state == nullptr) {
        nearest = descent::nearest_given(cpu, *all.neighbors, list_rule(placing));
        if (nearest.size() > 0) given.neighbors = &nearest;
    }
    const Options resolved = resolve_place(placing, points, given);
    InverseResult result;
    result.options = wanted;
    result.options.k = resolved.k, result.options.a = resolved.a, result.options.b = resolved.b;
    result.threads = cpu.threads();
    const Index count = std::min(wanted.nearest, points.rows);
    device::require_memory(run,
                           static_cast<std::uint64_t>(places.size()) *
                               (static_cast<std::uint64_t>(points.cols) * sizeof(float) +
                                static_cast<std::uint64_t>(count) * (sizeof(float) + sizeof(Index))),
                           "the rows of this many places", "use fewer places");
    Run search = run;
    search.device = device;
    const bool done = progress::run_cancellable(run.stop, [&] {
        progress::Stopwatch watch;
        const Reference reference = scales_of(cpu, points, resolved, search, given, result);
        result.neighbor_distance = neighbor_distance_of(cpu, map.view());
        search.device = Device::cpu;
        const Graph lists =
            neighbors::search(map.view(), places.view(), {.k = count, .method = neighbors::Method::exact}, search)
                .graph;
        progress::cancellation_point();
        result.seconds["neighbors"] = watch.lap();
        mix(cpu, points, reference, lists, run, result);
        result.seconds["inverse"] = watch.lap();
    });
    result.stopped = done ? Stopped::converged : Stopped::cancelled;
    if (!done) result.rows = {}, result.distance.clear();
    if (given.neighbors != nullptr || given.state != nullptr) result.options.recall.reset();
    device::complete(result, device, run);
    return result;
}

}  // namespace
}  // namespace dunlin::placement

dunlin::umap::InverseResult dunlin::umap::invert(MatrixView<const float> points, const Map& map, const Map& places,
                                                 const InverseOptions& options, const Run& run,
                                                 const placement::Given& given) {
    return placement::rows_of_places(points, map, places, options, run, given);
}
