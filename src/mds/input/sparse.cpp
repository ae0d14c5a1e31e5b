// SPDX-License-Identifier: Apache-2.0
#include "mds/input/sparse.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/at.hpp"
#include "mds/configuration.hpp"

namespace dunlin::mds {

namespace {

/// Bit of a column in a 64-bit signature; adjacent columns have different bits.
std::uint64_t mark_of(Index column) { return std::uint64_t{1} << (static_cast<std::uint32_t>(column) & 63U); }

double term(double apart, bool manhattan) { return manhattan ? std::abs(apart) : apart * apart; }

/// Calls look(row, its features) for all rows.
template <class Look>
void each_row(device::Cpu& cpu, const distance::Features& features, Index n, const Look& look) {
    cpu.blocks(n, 64, [&](Offset begin, Offset end, int) {
        std::vector<float> row(at(features.cols()));
        for (Offset i = begin; i < end; ++i) {
            features.copy(static_cast<Index>(i), 0, features.cols(), row.data(), 1);
            look(i, row);
        }
    });
}

}  // namespace

SparseFeatures::SparseFeatures(device::Cpu& cpu, const distance::Features& features, Index n)
    : manhattan_(features.manhattan()) {
    constexpr Offset columns_of_an_entry = 40;  // dense columns that SIMD compares in the time of one sparse entry
    const bool shifted =
        std::any_of(features.shifts().begin(), features.shifts().end(), [](double shift) { return shift != 0; });
    if (shifted || features.cols() < columns_of_an_entry) return;
    std::vector<Offset> offsets(at(Offset{n} + 1), 0);
    each_row(cpu, features, n, [&](Offset i, const std::vector<float>& row) {
        offsets[at(i) + 1] = std::ssize(row) - std::count(row.begin(), row.end(), 0.0F);
    });
    for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
    if (offsets.back() * columns_of_an_entry > Offset{n} * features.cols()) return;
    rows_.offsets = std::move(offsets);
    gather_rows(cpu, features, n);
    gather_columns(features.cols());
}

void SparseFeatures::gather_rows(device::Cpu& cpu, const distance::Features& features, Index n) {
    rows_.entries.resize(at(rows_.offsets.back()));
    size_.assign(at(n), 0.0);
    marks_.assign(at(n), 0);
    each_row(cpu, features, n, [&](Offset i, const std::vector<float>& row) {
        SparseEntry* next = rows_.entries.data() + rows_.offsets[at(i)];
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (row[c] == 0) continue;
            *next++ = {static_cast<Index>(c), row[c]};
            size_[at(i)] += term(static_cast<double>(row[c]), manhattan_);
            marks_[at(i)] |= mark_of(static_cast<Index>(c));
        }
    });
}

void SparseFeatures::gather_columns(Index cols) {
    columns_.offsets.assign(at(Offset{cols} + 1), 0);
    for (const SparseEntry& entry : rows_.entries) ++columns_.offsets[at(entry.index) + 1];
    for (std::size_t c = 1; c < columns_.offsets.size(); ++c) columns_.offsets[c] += columns_.offsets[c - 1];
    columns_.entries.resize(rows_.entries.size());
    std::vector<Offset> next = columns_.offsets;
    for (Index i = 0; i < static_cast<Index>(size_.size()); ++i) {
        for (const SparseEntry& entry : rows_[i]) columns_.entries[at(next[at(entry.index)]++)] = {i, entry.value};
    }
}

float SparseFeatures::between(Index a, Index b) const {
    if ((marks_[at(a)] & marks_[at(b)]) == 0) return static_cast<float>(size_[at(a)] + size_[at(b)]);
    const std::span<const SparseEntry> one = rows_[a], other = rows_[b];
    double sum = 0;
    std::size_t i = 0, j = 0;
    while (i < one.size() && j < other.size()) {
        const Index here = one[i].index, there = other[j].index;
        const double x = here <= there ? static_cast<double>(one[i].value) : 0.0;
        const double y = there <= here ? static_cast<double>(other[j].value) : 0.0;
        sum += term(x - y, manhattan_);
        i += here <= there ? 1 : 0;
        j += there <= here ? 1 : 0;
    }
    for (; i < one.size(); ++i) sum += term(static_cast<double>(one[i].value), manhattan_);
    for (; j < other.size(); ++j) sum += term(static_cast<double>(other[j].value), manhattan_);
    return static_cast<float>(sum);
}

double SparseFeatures::shared(float x, float y) const {
    const auto a = static_cast<double>(x), b = static_cast<double>(y);
    return term(a - b, manhattan_) - term(a, manhattan_) - term(b, manhattan_);
}

float SparseFeatures::with_sizes(Index a, Index b, double shared) const {
    constexpr double rounding = 1e-13;  // relative rounding error in double; smaller sums are 0
    const double sizes = size_[at(a)] + size_[at(b)], sum = sizes + shared;
    return sum > rounding * sizes ? static_cast<float>(sum) : 0.0F;
}

void SparseFeatures::scatter_row(Index row, float* by_column) const {
    for (const SparseEntry& entry : rows_[row]) by_column[entry.index] = entry.value;
}

void SparseFeatures::clear_row(Index row, float* by_column) const {
    for (const SparseEntry& entry : rows_[row]) by_column[entry.index] = 0;
}

float SparseFeatures::between_scattered(Index row, const float* by_column, Index other) const {
    double sum = 0;
    for (const SparseEntry& entry : rows_[other]) sum += shared(by_column[entry.index], entry.value);
    return with_sizes(row, other, sum);
}

void SparseFeatures::run(Index row, Index begin, Index count, float* out) const {
    std::array<double, tile_columns> sums;
    for (Index first = 0; first < count; first += tile_columns) {
        const Index from = begin + first, here = std::min(tile_columns, count - first);
        std::fill_n(sums.begin(), here, 0.0);
        for (const SparseEntry& own : rows_[row]) {
            const std::span<const SparseEntry> column = columns_[own.index];
            auto other = std::lower_bound(column.begin(), column.end(), from,
                                          [](const SparseEntry& entry, Index item) { return entry.index < item; });
            for (; other != column.end() && other->index < from + here; ++other)
                sums[at(Offset{other->index} - from)] += shared(own.value, other->value);
        }
        for (Index c = 0; c < here; ++c) out[first + c] = with_sizes(row, from + c, sums[at(c)]);
    }
}

}  // namespace dunlin::mds
