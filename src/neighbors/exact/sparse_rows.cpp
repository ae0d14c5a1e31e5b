// SPDX-License-Identifier: Apache-2.0
#include "neighbors/exact/sparse_rows.hpp"

#include <algorithm>

namespace dunlin::neighbors {

namespace {

constexpr Index sample_items = 1024;
constexpr Offset grain = 64;

/// sum (x_c - y_c)^2 over the columns that are stored in x or y, with x_c = (value - mean) * scale; `both` counts the
/// columns stored in both.
double squared_difference(SparseRows::Entries x, double mean_x, double scale_x, SparseRows::Entries y, double mean_y,
                          double scale_y, std::size_t& both) {
    const double zero_x = -mean_x * scale_x, zero_y = -mean_y * scale_y;
    double sum = 0;
    std::size_t i = 0, j = 0;
    both = 0;
    while (i < x.places.size() || j < y.places.size()) {
        const bool take_x = j == y.places.size() || (i < x.places.size() && x.places[i] <= y.places[j]);
        const bool take_y = i == x.places.size() || (j < y.places.size() && y.places[j] <= x.places[i]);
        const double a = take_x ? (static_cast<double>(x.values[i]) - mean_x) * scale_x : zero_x;
        const double b = take_y ? (static_cast<double>(y.values[j]) - mean_y) * scale_y : zero_y;
        sum += (a - b) * (a - b);
        i += take_x ? 1 : 0;
        j += take_y ? 1 : 0;
        both += take_x && take_y ? 1 : 0;
    }
    return sum;
}

double inner_product(SparseRows::Entries x, SparseRows::Entries y) {
    double sum = 0;
    std::size_t j = 0;
    for (std::size_t i = 0; i < x.places.size(); ++i) {
        while (j < y.places.size() && y.places[j] < x.places[i]) ++j;
        if (j == y.places.size()) break;
        if (y.places[j] == x.places[i]) sum += static_cast<double>(x.values[i]) * static_cast<double>(y.values[j]);
    }
    return sum;
}

}  // namespace

void SparseRows::Postings::make_room() {
    for (std::size_t l = 1; l < offsets.size(); ++l) offsets[l] += offsets[l - 1];
    places.resize(static_cast<std::size_t>(offsets.back()));
    values.resize(static_cast<std::size_t>(offsets.back()));
}

SparseRows::SparseRows(device::Cpu& cpu, const distance::Space& space, const DistinctRows& items)
    : space_(space), items_(items) {
    gather_rows(cpu);
    gather_columns();
}

void SparseRows::gather_rows(device::Cpu& cpu) {
    const auto values_of = [this](Offset item) { return space_.row(row_of(static_cast<Index>(item))); };
    by_row_.offsets.assign(static_cast<std::size_t>(items_.groups()) + 1, 0);
    cpu.each(
        items_.groups(),
        [&](Offset item) {
            const auto row = values_of(item);
            by_row_.offsets[static_cast<std::size_t>(item) + 1] = std::ssize(row) - std::ranges::count(row, 0.0F);
        },
        grain);
    by_row_.make_room();
    cpu.each(
        items_.groups(),
        [&](Offset item) {
            const auto row = values_of(item);
            auto at = static_cast<std::size_t>(by_row_.offsets[static_cast<std::size_t>(item)]);
            for (std::size_t c = 0; c < row.size(); ++c) {
                if (row[c] == 0) continue;
                by_row_.places[at] = static_cast<Index>(c);
                by_row_.values[at++] = row[c];
            }
        },
        grain);
}

void SparseRows::gather_columns() {
    by_column_.offsets.assign(static_cast<std::size_t>(cols()) + 1, 0);
    const auto of_items = static_cast<std::size_t>(by_row_.offsets[static_cast<std::size_t>(items())]);
    for (const Index column : std::span(by_row_.places).first(of_items))
        ++by_column_.offsets[static_cast<std::size_t>(column) + 1];
    by_column_.make_room();
    std::vector<Offset> next = by_column_.offsets;
    for (Index item = 0; item < items(); ++item) {
        const Entries entries = row(item);
        for (std::size_t e = 0; e < entries.places.size(); ++e) {
            const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(entries.places[e])]++);
            by_column_.places[at] = item;
            by_column_.values[at] = entries.values[e];
        }
    }
}

double SparseRows::key(Index a, Index b) const {
    if (space_.metric() == Metric::inner_product) return 0.0 - inner_product(row(a), row(b));  // avoids -0
    const Index x = row_of(a), y = row_of(b);
    if (space_.scale(x) == 0 || space_.scale(y) == 0) return space_.scale(x) == space_.scale(y) ? 0.0 : 2.0;
    std::size_t both = 0;
    const double named =
        squared_difference(row(a), space_.mean(x), space_.scale(x), row(b), space_.mean(y), space_.scale(y), both);
    const auto others =
        static_cast<double>(static_cast<std::size_t>(cols()) + both - row(a).places.size() - row(b).places.size());
    const double apart = space_.mean(x) * space_.scale(x) - space_.mean(y) * space_.scale(y);
    return named + others * apart * apart;
}

namespace {

template <class RowOf>
double in_common(MatrixView<const float> points, Index items, const RowOf& row_of) {
    const Index taken = std::min(items, sample_items);
    std::vector<double> counts(static_cast<std::size_t>(points.cols), 0.0);
    for (Index s = 0; s < taken; ++s) {
        const auto row = points.row(row_of(static_cast<Index>(Offset{s} * items / taken)));
        for (std::size_t c = 0; c < row.size(); ++c) counts[c] += row[c] != 0 ? 1 : 0;
    }
    double common = 0;
    for (const double count : counts) common += count / taken * (count / taken);
    return common;
}

}  // namespace

double columns_in_common(const distance::Space& space, const DistinctRows& items) {
    return in_common(space.points(), items.size(), [&](Index item) { return items.first(item); });
}

double columns_in_common(MatrixView<const float> points) {
    return in_common(points, points.rows, [](Index row) { return row; });
}

}  // namespace dunlin::neighbors
