#include <fmt/format.h>

#include <cmath>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "device/cpu.hpp"

namespace dunlin::mds {

namespace {

std::size_t at(Offset i) { return static_cast<std::size_t>(i); }

void check_points(device::Cpu& cpu, MatrixView<const float> x) {
    device::Cell<double> bad;
    const auto whole = [&](Offset i) {
        for (const float value : x.row(static_cast<Index>(i))) {
            if (!std::isfinite(value)) return false;
        }
        return true;
    };
    cpu.sum(x.rows, [&](Offset i) { return whole(i) ? 0.0 : 1.0; }, bad, 256);
    if (bad.value == 0) return;
    Offset row = 0;
    while (whole(row)) ++row;
    throw Error(Fault::bad_input, fmt::format("row {} of the points is not finite; correct it or leave it out", row));
}

/// What is wrong with the pair i, j of a matrix of dissimilarities; empty: nothing.
std::string fault_of(MatrixView<const float> m, Index i, Index j) {
    const float a = m(i, j), b = m(j, i);
    if (i == j) {
        if (a == 0 || std::isnan(a)) return "";
        return fmt::format("is {}; an item's dissimilarity to itself must be 0", a);
    }
    if (std::isnan(a) && std::isnan(b)) return "";
    if (std::isnan(a) != std::isnan(b)) {
        return fmt::format("is {} and ({}, {}) is {}; a missing pair must be missing both ways", a, j, i, b);
    }
    if (a < 0) return fmt::format("is {}; dissimilarities must be at least 0", a);
    if (!(a <= 1e18F)) return fmt::format("is {}; dissimilarities must be at most 1e18: divide them", a);
    if (std::abs(a - b) > 1e-5F * std::max(std::abs(a), std::abs(b))) {
        return fmt::format("is {} and ({}, {}) is {}; dissimilarities must be symmetric: take the mean of both", a, j,
                           i, b);
    }
    return "";
}

constexpr Index block = 64;

/// Calls look(i, j) for i <= j, blocks of rows side by side and read block by block.
template <class Look>
void each_pair(device::Cpu& cpu, Index n, const Look& look) {
    cpu.blocks(n, block, [&](Offset begin, Offset end, int) {
        for (Offset column = begin; column < n; column += block) {
            for (Offset i = begin; i < end; ++i) {
                for (Offset j = std::max(i, column); j < std::min<Offset>(n, column + block); ++j) {
                    look(static_cast<Index>(i), static_cast<Index>(j));
                }
            }
        }
    });
}

/// Refuses the first faulty entry in the order of rows; returns how many pairs are missing.
Offset check_matrix(device::Cpu& cpu, MatrixView<const float> m) {
    std::vector<Offset> first(at(m.rows), std::numeric_limits<Offset>::max()), missing(at(m.rows), 0);
    each_pair(cpu, m.rows, [&](Index i, Index j) {
        const float a = m(i, j);
        const bool plain = i == j ? a == 0 : a >= 0 && a <= 1e18F && a == m(j, i);
        if (plain) return;
        if (!fault_of(m, i, j).empty()) first[at(i)] = std::min(first[at(i)], Offset{j});
        if (i != j && std::isnan(a)) ++missing[at(i)];
    });
    Offset total = 0;
    for (Index i = 0; i < m.rows; ++i) {
        if (first[at(i)] < m.rows) {
            const auto j = static_cast<Index>(first[at(i)]);
            throw Error(Fault::bad_input,
                        fmt::format("entry ({}, {}) of the matrix {}; rows count from 0", i, j, fault_of(m, i, j)));
        }
        total += missing[at(i)];
    }
    return total;
}

struct Column {
    double shift = 0, scale = 0;
};

Column column_of(MatrixView<const float> x, Index c, Normalize how) {
    double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0, squares = 0;
    for (Index r = 0; r < x.rows; ++r) {
        const auto value = static_cast<double>(x(r, c));
        least = std::min(least, value);
        most = std::max(most, value);
        sum += value;
    }
    const double mean = sum / x.rows;
    for (Index r = 0; r < x.rows; ++r) squares += std::pow(static_cast<double>(x(r, c)) - mean, 2);
    if (!(most > least)) return {least, 0};
    if (how == Normalize::minmax) return {least, 1 / (most - least)};
    return {mean, 1 / std::sqrt(squares / (x.rows - 1))};
}

Matrix normalized(device::Cpu& cpu, MatrixView<const float> x, Normalize how) {
    std::vector<float> values(x.data, x.data + x.size());
    cpu.each(
        x.cols,
        [&](Offset c) {
            const Column column = column_of(x, static_cast<Index>(c), how);
            for (Offset k = c; k < x.size(); k += x.cols)
                values[at(k)] = static_cast<float>((static_cast<double>(values[at(k)]) - column.shift) * column.scale);
        },
        1);
    return {x.rows, x.cols, std::move(values)};
}

}  // namespace

Dissimilarities Dissimilarities::of_points(Matrix points, const PointOptions& options, const Run& run) {
    device::Cpu cpu(run);
    check_points(cpu, points.view());
    Dissimilarities items;
    items.values_ =
        options.normalize == Normalize::none ? std::move(points) : normalized(cpu, points.view(), options.normalize);
    items.metric_ = options.metric;
    return items;
}

Dissimilarities Dissimilarities::of_matrix(Matrix matrix, const Run& run) {
    if (matrix.rows() != matrix.cols()) {
        throw Error(Fault::bad_input, fmt::format("the matrix of dissimilarities has {} rows and {} columns; it must "
                                                  "have as many of one as of the other",
                                                  matrix.rows(), matrix.cols()));
    }
    device::Cpu cpu(run);
    Dissimilarities items;
    items.missing_ = check_matrix(cpu, matrix.view());
    items.values_ = std::move(matrix);
    return items;
}

}  // namespace dunlin::mds
