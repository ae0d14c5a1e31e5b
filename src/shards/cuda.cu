// SPDX-License-Identifier: Apache-2.0
#include "shards/cuda.hpp"

#include <optional>

#include <dunlin/shards.hpp>

#include "device/current_gpu.cuh"
#include "device/points.cuh"
#include "kmeans/cuda/d2_sampler.cuh"
#include "kmeans/cuda/small_k.cuh"
#include "kmeans/cuda/tensor_core.cuh"
#include "kmeans/cuda/upload.cuh"
#include "kmeans/d2_sampling.hpp"

namespace dunlin::kmeans {

namespace {

/// The executor of a shard's chunks, memory that they share, and how much they may need.
class CudaShard final : public ShardGpu {
public:
    explicit CudaShard(const Run& run) : gpu_(run.gpu()) {
        const device::CurrentGpu current(gpu_);
        cuda_.emplace(run);
        available_ = device::allowance(*cuda_);
    }
    ~CudaShard() override {
        const device::CurrentGpu current(gpu_);
        workspace_ = nullptr;
        cuda_.reset();
    }

    std::unique_ptr<ChunkEngine> chunk(device::Cpu& cpu, const Rows& rows) override;

    [[nodiscard]] int gpu() const { return gpu_; }
    [[nodiscard]] device::Cuda& cuda() { return *cuda_; }

    /// Reserves memory for rows. Much of it is allocated later, as far as it is needed.
    void reserve(const Rows& rows) {
        const std::uint64_t bytes = bytes_of(rows);
        const std::uint64_t shared = gpu_bytes_of_workspace(std::max(most_rows_, rows.count()), rows.cols(), 0);
        if (reserved_ + bytes + shared > available_) {
            fail_for_chunk_memory(rows, bytes + shared, available_ - std::min(reserved_, available_), available_);
        }
        reserved_ += bytes;
        most_rows_ = std::max(most_rows_, rows.count());
    }
    void release(const Rows& rows) { reserved_ -= bytes_of(rows); }

    /// Workspace for assigning at most most_rows_ rows to the clusters of the state. Reused as long as it suits the
    /// state.
    const std::shared_ptr<TensorCoreWorkspace>& workspace(const DeviceState& state) {
        if (workspace_ != nullptr && workspace_->suits(state, state.n)) return workspace_;
        workspace_ = nullptr;  // chunks that use it keep it
        auto fresh = std::make_shared<TensorCoreWorkspace>();
        fresh->prepare(*cuda_, state, most_rows_);
        return workspace_ = std::move(fresh);
    }

private:
    static std::uint64_t bytes_of(const Rows& rows) {
        return gpu_bytes_of_rows(rows.count(), rows.cols(), !rows.weights.empty());
    }

    int gpu_;
    std::optional<device::Cuda> cuda_;
    std::uint64_t available_ = 0, reserved_ = 0;
    Index most_rows_ = 0;  ///< of a chunk
    std::shared_ptr<TensorCoreWorkspace> workspace_;
};

class CudaChunk final : public ChunkEngine {
public:
    CudaChunk(CudaShard& shard, device::Cpu& cpu, const Rows& rows) : shard_(shard), cpu_(cpu), rows_(rows) {
        shard_.reserve(rows_);
        const device::CurrentGpu current(shard_.gpu());
        try {
            const device::InputPoints points(rows.points);
            state_ = upload_rows(cuda(), rows_, points, true);
            cuda().wait();
        } catch (...) {
            state_ = {};
            shard_.release(rows_);
            throw;
        }
    }
    ~CudaChunk() override {
        const device::CurrentGpu current(shard_.gpu());
        drop();
        state_ = {};
        shard_.release(rows_);
    }

    void forget() override {
        const device::CurrentGpu current(shard_.gpu());
        drop();
    }

    void begin(const Scales& scales, const std::vector<float>& centroids) override {
        const device::CurrentGpu current(shard_.gpu());
        drop();
        upload_scales(cuda(), state_, scales);
        set_centroids(cuda(), state_, centroids);
        scales_ = scales;
        centroids_ = centroids;
        drift_ = 0;
        if (small_k_suits(state_.cols, state_.clusters)) {
            small_k_.emplace();
        } else {
            tensor_core_.emplace(frame_of(cuda(), scales), stream_, shard_.workspace(state_));
        }
        with_lloyd([&](auto& lloyd) { lloyd.prepare(cuda(), state_); });
    }

    void fill(Index row, Index cluster) override {
        const device::CurrentGpu current(shard_.gpu());
        std::vector<float> scratch;
        with_lloyd([&](auto& lloyd) {
            std::vector<Index> labels = lloyd.labels(cuda(), state_);
            Index& label = labels[static_cast<std::size_t>(row)];
            ClusterSums all(state_.clusters, state_.cols);
            all.values() = sums_on_host();
            all.move(label, cluster, rows_.at(row, row + 1, scratch), rows_.weight(row), scales_);
            label = cluster;
            lloyd.set_labels(cuda(), labels);
            cuda().upload(state_.sums, std::vector<Bits>(all.values().begin(), all.values().end()));
        });
    }

    void place(const std::vector<float>& centroids) override {
        const device::CurrentGpu current(shard_.gpu());
        drift_ += movement_between(centroids_, centroids, state_.cols).drift();
        centroids_ = centroids;
        cuda().upload(state_.centroids, centroids);
        with_lloyd([&](auto& lloyd) { lloyd.set_drift(cuda(), drift_); });
    }

