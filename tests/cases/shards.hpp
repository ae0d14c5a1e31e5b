// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/shards.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include <dunlin/error.hpp>

#include "cases/kmeans.hpp"

/// Problems of k-means over shards, and the comparison with one process.
namespace dunlin::kmeans {

/// Rows that a run reads.
struct ShardedProblem {
    std::vector<float> points;
    Index cols = 1;
    std::vector<float> weights = {};
    Options options = {};
    std::vector<float> centroids = {};  ///< given

    [[nodiscard]] MatrixView<const float> rows() const { return view(points, cols); }
    [[nodiscard]] Shape shape(Offset chunk_rows = 1024) const {
        return {rows().rows, cols, !weights.empty(), chunk_rows};
    }
    [[nodiscard]] Given given() const {
        return {.centroids = centroids.empty() ? MatrixView<const float>{} : view(centroids, cols)};
    }
    [[nodiscard]] Result in_one_process(const Run& run = {}) const {
        Given all = given();
        all.weights = weights;
        return cluster(rows(), options, run, all);
    }
    [[nodiscard]] Result over(ShardSet& shards, Offset chunk_rows = 1024, const Run& run = {},
                              const Driving& driving = {}) const {
        return cluster(shards, shape(chunk_rows), options, run, given(), driving);
    }
};

/// Weights of which some are 0.
inline std::vector<float> weights_of_rows(Index n) {
    std::vector<float> weights;
    for (Index r = 0; r < n; ++r) weights.push_back(static_cast<float>((r + 3) % 11) * 0.3F);
    return weights;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Whether all outputs have the same bytes.
inline ::testing::AssertionResult same_bytes(const Result& a, const Result& b) {
    if (!same_bytes(a.labels, b.labels)) return ::testing::AssertionFailure() << "labels differ";
    if (!same_bytes(values_of(a.centroids), values_of(b.centroids)))
        return ::testing::AssertionFailure() << "centroids differ";
    if (!same_bytes(a.counts, b.counts)) return ::testing::AssertionFailure() << "counts differ";
    if (std::bit_cast<std::uint64_t>(a.inertia) != std::bit_cast<std::uint64_t>(b.inertia))
        return ::testing::AssertionFailure() << "inertia " << a.inertia << ", " << b.inertia;
    if (a.iterations != b.iterations || a.stopped != b.stopped)
        return ::testing::AssertionFailure() << "iterations " << a.iterations << ", " << b.iterations;
    return ::testing::AssertionSuccess();
}

/// The sentence of the error that work throws; row: the one that it names.
std::string refusal_of(const auto& work, Offset row = -1) {
    try {
        work();
    } catch (const Error& error) {
        EXPECT_TRUE(row < 0 || error.place().row == row) << error.place().row;
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
}

inline void add_chunk(Shard& shard, const ShardedProblem& problem, Offset first) {
    const auto rows = static_cast<Index>(std::min<Offset>(1024, problem.rows().rows - first));
    const std::span<const float> weights(problem.weights);
    shard.add(
        first, {problem.points.data() + first * problem.cols, rows, problem.cols},
        weights.empty() ? weights : weights.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)));
}

inline Shard shard_of_all(const ShardedProblem& problem, Device device = Device::cpu) {
    Shard shard(problem.options.metric, {.device = device, .threads = 1});
    for (Offset first = 0; first < problem.rows().rows; first += 1024) add_chunk(shard, problem, first);
    return shard;
}

/// A set of one shard, and the kinds of the requests to it.
struct WatchedShard {
    explicit WatchedShard(const ShardedProblem& problem) : shard(shard_of_all(problem)) {}
    Shard shard;
    std::vector<std::string> kinds;
    CallbackShards set{[this](const Message& request) {
        kinds.emplace_back(describe(request).kind);
        return shard.answer(request);
    }};
};

/// Shards that fail as `seed` says: they lose responses and are asked again, repeat and delay them, give them in any
/// order, forget what they know, and hand chunks to each other, between requests and between two tries of one.
class FailingShards final : public ShardSet {
public:
    /// devices: of the shards in turn.
    FailingShards(const ShardedProblem& problem, std::uint64_t seed, const std::vector<Device>& devices = {Device::cpu})
        : problem_(problem), seed_(seed) {
        const std::size_t shards = 1 + below(4);
        for (std::size_t s = 0; s < shards; ++s) {
            shards_.emplace_back(problem.options.metric,
                                 dunlin::Run{.device = devices[s % devices.size()], .threads = 1});
        }
        for (Offset first = 0; first < problem.rows().rows; first += 1024) give(first, below(shards));
    }

    std::vector<Message> ask(const Message& request) override {
        std::vector<Message> all;
        if (below(4) == 0) all = late_;  // of an earlier request
        std::set<Offset> answered;
        while (answered.size() < owner_.size()) {
            for (Shard& shard : shards_) {
                fail();
                for (const Message& response : shard.answer(request)) {
                    if (below(6) == 0) continue;  // lost
                    answered.insert(describe(response).chunk);
                    all.push_back(response);
                    if (below(8) == 0) all.push_back(response);
                }
            }
        }
        for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(i)]);
        late_ = all;
        return all;
    }

    [[nodiscard]] int failures() const { return failures_; }

private:
    std::size_t below(std::size_t bound) {
        return static_cast<std::size_t>(math::random_below(bound, seed_, count_++));
    }
    void give(Offset first, std::size_t shard) {
        owner_[first] = shard;
        add_chunk(shards_[shard], problem_, first);
    }
    /// Perhaps one chunk is forgotten, moved, or all of a shard's move.
    void fail() {
        const std::size_t kind = below(8);
        if (kind > 2) return;
        ++failures_;
        const std::size_t lost = below(shards_.size());
        for (auto& [first, owner] : owner_) {
            if (kind == 2 ? owner != lost : below(owner_.size()) != 0) continue;
            shards_[owner].remove(first);
            give(first, kind == 0 ? owner : below(shards_.size()));
        }
    }

    const ShardedProblem& problem_;
    std::uint64_t seed_, count_ = 0;
    std::vector<Shard> shards_;
    std::map<Offset, std::size_t> owner_;
    std::vector<Message> late_;
    int failures_ = 0;
};

}  // namespace dunlin::kmeans
