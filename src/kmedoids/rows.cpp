// SPDX-License-Identifier: Apache-2.0
#include "kmedoids/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "device/pieces.hpp"
#include "math/at.hpp"
#include "mds/input/entries.hpp"
#include "mds/input/on_demand_rows.hpp"
#include "mds/input/source.hpp"
#include "progress/cancel.hpp"

namespace dunlin::kmedoids {

namespace {

constexpr Index padding = 16;  ///< floats that Source::tile may write after a row

bool is_matrix(const mds::Dissimilarities& items) { return !items.has_points() && items.values().rows() > 0; }

/// Fills out (rows of `stride`) with the rows of all items of a source, `columns` wide.
void fill_from(device::Cpu& cpu, const mds::Source& source, std::span<const Index> rows, Index columns, float* out,
               Offset stride) {
    constexpr Offset rows_at_once = 4;
    cpu.blocks(std::ssize(rows), rows_at_once, [&](Offset begin, Offset end, int) {
        const auto some = rows.subspan(at(begin), at(end - begin));
        std::vector<float> tile(some.size() * at(Offset{columns} + padding));
        source.tile(some, 0, columns, tile.data(), columns + padding);
        for (std::size_t r = 0; r < some.size(); ++r)
            std::copy_n(tile.data() + r * at(Offset{columns} + padding), columns,
                        out + (begin + static_cast<Offset>(r)) * stride);
    });
}

}  // namespace

void request_rows(device::Cpu& cpu, const mds::Dissimilarities& items, std::span<const Index> rows, const Run& run) {
    if (items.on_demand() == nullptr || is_matrix(items)) return;
    if (items.on_demand()->request(cpu, rows, run)) return;
    if (run.stop.stop_requested()) throw progress::Cancelled{};
    throw Error(Fault::bad_input,
                fmt::format("distances is too small for the rows of {} items; allow more, or give a smaller sample",
                            rows.size()),
                {.option = "distances"});
}

std::uint64_t SampleRows::bytes(const mds::Dissimilarities& items, Index sample) {
    const auto n = static_cast<std::uint64_t>(items.size()), s = static_cast<std::uint64_t>(sample);
    if (is_matrix(items)) return sample == items.size() ? 0 : s * s * sizeof(float);
    return (items.on_demand() != nullptr ? s * n : 0) * sizeof(float) +
           (items.on_demand() != nullptr && s == n ? 0 : s * s * sizeof(float));
}

SampleRows::SampleRows(device::Cpu& cpu, const mds::Dissimilarities& items, std::vector<Index> sample, const Run& run)
    : sample_(std::move(sample)), rows_(sample_.size()), items_(items) {
    request_rows(cpu, items, sample_, run);
    if (items.has_points()) {
        copy_points(cpu, items);
    } else {
        share(items);
        if (size() < items.size()) {
            device::assign_in_pieces(copied_, at(Offset{size()} * size()));
            cpu.each(
                size(),
                [&](Offset r) {
                    for (std::size_t c = 0; c < sample_.size(); ++c)
                        copied_[at(r) * sample_.size() + c] = rows_[at(r)][sample_[c]];
                },
                16);
        }
    }
    for (std::size_t r = 0; r < rows_.size() && !copied_.empty(); ++r) rows_[r] = copied_.data() + r * rows_.size();
    require_complete(cpu);
}

void SampleRows::copy_points(device::Cpu& cpu, const mds::Dissimilarities& items) {
    const MatrixView<const float> all = items.values().view();
    std::vector<float> values;
    values.reserve(sample_.size() * at(all.cols));
    for (const Index item : sample_) {
        progress::cancellation_point();
        values.insert(values.end(), all.row(item).begin(), all.row(item).end());
    }
    const auto points =
        mds::Dissimilarities::of_points({size(), all.cols, std::move(values)}, {.metric = *items.metric()});
    const mds::Source source(cpu, points);
    std::vector<Index> rows(sample_.size());
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = static_cast<Index>(r);
    device::assign_in_pieces(copied_, at(Offset{size()} * size()));
    fill_from(cpu, source, rows, size(), copied_.data(), size());
    for (std::size_t r = 0; r < rows.size(); ++r) copied_[r * rows.size() + r] = 0;
}

void SampleRows::share(const mds::Dissimilarities& items) {
    for (std::size_t r = 0; r < sample_.size(); ++r)
        rows_[r] = is_matrix(items) ? items.values().row(sample_[r]).data() : items.on_demand()->row(sample_[r]);
}

void SampleRows::require_complete(device::Cpu& cpu) const {
    std::vector<Index> bad(sample_.size(), -1);
    cpu.each(
        size(),
        [&](Offset r) {
            const float* const values = row(static_cast<Index>(r));
            bool sound = true;
            for (Index c = 0; c < size(); ++c) sound &= values[c] >= 0 && values[c] <= mds::largest;
            if (sound) return;
            const auto is_bad = [](float value) { return !(value >= 0 && value <= mds::largest); };
            bad[at(r)] = static_cast<Index>(std::find_if(values, values + size(), is_bad) - values);
        },
        16);
    for (std::size_t r = 0; r < bad.size(); ++r) {
        if (bad[r] < 0) continue;
        const Index column = sample_[at(bad[r])];
        const float value = rows_[r][bad[r]];
        if (!std::isnan(value)) mds::refuse_entry(sample_[r], column, value, value);
        throw Error(
            Fault::bad_input,
            fmt::format("the dissimilarity of items {} and {} is missing; k-medoids needs all of them: leave out "
                        "an item",
                        sample_[r], column),
            {.row = sample_[r]});
    }
}

std::vector<float> rows_to_all(device::Cpu& cpu, const mds::Dissimilarities& items, std::span<const Index> from,
                               const Run& run) {
    request_rows(cpu, items, from, run);
    const Index n = items.size();
    std::vector<float> rows;
    device::assign_in_pieces(rows, from.size() * at(n));
    if (is_matrix(items)) {
        for (std::size_t r = 0; r < from.size(); ++r) {
            progress::cancellation_point();
            const auto row = items.values().row(from[r]);
            std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(r) * n);
        }
        return rows;
    }
    const mds::Source source(cpu, items);
    fill_from(cpu, source, from, n, rows.data(), n);
    return rows;
}

}  // namespace dunlin::kmedoids
