// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/shards.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/memory.hpp"
#include "distance/check.hpp"
#include "distance/space.hpp"
#include "neighbors/top_k.hpp"
#include "options/check.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"
#include "shards/chunk.hpp"
#include "shards/start.hpp"

namespace dunlin::kmeans {

/// For each candidate the keys and rows of its nearest of this chunk, in order; `count` of them, or all there are.
void ChunkOfRows::find_nearest(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) {
    const std::size_t rows = request.candidates.size() / static_cast<std::size_t>(rows_.cols());
    if (static_cast<std::size_t>(request.search) >= names(request.search).size()) fail_for_message("its metric is new");
    if (request.count < 1 || rows > static_cast<std::size_t>(request.rows)) fail_for_message("it wants no neighbors");
    forget();
    engine_->forget();
    const MatrixView<const float> queries{request.candidates.data(), static_cast<Index>(rows), rows_.cols()};
    const auto k =
        static_cast<Index>(std::min<std::uint64_t>(request.count, static_cast<std::uint64_t>(rows_.count())));
    Run run;
    run.device = Device::cpu;
    run.threads = cpu.threads();
    const neighbors::Result found = neighbors::search(
        rows_.points, queries, {.k = k, .metric = request.search, .method = neighbors::Method::exact}, run);
    // Lists are ordered by keys in float64, and distances are rounded: by these, lists could not be merged
    const distance::Space space(cpu, rows_.points, request.search, queries);
    const std::vector<Index>& targets = found.graph.targets;
    response.parts.resize(targets.size());
    cpu.blocks(static_cast<Offset>(targets.size()), 4096, [&](Offset begin, Offset end, int) {
        for (Offset i = begin; i < end; ++i) {
            const auto at = static_cast<std::size_t>(i);
            response.parts[at] = space.key(rows_.count() + static_cast<Index>(i / k), targets[at]);
        }
    });
    response.ids.assign(targets.begin(), targets.end());
    for (Offset& id : response.ids) id += first_;
}

}  // namespace dunlin::kmeans

namespace dunlin::neighbors {

namespace {

using kmeans::MessageKind;
using kmeans::ShardRequest;
using kmeans::ShardResponse;

constexpr Offset block_rows = 4096;  ///< rows that look for neighbors at a time

kmeans::Shape checked(const kmeans::Shape& wanted, const Options& options, const Run& run, const Driving& driving) {
    Options given = options;
    options::check(given);
    distance::require_kernels(options.metric, "shards");
    if (options.method == Method::approximate) {
        throw Error(Fault::bad_input, "method approximate needs all rows in one process; use method exact for shards",
                    {.option = "method"});
    }
    // Rows whose directions agree up to 2^-40 share the distances of the first of them all
    // (neighbors/distinct_rows.hpp)
    if (options.metric == Metric::cosine || options.metric == Metric::correlation) {
        throw Error(Fault::bad_input,
                    fmt::format("metric {} compares rows that are scaled, which shards do not do; scale the rows to "
                                "length 1 and use euclidean, whose square is twice the distance",
                                name_of(options.metric)),
                    {.option = "metric"});
    }
    if (wanted.weighted) throw Error(Fault::bad_input, "neighbors are of rows without weights; leave them out");
    constexpr Offset most = std::numeric_limits<Index>::max();
    if (wanted.rows < 1 || wanted.rows > most || wanted.cols < 1) {
        throw Error(Fault::bad_input, fmt::format("there are {} rows of {} columns; there must be 1 to {} rows, and at "
                                                  "least one column",
                                                  wanted.rows, wanted.cols, most));
    }
    const Offset most_found = driving.on_lists ? wanted.rows : 0;
    if (driving.found < 0 || driving.found > most_found) {
        throw Error(Fault::bad_input, fmt::format("the lists of {} rows are said to be known; there must be 0 to {}",
                                                  driving.found, most_found));
    }
    device::require_cpu(run, "neighbors over shards are");
    return kmeans::resolved(wanted);
}

/// Merges the lists of the chunks.
class Merged {
public:
    Merged(device::Cpu& cpu, Index k, Metric metric) : k_(k), space_(cpu, {nullptr, 0, 1}, metric) {}

