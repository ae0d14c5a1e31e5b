// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "kmeans/d2_sampling.hpp"
#include "kmeans/start.hpp"
#include "kmeans/tile_distances.hpp"
#include "shards/engine.hpp"

namespace dunlin::kmeans {

namespace {

class CpuChunk final : public ChunkEngine {
public:
    CpuChunk(ShardWorkspace& workspace, const Rows& rows) : workspace_(workspace), rows_(rows) {}

    void forget() override { labeled_ = nullptr, nearest_ = {}; }

    void begin(const Scales& scales, const std::vector<float>& centroids) override {
        forget();
        if (workspace_.lloyd_size != centroids.size()) workspace_.lloyd = nullptr;
        labeled_ = std::make_unique<Labeled>(workspace_, rows_, scales, centroids);
        workspace_.lloyd = labeled_->lloyd.workspaces();
        workspace_.lloyd_size = centroids.size();
    }
    void fill(Index row, Index cluster) override { labeled_->lloyd.fill(row, cluster); }
    void place(const std::vector<float>& centroids) override { labeled_->lloyd.place(centroids); }

    Offset assign(Index level, std::vector<double>* nodes) override {
        std::vector<double> folds;  // of 32 rows
        const Offset changed = labeled_->lloyd.assign_with(nodes != nullptr ? &folds : nullptr);
        if (nodes != nullptr) *nodes = folded(folds, power_of_fan_in(level + 1));
        return changed;
    }
    std::vector<Sum> sums() override { return labeled_->lloyd.sums().values(); }
    std::vector<Index> labels() override { return labeled_->lloyd.labels(); }

    void begin_distances() override {
        forget();
        nearest_.assign(static_cast<std::size_t>(rows_.count()), std::numeric_limits<float>::infinity());
    }

    void lower_distances(const std::vector<float>& centroids) override {
        const Index count = count_of(centroids);
        if (count == 0) return;
        each_tile_of_distances(cpu(), rows_, centroids.data(), count,
                               [&](Offset first, Index here, const float* distances) {
                                   for (Index j = 0; j < count; ++j)
                                       lower_nearest(distances + Offset{j} * tile_rows, here, nearest_.data() + first);
                               });
    }

    double largest_weight() override {
        double most = 0;
        for (Offset row = 0; row < rows_.count(); ++row) most = std::max(most, d2_weight(row));
        return most;
    }

    Sum sum_of_weights(double scale) override {
        const std::vector<Sum> sums = block_sums(scale);
        return std::accumulate(sums.begin(), sums.end(), Sum{0});
    }

    std::vector<Index> pick(const std::vector<Sum>& targets, double scale) override {
        const std::vector<Sum> sums = block_sums(scale);
        const auto in_block = [&](Offset block) { return sums[static_cast<std::size_t>(block)]; };
        std::vector<Index> rows;
        for (Sum target : targets) {
            const Offset first = place_in_running_sum(std::ssize(sums), in_block, target) * grain_of(rows_.cols());
            const auto of_row = [&](Offset row) { return to_integer(d2_weight(first + row), scale); };
            rows.push_back(static_cast<Index>(first + place_in_running_sum(rows_.count() - first, of_row, target)));
        }
        return rows;
    }

    void score(const std::vector<float>& candidates, double scale, std::vector<Sum>& sums,
               std::vector<double>& most) override {
        const Index count = count_of(candidates);
        const Offset grain = grain_of(rows_.cols());
        const auto blocks = static_cast<std::size_t>((rows_.count() + grain - 1) / grain);
        std::vector<Sum> sums_of_blocks(blocks * static_cast<std::size_t>(count));
        std::vector<double> most_of_blocks(sums_of_blocks.size());
        each_tile_of_distances(cpu(), rows_, candidates.data(), count,
                               [&](Offset first, Index here, const float* distances) {
                                   for (Index j = 0; j < count; ++j, distances += tile_rows) {
                                       const auto at = static_cast<std::size_t>(first / grain * count + j);
                                       add_d2_weights(nearest_.data() + first, distances, rows_.weights_from(first),
                                                      here, scale, &sums_of_blocks[at], &most_of_blocks[at]);
                                   }
                               });
        sums.assign(static_cast<std::size_t>(count), 0);
        most.assign(static_cast<std::size_t>(count), 0.0);
        for (std::size_t i = 0; i < sums_of_blocks.size(); ++i) {
            const std::size_t j = i % static_cast<std::size_t>(count);
            sums[j] += sums_of_blocks[i];
            most[j] = std::max(most[j], most_of_blocks[i]);
        }
    }

    std::vector<Index> draw(double wanted, Sum sum, double scale, std::uint64_t seed, int round,
                            Offset first) override {
        std::vector<Index> drawn;
        for (Index row = 0; row < rows_.count(); ++row) {
            const Sum weight = to_integer(d2_weight(row), scale);
            if (is_drawn(wanted, weight, sum, seed, first + row, round)) drawn.push_back(row);
        }
        return drawn;
    }

    std::vector<Index> labels_of(const std::vector<float>& centroids) override {
        forget();
        return kmeans::labels_of(cpu(), rows_, centroids);
    }

private:
    /// Labels, with what CpuLloyd refers to.
    struct Labeled {
        Scales scales;
        CpuLloyd lloyd;
        Labeled(ShardWorkspace& workspace, const Rows& rows, const Scales& all, const std::vector<float>& centroids)
            : scales(all), lloyd(workspace.cpu, rows, scales, centroids, workspace.lloyd) {}
    };

    [[nodiscard]] device::Cpu& cpu() const { return workspace_.cpu; }
    [[nodiscard]] Index count_of(const std::vector<float>& values) const {
        return static_cast<Index>(values.size() / static_cast<std::size_t>(rows_.cols()));
    }
    [[nodiscard]] double d2_weight(Offset row) const {
        return d2_weight_of(rows_.weight(row), nearest_[static_cast<std::size_t>(row)]);
    }
    /// Sums of the D^2 weights of blocks of grain_of rows.
    [[nodiscard]] std::vector<Sum> block_sums(double scale) const {
        const Offset grain = grain_of(rows_.cols());
        std::vector<Sum> sums(static_cast<std::size_t>((rows_.count() + grain - 1) / grain));
        cpu().blocks(rows_.count(), grain, [&](Offset begin, Offset end, int) {
            double most = 0;
            add_d2_weights(nearest_.data() + begin, nullptr, rows_.weights_from(begin), end - begin, scale,
                           &sums[static_cast<std::size_t>(begin / grain)], &most);
        });
        return sums;
    }

    ShardWorkspace& workspace_;
    Rows rows_;
    std::unique_ptr<Labeled> labeled_;
    std::vector<float> nearest_;  ///< squared distances
};

}  // namespace

std::unique_ptr<ChunkEngine> chunk_on_cpu(ShardWorkspace& workspace, const Rows& rows) {
    return std::make_unique<CpuChunk>(workspace, rows);
}

}  // namespace dunlin::kmeans
