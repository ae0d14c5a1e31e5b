// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <dunlin/density.hpp>

#include "density/placement.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

/// The estimate, once for both devices. An Engine holds the points and has
///   survey(with_scale)              the Survey of the points; with_scale: also variances and interquartile ranges
///   prepare(placement)              allocates the grid
///   charge(weights)                 spreads the points times their weights (empty: 1), returns the sum of the charges
///   convolve(scale, field)          field = scale * charges * Gaussian
///   divide(sums, counts, low, range) sums = low + range * sums / counts, NaN where counts are 0
///   mass(field)                     sum of the values
///   ranked(field, ranks, missing)   values of these ranks at the points, and how many points have at least each value
///   Field                           a buffer of nodes
namespace dunlin::density {

/// Values relative to their range, from 0 to 1, and 1 for each point that has a value.
struct RelativeValues {
    double low = 0, range = 0;
    Offset missing = 0;
    std::vector<float> values, present;  ///< present: empty if no value is missing
};
RelativeValues relative_values(std::span<const double> values);

/// Ranks, from the smallest, of the values that the highest-density regions of n points begin with.
std::vector<Offset> ranks_of(const std::vector<double>& percentages, Offset n);

struct RankedValues {
    std::vector<float> values;
    std::vector<Offset> at_least;
};

template <class Engine>
class Estimation {
public:
    Estimation(Engine& engine, Index n, int dim, const Options& wanted, const Run& run, Result& result)
        : engine_(engine), n_(n), result_(result), reporter_(run, "bandwidth", 1) {
        percentages_ = percentages_of(wanted.bands);
        result.options = wanted;
        const Survey survey = engine.survey(!wanted.bandwidth);
        placement_ = place(result.options, survey, n, dim);
        next("bandwidth", "spread");
    }

    void run(const Given& given) {
        engine_.prepare(placement_);
        const std::int64_t total = engine_.charge({});
        next("spread", "convolve");
        engine_.convolve(scale_of(n_, total), field);
        result_.mass = engine_.mass(field) * std::pow(placement_.spacing, placement_.dim);
        next("convolve", "bands");
        result_.bands = bands_of(field, 0);
        next("bands", given.values.empty() ? "bands" : "spread");
        if (!given.values.empty()) find_mean(relative_values(given.values));
    }

    const Placement& placement() const { return placement_; }

    typename Engine::Field field, mean;

private:
    void next(std::string_view finished, std::string_view stage) {
        reporter_.announce(1);
        progress::cancellation_point();
        result_.seconds[finished] += watch_.lap();
        reporter_.rename(stage, 1);
    }

    /// Factor from charges that sum to `total` to points per unit of the map.
    [[nodiscard]] double scale_of(Offset points, std::int64_t total) const {
        const double taps = sum_of_taps(placement_.taps) * placement_.spacing;
        return static_cast<double>(points) / static_cast<double>(total) / std::pow(taps, placement_.dim);
    }

    /// Factor from charges that sum to `total` to points per cell. These fit into float32 in any unit of the map.
    [[nodiscard]] double scale_per_cell(Offset points, std::int64_t total) const {
        return static_cast<double>(points) / static_cast<double>(total) /
               std::pow(sum_of_taps(placement_.taps), placement_.dim);
    }

    void find_mean(const RelativeValues& relative) {
        result_.missing = relative.missing;
        if (relative.missing == n_) return;
        typename Engine::Field counts;
        const std::int64_t total = engine_.charge(relative.present);
        const double scale = scale_per_cell(n_ - relative.missing, total);
        engine_.convolve(scale, counts);
        engine_.charge(relative.values);
        next("spread", "convolve");
        engine_.convolve(scale, mean);
        engine_.divide(mean, counts, relative.low, relative.range);
        next("convolve", "bands");
        result_.mean_bands = bands_of(mean, relative.missing, relative.present);
        next("bands", "bands");
    }

    std::vector<Band> bands_of(const typename Engine::Field& of, Offset missing, std::span<const float> present = {}) {
        if (percentages_.empty()) return {};
        const std::vector<Offset> ranks = ranks_of(percentages_, n_ - missing);
        std::vector<Offset> shifted;
        shifted.reserve(ranks.size());
        for (const Offset rank : ranks) shifted.push_back(rank + missing);  // missing values are below all others
        const RankedValues ranked = engine_.ranked(of, shifted, present);
        std::vector<Band> bands;
        bands.reserve(ranks.size());
        for (std::size_t b = 0; b < ranks.size(); ++b)
            bands.push_back({percentages_[b], static_cast<double>(ranked.values[b]), ranked.at_least[b]});
        return bands;
    }

    Engine& engine_;
    Offset n_;
    Result& result_;
    progress::ProgressReporter reporter_;
    progress::Stopwatch watch_;
    Placement placement_;
    std::vector<double> percentages_;
};

}  // namespace dunlin::density
