// SPDX-License-Identifier: Apache-2.0
#include "mds/spectral/landmarks.hpp"

#include "math/at.hpp"
#include "mds/on_demand/on_demand.hpp"
#include "mds/spectral/landmark_weights.hpp"

namespace dunlin::mds {

Landmarks landmarks_of(device::Cpu& cpu, const OnDemandRows& feed, std::vector<Index> items) {
    const Index n = feed.size();
    const Offset k = std::ssize(items);
    Landmarks landmarks{std::move(items), std::vector<float>(at(n * k)), {}};
    cpu.blocks(n, tile_columns, [&](Offset begin, Offset end, int) {
        for (Offset a = 0; a < k; ++a) {
            const float* row = feed.row(landmarks.items[at(a)]);
            for (Offset i = begin; i < end; ++i) landmarks.distances[at(i * k + a)] = row[i];
        }
    });
    landmarks.weights = landmark_weights(cpu, landmarks.items, landmarks.distances);
    return landmarks;
}

Result place_landmarks(const Landmarks& landmarks, const Options& options, const Run& run) {
    const auto k = static_cast<Index>(landmarks.items.size());
    std::vector<float> among, weights;
    for (Index a = 0; a < k; ++a) {
        const auto row = landmarks.distances.begin() + Offset{landmarks.items[at(a)]} * k;
        among.insert(among.end(), row, row + k);
        for (const float weight : landmarks.weights) weights.push_back(landmarks.weights[at(a)] * weight);
    }
    Run unlimited = run;
    unlimited.memory = 0;
    const auto few = Dissimilarities::of_matrix(Matrix(k, k, std::move(among)), unlimited);
    const Matrix by_pair(k, k, std::move(weights));
    return place_part(few, options, unlimited, {.weights = &by_pair});
}

HeldLandmarks<device::Cpu> hold_landmarks(device::Cpu&, Landmarks landmarks, const OnDemandRows&) {
    const Offset k = std::ssize(landmarks.items);
    // A row per item: it stays in the cache while the item is placed
    return {static_cast<Index>(k),
            std::move(landmarks.items),
            std::move(landmarks.distances),
            std::move(landmarks.weights),
            k,
            1};
}

void place_items(device::Cpu& cpu, const HeldLandmarks<device::Cpu>& landmarks, const std::vector<float>& places,
                 Configuration<device::Cpu>& configuration, const ItemRange& some, double tolerance, int* moves) {
    const LandmarkDistances to = landmarks.to();
    const MapByAxis landmark_axes(places.data(), to.count, configuration.dim);
    const std::vector<const float*> axes = landmark_axes.from(0);
    cpu.blocks(some.count, 16, [&](Offset begin, Offset end, int) {
        std::vector<double> force(at(configuration.dim));
        for (Offset item = some.first + begin; item < some.first + end; ++item) {
            const auto pull_there = [&](const float* place, double* towards) {
                std::fill_n(towards, configuration.dim, 0.0);
                return stress::add_force(
                    {to.values + item * to.of_item, to.weights, axes.data(), place, configuration.dim, to.count},
                    towards);
            };
            moves[item] = place_item(to, item, places.data(), configuration.dim, pull_there, force.data(), tolerance,
                                     configuration.y.data() + item * configuration.dim);
        }
    });
}

}  // namespace dunlin::mds
