// SPDX-License-Identifier: Apache-2.0
#include "mds/smacof/fixed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/at.hpp"

namespace dunlin::mds {

FixedAndFree split_fixed(const Map& map) {
    FixedAndFree parts;
    parts.items.resize(at(map.size()));
    std::iota(parts.items.begin(), parts.items.end(), Index{0});
    const auto free = std::stable_partition(parts.items.begin(), parts.items.end(), [&](Index i) {
        return !std::isnan(map.coordinates[at(Offset{i} * map.dim)]);
    });
    parts.fixed = static_cast<Index>(free - parts.items.begin());
    parts.free = map.size() - parts.fixed;
    return parts;
}

}  // namespace dunlin::mds
