// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>

#include <dunlin/mds.hpp>

#include "math/hd.hpp"
#include "math/rng.hpp"
#include "math/vec.hpp"
#include "mds/input/source.hpp"
#include "stress/classical_scaling.hpp"
#include "stress/farthest_first.hpp"

/// Maps from eigenvectors of squared dissimilarities, n x dim, once for every executor. The same seed gives the same
/// bytes for any number of threads. An axis whose eigenvalue is not above 0 is 0. No pair may be missing.
///
/// An executor has distances_to(), gram(), squares_times() and principal_axes().
namespace dunlin::mds {

/// to[k * count + j]: dissimilarity of the chosen items k and j.
struct Corner {
    const float* delta;  ///< n x count: to those that are chosen
    const Index* chosen;
    Offset count;
    float* to;
    DUNLIN_HD void operator()(Offset at) const { to[at] = delta[chosen[at / count] * count + at % count]; }
};

/// One coordinate of an item by triangulation (stress::Triangulation).
struct Triangulate {
    const float* delta;  ///< n x count
    const double *mean, *axes;
    Index count;
    int dim;
    float* y;
    DUNLIN_HD void operator()(Offset at) const {
        const float* row = delta + at / dim * count;
        double sum = 0;
        for (Offset k = 0; k < count; ++k)
            sum += (static_cast<double>(row[k]) * static_cast<double>(row[k]) - mean[k]) * axes[k * dim + at % dim];
        y[at] = static_cast<float>(-0.5 * sum);
    }
};

/// Squares of up to four dissimilarities of an item, from column `first` on.
struct FourSquares {
    const float* delta;
    Offset count, first;
    DUNLIN_HD math::Vec<double, 4> operator()(Offset i) const {
        math::Vec<double, 4> squares;
        for (Offset k = first; k < count && k < first + 4; ++k) {
            const auto d = static_cast<double>(delta[i * count + k]);
            squares.at[k - first] = d * d;
        }
        return squares;
    }
};

/// Replaces a row of dissimilarities by that of -1/2 J D^2 J, given the means of the columns.
struct CenterRow {
    float* delta;
    const double* mean;
    Offset count;
    DUNLIN_HD void operator()(Offset i) const {
        float* row = delta + i * count;
        const auto square = [&](Offset k) {
            return static_cast<double>(row[k]) * static_cast<double>(row[k]) - mean[k];
        };
        double own = 0;
        for (Offset k = 0; k < count; ++k) own += square(k) / static_cast<double>(count);
        for (Offset k = 0; k < count; ++k) row[k] = static_cast<float>(-0.5 * (square(k) - own));
    }
};

struct TimesAxes {
    const float* c;  ///< n x count
    const double* axes;
    Offset count;
    int dim;
    float* y;
    DUNLIN_HD void operator()(Offset at) const {
        double sum = 0;
        for (Offset k = 0; k < count; ++k)
            sum += static_cast<double>(c[at / dim * count + k]) * axes[k * dim + at % dim];
        y[at] = static_cast<float>(sum);
    }
};

/// Buffer of a map or of columns of dissimilarities.
template <class Exec>
using Numbers = typename Exec::template Buffer<float>;

template <class Exec, class Source>
Numbers<Exec> empty_columns(Exec& exec, const Source& source, Offset count) {
    Numbers<Exec> columns;
    exec.resize(columns, static_cast<std::size_t>(source.size() * count));
    return columns;
}

/// Landmark MDS (de Silva and Tenenbaum 2004): classical scaling of the chosen items; the others by triangulation from
/// their squared dissimilarities to these.
template <class Exec, class Source>
Numbers<Exec> landmark(Exec& exec, const Source& source, int dim, std::span<const Index> chosen, const Run& run) {
    const auto count = static_cast<Index>(chosen.size());
    Numbers<Exec> delta = empty_columns(exec, source, count), corner, y = empty_columns(exec, source, dim);
    distances_to(exec, source, chosen, delta.data(), count, run);
    typename Exec::template Buffer<Index> items;
    typename Exec::template Buffer<double> mean, axes;
    exec.upload(items, chosen);
    exec.resize(corner, static_cast<std::size_t>(Offset{count} * count));
    exec.each(Offset{count} * count, Corner{delta.data(), items.data(), count, corner.data()});
    const stress::Triangulation found = stress::triangulation_of(exec.host(corner), count, dim);
    exec.upload(mean, std::span<const double>(found.mean));
    exec.upload(axes, std::span<const double>(found.axes));
    exec.each(Offset{source.size()} * dim, Triangulate{delta.data(), mean.data(), axes.data(), count, dim, y.data()});
    return y;
}

/// Left singular vectors of the doubly centered squares of delta (n x count, overwritten), scaled to those of n
/// columns.
template <class Exec, class Source>
Numbers<Exec> pivot_map(Exec& exec, const Source& source, int dim, Index count, Numbers<Exec> delta) {
    const Index n = source.size();
    typename Exec::template Cell<math::Vec<double, 4>> four;
    typename Exec::template Buffer<double> means, axes;
    std::vector<double> mean;
    for (Index first = 0; first < count; first += 4) {
        exec.sum(n, FourSquares{delta.data(), count, first}, four);
        const auto sums = exec.read(four);
        for (Index k = 0; k < 4 && first + k < count; ++k) mean.push_back(sums.at[k] / n);
    }
    exec.upload(means, std::span<const double>(mean));
    exec.each(n, CenterRow{delta.data(), means.data(), count});
    const std::vector<double> found = stress::pivot_axes(gram(exec, source, delta, count), count, dim, n);
    exec.upload(axes, std::span<const double>(found));
    Numbers<Exec> y = empty_columns(exec, source, dim);
    exec.each(Offset{n} * dim, TimesAxes{delta.data(), axes.data(), count, dim, y.data()});
    return y;
}

/// Pivot MDS (Brandes and Pich 2007) with `count` pivots by farthest-first traversal; the first is random.
template <class Exec, class Source>
Numbers<Exec> pivot(Exec& exec, const Source& source, int dim, Index count, const Run& run) {
    const Index n = source.size();
    Numbers<Exec> delta = empty_columns(exec, source, count);
    const auto first = static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), run.seed, 0));
    stress::farthest_first(exec, n, count, first, delta.data(), [&](Index pivot, Index k) {
        distances_to(exec, source, std::span(&pivot, 1), delta.data() + k, count, run);
    });
    return pivot_map(exec, source, dim, count, std::move(delta));
}

