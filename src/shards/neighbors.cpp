// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/shards.hpp>

#include "device/cancel.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/memory.hpp"
#include "device/progress.hpp"
#include "device/stopwatch.hpp"
#include "distance/space.hpp"
#include "neighbors/top_k.hpp"
#include "options/check.hpp"
#include "shards/chunk.hpp"
#include "shards/start.hpp"

namespace dunlin::kmeans {

/// For each candidate the keys and rows of its nearest of this chunk, in order; `count` of them, or all there are.
void ChunkOfRows::find_nearest(ShardWorkspace& workspace, const ShardRequest& request, ShardResponse& response) {
    const std::size_t rows = request.candidates.size() / static_cast<std::size_t>(rows_.cols());
    if (static_cast<std::size_t>(request.search) >= names(request.search).size()) fail_for_message("its metric is new");
    if (request.count < 1 || rows > static_cast<std::size_t>(request.rows)) fail_for_message("it wants no neighbors");
    chosen_ = {}, nearest_ = {}, assigned_ = nullptr;
    const MatrixView<const float> queries{request.candidates.data(), static_cast<Index>(rows), rows_.cols()};
    const auto k =
        static_cast<Index>(std::min<std::uint64_t>(request.count, static_cast<std::uint64_t>(rows_.count())));
    Run run;
    run.threads = workspace.cpu.threads();
    const neighbors::Result found = neighbors::search(
        rows_.points, queries, {.k = k, .metric = request.search, .method = neighbors::Method::exact}, run);
    // Lists are ordered by keys in float64, and distances are rounded: by these, lists could not be merged
    const distance::Space space(workspace.cpu, rows_.points, request.search, queries);
    const std::vector<Index>& targets = found.graph.targets;
    response.parts.resize(targets.size());
    workspace.cpu.blocks(static_cast<Offset>(targets.size()), 4096, [&](Offset begin, Offset end, int) {
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

kmeans::Shape checked(const kmeans::Shape& wanted, const Options& options, const Run& run) {
    Options given = options;
    options::check(given);
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
    device::require_cpu(run, "neighbors over shards are");
    return kmeans::resolved(wanted);
}

/// Merges the lists of the chunks.
class Merged {
public:
    Merged(device::Cpu& cpu, Offset rows, Index k, Metric metric) : k_(k), space_(cpu, {nullptr, 0, 1}, metric) {
        graph_.offsets.resize(static_cast<std::size_t>(rows) + 1);
        for (std::size_t r = 0; r < graph_.offsets.size(); ++r) graph_.offsets[r] = static_cast<Offset>(r) * k;
        graph_.targets.reserve(static_cast<std::size_t>(rows * k));
        graph_.weights.reserve(static_cast<std::size_t>(rows * k));
    }

    /// The lists of the rows [first, first + count), which are the next.
    void append(Offset first, Offset count, const std::vector<ShardResponse>& responses) {
        for (Offset row = 0; row < count; ++row) {
            device::cancellation_point();
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
                graph_.targets.push_back(next.row);
                graph_.weights.push_back(space_.distance(next.key));
            }
        }
    }
    Graph taken() { return std::move(graph_); }

private:
    Index k_;
    distance::Space space_;  ///< of no rows, for the distances of keys
    Graph graph_;
    std::vector<Candidate> nearest_;
};

}  // namespace

Result search(kmeans::ShardSet& shards, const kmeans::Shape& wanted, const Options& options, const Run& run,
              std::uint64_t epoch) {
    const kmeans::Shape shape = checked(wanted, options, run);
    const auto k = static_cast<Index>(std::min<Offset>(options.k, shape.rows - 1));
    const Offset chunks = (shape.rows + shape.chunk_rows - 1) / shape.chunk_rows;
    const auto edges = static_cast<std::uint64_t>(shape.rows) * static_cast<std::uint64_t>(k);
    const auto lists =
        static_cast<std::uint64_t>(std::min(block_rows, shape.rows) * chunks) * static_cast<std::uint64_t>(k + 1);
    device::require_memory(run, edges * (sizeof(Index) + sizeof(float)) + lists * 2 * (sizeof(Offset) + sizeof(double)),
                           fmt::format("{} neighbors of {} rows", k, shape.rows));
    Result result;
    result.options = options;
    result.options.method = Method::exact;
    device::Stopwatch watch;
    const bool done = device::run_cancellable(run.stop, [&] {
        device::Cpu cpu(run);
        device::ProgressReporter reporter(run, "neighbors", shape.rows);
        kmeans::ShardRounds rounds(shards, shape, kmeans::Metric::euclidean, epoch);
        (void)kmeans::measure_shards(cpu, rounds);  // throws for numbers that cannot be used
        Merged merged(cpu, shape.rows, k, options.metric);
        for (Offset first = 0; k > 0 && first < shape.rows; first += block_rows) {
            std::vector<Offset> rows(static_cast<std::size_t>(std::min(block_rows, shape.rows - first)));
            std::iota(rows.begin(), rows.end(), first);
            ShardRequest request = rounds.request(MessageKind::nearest);
            request.candidates = rounds.values(rows);
            request.search = options.metric;
            request.count = static_cast<std::uint64_t>(k) + 1;  // the row itself may be among them
            merged.append(first, std::ssize(rows), rounds.ask(request));
            reporter.tick(first + std::ssize(rows));
        }
        result.graph = merged.taken();
        result.threads = cpu.threads();
    });
    if (!done) result.graph = {};
    result.seconds["neighbors"] = watch.lap();
    result.engines = {{"neighbors", "exact", 0}};
    device::complete(result, Device::cpu, run);
    return result;
}

}  // namespace dunlin::neighbors
