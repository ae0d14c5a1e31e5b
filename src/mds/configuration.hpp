// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include <dunlin/types.hpp>

#include "mds/input/source.hpp"
#include "progress/cancel.hpp"
#include "stress/rows.hpp"

namespace dunlin::mds {

/// State of an iteration: the map and its gradient. Coordinates are n x dim, in the unit of the dissimilarities.
template <class Exec>
struct Configuration {
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;
    template <class T>
    using Cell = typename Exec::template Cell<T>;

    Index n = 0;
    int dim = 2;
    Buffer<float> y;
    Buffer<float> force;   ///< n x dim: half of the negative gradient of stress
    Buffer<double> error;  ///< n: sum of w (d - delta)^2 over the pairs of an item
    Cell<double> stress;   ///< sum over pairs i < j of w (d - delta)^2
    Buffer<double> parts;  ///< scratch of reductions
};

/// n items, all at the origin.
template <class Exec>
Configuration<Exec> empty_configuration(Exec& exec, Index n, int dim) {
    Configuration<Exec> configuration;
    configuration.n = n;
    configuration.dim = dim;
    const auto numbers = static_cast<std::size_t>(Offset{n} * dim);
    exec.fill(configuration.y, numbers, 0.0F);
    exec.fill(configuration.force, numbers, 0.0F);
    exec.fill(configuration.error, static_cast<std::size_t>(n), 0.0);
    return configuration;
}

template <class Exec>
Configuration<Exec> configuration_at(Exec& exec, const Map& map) {
    auto configuration = empty_configuration(exec, map.size(), map.dim);
    exec.upload(configuration.y, std::span<const float>(map.coordinates));
    return configuration;
}

/// Coordinates stored axis by axis (structure of arrays).
class MapByAxis {
public:
    MapByAxis(const float* y, Index n, int dim) : values_(static_cast<std::size_t>(Offset{n} * dim)) {
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

/// Calls visit(index in `rows`, stress::PairRow) for each row and each block of 256 other items, in a fixed order for
/// each row. y: n x dim; weights: n x n or null.
template <class Visit>
void for_each_tile(device::Cpu& cpu, const Source& source, const float* y, int dim, const float* weights,
                   std::span<const Index> rows, const Visit& visit) {
    const Index n = source.size();
    const MapByAxis axes(y, n, dim);
    cpu.blocks(std::ssize(rows), tile_rows, [&](Offset first, Offset last, int) {
        constexpr Offset at_once = 6;
        alignas(64) std::array<float, at_once * tile_columns> delta;
        for (Index begin = 0; begin < n; begin += tile_columns) {
            progress::cancellation_point();
            const Index count = std::min(tile_columns, n - begin);
            const std::vector<const float*> others = axes.from(begin);
            for (Offset r = first; r < last; r += at_once) {
                const auto some =
                    rows.subspan(static_cast<std::size_t>(r), static_cast<std::size_t>(std::min(at_once, last - r)));
                source.tile(some, begin, count, delta.data(), tile_columns);
                for (std::size_t k = 0; k < some.size(); ++k) {
                    const float* weight = weights == nullptr ? nullptr : weights + Offset{some[k]} * n + begin;
                    visit(static_cast<std::size_t>(r) + k,
                          stress::PairRow{delta.data() + k * tile_columns, weight, others.data(),
                                          y + Offset{some[k]} * dim, dim, count});
                }
            }
        }
    });
}

}  // namespace dunlin::mds
