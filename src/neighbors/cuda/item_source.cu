// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "device/staging.cuh"
#include "math/at.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/cuda/filter_rows.cuh"
#include "neighbors/cuda/item_source.cuh"
#include "neighbors/distinct_rows.hpp"

namespace dunlin::neighbors {

namespace {

using device::Cuda;

/// Values that are uploaded together for the check of NaN and infinity.
constexpr Offset values_at_once = Offset{1} << 26;

/// The i-th of `picked` rows at equal steps through [first, first + count).
struct EqualSteps {
    Offset first, count, picked;
    [[nodiscard]] DUNLIN_HD Index operator()(Offset i) const { return static_cast<Index>(first + i * count / picked); }
};

struct PickAtEqualSteps {
    EqualSteps evenly;
    const Index* at;  ///< index of row i in the values; null: i
    Index* places;
    __device__ void operator()(Offset i) const { places[i] = at == nullptr ? evenly(i) : at[evenly(i)]; }
};

struct PickRows {
    ItemRows rows;
    const Index* order;
    Index *places, *items;
    __device__ void operator()(Offset i) const {
        const Index row = order[i];
        places[i] = rows.rows.at == nullptr ? row : rows.rows.at[row];
        items[i] = rows.item(row);
    }
};

struct PlacesOf {
    const Index *items, *at;  ///< index of the row of item i; null: i
    Index* places;
    __device__ void operator()(Offset i) const { places[i] = at == nullptr ? items[i] : at[items[i]]; }
};

struct ValuesOf {
    DeviceRows rows;
    float* values;
    __device__ void operator()(Offset i) const {
        values[i] =
            static_cast<float>(rows.value(static_cast<Index>(i / rows.cols), static_cast<Index>(i % rows.cols)));
    }
};

std::span<const float> rows_of(MatrixView<const float> points, Index first, Index count) {
    return {points.data + Offset{first} * points.cols,
            static_cast<std::size_t>(count) * static_cast<std::size_t>(points.cols)};
}

}  // namespace

DeviceRows sample_rows(Cuda& cuda, Metric metric, const DeviceRows& rows, LoadedRows& loaded) {
    const Index picked = std::min(most_sampled, rows.count);
    cuda.resize(loaded.at, at(picked));
    cuda.each(picked, PickAtEqualSteps{{0, rows.count, picked}, rows.at, loaded.at.data()});
    DeviceRows sample{.values = rows.values, .at = loaded.at.data(), .count = picked, .cols = rows.cols};
    normalize(cuda, metric, sample, loaded.space);
    return sample;
}

ItemRows gather_rows(Cuda& cuda, Metric metric, const ItemRows& rows, const Index* order, Index count,
                     LoadedRows& loaded) {
    cuda.resize(loaded.at, at(count));
    cuda.resize(loaded.items, at(count));
    cuda.each(count, PickRows{rows, order, loaded.at.data(), loaded.items.data()});
    DeviceRows picked{.values = rows.rows.values, .at = loaded.at.data(), .count = count, .cols = rows.rows.cols};
    normalize(cuda, metric, picked, loaded.space);
    return {.rows = picked, .items = loaded.items.data(), .ids = rows.ids};
}

device::CudaBuffer<float> values_of(Cuda& cuda, const DeviceRows& rows) {
    const Offset size = Offset{rows.count} * rows.cols;
    device::CudaBuffer<float> values(static_cast<std::size_t>(size), cuda.stream());
    cuda.each(size, ValuesOf{rows, values.data()});
    return values;
}

ItemSource::ItemSource(Cuda& cuda, const device::DevicePoints& points, Metric metric)
    : points_(points), metric_(metric) {
    find_not_finite(cuda);
    all_ = {.values = points.values(), .count = points.host.rows, .cols = points.host.cols};
    groups_.size = all_.count;
    if (points.held()) normalize(cuda, metric_, all_, space_);
    if (metric_ == Metric::inner_product) return;  // a row need not be near its own copies
    if (points.held()) {
        find_groups_on_device(cuda);
    } else {
        find_groups_on_host(cuda);
    }
}

void ItemSource::find_groups_on_device(Cuda& cuda) {
    groups_ = find_distinct_rows(cuda, all_);
    if (groups_.trivial()) return;
    all_ = {.values = all_.values, .at = groups_.firsts.data(), .count = groups_.size, .cols = all_.cols};
    normalize(cuda, metric_, all_, space_);
}

void ItemSource::find_not_finite(Cuda& cuda) const {
    const MatrixView<const float> host = points_.host;
    const auto look = [&](const float* values, Index first, Index count) {
        const Index bad = first_beyond(cuda, {.values = values, .count = count, .cols = host.cols},
                                       std::numeric_limits<float>::max());
        if (bad < count) fail_for_not_finite(first + bad);
    };
    if (points_.held()) return look(points_.values(), 0, host.rows);
    device::CudaBuffer<float> values;
    const auto allowed = static_cast<Offset>(device::allowance(cuda) / (2 * sizeof(float)));
    const auto at_once =
        static_cast<Index>(std::clamp<Offset>(std::min(allowed, Offset{values_at_once}) / host.cols, 1, host.rows));
    for (Index first = 0; first < host.rows; first += at_once) {
        const Index count = std::min(at_once, host.rows - first);
        cuda.upload(values, rows_of(host, first, count));
        look(values.data(), first, count);
    }
}

void ItemSource::find_groups_on_host(Cuda& cuda) {
    device::Cpu cpu(cuda.run());
    const distance::Space space(cpu, points_.host, metric_);
    const DistinctRows found = find_distinct_rows(cpu, space);
    if (found.size() == points_.host.rows) return;
    groups_.size = found.size();
    for (Index group = 0; group < found.size(); ++group) host_firsts_.push_back(found.first(group));
    cuda.upload(groups_.firsts, host_firsts_);
    cuda.upload(groups_.members, found.members);
    cuda.upload(groups_.offsets, found.offsets);
    cuda.upload(groups_.group_of, found.group_of);
}

void ItemSource::upload(Cuda& cuda, Index first, Index count, LoadedRows& loaded) const {
    if (host_firsts_.empty()) return cuda.upload(loaded.values, rows_of(points_.host, first, count));
    upload_rows(cuda, std::span(host_firsts_).subspan(at(first), at(count)), loaded);
}

void ItemSource::upload_rows(Cuda& cuda, std::span<const Index> rows, LoadedRows& loaded) const {
    cuda.resize(loaded.values, rows.size() * at(cols()));
    device::copy_rows_in_staged(cuda, loaded.values.data(), points_.host, rows);
}

std::uint64_t ItemSource::bytes_per_row() const {
    return points_.held() ? 0 : static_cast<std::uint64_t>(points_.host.cols) * sizeof(float) + 16;
}

ItemRows ItemSource::load(Cuda& cuda, Index first, Index count, LoadedRows& loaded) const {
    if (points_.held()) return {.rows = slice(all_, first, count), .first = first, .ids = groups_.firsts.data()};
    upload(cuda, first, count, loaded);
    DeviceRows rows{.values = loaded.values.data(), .count = count, .cols = points_.host.cols};
    normalize(cuda, metric_, rows, loaded.space);
    return {.rows = rows, .first = first, .ids = groups_.firsts.data()};
}

void ItemSource::reorder(Cuda& cuda, const device::CudaBuffer<Index>& order) {
    renumber(cuda, order, points_.host.rows, groups_);
    if (!held()) {
        host_firsts_ = cuda.host(groups_.firsts);
        return;
    }
    all_.at = groups_.firsts.data();
    normalize(cuda, metric_, all_, space_);
}

device::CudaBuffer<float> ItemSource::values(Cuda& cuda) const { return values_of(cuda, all_); }

ItemRows ItemSource::gather(Cuda& cuda, const device::CudaBuffer<Index>& items, LoadedRows& loaded) const {
    DeviceRows rows{.values = all_.values, .count = static_cast<Index>(items.size()), .cols = cols()};
    if (held()) {
        cuda.resize(loaded.at, items.size());
        cuda.each(rows.count, PlacesOf{items.data(), all_.at, loaded.at.data()});
        rows.at = loaded.at.data();
    } else {
        std::vector<Index> host = cuda.host(items);
        for (Index& item : host) item = host_row(item);
        upload_rows(cuda, host, loaded);
        rows.values = loaded.values.data();
    }
    normalize(cuda, metric_, rows, loaded.space);
    return {.rows = rows, .items = items.data(), .ids = groups_.firsts.data()};
}

DeviceRows ItemSource::sample(Cuda& cuda, Index first, Index count) {
    if (points_.held()) return sample_rows(cuda, metric_, slice(all_, first, count), sample_);
    const EqualSteps evenly{first, count, std::min(most_sampled, count)};
    std::vector<Index> host;
    for (Index i = 0; i < evenly.picked; ++i) host.push_back(host_row(evenly(i)));
    upload_rows(cuda, host, sample_);
    DeviceRows rows{.values = sample_.values.data(), .count = static_cast<Index>(evenly.picked), .cols = cols()};
    normalize(cuda, metric_, rows, sample_.space);
    return rows;
}

}  // namespace dunlin::neighbors
