// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/mds.hpp>

#include "initialization/noisy_coordinate.hpp"
#include "math/hd.hpp"
#include "mds/configuration.hpp"
#include "mds/smacof/stress_rows.hpp"
#include "mds/spectral/spectral.hpp"
#include "scores/sample.hpp"

/// Initialization of iterations: spectral or random, with optimal scale and jitter.
namespace dunlin::mds {

struct AddNoise {
    float* y;
    initialization::NoisyCoordinate blend;
    std::uint64_t seed;
    DUNLIN_HD void operator()(Offset k) const { y[k] = blend.at(seed, k, y[k]); }
};

struct ScaleCoordinate {
    float* y;
    double scale;
    DUNLIN_HD void operator()(Offset k) const { y[k] = static_cast<float>(scale * static_cast<double>(y[k])); }
};

struct SquaredCoordinate {
    const float* y;
    DUNLIN_HD double operator()(Offset k) const { return static_cast<double>(y[k]) * static_cast<double>(y[k]); }
};

/// Scales the map by sum d delta / sum d^2 over the pairs of `rows` with all items; returns the normalized_stress over
/// these pairs afterwards. A map with all points at one place is not changed.
template <class Exec, class Source>
double rescale(Exec& exec, const Source& source, Configuration<Exec>& configuration, std::span<const Index> rows) {
    const auto sums = [&] {
        StressSums all;
        for (const StressSums& row : stress_rows(exec, source, configuration.y.data(), configuration.dim, rows))
            all += row;
        return all;
    };
    const auto scale = [&](double factor) {
        exec.each(Offset{configuration.n} * configuration.dim, ScaleCoordinate{configuration.y.data(), factor});
    };
    StressSums all = sums();
    // Each term d (d - delta) of d_error loses delta where the map is much larger than the dissimilarities
    if (all.d2 > 0 && all.delta2 > 0) {
        scale(std::exp2(std::floor(std::log2(all.delta2 / all.d2) / 2)));
        all = sums();
    }
    if (all.d2 > 0) {
        scale(1 - all.d_error / all.d2);
        all.error2 -= all.d_error * all.d_error / all.d2;
    }
    return all.delta2 > 0 ? all.error2 / all.delta2 : 0;
}

/// rescale() over up to 64 random rows.
template <class Exec, class Source>
double rescale(Exec& exec, const Source& source, Configuration<Exec>& configuration, std::uint64_t seed) {
    constexpr Index some = 64;
    return rescale(exec, source, configuration, scores::rows_to_evaluate(configuration.n, some, some, seed));
}

/// Adds Gaussian noise of 1e-4 times the root mean square coordinate; of standard deviation 1 if all coordinates are 0.
template <class Exec>
void jitter(Exec& exec, Configuration<Exec>& configuration, std::uint64_t seed) {
    const Offset numbers = Offset{configuration.n} * configuration.dim;
    typename Exec::template Cell<double> squares;
    exec.sum(numbers, SquaredCoordinate{configuration.y.data()}, squares);
    const double size = std::sqrt(exec.read(squares) / static_cast<double>(std::max<Offset>(1, numbers)));
    exec.each(numbers, AddNoise{configuration.y.data(), {1, size > 0 ? 1e-4 * size : 1.0}, seed});
}

/// Sets random normal coordinates at the optimal scale; returns the stress.
template <class Exec, class Source>
double place_at_random(Exec& exec, const Source& source, Configuration<Exec>& configuration, std::uint64_t seed) {
    exec.fill(configuration.y, configuration.y.size(), 0.0F);
    exec.each(Offset{configuration.n} * configuration.dim, AddNoise{configuration.y.data(), {0, 1.0}, seed});
    return rescale(exec, source, configuration, seed);
}

/// True if classical scaling is cheap: Euclidean points, or at most 1,000 items.
inline bool has_cheap_axes(const Dissimilarities& items) {
    constexpr Index small_matrix = 1000;
    return items.metric() == neighbors::Metric::euclidean || items.size() <= small_matrix;
}

/// Sets the map by classical scaling where it is cheap, by 50 pivots otherwise; the scale is arbitrary.
template <class Exec, class Source>
void place_by_spectrum(Exec& exec, const Dissimilarities& items, const Source& source,
                       Configuration<Exec>& configuration, std::uint64_t seed) {
    constexpr Index pivots = 50;
    Run run;
    run.seed = seed;
    configuration.y = has_cheap_axes(items)
                          ? classical(exec, items, source, configuration.dim)
                          : pivot(exec, source, configuration.dim, std::min(pivots, configuration.n), run);
}

/// The spectral map with jitter, at the optimal scale; returns the stress. Jitter separates items that the spectral map
/// puts at one place because of a symmetry of the data.
template <class Exec, class Source>
double place_by_jittered_spectrum(Exec& exec, const Dissimilarities& items, const Source& source,
                                  Configuration<Exec>& configuration, std::uint64_t seed) {
    place_by_spectrum(exec, items, source, configuration, seed);
    jitter(exec, configuration, seed);
    return rescale(exec, source, configuration, seed);
}

/// Initial map at the optimal scale. It is random if pairs are missing, if `start` is random, or if the spectral map
/// has more stress than a random one (as for items that are all about equally dissimilar). Returns true if it is
/// random.
template <class Exec, class Source>
bool initialize(Exec& exec, const Dissimilarities& items, const Source& source, Configuration<Exec>& configuration,
                Start start, std::uint64_t seed) {
    const double at_random = place_at_random(exec, source, configuration, seed);
    if (start == Start::random || !source.complete()) return true;
    if (place_by_jittered_spectrum(exec, items, source, configuration, seed) <= at_random) return false;
    place_at_random(exec, source, configuration, seed);
    return true;
}

// CPU-only variants on Map:

/// As initialize().
Map initial_map(device::Cpu& cpu, const Dissimilarities& items, const Source& source, int dim, Start start,
                std::uint64_t seed);

void jitter(Map& map, std::uint64_t seed);

/// aligned() (align.hpp).
void align(Map& map);

}  // namespace dunlin::mds
