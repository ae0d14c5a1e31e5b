// SPDX-License-Identifier: Apache-2.0
#include "mds/spectral/anchored.hpp"

#include "math/at.hpp"
#include "mds/spectral/anchor_weights.hpp"

namespace dunlin::mds {

Anchors anchors_of(device::Cpu& cpu, const OnDemandRows& feed, std::vector<Index> items) {
    const Index n = feed.size();
    const Offset k = std::ssize(items);
    Anchors anchors{std::move(items), std::vector<float>(at(n * k)), {}};
    cpu.blocks(n, tile_columns, [&](Offset begin, Offset end, int) {
        for (Offset a = 0; a < k; ++a) {
            const float* row = feed.row(anchors.items[at(a)]);
            for (Offset i = begin; i < end; ++i) anchors.distances[at(i * k + a)] = row[i];
        }
    });
    anchors.weights = anchor_weights(cpu, anchors.items, anchors.distances);
    return anchors;
}

Result place_anchors(const Anchors& anchors, const Options& options, const Run& run) {
    const auto k = static_cast<Index>(anchors.items.size());
    std::vector<float> among, weights;
    for (Index a = 0; a < k; ++a) {
        const auto row = anchors.distances.begin() + Offset{anchors.items[at(a)]} * k;
        among.insert(among.end(), row, row + k);
        for (const float weight : anchors.weights) weights.push_back(anchors.weights[at(a)] * weight);
    }
    Run unlimited = run;
    unlimited.memory = 0;
    const auto few = Dissimilarities::of_matrix(Matrix(k, k, std::move(among)), unlimited);
    const Matrix by_pair(k, k, std::move(weights));
    return place(few, options, unlimited, {.weights = &by_pair});
}

Anchored<device::Cpu> hold_anchors(device::Cpu&, Anchors anchors, const OnDemandRows&) {
    const Offset k = std::ssize(anchors.items);
    // An item's row stays in the cache while its place is sought
    return {static_cast<Index>(k),
            std::move(anchors.items),
            std::move(anchors.distances),
            std::move(anchors.weights),
            k,
            1};
}

void place_items(device::Cpu& cpu, const Anchored<device::Cpu>& anchors, const std::vector<float>& places,
                 Configuration<device::Cpu>& configuration, const Span& some, double tolerance, int* moves) {
    const ToAnchors to = anchors.to();
    const MapByAxis of_anchors(places.data(), to.count, configuration.dim);
    const std::vector<const float*> axes = of_anchors.from(0);
    cpu.blocks(some.count, 16, [&](Offset begin, Offset end, int) {
        std::vector<double> force(at(configuration.dim));
        for (Offset item = some.first + begin; item < some.first + end; ++item) {
            const auto pull_there = [&](const float* place, double* towards) {
                std::fill_n(towards, configuration.dim, 0.0);
                return pull(
                    {to.values + item * to.of_item, to.weights, axes.data(), place, configuration.dim, to.count},
                    towards);
            };
            moves[item] = place_item(to, item, places.data(), configuration.dim, pull_there, force.data(), tolerance,
                                     configuration.y.data() + item * configuration.dim);
        }
    });
}

}  // namespace dunlin::mds
