// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

/// Maps far from zero: float32 coordinates less an origin in double.
namespace dunlin::io {

/// A map of coordinates in double, [point][axis]. Its origin is the given one, if that has dim axes, else by
/// the rule of columns of points (narrow.hpp) from some of its points. Coordinates may be NaN.
DUNLIN_API Map map_of(int dim, const std::vector<double>& coordinates,
                      const std::optional<std::vector<double>>& origin = {});

/// A coordinate with its origin added. Returns the decimal number with the fewest digits that is stored as the same
/// float. A number that was read is thus returned unchanged if float32, without the origin, holds all its digits.
DUNLIN_API double coordinate_of(const Map& map, Index point, int axis);

/// All coordinates with their origin.
DUNLIN_API std::vector<double> coordinates_of(const Map& map);

/// The common origin of the maps of a call: that of the first one, which the readers of the others take.
class CommonOrigin {
public:
    /// For read_map() and read_partial_map(): nothing before the first map.
    [[nodiscard]] const std::optional<std::vector<double>>& given() const { return given_; }

    void take(const Map& map) {
        if (given_) return;
        given_ = map.origin.empty() ? std::vector<double>(static_cast<std::size_t>(map.dim), 0.0) : map.origin;
        of_result_ = map.origin;
    }

    /// The origin of the map that the call makes.
    [[nodiscard]] const std::vector<double>& of_result() const { return of_result_; }

private:
    std::optional<std::vector<double>> given_;
    std::vector<double> of_result_;
};

}  // namespace dunlin::io
