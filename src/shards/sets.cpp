// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/shards.hpp>

#include "device/cpu.hpp"
#include "shards/rounds.hpp"

namespace dunlin::kmeans {

namespace {

/// Shards of one process, each on its share of the threads.
class ShardsOfProcess final : public ShardSet {
public:
    ShardsOfProcess(MatrixView<const float> points, std::span<const float> weights, Metric metric,
                    const std::vector<Offset>& borders, Offset chunk_rows, const Run& run)
        : cpu_(run) {
        Run share = run;
        share.threads = std::max(1, cpu_.threads() / static_cast<int>(borders.size() - 1));
        for (std::size_t s = 0; s + 1 < borders.size(); ++s) {
            Shard& shard = shards_.emplace_back(metric, share);
            for (Offset chunk = borders[s]; chunk < borders[s + 1]; ++chunk) {
                const Offset first = chunk * chunk_rows;
                const auto rows = static_cast<Index>(std::min(chunk_rows, points.rows - first));
                const MatrixView<const float> own{points.data + first * points.cols, rows, points.cols};
                shard.add(first, own,
                          weights.empty()
                              ? weights
                              : weights.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)));
            }
        }
    }

    std::vector<Message> ask(const Message& request) override {
        std::vector<std::vector<Message>> responses(shards_.size());
        cpu_.blocks(static_cast<Offset>(shards_.size()), 1, [&](Offset begin, Offset, int) {
            const auto s = static_cast<std::size_t>(begin);
            responses[s] = shards_[s].answer(request);
        });
        std::vector<Message> all;
        for (auto& of_shard : responses) std::move(of_shard.begin(), of_shard.end(), std::back_inserter(all));
        return all;
    }

private:
    device::Cpu cpu_;
    std::vector<Shard> shards_;
};

}  // namespace

ShardSet::~ShardSet() = default;

CallbackShards::CallbackShards(std::function<std::vector<Message>(const Message&)> callback)
    : callback_(std::move(callback)) {}

std::vector<Message> CallbackShards::ask(const Message& request) { return callback_(request); }

std::unique_ptr<ShardSet> in_process(MatrixView<const float> points, std::span<const float> weights, Metric metric,
                                     const std::vector<Offset>& borders, Offset chunk_rows, const Run& run) {
    const Shape shape = resolved({points.rows, points.cols, !weights.empty(), chunk_rows});
    const Offset chunks = (shape.rows + shape.chunk_rows - 1) / shape.chunk_rows;
    if (borders.size() < 2 || borders.front() != 0 || borders.back() != chunks ||
        !std::is_sorted(borders.begin(), borders.end())) {
        throw Error(Fault::bad_input,
                    fmt::format("the borders of the shards do not ascend from 0 to the number of chunks, {}", chunks));
    }
    if (!weights.empty() && weights.size() != static_cast<std::size_t>(points.rows)) {
        throw Error(Fault::bad_input, fmt::format("{} weights are given for {} rows; there must be one for each",
                                                  weights.size(), points.rows));
    }
    return std::make_unique<ShardsOfProcess>(points, weights, metric, borders, shape.chunk_rows, run);
}

std::unique_ptr<ShardSet> in_process(MatrixView<const float> points, std::span<const float> weights, Metric metric,
                                     int shards, Offset chunk_rows, const Run& run) {
    if (shards < 1) throw Error(Fault::bad_input, fmt::format("the number of shards is {}; at least 1", shards));
    const Shape shape = resolved({points.rows, points.cols, !weights.empty(), chunk_rows});
    const Offset chunks = (shape.rows + shape.chunk_rows - 1) / shape.chunk_rows;
    std::vector<Offset> borders;
    for (Offset s = 0; s <= shards; ++s) borders.push_back(chunks * s / shards);
    return in_process(points, weights, metric, borders, shape.chunk_rows, run);
}

}  // namespace dunlin::kmeans
