// SPDX-License-Identifier: Apache-2.0
#include "shards/lloyd.hpp"

#include <algorithm>

#include "math/ordered_sum.hpp"

namespace dunlin::kmeans {

ShardedLloyd::ShardedLloyd(ShardRounds& rounds, const Scales& scales, Metric metric, ShardedCentroids centroids,
                           std::function<void(const ShardedCentroids&, const LloydStatus&)> completed)
    : rounds_(rounds),
      scales_(scales),
      shape_{{nullptr, 0, rounds.cols()}, {}, metric},
      clusters_(static_cast<Index>(centroids.present.size() / static_cast<std::size_t>(rounds.cols()))),
      centroids_(std::move(centroids)),
      sums_(clusters_, rounds.cols()),
      completed_(std::move(completed)) {}

Pass ShardedLloyd::assign(bool with_inertia) {
    ShardRequest request = rounds_.request(MessageKind::assign);
    request.header.iteration = centroids_.iteration + 1;
    request.scales = scales_;
    request.previous = centroids_.previous;
    request.fills = centroids_.fills;
    request.centroids = centroids_.present;
    request.wanted = with_inertia ? 1 : 0;
    const std::vector<ShardResponse> responses = rounds_.ask(request);
    Pass pass;
    std::vector<double> nodes;
    sums_.clear();
    for (const ShardResponse& response : responses) {
        pass.changed += response.changed;
        nodes.insert(nodes.end(), response.parts.begin(), response.parts.end());
        for (std::size_t i = 0; i < sums_.values().size(); ++i) sums_.values()[i] += response.sums.at(i);
    }
    pass.inertia = math::tree_sum<double>(0, static_cast<Offset>(nodes.size()),
                                          [&](Offset i) { return nodes[static_cast<std::size_t>(i)]; });
    centroids_.previous = centroids_.present;
    centroids_.fills.clear();
    ++centroids_.iteration;
    return pass;
}

void ShardedLloyd::fill_empty() {
    const std::vector<Sum> weights = cluster_weights(sums_, clusters_);
    const std::vector<Index> empty = empty_clusters(weights);
    if (empty.empty()) return;
    ShardRequest request = rounds_.request(MessageKind::far);
    request.header.iteration = centroids_.iteration;
    request.scales = scales_;
    request.centroids = centroids_.present;
    request.sums = weights;
    request.count = rows_to_fill(empty.size());
    const Index cols = rounds_.cols();
    std::vector<FarRow> far;
    std::vector<std::pair<Offset, const float*>> values;
    const std::vector<ShardResponse> responses = rounds_.ask(request);
    for (const ShardResponse& response : responses) {
        far.insert(far.end(), response.far.begin(), response.far.end());
        for (std::size_t i = 0; i < response.ids.size(); ++i) {
            values.emplace_back(response.ids[i], response.values.data() + static_cast<Offset>(i) * cols);
        }
    }
    keep_farthest(far, request.count);
    std::sort(values.begin(), values.end());
    fill_from(far, empty, sums_, scales_, [&](std::size_t i, Index to) {
        const auto found = std::lower_bound(values.begin(), values.end(), far[i].row,
                                            [](const auto& value, Offset row) { return value.first < row; });
        sums_.move(static_cast<Index>(far[i].label), to, found->second, far[i].weight, scales_);
        centroids_.fills.push_back({far[i].row, to});
    });
}

double ShardedLloyd::move() { return move_to_means(centroids_.present, sums_, shape_, scales_).squares; }

}  // namespace dunlin::kmeans
