// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "device/cpu.hpp"
#include "kmeans/restarts.hpp"
#include "progress/stopwatch.hpp"
#include "shards/start.hpp"
#include "shards/state.hpp"

namespace dunlin::kmeans {

/// Runs k-means over shards, for one number of clusters after another. All share the numbers of requests, so that late
/// responses to the requests of one run are not taken for those of the next, and what is known of the rows.
class ShardedDriver {
public:
    /// question: see question_of. Holds the other references.
    ShardedDriver(ShardSet& shards, const Shape& shape, Metric metric, const std::vector<char>& question,
                  const Run& run, const Driving& driving);

    /// All runs that the state does not have yet; labels: whether the result has them.
    Result cluster(const Options& options, const KnownStarts& known, bool labels);
    /// Whether weights and columns are known; false, with result.stopped, if that was cancelled.
    bool is_measured(const Options& options, Result& result);
    /// Counts and, if wanted, labels of a result's centroids. A stop does not end it, unless Driving wants no request
    /// after that.
    void find_labels(Result& result, bool labels);
    /// Fills in how a result was computed.
    void complete(Result& result) const;
    /// Silhouette of a result's centroids.
    double silhouette_of(const Result& result);

    [[nodiscard]] DriverState& state() { return state_; }
    [[nodiscard]] ShardRounds& rounds() { return rounds_; }
    /// The next cluster() begins anew.
    void forget_run();
    void save();

private:
    void ask_for_labels(Result& result, bool labels);
    bool has_start(const Options& options, const KnownStarts& known, Result& result);
    void run_once(const Options& options, Result& result);

    const Run& run_;
    const Driving& driving_;
    DriverState state_;
    ShardRounds rounds_;
    device::Cpu cpu_;
    progress::Stopwatch watch_;
    std::optional<ShardedData> data_;
    std::vector<float> sample_;  ///< rows of the silhouette's sample
};

}  // namespace dunlin::kmeans
