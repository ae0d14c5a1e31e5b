// SPDX-License-Identifier: Apache-2.0
#include "kmeans/centroids.hpp"

#include <algorithm>

#include "kmeans/nearest.hpp"
#include "kmeans/sparse_lloyd.hpp"
#include "math/rng.hpp"

namespace dunlin::kmeans {

namespace {

/// See FarRow.
double tie_weight(Index column) { return math::random_uniform(0, static_cast<std::uint64_t>(column)); }

/// Dense rows and their centroids.
struct DenseClusters {
    const Rows& rows;
    const std::vector<float>& centroids;

    [[nodiscard]] const Rows& shape() const { return rows; }
    [[nodiscard]] double distance(Offset row, Index label) const {
        std::vector<float> scratch;
        return squared_distance(rows.at(row, row + 1, scratch), centroids.data() + Offset{label} * rows.cols(),
                                rows.cols());
    }
    [[nodiscard]] double tie(Offset row) const {
        std::vector<float> scratch;
        const float* const values = rows.at(row, row + 1, scratch);
        double sum = 0;
        for (Index c = 0; c < rows.cols(); ++c) sum += tie_weight(c) * static_cast<double>(values[c]);
        return sum;
    }
    void add(ClusterSums& sums, Index label, Offset row, const Scales& scales, Sum sign) const {
        std::vector<float> scratch;
        sums.add(label, rows.at(row, row + 1, scratch), rows.weight(row), scales, sign);
    }
};

/// Clusters of sparse rows, with the interface of the class above.
struct SparseClusters {
    const SparseInput& rows;
    const CentroidColumns& centroids;

    [[nodiscard]] const Rows& shape() const { return rows.shape(); }
    [[nodiscard]] double distance(Offset row, Index label) const { return centroids.distance(rows.row(row), label); }
    [[nodiscard]] double tie(Offset row) const {
        const SparseRow values = rows.row(row);
        double sum = 0;
        for (std::size_t e = 0; e < values.columns.size(); ++e)
            sum += tie_weight(values.columns[e]) * static_cast<double>(values.values[e]);
        return sum;
    }
    void add(ClusterSums& sums, Index label, Offset row, const Scales& scales, Sum sign) const {
        add_sparse(sums, label, rows.row(row), rows.cols(), rows.weight(row), scales, sign);
    }
};

/// farthest_rows of dense and sparse rows.
template <class Clusters>
std::vector<FarRow> find_farthest(device::Cpu& cpu, const Clusters& clusters, const Scales& scales,
                                  const std::vector<Index>& labels, const std::vector<Sum>& weights,
                                  std::size_t count) {
    const Rows& rows = clusters.shape();
    const Offset grain = grain_of(rows.cols());
    std::vector<std::vector<FarRow>> found(static_cast<std::size_t>((rows.count() + grain - 1) / grain));
    cpu.blocks(rows.count(), grain, [&](Offset begin, Offset end, int) {
        std::vector<FarRow>& here = found[static_cast<std::size_t>(begin / grain)];
        for (Offset r = begin; r < end; ++r) {
            const Index label = labels[static_cast<std::size_t>(r)];
            const double weight = rows.weight(r);
            const Sum cluster = weights[static_cast<std::size_t>(label)];
            if (to_integer(weight, scales.weights) == 0 || !may_leave(cluster, weight, scales)) continue;
            const double distance = clusters.distance(r, label);
            if (distance > 0) here.push_back({distance, clusters.tie(r), weight, r, label});
        }
        keep_farthest(here, count);
    });
    std::vector<FarRow> all;
    for (const auto& here : found) all.insert(all.end(), here.begin(), here.end());
    keep_farthest(all, count);
    return all;
}

template <class Clusters>
std::vector<FilledCluster> fill_empty(device::Cpu& cpu, const Clusters& clusters, Index count, const Scales& scales,
                                      std::vector<Index>& labels, ClusterSums& sums) {
    const std::vector<Sum> weights = cluster_weights(sums, count);
    const std::vector<Index> empty = empty_clusters(weights);
    std::vector<FilledCluster> filled;
    if (empty.empty()) return filled;
    const auto far = find_farthest(cpu, clusters, scales, labels, weights, rows_to_fill(empty.size()));
    const auto move = [&](std::size_t i, Index to) {
        Index& label = labels[static_cast<std::size_t>(far[i].row)];
        clusters.add(sums, label, far[i].row, scales, -1);
        label = to;
        clusters.add(sums, label, far[i].row, scales, 1);
        filled.push_back({far[i].row, to});
    };
    fill_from(far, empty, sums, scales, move);
    return filled;
}

}  // namespace

void keep_farthest(std::vector<FarRow>& all, std::size_t count) {
    std::sort(all.begin(), all.end());
    if (all.size() > count) all.resize(count);
}

std::vector<Sum> cluster_weights(const ClusterSums& sums, Index clusters) {
    std::vector<Sum> weights;
    weights.reserve(static_cast<std::size_t>(clusters));
    for (Index k = 0; k < clusters; ++k) weights.push_back(sums.weight(k));
    return weights;
}

std::vector<Index> empty_clusters(const std::vector<Sum>& weights) {
    std::vector<Index> empty;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        if (weights[k] == 0) empty.push_back(static_cast<Index>(k));
    }
    return empty;
}

std::vector<FarRow> farthest_rows(device::Cpu& cpu, const Rows& rows, const Scales& scales,
                                  const std::vector<float>& centroids, const std::vector<Index>& labels,
                                  const std::vector<Sum>& weights, std::size_t count) {
    return find_farthest(cpu, DenseClusters{rows, centroids}, scales, labels, weights, count);
}

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

Movement movement_between(const std::vector<float>& from, const std::vector<float>& to, Index cols) {
    Movement moved;
    for (std::size_t at = 0; at < from.size(); at += static_cast<std::size_t>(cols)) {
        const double square = squared_distance(from.data() + at, to.data() + at, cols);
        moved.squares += square;
        moved.farthest = std::max(moved.farthest, square);
    }
    return moved;
}

std::vector<FilledCluster> fill_empty_clusters(device::Cpu& cpu, const Rows& rows, const Scales& scales,
                                               const std::vector<float>& centroids, std::vector<Index>& labels,
                                               ClusterSums& sums) {
    const auto count = static_cast<Index>(centroids.size() / static_cast<std::size_t>(rows.cols()));
    return fill_empty(cpu, DenseClusters{rows, centroids}, count, scales, labels, sums);
}

std::vector<FilledCluster> fill_empty_clusters(device::Cpu& cpu, const SparseInput& rows, const Scales& scales,
                                               const CentroidColumns& centroids, std::vector<Index>& labels,
                                               ClusterSums& sums) {
    return fill_empty(cpu, SparseClusters{rows, centroids}, centroids.clusters(), scales, labels, sums);
}

}  // namespace dunlin::kmeans
