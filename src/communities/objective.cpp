// SPDX-License-Identifier: Apache-2.0
#include "communities/objective.hpp"

#include <algorithm>
#include <cmath>

#include "math/at.hpp"

namespace dunlin::communities {

namespace {

constexpr int weight_bits = 51;    ///< of the sum of all weights
constexpr int product_bits = 126;  ///< of a term of the objective
constexpr int factor_bits = 24;    ///< of the resolution of modularity: product_bits - 2 weight_bits

/// x * 2^shift, rounded.
Wide scaled(double x, int shift) { return static_cast<Wide>(std::nearbyint(std::ldexp(x, shift))); }

/// Bits that the weights give up for a resolution of more than factor_bits, as their product occurs squared.
int bits_for_resolution(const Options& o) {
    if (o.quality != Quality::modularity || o.resolution < 1) return 0;
    return std::max(0, (std::ilogb(o.resolution) + 3 - factor_bits) / 2);
}

}  // namespace

double units_per_weight(double total, const Options& options) {
    if (!(total > 0)) return 1;
    // One bit remains for weights that are rounded up to one unit
    return std::ldexp(1.0, weight_bits - 2 - bits_for_resolution(options) - std::ilogb(total));
}

PartitionObjective objective_of(Weight total, double units, const Options& options) {
    const double resolution = options.resolution;
    const int magnitude = resolution > 0 ? std::ilogb(resolution) : -factor_bits;
    if (options.quality == Quality::modularity) {
        const int shift = std::clamp(factor_bits - 2 - magnitude, 0, factor_bits);
        return {Wide{total} << shift, scaled(resolution, shift)};
    }
    // A resolution above the weight of all edges is as good as this weight
    constexpr int digits = 52, most_shift = product_bits - weight_bits - 1;
    const double one_pair = std::min(resolution * units, std::ldexp(1.0, weight_bits + 1));
    const int shift = std::clamp(digits - (one_pair > 0 ? std::ilogb(one_pair) : 0), 0, most_shift);
    return {Wide{1} << shift, scaled(one_pair, shift)};
}

Terms terms_of(device::Cpu& cpu, const WeightedLevel& base, const std::vector<Weight>& masses,
               const std::vector<Index>& labels) {
    device::Cell<Weight> inside;
    cpu.sum(
        base.size(),
        [&](Offset v) {
            Weight sum = 0;
            for (Offset e = base.offsets[at(v)]; e < base.offsets[at(v) + 1]; ++e) {
                if (labels[at(base.targets[at(e)])] == labels[at(v)]) sum += base.weights[at(e)];
            }
            return sum;
        },
        inside, 1024);
    std::vector<Weight> totals(labels.size());
    for (std::size_t v = 0; v < labels.size(); ++v) totals[at(labels[v])] += masses[v];
    Terms terms{inside.value, 0};
    for (const Weight total : totals) terms.squares += Wide{total} * Wide{total};
    return terms;
}

}  // namespace dunlin::communities
