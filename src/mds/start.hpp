// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/mds.hpp>

#include "math/hd.hpp"
#include "mds/shape.hpp"
#include "mds/smacof/stress_rows.hpp"
#include "mds/spectral/spectral.hpp"
#include "scores/sample.hpp"
#include "start/mixture.hpp"

/// Where iterations begin, and how a map is turned at their end.
namespace dunlin::mds {

struct Shake {
    float* y;
    start::Mixture mixture;
    std::uint64_t seed;
    DUNLIN_HD void operator()(Offset k) const { y[k] = mixture.at(seed, k, y[k]); }
};

struct Stretch {
    float* y;
    double scale;
    DUNLIN_HD void operator()(Offset k) const { y[k] = static_cast<float>(scale * static_cast<double>(y[k])); }
};

struct Square {
    const float* y;
    DUNLIN_HD double operator()(Offset k) const { return static_cast<double>(y[k]) * static_cast<double>(y[k]); }
};

/// Multiplies the map by sum d delta / sum d^2 over all pairs of these items; returns the normalized_stress over these
/// that is left. A map without extent stays.
template <class Exec, class Source>
double rescale(Exec& exec, const Source& source, Shape<Exec>& shape, std::span<const Index> rows) {
    StressSums all;
    for (const StressSums& row : stress_rows(exec, source, shape.y.data(), shape.dim, rows)) all += row;
    if (all.d2 > 0) {
        exec.each(Offset{shape.n} * shape.dim, Stretch{shape.y.data(), 1 - all.d_error / all.d2});
        all.error2 -= all.d_error * all.d_error / all.d2;
    }
    return all.delta2 > 0 ? all.error2 / all.delta2 : 0;
}

/// The same of up to 64 items, drawn by the seed.
template <class Exec, class Source>
double rescale(Exec& exec, const Source& source, Shape<Exec>& shape, std::uint64_t seed) {
    constexpr Index some = 64;
    return rescale(exec, source, shape, scores::rows_to_evaluate(shape.n, some, some, seed));
}

/// Moves every item by about a ten-thousandth of the map's extent; from a map in one place by about 1.
template <class Exec>
void shake(Exec& exec, Shape<Exec>& shape, std::uint64_t seed) {
    const Offset numbers = Offset{shape.n} * shape.dim;
    typename Exec::template Cell<double> squares;
    exec.sum(numbers, Square{shape.y.data()}, squares);
    const double size = std::sqrt(exec.read(squares) / static_cast<double>(std::max<Offset>(1, numbers)));
    exec.each(numbers, Shake{shape.y.data(), {1, size > 0 ? 1e-4 * size : 1.0}, seed});
}

/// The map at random; returns its stress.
template <class Exec, class Source>
double scatter(Exec& exec, const Source& source, Shape<Exec>& shape, std::uint64_t seed) {
    exec.fill(shape.y, shape.y.size(), 0.0F);
    exec.each(Offset{shape.n} * shape.dim, Shake{shape.y.data(), {0, 1.0}, seed});
    return rescale(exec, source, shape, seed);
}

/// Whether classical scaling is cheap: of points' distances or of a small matrix.
inline bool has_cheap_axes(const Dissimilarities& items) {
    constexpr Index small_matrix = 1000;
    return items.metric() == neighbors::Metric::euclidean || items.size() <= small_matrix;
}

/// By classical scaling of points' distances or of a small matrix, by pivots of others; in any scale.
template <class Exec, class Source>
void place_by_spectrum(Exec& exec, const Dissimilarities& items, const Source& source, Shape<Exec>& shape,
                       std::uint64_t seed) {
    constexpr Index pivots = 50;
    Run run;
    run.seed = seed;
    shape.y = has_cheap_axes(items) ? classical(exec, items, source, shape.dim)
                                    : pivot(exec, source, shape.dim, std::min(pivots, shape.n), run);
}

/// That map, shaken by a ten-thousandth, so that no two items share a place that mirror each other in the data. Returns
/// its stress.
template <class Exec, class Source>
double unfold(Exec& exec, const Dissimilarities& items, const Source& source, Shape<Exec>& shape, std::uint64_t seed) {
    place_by_spectrum(exec, items, source, shape, seed);
    shake(exec, shape, seed);
    return rescale(exec, source, shape, seed);
}

/// The first map, at the scale whose stress is least: at random where pairs are missing, where that is asked for, or
/// where it is no worse than the axes of a spectrum, which crowd items that are all about equally unlike. Returns
/// whether it is at random.
template <class Exec, class Source>
bool begin(Exec& exec, const Dissimilarities& items, const Source& source, Shape<Exec>& shape, Start start,
           std::uint64_t seed) {
    const double at_random = scatter(exec, source, shape, seed);
    if (start == Start::random || !source.complete()) return true;
    if (unfold(exec, items, source, shape, seed) <= at_random) return false;
    scatter(exec, source, shape, seed);
    return true;
}

// Of maps, for methods that know of a CPU only:

/// The first one, as begin() finds it.
Map first_map(device::Cpu& cpu, const Dissimilarities& items, const Source& source, int dim, Start start,
              std::uint64_t seed);

void shake(Map& map, std::uint64_t seed);

/// aligned() (align.hpp).
void align(Map& map);

}  // namespace dunlin::mds
