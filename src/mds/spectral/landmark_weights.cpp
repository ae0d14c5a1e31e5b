// SPDX-License-Identifier: Apache-2.0
#include "mds/spectral/landmark_weights.hpp"

#include <algorithm>
#include <limits>

#include "math/at.hpp"

namespace dunlin::mds {

namespace {

constexpr Offset items_at_once = 256;  ///< number of terms added in float32

/// Sums over items, for each landmark.
template <class T>
struct LandmarkSums {
    std::vector<T> cell;      ///< items nearest to it; ties are divided equally
    std::vector<T> distance;  ///< to the items with known distance
    std::vector<T> known;     ///< number of these items

    explicit LandmarkSums(std::size_t landmarks) : cell(landmarks), distance(landmarks), known(landmarks) {}
};

/// Adds the row of an item.
void add(LandmarkSums<float>& sums, std::span<const float> row) {
    float nearest = std::numeric_limits<float>::infinity(), ties = 0;
    for (const float d : row) nearest = d < nearest ? d : nearest;
    for (const float d : row) ties += d == nearest ? 1.0F : 0.0F;
    const float share = ties > 0 ? 1 / ties : 0;
    for (std::size_t a = 0; a < row.size(); ++a) {
        const bool known = row[a] >= 0;
        sums.cell[a] += row[a] == nearest ? share : 0.0F;
        sums.distance[a] += known ? row[a] : 0.0F;
        sums.known[a] += known ? 1.0F : 0.0F;
    }
}

void add(std::vector<double>& total, const std::vector<float>& part) {
    for (std::size_t a = 0; a < total.size(); ++a) total[a] += static_cast<double>(part[a]);
}

LandmarkSums<double> sums_of(device::Cpu& cpu, std::size_t landmarks, std::span<const float> to_landmarks) {
    const Offset n = std::ssize(to_landmarks) / static_cast<Offset>(landmarks);
    std::vector<LandmarkSums<float>> parts(at((n + items_at_once - 1) / items_at_once), LandmarkSums<float>(landmarks));
    cpu.blocks(n, items_at_once, [&](Offset begin, Offset end, int) {
        for (Offset i = begin; i < end; ++i)
            add(parts[at(begin / items_at_once)], to_landmarks.subspan(at(i) * landmarks, landmarks));
    });
    LandmarkSums<double> all(landmarks);
    for (const LandmarkSums<float>& part : parts) {
        add(all.cell, part.cell);
        add(all.distance, part.distance);
        add(all.known, part.known);
    }
    return all;
}

/// Means of the distances from landmark `self` to all landmarks. plain: mean over the other landmarks. change: mean
/// weighted by cells minus the plain mean.
struct Means {
    double plain = 0, change = 0;
    bool known = false;
};
Means means_of(std::span<const float> row, std::size_t self, const std::vector<double>& cell) {
    double sum = 0, others = 0, sum_of_cells = 0, cells = 0;
    for (std::size_t a = 0; a < row.size(); ++a) {
        if (!(row[a] >= 0)) continue;
        const auto d = static_cast<double>(row[a]);
        sum += d;
        others += a == self ? 0 : 1;
        sum_of_cells += cell[a] * d;
        cells += cell[a];
    }
    if (others == 0 || !(cells > 0)) return {};
    return {sum / others, sum_of_cells / cells - sum / others, true};
}

double share_of_cells(const LandmarkSums<double>& sums, std::span<const Index> landmarks,
                      std::span<const float> to_landmarks) {
    double products = 0, squares = 0;
    for (std::size_t a = 0; a < landmarks.size(); ++a) {
        const Means means =
            means_of(to_landmarks.subspan(at(landmarks[a]) * landmarks.size(), landmarks.size()), a, sums.cell);
        if (!means.known) continue;
        const double of_all = sums.distance[a] / (sums.known[a] - 1);
        products += (of_all - means.plain) * means.change;
        squares += means.change * means.change;
    }
    return squares > 0 ? std::clamp(products / squares, 0.0, 1.0) : 0.0;
}

}  // namespace

std::vector<float> landmark_weights(device::Cpu& cpu, std::span<const Index> landmarks,
                                    std::span<const float> to_landmarks) {
    if (landmarks.empty()) return {};
    const LandmarkSums<double> sums = sums_of(cpu, landmarks.size(), to_landmarks);
    const double share = share_of_cells(sums, landmarks, to_landmarks);
    const double mean = static_cast<double>(std::ssize(to_landmarks)) /
                        (static_cast<double>(landmarks.size()) * static_cast<double>(landmarks.size()));
    std::vector<float> weights;
    weights.reserve(landmarks.size());
    for (const double cell : sums.cell) weights.push_back(static_cast<float>(1 + share * (cell / mean - 1)));
    return weights;
}

}  // namespace dunlin::mds
