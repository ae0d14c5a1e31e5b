// SPDX-License-Identifier: Apache-2.0
#include "kmeans/sequential.hpp"

#include <algorithm>
#include <utility>

#include "kmeans/nearest.hpp"
#include "math/ordered_sum.hpp"
#include "progress/cancel.hpp"

namespace dunlin::kmeans {

Sequential::Sequential(const Rows& rows, std::vector<float> centroids)
    : rows_(rows),
      cols_(rows.cols()),
      clusters_(static_cast<Index>(centroids.size() / static_cast<std::size_t>(cols_))),
      values_(rows.at(0, rows.count(), unit_)),
      centroids_(std::move(centroids)),
      labels_(static_cast<std::size_t>(rows.count()), -1) {}

double Sequential::distance(Offset r) const {
    return squared_distance(row(r), centroid(labels_[static_cast<std::size_t>(r)]), cols_);
}

Pass Sequential::assign(bool with_inertia) {
    Pass pass;
    for (Offset r = 0; r < rows_.count(); ++r) {
        progress::cancellation_point();
        const Index nearest = nearest_in_double(row(r), cols_, centroids_.data(), clusters_);
        if (std::exchange(labels_[static_cast<std::size_t>(r)], nearest) != nearest) ++pass.changed;
    }
    if (with_inertia) pass.inertia = inertia();
    update_weights();
    return pass;
}

double Sequential::inertia() const {
    return math::tree_sum<double>(0, rows_.count(), [&](Offset r) { return rows_.weight(r) * distance(r); });
}

void Sequential::update_weights() {
    weights_.assign(static_cast<std::size_t>(clusters_), 0);
    for (Offset r = 0; r < rows_.count(); ++r) {
        weights_[static_cast<std::size_t>(labels_[static_cast<std::size_t>(r)])] += rows_.weight(r);
    }
}

void Sequential::fill_empty() {
    std::vector<FilledCluster> filled;
    if (std::count(weights_.begin(), weights_.end(), 0.0) == 0) return history_.fill({});
    std::vector<std::pair<double, Offset>> far;
    for (Offset r = 0; r < rows_.count(); ++r) {
        if (rows_.weight(r) > 0 && distance(r) > 0) far.emplace_back(-distance(r), r);
    }
    std::sort(far.begin(), far.end());
    auto next = far.begin();
    for (Index k = 0; k < clusters_; ++k) {
        if (weights_[static_cast<std::size_t>(k)] > 0) continue;
        for (bool found = false; next != far.end() && !found; ++next) {
            Index& label = labels_[static_cast<std::size_t>(next->second)];
            found = weights_[static_cast<std::size_t>(label)] > rows_.weight(next->second);
            if (!found) continue;
            label = k;
            update_weights();
            filled.push_back({next->second, k});
        }
    }
    history_.fill(std::move(filled));
}

void Sequential::recall(const LloydMemory& memory) {
    history_ = memory.history;
    if (!history_.previous().empty()) {
        centroids_ = history_.previous();
        assign(false);
        for (const auto& [row, cluster] : history_.fills())
            labels_[static_cast<std::size_t>(row)] = static_cast<Index>(cluster);
        update_weights();
    }
    centroids_ = memory.centroids;
}

double Sequential::move() {
    history_.move_from(centroids_);
    const auto cols = static_cast<std::size_t>(cols_);
    std::vector<double> sums(centroids_.size());
    for (Offset r = 0; r < rows_.count(); ++r) {
        double* sum = sums.data() + static_cast<std::size_t>(labels_[static_cast<std::size_t>(r)]) * cols;
        for (std::size_t c = 0; c < cols; ++c) sum[c] += rows_.weight(r) * static_cast<double>(row(r)[c]);
    }
    double shift = 0;
    std::vector<float> mean(cols);
    for (Index k = 0; k < clusters_; ++k) {
        const double weight = weights_[static_cast<std::size_t>(k)];
        if (weight == 0) continue;
        const std::size_t at = static_cast<std::size_t>(k) * cols;
        for (std::size_t c = 0; c < cols; ++c) mean[c] = static_cast<float>(sums[at + c] / weight);
        if (rows_.metric == Metric::cosine) to_unit_length(mean.data(), cols_);
        shift += squared_distance(mean.data(), centroid(k), cols_);
        std::copy(mean.begin(), mean.end(), centroids_.begin() + static_cast<Offset>(at));
    }
    return shift;
}

}  // namespace dunlin::kmeans
