// SPDX-License-Identifier: Apache-2.0
#include "mixture/floors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/at.hpp"
#include "math/rng.hpp"
#include "progress/cancel.hpp"

namespace dunlin::mixture {

std::vector<Offset> rows_to_measure(Offset rows) {
    // Quartiles of so many rows are within 2% of a standard deviation of those of all, the variance within 5%
    constexpr Offset most = 4096;
    std::vector<Offset> chosen(at(std::min(rows, most)));
    std::iota(chosen.begin(), chosen.end(), Offset{0});
    if (rows <= most) return chosen;
    for (Offset& row : chosen) {
        row = static_cast<Offset>(
            math::random_below(static_cast<std::uint64_t>(rows), 0, static_cast<std::uint64_t>(row)));
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

double tame_variance(std::vector<float> cells) {
    constexpr double farthest = 16;
    if (cells.empty()) return 0;
    std::sort(cells.begin(), cells.end());
    std::size_t below = cells.size() / 4;
    while (below > 0 && cells[below] == cells[cells.size() - 1 - below]) below /= 2;
    const auto low = static_cast<double>(cells[below]), high = static_cast<double>(cells[cells.size() - 1 - below]);
    const double middle = low + (high - low) / 2, reach = farthest * (high - low) / 2;
    double count = 0, sum = 0, squares = 0;
    for (const float cell : cells) {
        const double from_middle = static_cast<double>(cell) - middle;
        if (!(std::abs(from_middle) <= reach)) continue;
        count += 1, sum += from_middle, squares += from_middle * from_middle;
    }
    return high > low ? squares / count - sum / count * (sum / count) : 0;
}

Vector floors_of(const std::vector<float>& cells, Index cols, const Options& options) {
    Vector floors = Vector::Constant(cols, options.floor);
    if (options.floor_unit == FloorUnit::data) return floors;
    const std::size_t rows = cells.size() / at(std::max<Index>(cols, 1));
    std::vector<float> column(rows);
    Vector spreads = Vector::Zero(cols);
    for (Index c = 0; c < cols; ++c) {
        progress::cancellation_point();
        for (std::size_t r = 0; r < rows; ++r) column[r] = cells[r * at(cols) + at(c)];
        spreads(c) = tame_variance(column);
    }
    double least = std::numeric_limits<double>::infinity();
    for (const double spread : spreads) least = spread > 0 ? std::min(least, spread) : least;
    // A constant column has no unit of its own; the least of the others does not rule a mean of all
    const double of_constant = std::isfinite(least) ? least : 1;
    for (Index c = 0; c < cols; ++c) floors(c) *= spreads(c) > 0 ? spreads(c) : of_constant;
    return floors;
}

std::vector<Index> floored_columns(const std::vector<Component>& components, const Vector& floors,
                                   Covariance covariance) {
    constexpr double much = 0.1;
    std::vector<Index> counts(at(floors.size()), 0);
    const std::size_t matrices = covariance == Covariance::tied ? 1 : components.size();
    for (std::size_t k = 0; k < std::min(matrices, components.size()); ++k) {
        const Component& component = components[k];
        if (!(component.share > 0)) continue;
        for (Index c = 0; c < floors.size(); ++c) {
            const bool by_factor = covariance == Covariance::full || covariance == Covariance::tied;
            const double variance =
                by_factor ? component.whitening(c, c) * component.whitening(c, c) : component.covariance(c, 0);
            const double floor = covariance == Covariance::spherical ? floors.mean() : floors(c);
            if (floor >= much * variance) ++counts[at(c)];
        }
    }
    return counts;
}

std::string sentence_of_floor(const Result& result, const std::function<std::string(Index)>& name_of) {
    const auto most = std::max_element(result.floored.begin(), result.floored.end());
    if (most == result.floored.end() || *most == 0) return "";
    const auto columns = std::count_if(result.floored.begin(), result.floored.end(), [](Index k) { return k > 0; });
    const bool spherical = result.options.covariance == Covariance::spherical;
    const std::string which = spherical ? "all columns" : name_of(static_cast<Index>(most - result.floored.begin()));
    const std::string others =
        spherical || columns == 1 ? "" : fmt::format(", and of {} other column{}", columns - 1, columns > 2 ? "s" : "");
    const std::string where = result.options.covariance == Covariance::tied
                                  ? "in all components"
                                  : fmt::format("in {} of {} components", *most, result.shares.size());
    return fmt::format(
        "the floor makes a tenth or more of the variance of {} {}{}: there the rows are equal, depend on "
        "each other or are too few, and the likelihood depends on the floor",
        which, where, others);
}

}  // namespace dunlin::mixture
