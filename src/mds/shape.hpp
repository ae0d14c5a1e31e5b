// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cancel.hpp"
#include "mds/input/source.hpp"
#include "stress/rows.hpp"

namespace dunlin::mds {

/// A map on its way; coordinates are n x dim, in the dissimilarities' unit.
template <class Exec>
struct Shape {
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;
    template <class T>
    using Cell = typename Exec::template Cell<T>;

    Index n = 0;
    int dim = 2;
    Buffer<float> y;
    Buffer<float> force;   ///< n x dim: half of stress's gradient, downhill
    Buffer<double> error;  ///< n: an item's sum of w (d - delta)^2
    Cell<double> stress;   ///< sum over pairs i < j of w (d - delta)^2
    Buffer<double> parts;  ///< scratch of whoever sums
};

/// Of n items in one place.
template <class Exec>
Shape<Exec> empty_shape(Exec& exec, Index n, int dim) {
    Shape<Exec> shape;
    shape.n = n;
    shape.dim = dim;
    const auto numbers = static_cast<std::size_t>(Offset{n} * dim);
    exec.fill(shape.y, numbers, 0.0F);
    exec.fill(shape.force, numbers, 0.0F);
    exec.fill(shape.error, static_cast<std::size_t>(n), 0.0);
    return shape;
}

template <class Exec>
Shape<Exec> shape_at(Exec& exec, const Map& map) {
    auto shape = empty_shape(exec, map.size(), map.dim);
    exec.upload(shape.y, std::span<const float>(map.coordinates));
    return shape;
}

/// A map axis by axis.
class Axes {
public:
    Axes(const float* y, Index n, int dim) : values_(static_cast<std::size_t>(Offset{n} * dim)) {
        for (int c = 0; c < dim; ++c) {
            axes_.push_back(values_.data() + Offset{c} * n);
            for (Offset i = 0; i < n; ++i) values_[static_cast<std::size_t>(Offset{c} * n + i)] = y[i * dim + c];
        }
    }
    /// Pointers to the axes, from item `begin` on.
    [[nodiscard]] std::vector<const float*> from(Index begin) const {
        std::vector<const float*> axes = axes_;
        for (const float*& axis : axes) axis += begin;
        return axes;
    }

private:
    std::vector<float> values_;
    std::vector<const float*> axes_;
};

constexpr Index tile_rows = 48, tile_columns = 256;

/// Calls meet(row's place in `rows`, stress::PairRow) for all `rows` and every run of others, in a fixed order for each
/// row. y: n x dim; weights: n x n or null.
template <class Meet>
void meet_all(device::Cpu& cpu, const Source& source, const float* y, int dim, const float* weights,
              std::span<const Index> rows, const Meet& meet) {
    const Index n = source.size();
    const Axes axes(y, n, dim);
    cpu.blocks(std::ssize(rows), tile_rows, [&](Offset first, Offset last, int) {
        constexpr Offset at_once = 6;
        alignas(64) std::array<float, at_once * tile_columns> delta;
        for (Index begin = 0; begin < n; begin += tile_columns) {
            device::cancellation_point();
            const Index count = std::min(tile_columns, n - begin);
            const std::vector<const float*> others = axes.from(begin);
            for (Offset r = first; r < last; r += at_once) {
                const auto some =
                    rows.subspan(static_cast<std::size_t>(r), static_cast<std::size_t>(std::min(at_once, last - r)));
                source.tile(some, begin, count, delta.data(), tile_columns);
                for (std::size_t k = 0; k < some.size(); ++k) {
                    const float* weight = weights == nullptr ? nullptr : weights + Offset{some[k]} * n + begin;
                    meet(static_cast<std::size_t>(r) + k,
                         stress::PairRow{delta.data() + k * tile_columns, weight, others.data(),
                                         y + Offset{some[k]} * dim, dim, count});
                }
            }
        }
    });
}

}  // namespace dunlin::mds
