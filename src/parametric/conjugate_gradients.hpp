// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include <dunlin/types.hpp>

#include "math/at.hpp"
#include "parametric/layers.hpp"
#include "progress/cancel.hpp"

namespace dunlin::parametric {

/// A place along a direction: the length of the step, the cost there, and its slope.
struct LinePoint {
    double step = 0, cost = 0, slope = 0;
};

/// Least place of the cubic through two points with their slopes, kept between the shares `low` and `high` of the way
/// from a to b, which may be above 1.
inline double cubic_minimum(const LinePoint& a, const LinePoint& b, double low, double high) {
    const double width = b.step - a.step;
    const double sum = 3 * (a.cost - b.cost) / width + a.slope + b.slope;
    const double square = sum * sum - a.slope * b.slope;
    double share = high;  // the cubic falls all the way
    if (square >= 0) {
        const double root = std::copysign(std::sqrt(square), width);
        const double by = 1 - (b.slope + root - sum) / (b.slope - a.slope + 2 * root);
        if (std::isfinite(by)) share = by;
    }
    return a.step + std::clamp(share, low, high) * width;
}

/// Conjugate gradients (Polak and Ribiere 1969, with restarts) with line searches that end at Wolfe's conditions.
template <class Exec>
class ConjugateGradients {
public:
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;

    ConjugateGradients(Exec& exec, Offset size) : size_(size) {
        for (Buffer<float>* each : {&start_, &direction_, &least_gradient_, &previous_}) exec.resize(*each, at(size));
    }

    /// Lowers evaluate(), which returns the cost at `x` and sets `gradient`, by this many line searches. Returns the
    /// cost. If cancelled, x is where the last line search ended.
    template <class Evaluate>
    double minimize(Exec& exec, Buffer<float>& x, const Buffer<float>& gradient, int searches,
                    const Evaluate& evaluate) {
        LinePoint at_start{0, evaluate(), 0};
        copy(exec, gradient.data(), size_, least_gradient_.data());
        double square = dot(exec, gradient.data(), gradient.data(), size_);
        bool steepest = true;
        restart(exec);
        at_start.slope = -square;
        double step = 1 / (1 + square);
        for (int s = 0; s < searches && square > 0; ++s) {
            copy(exec, x.data(), size_, start_.data());
            const LinePoint least = search(exec, x, gradient, at_start, step, evaluate);
            if (least.step <= 0) {  // nothing lower: once more along the gradient itself
                if (steepest) break;
                steepest = true;
                restart(exec);
                at_start.slope = -square;
                step = 1 / (1 + square);
                continue;
            }
            const double last_slope = at_start.slope, last_square = square;
            // least_gradient_ is the gradient at x; the one before is kept in previous_
            const double along = dot(exec, least_gradient_.data(), previous_.data(), size_);
            square = dot(exec, least_gradient_.data(), least_gradient_.data(), size_);
            const double factor = std::max(0.0, (square - along) / last_square);
            turn(exec, factor);
            const double slope = dot(exec, least_gradient_.data(), direction_.data(), size_);
            steepest = factor == 0 || slope >= 0;
            if (slope >= 0) restart(exec);
            at_start = {0, least.cost, slope >= 0 ? -square : slope};
            step = least.step * std::min(10.0, last_slope / at_start.slope);
        }
        return at_start.cost;
    }

private:
    static constexpr double sufficient = 0.01, curvature = 0.5;  ///< Wolfe's conditions
    static constexpr int most_evaluations = 20;

    /// direction = -gradient.
    void restart(Exec& exec) { turn(exec, 0); }
    /// direction = factor * direction - gradient.
    void turn(Exec& exec, double factor) {
        exec.each(size_, Turn{static_cast<float>(factor), least_gradient_.data(), direction_.data()});
    }

    /// Moves x along the direction to the lowest place found, whose gradient becomes least_gradient_, and that at the
    /// start previous_. A step of 0: none is lower.
    template <class Evaluate>
    LinePoint search(Exec& exec, Buffer<float>& x, const Buffer<float>& gradient, const LinePoint& at_start,
                     double step, const Evaluate& evaluate) {
        copy(exec, least_gradient_.data(), size_, previous_.data());
        LinePoint low = at_start, high;
        bool has_high = false;
        try {
            for (int i = 0; i < most_evaluations; ++i) {
                exec.each(size_, AddScaled{start_.data(), step, direction_.data(), x.data()});
                LinePoint now{step, evaluate(), 0};
                now.slope = dot(exec, gradient.data(), direction_.data(), size_);
                const bool is_finite = std::isfinite(now.cost) && std::isfinite(now.slope);
                if (!is_finite || now.cost > at_start.cost + sufficient * step * at_start.slope ||
                    now.cost >= low.cost) {
                    high = now;
                    has_high = true;
                    step = is_finite ? cubic_minimum(low, high, 0.1, 0.9) : low.step + 0.1 * (step - low.step);
                    continue;
                }
                const LinePoint last = low;
                low = now;
                copy(exec, gradient.data(), size_, least_gradient_.data());
                if (std::abs(now.slope) <= -curvature * at_start.slope) break;
                if (now.slope >= 0) {
                    high = last;
                    has_high = true;
                }
                step = has_high ? cubic_minimum(low, high, 0.1, 0.9) : cubic_minimum(last, low, 2, 10);
            }
        } catch (const progress::Cancelled&) {
            const progress::Uncancellable rest;
            copy(exec, start_.data(), size_, x.data());
            throw;
        }
        exec.each(size_, AddScaled{start_.data(), low.step, direction_.data(), x.data()});
        return low;
    }

    Offset size_;
    Buffer<float> start_, direction_;          ///< where the line search began, and its direction
    Buffer<float> least_gradient_, previous_;  ///< at the lowest place so far; at the start of the line search
};

}  // namespace dunlin::parametric
