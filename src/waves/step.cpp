// SPDX-License-Identifier: Apache-2.0
#include "waves/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <dunlin/error.hpp>

#include "math/at.hpp"
#include "waves/adaptive_step.hpp"
#include "waves/chebyshev.hpp"
#include "waves/implicit/engine.hpp"
#include "waves/limits.hpp"
#include "waves/rates.hpp"

namespace dunlin::waves {

namespace {

/// Relative to the scale of values. Hundreds of steps of diffusion then add up to less than 0.001, and values leave the
/// range of the start by no more than this.
constexpr double default_tolerance = 1e-6;

/// Error of a fixed step, relative to the scale of values: half of the error of 0.01 that a default may have.
constexpr double accuracy = 0.005;

/// 0 to 1, the start, the stimuli, and beyond these as far as the current can drive v.
ValueRange range_of(const Problem& problem, const Given& given) {
    ValueRange range;
    const auto widen = [&](double value) {
        range.low = std::min(range.low, value);
        range.high = std::max(range.high, value);
        range.recovery = std::max(range.recovery, std::abs(value));
    };
    for (const double v : given.v) widen(v);
    for (const Stimulus& s : given.stimuli) widen(s.value);
    if (problem.watches_recovery()) {
        for (const double w : given.w) widen(w);
    }
    const Model model = problem.options.model;
    if (model != Model::fitzhugh_nagumo && model != Model::nagumo) return range;
    double least = 0, most = 0;  // of the input: the current, and the start of w, which acts as one
    const auto add = [&](std::span<const double> values, double sign) {
        if (values.empty()) return;
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        least += std::min(sign * *low, sign * *high);
        most += std::max(sign * *low, sign * *high);
    };
    add(problem.current, 1);
    add(given.w, -1);
    const auto drives = [&](double v, double input) { return cubic_plus(problem.coefficients, v, input); };
    while (most > 0 && drives(range.high, most) > 0) range.high *= 1.125;
    while (least < 0 && drives(range.low, least) < 0) range.low = std::min(range.low * 1.125, -0.125);
    return range;
}

/// Largest eigenvalue of the negative Laplacian of unit spacing, as the coefficients have it.
double unit_bound(const Problem& problem) {
    Domain unit = problem.domain;
    unit.spacing = 1;
    return spectral_bound(unit, problem.options.laplacian);
}

/// The largest magnitudes of v' and v'' at the start of diffusion, where v'' = J v'; later ones are not larger, by the
/// maximum principle, if no stimulus begins or ends. Else, and with noise: those of a jump of this scale at one node.
std::array<double, 2> derivatives_of(device::Cpu& cpu, const Problem& problem, const Given& given) {
    const double scale = problem.scale, fastest = problem.stiffness;
    if (next_event(problem, 0) < forever || problem.noise > 0) return {fastest * scale, fastest * fastest * scale};
    const device::Slice all{0, problem.size()};
    Values now(problem), first(problem), second(problem);
    now.v = start_of(problem, given).v;
    FieldRates(problem).find(cpu, now, first);
    hold(problem, 0, first.v, 0);
    Problem linear = problem;
    linear.current.clear();
    FieldRates(linear).find(cpu, first, second);
    hold(problem, 0, second.v, 0);
    return {largest_magnitude(cpu, first, all), largest_magnitude(cpu, second, all)};
}

/// The largest fixed step of diffusion whose error stays below `accuracy` at any time. A scheme of order p adds
/// c dt^(p+1) |L^(p+1) v| in a step. Errors decay as values do, and |t L exp(-t L)| <= 1, so that all steps together
/// add less than c dt^p |L^p v(0)|. c: 1/2 for Euler, 1/6 for Heun (and for the others of order 2, which have less).
double accurate_step(device::Cpu& cpu, const Problem& problem, const Given& given) {
    const double scale = problem.scale;
    const auto [first, second] = derivatives_of(cpu, problem, given);
    const Scheme scheme = problem.options.scheme;
    if (scheme == Scheme::euler || scheme == Scheme::adaptive) return 2 * accuracy * scale / first;
    return std::sqrt(6 * accuracy * scale / second);
}

/// The range of values, without their magnitude's rounding.
struct StepExtent {
    double low = forever, high = -forever, magnitude = 0;
    void add(double value) {
        low = std::min(low, value), high = std::max(high, value), magnitude = std::max(magnitude, std::abs(value));
    }
    [[nodiscard]] double range() const { return high > low ? high - low : 0; }
};

StepExtent extent_of(const Problem& problem, const Given& given) {
    StepExtent extent;
    for (const double v : given.v) extent.add(v);
    if (given.v.empty()) extent.add(problem.at_rest.v);
    for (const Stimulus& s : given.stimuli) extent.add(s.value);
    return extent;
}

/// Problem::scale: the range of the start and the stimuli; of a current alone, what it adds in the time in which
/// neighbors even out. The models with a reaction have their own unit of value, 1.
double value_scale(const Problem& problem, const Given& given) {
    if (problem.options.model != Model::diffusion) return 1;
    double scale = extent_of(problem, given).range();
    if (scale == 0 && !problem.current.empty() && problem.stiffness > 0) {
        StepExtent current;
        for (const double i : problem.current) current.add(i);
        scale = current.magnitude / problem.stiffness;
    }
    return scale > 0 && std::isfinite(scale) ? scale : 1;
}

}  // namespace

bool is_by_tolerance(const Options& o, Device device) {
    return device == Device::cpu && o.model == Model::diffusion && !o.step && !o.tolerance && o.noise == 0 &&
           (o.scheme == Scheme::automatic || o.scheme == Scheme::rkc);
}

void settle_step(device::Cpu& cpu, Problem& problem, const Given& given, Device device) {
    Options& o = problem.options;
    const Coefficients& c = problem.coefficients;
    const ValueRange range = range_of(problem, given);
    const double bound = unit_bound(problem), reaction = reaction_rate(o.model, c, range);
    problem.stiffness = std::max(c.diffusion, c.recovery_diffusion) * bound + reaction;
    problem.scale = value_scale(problem, given);
    problem.magnitude = std::max(extent_of(problem, given).magnitude, problem.scale);
    const bool stages = o.scheme == Scheme::rkc, implicit = is_implicit(o.scheme);
    problem.step_limit = stages     ? chebyshev_extent(max_chebyshev_stages) / problem.stiffness
                         : implicit ? implicit_limit(o.model, o.scheme, c)
                                    : explicit_limit(o.model, c, bound, range);
    if (o.step && *o.step > problem.step_limit) {
        throw Error(
            Fault::bad_input,
            fmt::format("step is {}, but scheme {} is stable up to {:.6g} only, with its reaction; use a smaller "
                        "step{}",
                        *o.step, name_of(o.scheme), problem.step_limit, stages || implicit ? "" : ", or scheme rkc"),
            {.option = "step"});
    }
    if (is_by_tolerance(o, device)) {
        // an estimate has the rounding errors of the values, whatever the step
        constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
        o.tolerance = std::max(default_tolerance * problem.scale, rounding * problem.magnitude);
    }
    if (o.step) return;
    double step = 0.9 * problem.step_limit;
    if (stages || implicit)
        step = std::min(step, reaction > 0 ? 0.25 / reaction : chebyshev_extent(10) / problem.stiffness);
    if (o.model == Model::diffusion) {
        // no weight of a step's mean becomes negative: a node keeps 1 - dt (its degree), and a degree is below the
        // bound
        if (!stages && !implicit && problem.domain.graph != nullptr) step = std::min(step, 1 / problem.stiffness);
        if (problem.size() > 0) step = std::min(step, accurate_step(cpu, problem, given));
    }
    o.step = std::isfinite(step) ? step : 1;
}

}  // namespace dunlin::waves
