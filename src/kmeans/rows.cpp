#include "kmeans/rows.hpp"

#include <fmt/format.h>

#include <cmath>

#include <dunlin/error.hpp>

#include "kmeans/formulas.hpp"
#include "kmeans/nearest.hpp"

namespace dunlin::kmeans {

namespace {

constexpr float largest = largest_number;

[[noreturn]] void refuse(const Rows& rows, Offset row) {
    const float* x = rows.points.data + row * rows.cols();
    Index c = 0;
    while (std::abs(x[c]) <= largest) ++c;
    throw Error(Fault::bad_input,
                fmt::format("row {} has {} in column {}; k-means needs numbers up to {:g}: remove the "
                            "row or scale the data",
                            row + 1, x[c], c + 1, largest));
}

double measure_weights(const Rows& rows) {
    if (rows.weights.empty()) return 1;
    if (rows.weights.size() != static_cast<std::size_t>(rows.count())) {
        throw Error(Fault::bad_input, fmt::format("{} weights are given for {} rows; there must be one for each",
                                                  rows.weights.size(), rows.count()));
    }
    double most = 0;
    for (Offset r = 0; r < rows.count(); ++r) {
        const double weight = rows.weight(r);
        if (!(weight >= 0 && std::isfinite(weight))) {
            throw Error(Fault::bad_input,
                        fmt::format("the weight of row {} is {}; weights are at least 0 and finite", r + 1, weight));
        }
        most = std::max(most, weight);
    }
    if (most == 0) throw Error(Fault::bad_input, "all weights are 0; some row must count");
    return most;
}

/// Of a block of rows, by column.
struct Extent {
    std::vector<double> most, sum, squares;

    explicit Extent(Index cols)
        : most(static_cast<std::size_t>(cols)), sum(static_cast<std::size_t>(cols)), squares(most) {}

    void add(const float* x, const double* origin) {
        for (std::size_t c = 0; c < most.size(); ++c) {
            const double value = static_cast<double>(x[c]), from = value - origin[c];
            most[c] = std::max(most[c], std::abs(value));
            sum[c] += from;
            squares[c] += from * from;
        }
    }
    void add(const Extent& other) {
        for (std::size_t c = 0; c < most.size(); ++c) {
            most[c] = std::max(most[c], other.most[c]);
            sum[c] += other.sum[c];
            squares[c] += other.squares[c];
        }
    }
};

bool usable(const float* x, Index cols) {
    bool all = true;
    for (Index c = 0; c < cols; ++c) all = all && std::abs(x[c]) <= largest;
    return all;
}

Extent extent_of(device::Cpu& cpu, const Rows& rows, const std::vector<double>& origin) {
    constexpr Offset parts = 64;  // a fixed number, so that sums have one order
    const Offset n = rows.count(), grain = (n + parts - 1) / parts;
    std::vector<Extent> extents(static_cast<std::size_t>(parts), Extent(rows.cols()));
    cpu.blocks(n, grain, [&](Offset begin, Offset end, int) {
        std::vector<float> scratch;
        for (Offset r = begin; r < end; ++r) {
            if (!usable(rows.points.data + r * rows.cols(), rows.cols())) refuse(rows, r);
            extents[static_cast<std::size_t>(begin / grain)].add(rows.at(r, r + 1, scratch), origin.data());
        }
    });
    for (std::size_t p = 1; p < extents.size(); ++p) extents[0].add(extents[p]);
    return std::move(extents[0]);
}

}  // namespace

void to_unit_length(float* row, Index cols) { scale_to_unit(row, cols); }

const float* Rows::at(Offset begin, Offset end, std::vector<float>& scratch) const {
    const float* from = points.data + begin * points.cols;
    if (metric == Metric::euclidean) return from;
    scratch.assign(from, points.data + end * points.cols);
    for (Offset r = 0; r < end - begin; ++r) to_unit_length(scratch.data() + r * points.cols, points.cols);
    return scratch.data();
}

Offset grain_of(Index cols) {
    const Offset tiles = std::clamp<Offset>(Offset{1 << 16} / (Offset{cols} * tile_rows), 1, 64);
    return tiles * tile_rows;
}

Scales measure(device::Cpu& cpu, const Rows& rows) {
    const double heaviest = measure_weights(rows);
    std::vector<float> scratch;
    const float* first = rows.at(0, 1, scratch);
    const std::vector<double> origin(first, first + rows.cols());
    const Extent extent = extent_of(cpu, rows, origin);
    const auto n = static_cast<double>(rows.count());
    Scales scales;
    scales.weights = rows.weights.empty() ? 1 : integer_scale(heaviest, rows.count());
    for (std::size_t c = 0; c < extent.most.size(); ++c) {
        scales.columns.push_back(integer_scale(extent.most[c] * heaviest, rows.count()));
        const double mean = extent.sum[c] / n;
        scales.means.push_back(origin[c] + mean);
        scales.variance += (extent.squares[c] / n - mean * mean) / rows.cols();
    }
    scales.most = extent.most;
    return scales;
}

}  // namespace dunlin::kmeans
