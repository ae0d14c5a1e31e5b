// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::scores {

/// A transposed map: coordinate c of all points is at [c * size, (c + 1) * size).
struct CoordinateColumns {
    Index size = 0;
    int dim = 0;
    std::vector<float> values;

    explicit CoordinateColumns(const Map& map) : size(map.size()), dim(map.dim), values(map.coordinates.size()) {
        for (Index i = 0; i < size; ++i) {
            for (int c = 0; c < dim; ++c)
                values[place(c, i)] =
                    map.coordinates[static_cast<std::size_t>(i) * width() + static_cast<std::size_t>(c)];
        }
    }
    /// With the points in the given order.
    CoordinateColumns(const Map& map, std::span<const Index> order)
        : size(map.size()), dim(map.dim), values(map.coordinates.size()) {
        for (Index i = 0; i < size; ++i) {
            const auto from = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]) * width();
            for (int c = 0; c < dim; ++c) values[place(c, i)] = map.coordinates[from + static_cast<std::size_t>(c)];
        }
    }
    [[nodiscard]] const float* column(int c) const { return values.data() + place(c, 0); }

private:
    [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(dim); }
    [[nodiscard]] std::size_t place(int c, Index i) const {
        return static_cast<std::size_t>(c) * static_cast<std::size_t>(size) + static_cast<std::size_t>(i);
    }
};

}  // namespace dunlin::scores
