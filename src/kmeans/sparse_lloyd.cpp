// SPDX-License-Identifier: Apache-2.0
#include "kmeans/sparse_lloyd.hpp"

#include "kmeans/centroids.hpp"
#include "math/at.hpp"
#include "numerics/ordered.hpp"
#include "progress/cancel.hpp"

namespace dunlin::kmeans {

namespace {

constexpr Offset grain = 64;  ///< rows that a thread labels at a time

}  // namespace

void add_sparse(ClusterSums& sums, Index cluster, SparseRow row, Index cols, double weight, const Scales& scales,
                Sum sign) {
    Sum* own = sums.of(cluster);
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
        const Index c = row.columns[e];
        own[c] += sign * to_integer(weight * static_cast<double>(row.values[e]), scales.columns[at(c)]);
    }
    own[cols] += sign * to_integer(weight, scales.weights);
}

SparseLloyd::SparseLloyd(device::Cpu& cpu, const SparseInput& rows, const Scales& scales, std::vector<float> centroids)
    : cpu_(cpu),
      rows_(rows),
      scales_(scales),
      centroids_(std::move(centroids)),
      labels_(at(rows.count()), -1),
      sums_(static_cast<Index>(centroids_.size() / at(rows.cols())), rows.cols()) {
    columns_.set(centroids_, rows.cols());
    for (int worker = 0; worker < cpu.threads(); ++worker)
        workspaces_.push_back({{}, ClusterSums(columns_.clusters(), rows.cols()), 0});
}

Pass SparseLloyd::assign(bool with_inertia) {
    cpu_.blocks(rows_.count(), grain, [&](Offset begin, Offset end, int worker) {
        LabelWorkspace& own = workspaces_[at(worker)];
        for (Offset r = begin; r < end; ++r) {
            const SparseRow row = rows_.row(r);
            const Index label = columns_.nearest(row, own.scratch), last = std::exchange(labels_[at(r)], label);
            if (label == last) continue;
            ++own.changed;
            if (last >= 0) add_sparse(own.sums, last, row, rows_.cols(), rows_.weight(r), scales_, -1);
            add_sparse(own.sums, label, row, rows_.cols(), rows_.weight(r), scales_, 1);
        }
    });
    Pass pass;
    for (LabelWorkspace& own : workspaces_) {
        if (own.changed > 0) sums_.add(own.sums), own.sums.clear();
        pass.changed += std::exchange(own.changed, 0);
    }
    if (with_inertia) pass.inertia = inertia();
    return pass;
}

void SparseLloyd::fill_empty() { history_.fill(fill_empty_clusters(cpu_, rows_, scales_, columns_, labels_, sums_)); }

void SparseLloyd::place(std::vector<float> centroids) {
    centroids_ = std::move(centroids);
    columns_.set(centroids_, rows_.cols());
}

void SparseLloyd::recall(const LloydMemory& memory) {
    history_ = memory.history;
    if (!history_.previous().empty()) {
        place(history_.previous());
        assign(false);
        for (const auto& [row, cluster] : history_.fills()) {
            Index& label = labels_[at(row)];
            const auto add = [&](Sum sign) {
                add_sparse(sums_, label, rows_.row(row), rows_.cols(), rows_.weight(row), scales_, sign);
            };
            add(-1);
            label = static_cast<Index>(cluster);
            add(1);
        }
    }
    place(memory.centroids);
}

double SparseLloyd::move() {
    history_.move_from(centroids_);
    const Movement moved = move_to_means(centroids_, sums_, rows_.shape(), scales_);
    columns_.set(centroids_, rows_.cols());
    return moved.squares;
}

double SparseLloyd::inertia() const {
    return numerics::ordered_sum<double>(cpu_, rows_.count(), [&](Offset r) {
        return inertia_of_row(rows_.weight(r), columns_.distance(rows_.row(r), labels_[at(r)]));
    });
}

std::uint64_t bytes_of_sparse_lloyd(const SparseView& points, Index clusters, Metric metric, int threads) {
    const auto n = static_cast<std::uint64_t>(points.rows), cols = static_cast<std::uint64_t>(points.cols);
    const auto workers = static_cast<std::uint64_t>(threads);
    const std::uint64_t copy = metric == Metric::cosine ? 4 * static_cast<std::uint64_t>(points.nonzeros()) : 0;
    return 8 * n + copy + static_cast<std::uint64_t>(clusters) * (cols + 1) * 8 * (workers + 3) +
           cols * (48 + 4 * workers);
}

}  // namespace dunlin::kmeans
