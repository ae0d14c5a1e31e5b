// SPDX-License-Identifier: Apache-2.0
#include "neighbors/quantized_rows.hpp"

#include <algorithm>
#include <cmath>

#include "distance/keys.hpp"

namespace dunlin::neighbors {

namespace {

constexpr double share_inside = 0.9;  ///< share of the sampled rows whose coordinates are not clamped
constexpr double middle = 128, largest = 127;

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

/// Real coordinates of transformed rows: the columns themselves, or projections on axes.
class Coordinates {
public:
    Coordinates(const ItemTransform& transform, const PrincipalAxes* axes) : transform_(transform), axes_(axes) {}

    [[nodiscard]] Index count() const { return axes_ ? axes_->count() : transform_.cols(); }
    [[nodiscard]] double stretch() const { return axes_ ? axes_->stretch() : 1.0; }

    /// Transformed rows and their coordinates, a few at a time.
    struct Batch {
        std::vector<float> in, out, errors;
    };

    /// Computes batch.out, the coordinates of the items, and batch.errors, the bounds of their rounding.
    void of(std::span<const Index> items, Norm norm, Batch& batch) const {
        const auto cols = static_cast<std::size_t>(transform_.cols());
        batch.in.resize(items.size() * cols);
        batch.errors.resize(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::span row(batch.in.data() + i * cols, cols);
            transform_.row(items[i], row.data());
            const double length = vector_norm(row, norm);
            batch.errors[i] =
                static_cast<float>(transform_.error(length) * stretch() + (axes_ ? axes_->error(length) : 0.0));
        }
        if (!axes_) return batch.in.swap(batch.out);
        batch.out.resize(items.size() * static_cast<std::size_t>(count()));
        axes_->project(batch.in.data(), static_cast<Index>(items.size()), batch.out.data());
    }

private:
    const ItemTransform& transform_;
    const PrincipalAxes* axes_;
};

/// The quantization step: the 90th percentile of the rows' largest coordinates, divided by 127.
double choose_step(const ItemTransform& transform, const Coordinates& coordinates, Norm norm) {
    Coordinates::Batch batch;
    coordinates.of(transform.sample(), norm, batch);
    const auto dims = static_cast<std::size_t>(coordinates.count());
    std::vector<float> extents(transform.sample().size());
    for (std::size_t s = 0; s < extents.size(); ++s) {
        for (std::size_t c = 0; c < dims; ++c) extents[s] = std::max(extents[s], std::abs(batch.out[s * dims + c]));
    }
    const auto at =
        extents.begin() + static_cast<std::ptrdiff_t>(share_inside * static_cast<double>(extents.size() - 1));
    std::nth_element(extents.begin(), at, extents.end());
    return *at > 0 ? static_cast<double>(*at) / largest : 1.0;
}

/// Writes the bytes of one row and returns its quantization error, in steps.
double quantize(std::span<const float> row, double step, Norm norm, std::uint8_t* out) {
    double sum = 0;
    for (const float value : row) {
        const double inside = std::clamp(static_cast<double>(value) / step, -largest, largest);
        const double whole = std::nearbyint(inside);
        const double off = inside - whole;
        sum += norm == Norm::l2 ? off * off : std::abs(off);
        *out++ = static_cast<std::uint8_t>(whole + middle);
    }
    return norm == Norm::l2 ? std::sqrt(sum) : sum;
}

constexpr Offset batch_items = 64;

float rounded_up(double value) { return static_cast<float>(value * (1 + 1e-6)); }

/// Integers within a range of 255 need no transform: they are exact in bytes.
QuantizedRows<std::uint8_t> copy_bytes(device::Cpu& cpu, const ItemTransform& transform, float least,
                                       std::span<const Index> order, Index dims) {
    QuantizedRows<std::uint8_t> quantized;
    quantized.dims = dims;
    quantized.values.assign(order.size() * static_cast<std::size_t>(dims), 128);
    quantized.errors.assign(order.size(), 0.0F);
    cpu.each(
        std::ssize(order),
        [&](Offset r) {
            std::uint8_t* out = quantized.values.data() + r * dims;
            for (const float value :
                 transform.space().points().row(transform.row_of(order[static_cast<std::size_t>(r)]))) {
                *out++ = static_cast<std::uint8_t>(value - least);
            }
        },
        batch_items);
    return quantized;
}

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

QuantizedRows<std::uint8_t> quantize_to_bytes(device::Cpu& cpu, const ItemTransform& transform,
                                              const ValueStatistics& statistics, std::span<const Index> order,
                                              Index cell, const PrincipalAxes* axes) {
    const Norm norm = norm_of(transform);
    const Coordinates coordinates(transform, axes);
    const Index count = coordinates.count(), dims = (count + cell - 1) / cell * cell;
    if (statistics.bytes() && axes == nullptr && !transform.space().unit_rows()) {
        return copy_bytes(cpu, transform, statistics.least, order, dims);
    }

    const double step = choose_step(transform, coordinates, norm);
    QuantizedRows<std::uint8_t> quantized;
    quantized.dims = dims;
    quantized.scale = transform.scale() * coordinates.stretch() / step * (1 + 1e-9);
    quantized.values.assign(order.size() * static_cast<std::size_t>(dims), 128);
    quantized.errors.resize(order.size());
    cpu.blocks(std::ssize(order), batch_items, [&](Offset begin, Offset end, int) {
        Coordinates::Batch batch;
        coordinates.of(order.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), norm,
                       batch);
        const float* row = batch.out.data();
        for (Offset r = begin; r < end; ++r, row += count) {
            const double off =
                quantize({row, static_cast<std::size_t>(count)}, step, norm, quantized.values.data() + r * dims);
            const double rounding = static_cast<double>(batch.errors[static_cast<std::size_t>(r - begin)]) / step;
            quantized.errors[static_cast<std::size_t>(r)] = rounded_up(off + rounding + 1e-9);
        }
    });
    return quantized;
}

}  // namespace dunlin::neighbors
