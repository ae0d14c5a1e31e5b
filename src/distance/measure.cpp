// SPDX-License-Identifier: Apache-2.0
#include "distance/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <dunlin/error.hpp>

#include "distance/common_bits.hpp"
#include "distance/terms.hpp"
#include "math/at.hpp"

namespace dunlin::distance {

using neighbors::Metric;
using neighbors::Takes;

namespace {

constexpr Index word_bits = 64;
constexpr Offset grain = 64;

Index words_of(Index cols) { return (cols + word_bits - 1) / word_bits; }

/// Eight sums side by side, in an order that depends on the number of columns alone.
template <class Term, class Value>
double add_up(const Value* x, const Value* y, Index cols) {
    constexpr Index together = 8;
    std::array<terms::TermSum, together> sums{};
    Index c = 0;
    for (; c + together <= cols; c += together) {
        for (Index i = 0; i < together; ++i)
            Term::add(sums[at(i)], static_cast<double>(x[c + i]), static_cast<double>(y[c + i]));
    }
    for (Index i = 0; c + i < cols; ++i)
        Term::add(sums[at(i)], static_cast<double>(x[c + i]), static_cast<double>(y[c + i]));
    for (Index i = 1; i < together; ++i) Term::join(sums[0], sums[at(i)]);
    return Term::finish(sums[0], cols);
}

/// The first value that `is_bad(value, column)` holds for, by row; throws `say(value)` with its place.
template <class IsBad, class Say>
void refuse(device::Cpu& cpu, MatrixView<const float> rows, std::string_view what, const IsBad& is_bad,
            const Say& say) {
    std::atomic<Offset> first{std::numeric_limits<Offset>::max()};
    cpu.blocks(rows.rows, grain, [&](Offset begin, Offset end, int) {
        for (Offset i = begin * rows.cols; i < end * rows.cols; ++i) {
            if (!is_bad(rows.data[i], static_cast<Index>(i % rows.cols))) continue;
            for (Offset known = first; i < known && !first.compare_exchange_weak(known, i);) {
            }
            return;
        }
    });
    if (first == std::numeric_limits<Offset>::max()) return;
    const auto row = static_cast<Index>(first / rows.cols);
    throw Error(Fault::bad_input,
                fmt::format("{} row {}, column {} (counting from 0) is {}; {}", what, row, first % rows.cols,
                            rows.data[first], say),
                {.row = row});
}

void check_amounts(device::Cpu& cpu, MatrixView<const float> rows, std::string_view what) {
    refuse(
        cpu, rows, what, [](float value, Index) { return value < 0; },
        "metric hellinger compares amounts, which are 0 or more");
}

void check_places(device::Cpu& cpu, MatrixView<const float> rows, std::string_view what) {
    if (rows.cols != 2) {
        throw Error(Fault::bad_input,
                    fmt::format("metric is haversine, and there are {} columns; it takes 2, latitude and longitude in "
                                "radians",
                                rows.cols),
                    {.option = "metric"});
    }
    refuse(
        cpu, rows, what,
        [](float value, Index column) {
            return column == 0 && std::abs(value) > static_cast<float>(std::numbers::pi / 2);
        },
        "metric haversine takes latitudes from -pi/2 to pi/2: give radians");
}

bool all_are_bits(device::Cpu& cpu, MatrixView<const float> rows) {
    std::atomic<bool> all{true};
    cpu.blocks(rows.rows, grain, [&](Offset begin, Offset end, int) {
        const auto values = std::span(rows.data + begin * rows.cols, at((end - begin) * rows.cols));
        if (all && !std::ranges::all_of(values, [](float value) { return value == 0 || value == 1; })) all = false;
    });
    return all;
}

}  // namespace

PairMeasure::PairMeasure(device::Cpu& cpu, MatrixView<const float> points, Metric metric,
                         MatrixView<const float> queries)
    : points_(points), queries_(queries), metric_(metric), cols_(points.cols) {
    const auto check = [&](const auto& rows, std::string_view what) {
        if (row_of(metric).takes == Takes::amounts) check_amounts(cpu, rows, what);
        if (row_of(metric).takes == Takes::places) check_places(cpu, rows, what);
    };
    check(points, "points:");
    if (queries.rows > 0) check(queries, "query");
    const bool truths = row_of(metric).takes == Takes::truths;
    if (truths || (metric == Metric::hamming && all_are_bits(cpu, points) && all_are_bits(cpu, queries))) pack(cpu);
    if (metric == Metric::hellinger || metric == Metric::haversine) share(cpu);
}

void PairMeasure::pack(device::Cpu& cpu) {
    words_ = words_of(cols_);
    bits_.assign(at(Offset{rows()} * words_), 0);
    ones_.assign(at(rows()), 0);
    cpu.each(
        rows(),
        [&](Offset r) {
            const float* values = row(static_cast<Index>(r));
            std::uint64_t* out = bits_.data() + r * words_;
            for (Index c = 0; c < cols_; ++c)
                out[c / word_bits] |= std::uint64_t{values[c] != 0 ? 1U : 0U} << (c % word_bits);
            for (Index w = 0; w < words_; ++w) ones_[at(r)] += std::popcount(out[w]);
        },
        grain);
}

void PairMeasure::share(device::Cpu& cpu) {
    const bool by_shares = metric_ == Metric::hellinger;
    roots_.resize(at(Offset{rows()} * cols_));
    cpu.each(
        rows(),
        [&](Offset r) {
            const auto values = std::span(row(static_cast<Index>(r)), at(cols_));
            double* out = roots_.data() + r * cols_;
            double sum = 0;
            for (const float value : values) sum += static_cast<double>(value);
            for (const float value : values) {
                const auto x = static_cast<double>(value);
                *out++ = !by_shares ? x : sum > 0 ? std::sqrt(x / sum) : 0.0;
            }
        },
        grain);
}

double PairMeasure::by_bits(Index ones_a, Index ones_b, Offset both) const {
    const auto common = static_cast<double>(both);
    const double one = static_cast<double>(ones_a) + static_cast<double>(ones_b) - 2 * common;
    if (metric_ == Metric::hamming) return one / std::max<double>(cols_, 1);
    return metric_ == Metric::jaccard ? terms::jaccard(common, one) : terms::dice(common, one);
}

double PairMeasure::least_common(Index ones_a, Index ones_b, double limit) const {
    const double ones = static_cast<double>(ones_a) + static_cast<double>(ones_b);
    const double least = metric_ == Metric::hamming   ? (ones - limit * cols_) / 2
                         : metric_ == Metric::jaccard ? (1 - limit) * ones / (2 - limit)
                                                      : (1 - limit) * ones / 2;
    return least - 1e-6;
}

double PairMeasure::between(Index a, Index b) const {
    double distance = 0;
    between(a, std::span(&b, 1), &distance);
    return distance;
}

void PairMeasure::between(Index a, std::span<const Index> others, double* out) const {
    const auto each = [&](const auto& distance_of) {
        for (const Index other : others) *out++ = distance_of(other);
    };
    const auto by = [&]<class Term>(Term) {
        const float* x = row(a);
        each([&](Index b) { return add_up<Term>(x, row(b), cols_); });
    };
    if (words_ > 0) {
        common_bits(words(a), bits_.data(), words_, others, out);
        for (std::size_t i = 0; i < others.size(); ++i)
            out[i] = by_bits(ones(a), ones(others[i]), static_cast<Offset>(out[i]));
        return;
    }
    const double* roots = roots_.data() + (roots_.empty() ? 0 : Offset{a} * cols_);
    switch (metric_) {
        case Metric::chebyshev:
            return by(terms::Chebyshev());
        case Metric::canberra:
            return by(terms::Canberra());
        case Metric::braycurtis:
            return by(terms::BrayCurtis());
        case Metric::hamming:
            return by(terms::Hamming());
        case Metric::haversine:
            return each([&](Index b) { return terms::haversine(roots, roots_.data() + Offset{b} * 2); });
        case Metric::hellinger: {
            const auto is_zero = [&](Index r) {
                return std::all_of(row(r), row(r) + cols_, [](float value) { return value == 0; });
            };
            const bool zero = is_zero(a);
            return each([&](Index b) {
                const double* other = roots_.data() + Offset{b} * cols_;
                const double found = add_up<terms::Hellinger>(roots, other, cols_);
                // A row of shares adds up to 1, so that half the square is about 1/2 if the other row is zero
                const bool may_be_zero = std::abs(found * found - 0.5) < 1e-6;
                return may_be_zero && zero != is_zero(b) ? 1.0 : found;
            });
        }
        default:
            break;
    }
    std::fill_n(out, others.size(), 0.0);  // jaccard and dice without columns
}

std::uint64_t PairMeasure::bytes(Offset rows, Index cols, Metric metric) {
    const auto count = static_cast<std::uint64_t>(rows), columns = static_cast<std::uint64_t>(cols);
    if (metric == Metric::hellinger || metric == Metric::haversine) return count * columns * sizeof(double);
    const bool may_be_bits = row_of(metric).takes == Takes::truths || metric == Metric::hamming;
    return may_be_bits ? count * (static_cast<std::uint64_t>(words_of(cols)) * sizeof(std::uint64_t) + sizeof(Index))
                       : 0;
}

}  // namespace dunlin::distance
