// SPDX-License-Identifier: Apache-2.0
#include "shepard.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace dunlin::serve {

namespace {

std::size_t at(Offset i) { return static_cast<std::size_t>(i); }

/// One row of each of `count` ranges of equal length, at multiples of the golden ratio, which no order of the rows has.
std::vector<Index> sampled_rows(Index n, Index count) {
    std::vector<Index> rows;
    rows.reserve(at(count));
    for (Offset k = 0; k < count; ++k) {
        const Offset begin = k * n / count, end = (k + 1) * n / count;
        const std::uint64_t spread = static_cast<std::uint64_t>(k + 1) * 0x9e3779b97f4a7c15U >> 32U;
        rows.push_back(
            static_cast<Index>(begin + static_cast<Offset>(spread % static_cast<std::uint64_t>(end - begin))));
    }
    return rows;
}

mds::ShepardPairs pairs_of(const mds::Dissimilarities& items, const Map& map) {
    return mds::shepard_pairs(items, map, Shepard::most_pairs, {.exact_rows = items.size()});
}

/// Of these points of the map, with its numbers.
mds::ShepardPairs pairs_of(const Viewed& viewed, const std::vector<Index>& rows) {
    if (rows.size() < 2) return {};
    const Index cols = viewed.points->cols();
    const auto count = static_cast<Index>(rows.size());
    std::vector<float> values;
    Map map{viewed.map.dim, {}};
    for (const Index row : rows) {
        const std::span<const float> point = viewed.points->row(row), place = viewed.map.view().row(row);
        values.insert(values.end(), point.begin(), point.end());
        map.coordinates.insert(map.coordinates.end(), place.begin(), place.end());
    }
    mds::ShepardPairs found = pairs_of(
        mds::Dissimilarities::of_points(Matrix(count, cols, std::move(values)), {.metric = viewed.metric}), map);
    for (std::vector<Index>* ends : {&found.first, &found.second}) {
        for (Index& end : *ends) end = rows[at(end)];
    }
    return found;
}

}  // namespace

bool Shepard::is_known(const Viewed& viewed) { return viewed.points.has_value(); }

Shepard::Shepard(const Viewed& viewed) : points_(viewed.map.size()) {
    points_ = std::min(points_, most_points);
    found_ = pairs_of(viewed, sampled_rows(viewed.map.size(), points_));
    const std::vector<float>& places = found_.diagram.coordinates;
    for (std::size_t k = 0; k < places.size(); ++k)
        most_[k % 2] = std::max(most_[k % 2], static_cast<double>(places[k]));
    const std::vector<double> line = mds::shepard_fit(found_, mds::Transform::ratio).line;
    if (!line.empty() && most_[0] > 0) slope_ = line[3] / line[2];
}

std::array<int, 2> Shepard::cell(std::size_t pair) const {
    std::array<int, 2> found{0, 0};
    for (const std::size_t axis : {0U, 1U}) {
        const auto distance = static_cast<double>(found_.diagram.coordinates[2 * pair + axis]);
        if (most_[axis] > 0) found[axis] = std::min(static_cast<int>(distance / most_[axis] * columns), columns - 1);
    }
    return found;
}

std::vector<Index> Shepard::counts() const {
    std::vector<Index> counts(at(Offset{columns} * columns));
    for (std::size_t pair = 0; pair < found_.first.size(); ++pair) {
        const auto [column, row] = cell(pair);
        ++counts[at(Offset{row} * columns + column)];
    }
    return counts;
}

Shepard::Chosen Shepard::within(const std::array<int, 4>& cells) const {
    std::vector<std::size_t> inside;
    for (std::size_t pair = 0; pair < found_.first.size(); ++pair) {
        const auto [column, row] = cell(pair);
        if (column >= cells[0] && row >= cells[1] && column <= cells[2] && row <= cells[3]) inside.push_back(pair);
    }
    return chosen_of(inside);
}

Shepard::Chosen Shepard::worst(bool apart) const {
    // Coincident pairs of coincident items have no ratio
    std::vector<std::pair<double, std::size_t>> ratios;
    for (std::size_t pair = 0; pair < found_.first.size(); ++pair) {
        const auto in_data = static_cast<double>(found_.diagram.coordinates[2 * pair]),
                   in_map = static_cast<double>(found_.diagram.coordinates[2 * pair + 1]);
        if (in_data == 0 && in_map == 0) continue;
        const double ratio = in_data > 0 ? in_map / in_data : std::numeric_limits<double>::infinity();
        ratios.emplace_back(apart ? -ratio : ratio, pair);
    }
    std::sort(ratios.begin(), ratios.end());
    ratios.resize((ratios.size() + 99) / 100);
    std::vector<std::size_t> pairs;
    pairs.reserve(ratios.size());
    for (const auto& [ratio, pair] : ratios) pairs.push_back(pair);
    return chosen_of(pairs);
}

Shepard::Chosen Shepard::chosen_of(const std::vector<std::size_t>& pairs) const {
    Chosen chosen;
    chosen.pairs = static_cast<Offset>(pairs.size());
    std::map<Index, Index> counts;
    for (const std::size_t pair : pairs) {
        ++counts[found_.first[pair]];
        ++counts[found_.second[pair]];
    }
    for (const auto& [row, count] : counts) chosen.rows.push_back(row);
    const std::size_t lines = std::min(pairs.size(), most_lines);
    for (std::size_t line = 0; line < lines; ++line) {
        const std::size_t pair = pairs[line * pairs.size() / lines];
        chosen.ends.push_back(found_.first[pair]);
        chosen.ends.push_back(found_.second[pair]);
    }
    chosen.often.assign(counts.begin(), counts.end());
    std::stable_sort(chosen.often.begin(), chosen.often.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    chosen.often.resize(std::min(chosen.often.size(), most_often));
    return chosen;
}

}  // namespace dunlin::serve