    Offset assign(Index level, std::vector<double>* nodes) override {
        const device::CurrentGpu current(shard_.gpu());
        Offset changed = 0;
        with_lloyd([&](auto& lloyd) {
            lloyd.assign(cuda(), state_, nodes != nullptr);
            changed = lloyd.changed(cuda(), state_);
            if (nodes == nullptr) return;
            *nodes = folded(lloyd.inertia_blocks(cuda(), state_), power_of_fan_in(level));
        });
        return changed;
    }

    std::vector<Sum> sums() override {
        const device::CurrentGpu current(shard_.gpu());
        return sums_on_host();
    }

    std::vector<Index> labels() override {
        const device::CurrentGpu current(shard_.gpu());
        std::vector<Index> labels;
        with_lloyd([&](auto& lloyd) { labels = lloyd.labels(cuda(), state_); });
        return labels;
    }

    void begin_distances() override {
        const device::CurrentGpu current(shard_.gpu());
        drop();
        weights_.emplace(cuda(), state_);
    }
    void lower_distances(const std::vector<float>& centroids) override {
        const device::CurrentGpu current(shard_.gpu());
        weights_->lower(centroids);
    }
    double largest_weight() override {
        const device::CurrentGpu current(shard_.gpu());
        return weights_->most();
    }
    Sum sum_of_weights(double scale) override {
        const device::CurrentGpu current(shard_.gpu());
        Sum all = 0;
        for (const Sum sum : weights_->block_sums(scale)) all += sum;
        return all;
    }

    std::vector<Index> pick(const std::vector<Sum>& targets, double scale) override {
        const device::CurrentGpu current(shard_.gpu());
        const std::vector<Sum> sums = weights_->block_sums(scale);
        const auto in_block = [&](Offset block) { return sums[static_cast<std::size_t>(block)]; };
        std::vector<Index> rows;
        for (Sum target : targets) {
            const Offset begin =
                place_in_running_sum(static_cast<Offset>(sums.size()), in_block, target) * math::sum_block;
            const Offset end = std::min<Offset>(begin + math::sum_block, rows_.count());
            const std::vector<float> nearest = weights_->distances(begin, end);
            const auto of_row = [&](Offset i) {
                return to_integer(d2_weight_of(rows_.weight(begin + i), nearest[static_cast<std::size_t>(i)]), scale);
            };
            rows.push_back(static_cast<Index>(begin + place_in_running_sum(end - begin, of_row, target)));
        }
        return rows;
    }

    void score(const std::vector<float>& candidates, double scale, std::vector<Sum>& sums,
               std::vector<double>& most) override {
        const device::CurrentGpu current(shard_.gpu());
        weights_->score(candidates, scale, sums, most);
    }

    std::vector<Index> draw(double wanted, Sum sum, double scale, std::uint64_t seed, int round,
                            Offset first) override {
        const device::CurrentGpu current(shard_.gpu());
        const std::vector<Offset> drawn = weights_->draw(wanted, sum, scale, seed, round, first);
        return {drawn.begin(), drawn.end()};
    }

    /// By sums that nothing reads, in the frame of the rows and centroids here.
    std::vector<Index> labels_of(const std::vector<float>& centroids) override {
        forget();
        const auto cols = static_cast<std::size_t>(state_.cols);
        Scales scales;
        if (small_k_suits(state_.cols, static_cast<Index>(centroids.size() / cols))) {
            scales.columns.assign(cols, 1.0);
        } else {
            scales = measure(cpu_, Rows{rows_.points, {}, rows_.metric});
            for (std::size_t i = 0; i < centroids.size(); ++i) {
                double& most = scales.most[i % cols];
                most = std::max(most, std::abs(static_cast<double>(centroids[i])));
            }
        }
        begin(scales, centroids);
        assign(0, nullptr);
        std::vector<Index> found = labels();
        forget();
        return found;
    }

private:
    [[nodiscard]] device::Cuda& cuda() const { return shard_.cuda(); }

    void drop() { small_k_.reset(), tensor_core_.reset(), weights_.reset(); }

    template <class Work>
    void with_lloyd(const Work& work) {
        if (small_k_) return work(*small_k_);
        work(*tensor_core_);
    }

    std::vector<Sum> sums_on_host() {
        const std::vector<Bits> bits = cuda().host(state_.sums);
        return {bits.begin(), bits.end()};
    }

    CudaShard& shard_;
    device::Cpu& cpu_;
    Rows rows_;
    DeviceState state_;
    RowStream stream_;  ///< all rows are in device memory
    Scales scales_;
    std::vector<float> centroids_;
    double drift_ = 0;
    std::optional<SmallKLloyd> small_k_;
    std::optional<TensorCoreLloyd> tensor_core_;
    std::optional<CudaChunkWeights> weights_;
};

std::unique_ptr<ChunkEngine> CudaShard::chunk(device::Cpu& cpu, const Rows& rows) {
    return std::make_unique<CudaChunk>(*this, cpu, rows);
}

}  // namespace

std::unique_ptr<ShardGpu> backend::shard_on_gpu(const Run& run) { return std::make_unique<CudaShard>(run); }

}  // namespace dunlin::kmeans
