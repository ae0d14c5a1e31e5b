// SPDX-License-Identifier: Apache-2.0
#include <dunlin/coincident.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <numeric>
#include <vector>

#include "math/at.hpp"

namespace dunlin::scores {

std::string sentence_of_coincident(const Map& map) {
    constexpr Offset least_k = 10;  // of label_accuracy; beside the point itself
    const Index n = map.size();
    constexpr Index most_points = 1'000'000;  // beyond, sorting takes longer than the scores, which are of a sample
    if (n <= least_k + 1 || n > most_points) return "";
    const auto row = [&](Index i) { return map.view().row(i); };
    std::vector<Index> order(at(n));
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
        const auto by_place = std::lexicographical_compare_three_way(
            row(a).begin(), row(a).end(), row(b).begin(), row(b).end(),
            [](float x, float y) { return std::weak_order(x + 0.0F, y + 0.0F); });
        return by_place != 0 ? by_place < 0 : a < b;
    });
    Offset points = 0, example = 0, most = 0;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        end = begin + 1;  // a NaN is not equal to itself
        while (end < order.size() && std::ranges::equal(row(order[begin]), row(order[end]))) ++end;
        const auto here = static_cast<Offset>(end - begin);
        if (here <= least_k + 1) continue;
        points += here;
        if (here > most) most = here, example = order[begin];
    }
    if (points == 0) return "";
    return fmt::format(
        "{} points of the map share their places with more than {} others, such as {} at that of row {}: "
        "their row numbers say which of these are nearest, and scores of neighbors mean little there",
        points, least_k, most, example);
}

}  // namespace dunlin::scores