    /// Appends the lists of the rows [first, first + count) to the graph.
    void append(Offset first, Offset count, const std::vector<ShardResponse>& responses, Graph& graph) {
        for (Offset row = 0; row < count; ++row) {
            progress::cancellation_point();
            nearest_.clear();
            for (const ShardResponse& response : responses) {
                const Offset each = std::ssize(response.ids) / count;
                for (Offset at = row * each; at < (row + 1) * each; ++at) {
                    const auto i = static_cast<std::size_t>(at);
                    if (response.ids[i] == first + row) continue;
                    nearest_.push_back({response.parts.at(i), static_cast<Index>(response.ids[i])});
                }
            }
            std::sort(nearest_.begin(), nearest_.end());
            for (Index i = 0; i < k_; ++i) {
                const Candidate& next = nearest_.at(static_cast<std::size_t>(i));
                graph.targets.push_back(next.row);
                graph.weights.push_back(space_.distance(next.key));
            }
        }
    }

private:
    Index k_;
    distance::Space space_;  ///< of no rows, for the distances of keys
    std::vector<Candidate> nearest_;
};

/// A graph of k edges for each of these rows, with room for so many of them.
Graph empty_graph(Offset rows, Index k, Offset room) {
    Graph graph;
    graph.offsets.resize(static_cast<std::size_t>(rows) + 1);
    for (std::size_t r = 0; r < graph.offsets.size(); ++r) graph.offsets[r] = static_cast<Offset>(r) * k;
    graph.targets.reserve(static_cast<std::size_t>(room * k));
    graph.weights.reserve(static_cast<std::size_t>(room * k));
    return graph;
}

}  // namespace

Result search(kmeans::ShardSet& shards, const kmeans::Shape& wanted, const Options& options, const Run& run,
              const Driving& driving) {
    const kmeans::Shape shape = checked(wanted, options, run, driving);
    const auto k = static_cast<Index>(std::min<Offset>(options.k, shape.rows - 1));
    const Offset chunks = (shape.rows + shape.chunk_rows - 1) / shape.chunk_rows;
    const Offset kept = driving.on_lists ? std::min(block_rows, shape.rows) : shape.rows;
    const auto edges = static_cast<std::uint64_t>(kept) * static_cast<std::uint64_t>(k);
    const auto lists =
        static_cast<std::uint64_t>(std::min(block_rows, shape.rows) * chunks) * static_cast<std::uint64_t>(k + 1);
    device::require_memory(run, edges * (sizeof(Index) + sizeof(float)) + lists * 2 * (sizeof(Offset) + sizeof(double)),
                           fmt::format("{} neighbors of {} rows", k, shape.rows));
    Result result;
    result.options = options;
    result.options.method = Method::exact;
    progress::Stopwatch watch;
    const bool done = progress::run_cancellable(run.stop, [&] {
        device::Cpu cpu(run);
        progress::ProgressReporter reporter(run, "neighbors", shape.rows);
        kmeans::ShardRounds rounds(shards, shape, kmeans::Metric::euclidean, driving.epoch);
        (void)kmeans::measure_shards(cpu, rounds);  // throws for numbers that cannot be used
        Graph graph = empty_graph(driving.on_lists ? 0 : shape.rows, k, kept);
        Merged merged(cpu, k, options.metric);
        reporter.tick(driving.found);
        for (Offset first = driving.found; k > 0 && first < shape.rows; first += block_rows) {
            std::vector<Offset> rows(static_cast<std::size_t>(std::min(block_rows, shape.rows - first)));
            std::iota(rows.begin(), rows.end(), first);
            ShardRequest request = rounds.request(MessageKind::nearest);
            request.candidates = rounds.values(rows);
            request.search = options.metric;
            request.count = static_cast<std::uint64_t>(k) + 1;  // the row itself may be among them
            merged.append(first, std::ssize(rows), rounds.ask(request), graph);
            if (driving.on_lists) {
                driving.on_lists(first, graph.targets, graph.weights);
                graph.targets.clear(), graph.weights.clear();
            }
            reporter.tick(first + std::ssize(rows));
        }
        result.graph = std::move(graph);
        result.threads = cpu.threads();
    });
    if (!done) result.graph = {};
    result.stopped = done ? Stopped::converged : Stopped::cancelled;
    result.seconds["neighbors"] = watch.lap();
    result.engines = {{"neighbors", "exact", 0}};
    device::complete(result, Device::cpu, run);
    return result;
}

}  // namespace dunlin::neighbors
