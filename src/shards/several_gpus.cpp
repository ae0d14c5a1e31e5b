// SPDX-License-Identifier: Apache-2.0
#include "kmeans/several_gpus.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/shards.hpp>
#include <dunlin/threads.hpp>

#include "device/complete.hpp"
#include "device/ranks.hpp"
#include "kmeans/resolve.hpp"
#include "math/ordered_sum.hpp"
#include "progress/stopwatch.hpp"
#include "shards/rounds.hpp"

namespace dunlin::kmeans {

namespace {

/// A shard on each GPU. A request goes to all at the same time, each on a thread of its own.
class ShardsOnGpus final : public ShardSet {
public:
    ShardsOnGpus(MatrixView<const float> points, std::span<const float> weights, Metric metric, const Shape& shape,
                 const Run& run)
        : cpu_(std::max(usable_threads(run.threads), static_cast<int>(run.gpus.size()))),
          gpus_(run.gpus),
          shards_(run.gpus.size()),
          uses_(run.gpus.size()) {
        Run own = run;
        own.threads = std::max(1, usable_threads(run.threads) / static_cast<int>(gpus_.size()));
        own.on_progress = {}, own.on_notice = {};
        const Offset chunks = (shape.rows + shape.chunk_rows - 1) / shape.chunk_rows, all = std::ssize(gpus_);
        on_each([&](std::size_t s) {
            Run here = own;
            here.gpus = {gpus_[s]};
            uses_[s].gpu = gpus_[s];
            Shard& shard = shards_[s].emplace_back(metric, here);
            const auto place = static_cast<Offset>(s);
            for (Offset chunk = chunks * place / all; chunk < chunks * (place + 1) / all; ++chunk) {
                const Offset first = chunk * shape.chunk_rows;
                const auto rows = static_cast<Index>(std::min(shape.chunk_rows, points.rows - first));
                const auto begin = static_cast<std::size_t>(first), count = static_cast<std::size_t>(rows);
                shard.add(first, {points.data + first * points.cols, rows, points.cols},
                          weights.empty() ? weights : weights.subspan(begin, count));
            }
        });
    }

    std::vector<Message> ask(const Message& request) override {
        std::vector<std::vector<Message>> responses(gpus_.size());
        on_each([&](std::size_t s) { responses[s] = shards_[s].front().answer(request); });
        std::vector<Message> all;
        for (auto& of_shard : responses) std::move(of_shard.begin(), of_shard.end(), std::back_inserter(all));
        return all;
    }

    /// What each GPU did; the rest of the time it waited for the others and the sums of all.
    [[nodiscard]] std::vector<GpuUse> uses() {
        const double seconds = watch_.lap();
        for (GpuUse& use : uses_) use.waited = seconds - use.seconds, use.seconds = seconds;
        return uses_;
    }

private:
    template <class Work>
    void on_each(const Work& work) {
        cpu_.blocks(std::ssize(gpus_), 1, [&](Offset begin, Offset, int) {
            const auto s = static_cast<std::size_t>(begin);
            progress::Stopwatch watch;
            try {
                work(s);
            } catch (const Error&) {
                device::rethrow_naming(gpus_[s]);
            }
            uses_[s].seconds += watch.lap();
        });
    }

    device::Cpu cpu_;
    std::vector<int> gpus_;
    std::vector<std::vector<Shard>> shards_;  ///< one for each GPU, made by its thread
    std::vector<GpuUse> uses_;
    progress::Stopwatch watch_;
};

/// Chunks of the default size, or smaller ones, so that each GPU has some.
Shape shape_for(MatrixView<const float> points, bool weighted, std::size_t gpus) {
    Shape shape{points.rows, points.cols, weighted};
    const Offset blocks = (shape.rows + math::sum_block - 1) / math::sum_block;
    const Offset share = std::max<Offset>(1, blocks / static_cast<Offset>(gpus)) * math::sum_block;
    shape.chunk_rows = std::min(chunk_rows(points.cols), share);
    return resolved(shape);
}

}  // namespace

Result cluster_on_gpus(MatrixView<const float> points, const Options& options, const Run& run, const Given& given) {
    check_points(points.rows, points.cols);
    Run driver = run;
    driver.device = Device::cpu, driver.gpus = {};
    const Shape shape = shape_for(points, !given.weights.empty(), run.gpus.size());
    device::reset_cuda_peak_memory();
    progress::Stopwatch watch;
    ShardsOnGpus shards(points, given.weights, resolve(points.rows, points.cols, options, given).metric, shape, run);
    Given start = given;
    start.weights = {};
    Result result = cluster(shards, shape, options, driver, start);
    device::keep_gpu_use(shards.uses());
    device::complete(result, Device::cuda, run);
    return result;
}

}  // namespace dunlin::kmeans
