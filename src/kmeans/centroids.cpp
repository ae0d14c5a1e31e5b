// SPDX-License-Identifier: Apache-2.0
#include "kmeans/centroids.hpp"

#include <algorithm>

#include "kmeans/nearest.hpp"

namespace dunlin::kmeans {

namespace {

struct FarRow {
    double distance;
    Offset row;
    bool operator<(const FarRow& other) const {
        return distance != other.distance ? distance > other.distance : row < other.row;
    }
};

void keep_first(std::vector<FarRow>& all, std::size_t count) {
    std::sort(all.begin(), all.end());
    if (all.size() > count) all.resize(count);
}

/// Whether a cluster keeps some weight without a row of this weight.
bool may_leave(Sum cluster, double weight, const Scales& scales) {
    return cluster > to_integer(weight, scales.weights);
}

/// The `count` rows farthest from their centroids, farthest first, among rows that have weight and are not alone.
std::vector<FarRow> farthest_rows(device::Cpu& cpu, const Rows& rows, const Scales& scales,
                                  const std::vector<float>& centroids, const std::vector<Index>& labels,
                                  const ClusterSums& sums, std::size_t count) {
    const Offset grain = grain_of(rows.cols());
    std::vector<std::vector<FarRow>> found(static_cast<std::size_t>((rows.count() + grain - 1) / grain));
    cpu.blocks(rows.count(), grain, [&](Offset begin, Offset end, int) {
        std::vector<float> scratch;
        std::vector<FarRow>& here = found[static_cast<std::size_t>(begin / grain)];
        const float* x = rows.at(begin, end, scratch);
        for (Offset r = begin; r < end; ++r, x += rows.cols()) {
            const Index label = labels[static_cast<std::size_t>(r)];
            const double weight = rows.weight(r);
            if (to_integer(weight, scales.weights) == 0 || !may_leave(sums.weight(label), weight, scales)) continue;
            const double distance = squared_distance(x, centroids.data() + Offset{label} * rows.cols(), rows.cols());
            if (distance > 0) here.push_back({distance, r});
        }
        keep_first(here, count);
    });
    std::vector<FarRow> all;
    for (const auto& here : found) all.insert(all.end(), here.begin(), here.end());
    keep_first(all, count);
    return all;
}

}  // namespace

Movement move_to_means(std::vector<float>& centroids, const ClusterSums& sums, const Rows& rows, const Scales& scales) {
    const Index cols = rows.cols(), clusters = static_cast<Index>(centroids.size() / static_cast<std::size_t>(cols));
    std::vector<float> mean(static_cast<std::size_t>(cols));
    Movement moved;
    for (Index k = 0; k < clusters; ++k) {
        if (sums.weight(k) == 0) continue;
        for (Index c = 0; c < cols; ++c) {
            const auto at = static_cast<std::size_t>(c);
            mean[at] = mean_of(sums.of(k)[c], scales.columns[at], sums.weight(k), scales.weights);
        }
        if (rows.metric == Metric::cosine) to_unit_length(mean.data(), cols);
        float* centroid = centroids.data() + Offset{k} * cols;
        const double square = squared_distance(mean.data(), centroid, cols);
        moved.squares += square;
        moved.farthest = std::max(moved.farthest, square);
        std::copy(mean.begin(), mean.end(), centroid);
    }
    return moved;
}

bool fill_empty_clusters(device::Cpu& cpu, const Rows& rows, const Scales& scales, const std::vector<float>& centroids,
                         std::vector<Index>& labels, ClusterSums& sums) {
    const auto clusters = static_cast<Index>(centroids.size() / static_cast<std::size_t>(rows.cols()));
    std::vector<Index> empty;
    for (Index k = 0; k < clusters; ++k) {
        if (sums.weight(k) == 0) empty.push_back(k);
    }
    if (empty.empty()) return false;
    auto next = empty.begin();
    std::vector<float> scratch;
    // A row is skipped only if it became the last of its cluster because another one was moved: twice as many suffice
    for (const FarRow& far : farthest_rows(cpu, rows, scales, centroids, labels, sums, 2 * empty.size())) {
        if (next == empty.end()) break;
        Index& label = labels[static_cast<std::size_t>(far.row)];
        const double weight = rows.weight(far.row);
        if (!may_leave(sums.weight(label), weight, scales)) continue;
        const float* x = rows.at(far.row, far.row + 1, scratch);
        sums.add(label, x, weight, scales, -1);
        label = *next++;
        sums.add(label, x, weight, scales, 1);
    }
    return next != empty.begin();
}

}  // namespace dunlin::kmeans
