// SPDX-License-Identifier: Apache-2.0
#include "neighbors/quantized_rows.hpp"

#include <algorithm>
#include <cmath>

#include "distance/keys.hpp"

namespace dunlin::neighbors {

namespace {

constexpr double share_inside = 0.9;  ///< of the rows: their coordinates are not clamped
constexpr double middle = 128, reach = 127;

double norm(std::span<const float> row, Law law) {
    double sum = 0;
    for (const float value : row) {
        const double v = static_cast<double>(value);
        sum += law == Law::squares ? v * v : std::abs(v);
    }
    return law == Law::squares ? std::sqrt(sum) : sum;
}

Law law_of(const Frame& frame) { return frame.space().metric() == Metric::manhattan ? Law::absolute : Law::squares; }

/// From a row of the frame to real coordinates: the row itself, or along the axes.
class Coordinates {
public:
    Coordinates(const Frame& frame, const Axes* axes) : frame_(frame), axes_(axes) {}

    [[nodiscard]] Index count() const { return axes_ ? axes_->count() : frame_.cols(); }
    [[nodiscard]] double stretch() const { return axes_ ? axes_->stretch() : 1.0; }

    /// Rows of the frame and their coordinates, `rows` at a time.
    struct Batch {
        std::vector<float> in, out, errors;
    };

    /// Fills batch.out and the rounding batch.errors of the items.
    void of(std::span<const Index> items, Law law, Batch& batch) const {
        const auto cols = static_cast<std::size_t>(frame_.cols());
        batch.in.resize(items.size() * cols);
        batch.errors.resize(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::span row(batch.in.data() + i * cols, cols);
            frame_.row(items[i], row.data());
            const double length = norm(row, law);
            batch.errors[i] =
                static_cast<float>(frame_.error(length) * stretch() + (axes_ ? axes_->error(length) : 0.0));
        }
        if (!axes_) return batch.in.swap(batch.out);
        batch.out.resize(items.size() * static_cast<std::size_t>(count()));
        axes_->project(batch.in.data(), static_cast<Index>(items.size()), batch.out.data());
    }

private:
    const Frame& frame_;
    const Axes* axes_;
};

/// The size of a step: nine rows in ten of the sample lie within the bytes.
double choose_step(const Frame& frame, const Coordinates& coordinates, Law law) {
    Coordinates::Batch batch;
    coordinates.of(frame.sample(), law, batch);
    const auto dims = static_cast<std::size_t>(coordinates.count());
    std::vector<float> extents(frame.sample().size());
    for (std::size_t s = 0; s < extents.size(); ++s) {
        for (std::size_t c = 0; c < dims; ++c) extents[s] = std::max(extents[s], std::abs(batch.out[s * dims + c]));
    }
    const auto at =
        extents.begin() + static_cast<std::ptrdiff_t>(share_inside * static_cast<double>(extents.size() - 1));
    std::nth_element(extents.begin(), at, extents.end());
    return *at > 0 ? static_cast<double>(*at) / reach : 1.0;
}

/// Writes the bytes of one row and returns how far they are from it, in steps.
double quantize(std::span<const float> row, double step, Law law, std::uint8_t* out) {
    double sum = 0;
    for (const float value : row) {
        const double inside = std::clamp(static_cast<double>(value) / step, -reach, reach);
        const double whole = std::nearbyint(inside);
        const double off = inside - whole;
        sum += law == Law::squares ? off * off : std::abs(off);
        *out++ = static_cast<std::uint8_t>(whole + middle);
    }
    return law == Law::squares ? std::sqrt(sum) : sum;
}

constexpr Offset batch_items = 64;

float rounded_up(double value) { return static_cast<float>(value * (1 + 1e-6)); }

/// Values that are integers within a byte's range need no frame: they are their own bytes.
Sketch<std::uint8_t> copy_bytes(device::Cpu& cpu, const Frame& frame, float least, std::span<const Index> order,
                                Index dims) {
    Sketch<std::uint8_t> sketch;
    sketch.dims = dims;
    sketch.values.assign(order.size() * static_cast<std::size_t>(dims), 128);
    sketch.errors.assign(order.size(), 0.0F);
    cpu.each(
        std::ssize(order),
        [&](Offset r) {
            std::uint8_t* out = sketch.values.data() + r * dims;
            for (const float value : frame.space().points().row(frame.row_of(order[static_cast<std::size_t>(r)]))) {
                *out++ = static_cast<std::uint8_t>(value - least);
            }
        },
        batch_items);
    return sketch;
}

}  // namespace

Sketch<float> sketch_floats(device::Cpu& cpu, const Frame& frame, std::span<const Index> order) {
    Sketch<float> sketch;
    sketch.dims = frame.cols();
    sketch.scale = frame.scale();
    sketch.values.resize(order.size() * static_cast<std::size_t>(sketch.dims));
    sketch.errors.resize(order.size());
    cpu.each(std::ssize(order), [&](Offset r) {
        float* row = sketch.values.data() + r * sketch.dims;
        frame.row(order[static_cast<std::size_t>(r)], row);
        const double length = norm({row, static_cast<std::size_t>(sketch.dims)}, law_of(frame));
        sketch.errors[static_cast<std::size_t>(r)] = rounded_up(frame.error(length));
    });
    return sketch;
}

Sketch<std::uint8_t> sketch_bytes(device::Cpu& cpu, const Frame& frame, const Census& census,
                                  std::span<const Index> order, Index cell, const Axes* axes) {
    const Law law = law_of(frame);
    const Coordinates coordinates(frame, axes);
    const Index count = coordinates.count(), dims = (count + cell - 1) / cell * cell;
    if (census.bytes() && axes == nullptr && !frame.space().unit_rows()) {
        return copy_bytes(cpu, frame, census.least, order, dims);
    }

    const double step = choose_step(frame, coordinates, law);
    Sketch<std::uint8_t> sketch;
    sketch.dims = dims;
    sketch.scale = frame.scale() * coordinates.stretch() / step * (1 + 1e-9);
    sketch.values.assign(order.size() * static_cast<std::size_t>(dims), 128);
    sketch.errors.resize(order.size());
    cpu.blocks(std::ssize(order), batch_items, [&](Offset begin, Offset end, int) {
        Coordinates::Batch batch;
        coordinates.of(order.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), law,
                       batch);
        const float* row = batch.out.data();
        for (Offset r = begin; r < end; ++r, row += count) {
            const double off =
                quantize({row, static_cast<std::size_t>(count)}, step, law, sketch.values.data() + r * dims);
            const double rounding = static_cast<double>(batch.errors[static_cast<std::size_t>(r - begin)]) / step;
            sketch.errors[static_cast<std::size_t>(r)] = rounded_up(off + rounding + 1e-9);
        }
    });
    return sketch;
}

}  // namespace dunlin::neighbors
