// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <dunlin/types.hpp>

#include "math/rng.hpp"
#include "math/vec.hpp"
#include "mds/configuration.hpp"
#include "mds/input/distance.hpp"

namespace dunlin::mds {

/// Weights of pairs and their maximum, for sources without weights.
struct UnitWeight {
    DUNLIN_HD float operator()(Index, Index) const { return 1; }
};
template <class Source>
UnitWeight weights_of(const Source&) {
    return {};
}
template <class Source>
float largest_weight(const Source&) {
    return 1;
}

/// w (d - delta)^2 and w delta^2 of validation pair k. The pairs are a function of the seed.
template <class Between, class Weight>
struct ValidationPairError {
    Between between;
    Weight weight;
    const float* y;
    int dim;
    std::uint64_t n, seed;

    DUNLIN_HD math::Vec<double, 2> operator()(Offset k) const {
        constexpr std::uint64_t stream = 0x68656c64;
        const auto pair = static_cast<std::uint64_t>(k);
        const auto i = static_cast<Index>(math::random_below(n, seed + stream, pair, 0));
        const auto j = static_cast<Index>(math::random_below(n, seed + stream, pair, 1));
        const float delta = between(i, j);
        if (!(delta >= 0)) return {};
        const float *one = y + Offset{i} * dim, *other = y + Offset{j} * dim;
        const double error = distance<double>(one, other, dim) - static_cast<double>(delta);
        const auto w = static_cast<double>(weight(i, j));
        return {w * error * error, w * static_cast<double>(delta) * static_cast<double>(delta)};
    }
};

/// normalized_stress over a fixed random set of validation pairs: eight per item, at least 262,144, at most 1,048,576.
/// (With 32,768 pairs it differs by up to 1% between equally good maps.) Waits for the device.
template <class Exec, class Source>
double validation_stress(Exec& exec, const Source& source, const Configuration<Exec>& configuration,
                         std::uint64_t seed) {
    const Offset pairs = std::clamp<Offset>(Offset{8} * configuration.n, 1 << 18, 1 << 20);
    typename Exec::template Cell<math::Vec<double, 2>> cell;
    exec.sum(pairs,
             ValidationPairError{source.between(), weights_of(source), configuration.y.data(), configuration.dim,
                                 static_cast<std::uint64_t>(configuration.n), seed},
             cell);
    const auto sums = exec.read(cell);
    return sums.at[1] > 0 ? sums.at[0] / sums.at[1] : 0;
}

}  // namespace dunlin::mds
