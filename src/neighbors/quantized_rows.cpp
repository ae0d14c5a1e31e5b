// SPDX-License-Identifier: Apache-2.0
#include "neighbors/quantized_rows.hpp"

#include <algorithm>
#include <cmath>

#include "distance/keys.hpp"

namespace dunlin::neighbors {

namespace {

constexpr double share_inside = 0.9;  ///< share of the sampled rows whose coordinates are not clamped
constexpr double largest = 127;       ///< magnitude of a coordinate that is not clamped, in steps

double vector_norm(std::span<const float> row, Norm norm) {
    double sum = 0;
    for (const float value : row) {
        const double v = static_cast<double>(value);
        sum += norm == Norm::l2 ? v * v : std::abs(v);
    }
    return norm == Norm::l2 ? std::sqrt(sum) : sum;
}

Norm norm_of(const ItemTransform& transform) {
    return transform.space().metric() == Metric::manhattan ? Norm::l1 : Norm::l2;
}

constexpr Offset batch_items = 64;

float rounded_up(double value) { return static_cast<float>(value * (1 + 1e-6)); }

}  // namespace

QuantizedRows<float> transform_to_floats(device::Cpu& cpu, const ItemTransform& transform,
                                         std::span<const Index> order) {
    QuantizedRows<float> quantized;
    quantized.dims = transform.cols();
    quantized.scale = transform.scale();
    quantized.values.resize(order.size() * static_cast<std::size_t>(quantized.dims));
    quantized.errors.resize(order.size());
    cpu.each(std::ssize(order), [&](Offset r) {
        float* row = quantized.values.data() + r * quantized.dims;
        transform.row(order[static_cast<std::size_t>(r)], row);
        const double length = vector_norm({row, static_cast<std::size_t>(quantized.dims)}, norm_of(transform));
        quantized.errors[static_cast<std::size_t>(r)] = rounded_up(transform.error(length));
    });
    return quantized;
}

ByteGrid::ByteGrid(const ItemTransform& transform, const ValueStatistics& statistics, const PrincipalAxes* axes)
    : transform_(transform),
      axes_(axes),
      norm_(norm_of(transform)),
      whole_(statistics.bytes() && axes == nullptr && !transform.space().unit_rows()),
      least_(static_cast<double>(statistics.least)) {
    if (!whole_) step_ = choose_step();
}

double ByteGrid::scale() const {
    if (whole_) return 1;
    return transform_.scale() * (axes_ ? axes_->stretch() : 1.0) / step_ * (1 + 1e-9);
}

void ByteGrid::locate(std::span<const Index> groups, Batch& batch) const {
    const auto cols = static_cast<std::size_t>(transform_.cols());
    batch.rows.resize(groups.size() * cols);
    batch.errors.assign(groups.size(), 0.0F);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::span row(batch.rows.data() + i * cols, cols);
        if (whole_) {
            std::ranges::copy(transform_.space().row(transform_.row_of(groups[i])), row.begin());
            continue;
        }
        transform_.row(groups[i], row.data());
        const double length = vector_norm(row, norm_);
        batch.errors[i] = static_cast<float>(axes_ ? transform_.error(length) * axes_->stretch() + axes_->error(length)
                                                   : transform_.error(length));
    }
    if (!axes_) return batch.rows.swap(batch.coordinates);
    batch.coordinates.resize(groups.size() * static_cast<std::size_t>(dims()));
    axes_->project(batch.rows.data(), static_cast<Index>(groups.size()), batch.coordinates.data());
}

double ByteGrid::in_steps(float coordinate) const {
    const auto value = static_cast<double>(coordinate);
    return whole_ ? value - least_ : value / step_ + zero;
}

float ByteGrid::quantize(std::span<const float> coordinates, float error, std::uint8_t* out) const {
    const double least = whole_ ? 0 : zero - largest, most = zero + largest;
    double sum = 0;
    bool exact = whole_;
    for (const float coordinate : coordinates) {
        const double position = in_steps(coordinate), inside = std::clamp(position, least, most);
        const double rounded = std::nearbyint(inside), off = inside - rounded;
        sum += norm_ == Norm::l2 ? off * off : std::abs(off);
        exact = exact && position == rounded;
        *out++ = static_cast<std::uint8_t>(rounded);
    }
    if (exact) return 0;
    const double off = norm_ == Norm::l2 ? std::sqrt(sum) : sum;
    return rounded_up(off + static_cast<double>(error) / step_ + 1e-9);
}

/// The 90th percentile of the sampled items' largest coordinates, divided by 127.
double ByteGrid::choose_step() const {
    Batch batch;
    locate(transform_.sample(), batch);
    std::vector<float> extents(transform_.sample().size());
    for (std::size_t s = 0; s < extents.size(); ++s) {
        const auto count = static_cast<std::size_t>(dims());
        for (std::size_t c = 0; c < count; ++c)
            extents[s] = std::max(extents[s], std::abs(batch.coordinates[s * count + c]));
    }
    const auto at =
        extents.begin() + static_cast<std::ptrdiff_t>(share_inside * static_cast<double>(extents.size() - 1));
    std::nth_element(extents.begin(), at, extents.end());
    return *at > 0 ? static_cast<double>(*at) / largest : 1.0;
}

QuantizedRows<std::uint8_t> quantize_to_bytes(device::Cpu& cpu, const ByteGrid& grid, std::span<const Index> order,
                                              Index cell) {
    const Index count = grid.dims();
    QuantizedRows<std::uint8_t> quantized;
    quantized.dims = (count + cell - 1) / cell * cell;
    quantized.scale = grid.scale();
    quantized.values.assign(order.size() * static_cast<std::size_t>(quantized.dims), 128);
    quantized.errors.resize(order.size());
    cpu.blocks(std::ssize(order), batch_items, [&](Offset begin, Offset end, int) {
        ByteGrid::Batch batch;
        grid.locate(order.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), batch);
        const float* row = batch.coordinates.data();
        for (Offset r = begin; r < end; ++r, row += count) {
            quantized.errors[static_cast<std::size_t>(r)] =
                grid.quantize({row, static_cast<std::size_t>(count)}, batch.errors[static_cast<std::size_t>(r - begin)],
                              quantized.values.data() + r * quantized.dims);
        }
    });
    return quantized;
}

}  // namespace dunlin::neighbors
