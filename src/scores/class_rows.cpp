// SPDX-License-Identifier: Apache-2.0
#include "scores/class_rows.hpp"

#include "progress/cancel.hpp"

namespace dunlin::scores {

namespace {

constexpr Index columns_at_once = 32;

/// Columns [begin, end) of a class.
using Columns = std::pair<Index, Index>;

void add_means(MatrixView<const float> values, std::span<const Index> rows, Columns columns, double* means) {
    for (const Index i : rows) {
        const float* row = values.row(i).data();
        for (Index c = columns.first; c < columns.second; ++c) means[c] += static_cast<double>(row[c]);
    }
    for (Index c = columns.first; c < columns.second; ++c) means[c] /= static_cast<double>(rows.size());
}

double median_of(std::span<float> values) {
    const auto upper = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), upper, values.end());
    if (values.size() % 2 == 1) return static_cast<double>(*upper);
    const float lower = *std::max_element(values.begin(), upper);
    return (static_cast<double>(lower) + static_cast<double>(*upper)) / 2;
}

void find_medians(MatrixView<const float> values, std::span<const Index> rows, Columns columns, double* medians,
                  std::vector<float>& table) {
    const std::size_t count = rows.size();
    table.resize(count * columns_at_once);
    for (std::size_t i = 0; i < count; ++i) {
        const float* row = values.row(rows[i]).data();
        for (Index c = columns.first; c < columns.second; ++c) table[at(c - columns.first) * count + i] = row[c];
    }
    for (Index c = columns.first; c < columns.second; ++c)
        medians[c] = median_of(std::span(table).subspan(at(c - columns.first) * count, count));
}

}  // namespace

ClassRows::ClassRows(const Labels& labels) {
    const Index codes = labels.of.empty() ? 0 : *std::max_element(labels.of.begin(), labels.of.end()) + 1;
    std::vector<Offset> counts(at(codes), 0);
    for (const Index label : labels.of) {
        if (label != no_label) ++counts[at(label)];
    }
    std::vector<Offset> next(at(codes));
    offsets.push_back(0);
    for (std::size_t code = 0; code < counts.size(); ++code) {
        next[code] = offsets.back();
        if (counts[code] > 0) offsets.push_back(offsets.back() + counts[code]);
    }
    rows.resize(at(offsets.back()));
    for (std::size_t i = 0; i < labels.of.size(); ++i) {
        if (labels.of[i] != no_label) rows[at(next[at(labels.of[i])]++)] = static_cast<Index>(i);
    }
}

std::vector<double> class_centers(device::Cpu& cpu, MatrixView<const float> values, const ClassRows& classes,
                                  Center center) {
    const Offset tiles = (values.cols + columns_at_once - 1) / columns_at_once;
    std::vector<double> centers(at(classes.count()) * at(values.cols), 0.0);
    std::vector<std::vector<float>> tables(at(cpu.threads()));
    cpu.blocks(classes.count() * tiles, 1, [&](Offset task, Offset, int worker) {
        const auto c = static_cast<Index>(task / tiles);
        const auto begin = static_cast<Index>(task % tiles) * columns_at_once;
        const Columns columns{begin, std::min(values.cols, begin + columns_at_once)};
        const auto rows = std::span(classes.rows).subspan(at(classes.offsets[at(c)]), at(classes.size(c)));
        double* own = centers.data() + Offset{c} * values.cols;
        if (center == Center::mean) {
            add_means(values, rows, columns, own);
        } else {
            find_medians(values, rows, columns, own, tables[at(worker)]);
        }
    });
    return centers;
}

}  // namespace dunlin::scores
