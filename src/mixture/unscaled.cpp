// SPDX-License-Identifier: Apache-2.0
#include <dunlin/mixture.hpp>

#include <vector>

#include "math/at.hpp"

namespace dunlin::mixture {

std::vector<double> unscaled_variances(const Result& result, const ColumnScales& scales) {
    if (scales.empty()) return result.variances;
    const bool is_spherical = result.options.covariance == Covariance::spherical,
               is_diagonal = is_spherical || result.options.covariance == Covariance::diagonal;
    const std::size_t cols = scales.scale.size();
    const auto unit = [&](std::size_t column) {
        const double scale = scales.scale[column];
        return scale > 0 ? 1 / scale : 0;
    };
    std::vector<double> variances(result.variances.size() * (is_spherical ? cols : 1));
    for (std::size_t i = 0; i < variances.size(); ++i) {
        const std::size_t column = i % cols, other = is_diagonal ? column : i / cols % cols;
        const double variance = result.variances[is_spherical ? i / cols : i];
        variances[i] = variance * unit(column) * unit(other);
    }
    return variances;
}

}  // namespace dunlin::mixture
