// SPDX-License-Identifier: Apache-2.0
#include "reliability/null_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dunlin::reliability {

std::vector<float> shares_below(std::span<const float> values, std::vector<float> null) {
    std::erase_if(null, [](float value) { return std::isnan(value); });
    std::sort(null.begin(), null.end());
    std::vector<float> shares(values.size(), std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) continue;
        const auto [first, last] = std::equal_range(null.begin(), null.end(), values[i]);
        const double below = static_cast<double>(first - null.begin()) + 0.5 * static_cast<double>(last - first);
        shares[i] = static_cast<float>((below + 0.5) / (static_cast<double>(null.size()) + 1));
    }
    return shares;
}

}  // namespace dunlin::reliability