/// Classical scaling (Torgerson 1952). Euclidean distances of points: their principal coordinates, which are the same.
/// A matrix: exact up to 1,000 items, beyond by block Krylov iteration.
template <class Exec, class Source>
Numbers<Exec> classical(Exec& exec, const Dissimilarities& items, const Source& source, int dim) {
    constexpr Index largest_exact = 1000;
    const Index n = source.size();
    if (items.metric() == neighbors::Metric::euclidean) return principal_axes(exec, items, source, dim);
    std::vector<float> found;
    if (n > largest_exact) {
        const auto times = [&](const std::vector<double>& v, Index width) {
            return squares_times(exec, source, v, width);
        };
        found = stress::classical_scaling_by_krylov(times, n, dim);
    } else {
        std::vector<Index> all(static_cast<std::size_t>(n));
        std::iota(all.begin(), all.end(), Index{0});
        Numbers<Exec> delta = empty_columns(exec, source, n);
        distances_to(exec, source, all, delta.data(), n, {});
        found = stress::classical_scaling(exec.host(delta), n, dim);
    }
    Numbers<Exec> y;
    exec.upload(y, std::span<const float>(found));
    return y;
}

// On a CPU:

/// to[i * stride + k] = delta(chosen[k], i) for all items i. On-demand rows are requested first (Source).
void distances_to(device::Cpu& cpu, const Source& source, std::span<const Index> chosen, float* to, Index stride,
                  const Run& run);
/// c'c, count x count, of c, n x count.
std::vector<double> gram(device::Cpu& cpu, const Source& source, const std::vector<float>& c, Index count);
/// D^2 v (stress::SquaresTimes).
std::vector<double> squares_times(device::Cpu& cpu, const Source& source, const std::vector<double>& v, Index width);
/// The principal coordinates of points, n x dim.
std::vector<float> principal_axes(device::Cpu& cpu, const Dissimilarities& items, const Source& source, int dim);

}  // namespace dunlin::mds
