// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "math/at.hpp"
#include "names/formulas.hpp"
#include "numerics/sort.hpp"

namespace dunlin::naming {

/// The numbers of values, that of the largest magnitude first: sorted as floats, then those of one float.
inline std::vector<Index> by_falling_magnitude(std::span<const double> values) {
    std::vector<numerics::Keyed> keyed;
    keyed.reserve(values.size());
    for (const double value : values) {
        const auto key = std::bit_cast<std::uint32_t>(static_cast<float>(std::abs(value)));
        keyed.push_back({~key, static_cast<Index>(keyed.size())});
    }
    device::Cpu alone(1);
    numerics::RadixSort().sort(alone, keyed, 32);
    const auto larger = [&](const numerics::Keyed& a, const numerics::Keyed& b) {
        return std::abs(values[at(a.item)]) > std::abs(values[at(b.item)]);
    };
    for (auto first = keyed.begin(), last = first; first != keyed.end(); first = last) {
        while (last != keyed.end() && last->key == first->key) ++last;
        std::sort(first, last, larger);
    }
    std::vector<Index> order;
    order.reserve(values.size());
    for (const numerics::Keyed& each : keyed) order.push_back(each.item);
    return order;
}

/// Two-sided p of standard normal values, adjusted for their number: of the i-th smallest p of m, the least p_j m / j
/// of all j >= i, at most 1 (Benjamini and Hochberg 1995).
inline std::vector<double> adjusted_p(std::span<const double> z) {
    const std::vector<Index> order = by_falling_magnitude(z);
    std::vector<double> adjusted(z.size());
    double least = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        const double p = two_sided(z[at(order[i])]);
        least = std::min(least, p * static_cast<double>(order.size()) / static_cast<double>(i + 1));
        adjusted[at(order[i])] = least;
    }
    return adjusted;
}

}  // namespace dunlin::naming
