// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <dunlin/tsne.hpp>

#include "descent/descend.hpp"
#include "descent/state.hpp"
#include "descent/steps.hpp"
#include "math/at.hpp"
#include "math/vec.hpp"
#include "progress/cancel.hpp"

/// Springs that draw the points of a t-SNE map to anchors.
namespace dunlin::tsne {

/// Adds the pull of a point's spring, the gradient of (strength / n) |y - scale a|^2 without the factor 4 of t-SNE's,
/// to its attraction, which the step multiplies by the exaggeration. A NaN anchor has no spring.
template <int D>
struct SpringPull {
    float* attraction;
    const float *y, *anchor;
    const Index* original;
    const descent::StepParameters* parameters;
    const double* overlap;  ///< sum y a over all points; null: the scale is 1
    Offset first;           ///< point at which the loop begins
    double inverse_square, stiffness;

    DUNLIN_HD void operator()(Offset item) const {
        const Offset i = first + item;
        const float* a = anchor + Offset{original[i]} * D;
        if (std::isnan(a[0])) return;
        const double scale = overlap != nullptr ? *overlap * inverse_square : 1;
        const double factor = stiffness / static_cast<double>(parameters->exaggeration);
        for (int c = 0; c < D; ++c) {
            const double pull = static_cast<double>(y[i * D + c]) - scale * static_cast<double>(a[c]);
            attraction[i * D + c] += static_cast<float>(factor * pull);
        }
    }
};

template <int D>
struct Overlap {
    const float *y, *anchor;
    const Index* original;
    DUNLIN_HD double operator()(Offset i) const {
        double sum = 0;
        for (int c = 0; c < D; ++c)
            sum += static_cast<double>(y[i * D + c]) * static_cast<double>(anchor[Offset{original[i]} * D + c]);
        return sum;
    }
};

/// Stronger springs hold the same map: the gradient of KL by y_i is at most 2 (p_i + q_i), with p_i and q_i a point's
/// shares of all affinities, about 1 / n, so that at the minimum the point is n (p_i + q_i) / strength from its anchor,
/// below the resolution of float32. To the start, whose scale is free, they cost the sums of ScaleChange their digits:
/// from 1e8 on the scale wanders by a tenth.
constexpr double strongest = 1e9, strongest_to_start = 1e6;

/// A coordinate's step v with the spring at its end: the zero of v - free + rate (from + v), where `free` is the step
/// without spring, `from` the way from the anchor to where the step begins, and rate = learning rate * gain *
/// stiffness. The step at the begin of the spring, free - rate from, overshoots from rate 2 on and diverges; this one
/// shrinks the way to the anchor at any rate. Both are 0 at the same places.
DUNLIN_HD inline double step_with_spring(double free, double rate, double from) {
    return (free - rate * from) / (1 + rate);
}

/// What the step of a point is made of, see step_with_spring.
template <int D>
struct StepParts {
    double free[D], rate[D], from[D];
    float gain[D];
    const float* anchor;  ///< null: no spring, rate is 0
};

/// The steps of the points from the gradient of the whole loss, which state.attraction has.
template <int D>
struct SpringSteps {
    float *y, *velocity, *gain;
    const float *attraction, *repulsion, *anchor;
    const Index* original;
    const descent::StepParameters* parameters;
    const double *mass, *overlap;  ///< overlap: as of SpringPull
    double inverse_square, stiffness;

    /// The step without spring is clipped, not the way to the anchor: however far it is, the spring does not overshoot.
    [[nodiscard]] DUNLIN_HD StepParts<D> parts_of(Offset i) const {
        const float* a = anchor + Offset{original[i]} * D;
        StepParts<D> parts;
        parts.anchor = std::isnan(a[0]) ? nullptr : a;
        const double scale = overlap != nullptr ? *overlap * inverse_square : 1;
        const auto z = static_cast<float>(descent::normalizer(*mass));
        double length2 = 0;
        for (int c = 0; c < D; ++c) {
            const Offset k = i * D + c;
            const float gradient = descent::gradient_of(attraction[k], repulsion[k], parameters->exaggeration, z);
            parts.gain[c] = descent::next_gain(gain[k], gradient, velocity[k], parameters->least_gain);
            const double rate = static_cast<double>(parameters->learning_rate) * static_cast<double>(parts.gain[c]);
            parts.rate[c] = parts.anchor != nullptr ? rate * stiffness : 0;
            parts.from[c] = parts.anchor != nullptr ? static_cast<double>(y[k]) - scale * static_cast<double>(a[c]) : 0;
            parts.free[c] = static_cast<double>(parameters->momentum) * static_cast<double>(velocity[k]) -
                            rate * static_cast<double>(gradient) + parts.rate[c] * parts.from[c];
            length2 += parts.free[c] * parts.free[c];
        }
        const auto limit = static_cast<double>(parameters->longest_step);
        if (length2 > limit * limit)
            for (int c = 0; c < D; ++c) parts.free[c] *= limit / std::sqrt(length2);
        return parts;
    }
};

/// The change of the scale that fits the map best after a step, as numerator and denominator: the zero of sum a (v -
/// change * a) with v = step_with_spring(free, rate, from - change * a). Without it, springs to an anchor that does not
/// move yet would keep the map from growing.
template <int D>
struct ScaleChange {
    SpringSteps<D> steps;
    DUNLIN_HD math::Vec<double, 3> operator()(Offset i) const {
        const StepParts<D> parts = steps.parts_of(i);
        math::Vec<double, 3> sums;
        for (int c = 0; c < D; ++c) {
            const auto a = static_cast<double>(parts.anchor[c]);
            sums.at[0] += a * step_with_spring(parts.free[c], parts.rate[c], parts.from[c]);
            sums.at[1] += a * a / (1 + parts.rate[c]);
        }
        return sums;
    }
};

template <int D>
struct SpringAdvance {
    SpringSteps<D> steps;
    const math::Vec<double, 3>* change;  ///< sums of ScaleChange; null: the scale is 1
    Offset first;                        ///< point at which the loop begins

    DUNLIN_HD void operator()(Offset item) const {
        const Offset i = first + item;
        const StepParts<D> parts = steps.parts_of(i);
        const double growth = change != nullptr && change->at[1] > 0 ? change->at[0] / change->at[1] : 0;
        for (int c = 0; c < D; ++c) {
            const double a = parts.anchor != nullptr ? static_cast<double>(parts.anchor[c]) : 0;
            const double moved = step_with_spring(parts.free[c], parts.rate[c], parts.from[c] - growth * a);
            steps.gain[i * D + c] = parts.gain[c];
            steps.velocity[i * D + c] = static_cast<float>(moved);
            steps.y[i * D + c] = static_cast<float>(static_cast<double>(steps.y[i * D + c]) + moved);
        }
    }
};

/// Way of a point from its anchor; 0 without one.
template <int D>
struct WayFromAnchor {
    const float *y, *anchor;
    const Index* original;
    DUNLIN_HD math::Vec<double, 3> operator()(Offset i) const {
        const float* a = anchor + Offset{original[i]} * D;
        math::Vec<double, 3> way;
        if (std::isnan(a[0])) return way;
        for (int c = 0; c < D; ++c) way.at[c] = static_cast<double>(y[i * D + c]) - static_cast<double>(a[c]);
        return way;
    }
};

/// The springs of a descent. Those to the initial map have the scale that fits the map best (least squares), found anew
/// in every iteration. Moving a map changes no affinity, so that at the minimum the anchored points have the center of
/// their anchors: the map is moved there at first and after each step, unless points are fixed. That center is then the
/// origin of y.
template <class Exec>
class Springs {
public:
    Springs(Exec& exec, const Options& options, descent::DescentState<Exec>& start, const Map* anchors)
        : fitted_(options.anchor == Anchor::start) {
        if (options.anchor == Anchor::none || start.n == 0) return;
        stiffness_ = std::min(static_cast<double>(*options.anchor_strength), fitted_ ? strongest_to_start : strongest) /
                     (2.0 * start.n);
        std::vector<float> places;
        if (fitted_) {
            const auto& y = exec.host(start.y);
            places.assign(y.begin(), y.end());
            center(places, start.dim);
            double square = 0;
            for (const float a : places) square += static_cast<double>(a) * static_cast<double>(a);
            inverse_square_ = square > 0 ? 1 / square : 0;
        } else {
            places = anchors->dim == 1 ? padded(anchors->coordinates) : anchors->coordinates;
            if (start.home.size() == 0) start.origin = center(places, start.dim);
            for (std::size_t i = 0; i < places.size(); i += at(start.dim)) anchored_ += std::isnan(places[i]) ? 0 : 1;
        }
        exec.upload(anchors_, std::span<const float>(places));
        settle(exec, start);
    }

    [[nodiscard]] bool are_there() const { return anchors_.size() > 0; }

    /// Adds the pull of the springs. With several ranks: to the points of this rank's share.
    void pull(Exec& exec, descent::DescentState<Exec>& state) {
        if (!are_there()) return;
        with_dim(state, [&]<int D>() {
            if (fitted_)
                exec.sum(state.n, Overlap<D>{state.y.data(), anchors_.data(), state.original.data()}, overlap_);
            const device::Slice own = state.share.rows;
            exec.each(own.size(), SpringPull<D>{state.attraction.data(), state.y.data(), anchors_.data(),
                                                state.original.data(), exec.address(state.parameters), overlap(exec),
                                                own.begin, inverse_square_, stiffness_});
        });
    }

    /// In place of descent::step.
    void step(Exec& exec, descent::DescentState<Exec>& state) {
        const progress::Uncancellable whole;
        with_dim(state, [&]<int D>() {
            if (fitted_)
                for (auto* values : {&state.velocity, &state.gain, &state.attraction, &state.repulsion})
                    state.gather(exec, *values);
            const SpringSteps<D> steps{
                state.y.data(),           state.velocity.data(), state.gain.data(),     state.attraction.data(),
                state.repulsion.data(),   anchors_.data(),       state.original.data(), exec.address(state.parameters),
                exec.address(state.mass), overlap(exec),         inverse_square_,       stiffness_};
            if (fitted_) exec.sum(state.n, ScaleChange<D>{steps}, change_);
            const device::Slice own = state.share.rows;
            exec.each(own.size(), SpringAdvance<D>{steps, fitted_ ? exec.address(change_) : nullptr, own.begin});
        });
        state.gather(exec, state.y);
        settle(exec, state);
    }

private:
    [[nodiscard]] const double* overlap(Exec& exec) { return fitted_ ? exec.address(overlap_) : nullptr; }

    template <class Work>
    static void with_dim(const descent::DescentState<Exec>& state, const Work& work) {
        state.dim == 2 ? work.template operator()<2>() : work.template operator()<3>();
    }

    /// Moves fixed points back, or all points so that the anchored ones have the center of their anchors.
    void settle(Exec& exec, descent::DescentState<Exec>& state) {
        if (state.home.size() > 0) return descent::return_home(exec, state);
        if (fitted_) return descent::recenter(exec, state);
        if (anchored_ == 0) return;
        with_dim(state, [&]<int D>() {
            exec.sum(state.n, WayFromAnchor<D>{state.y.data(), anchors_.data(), state.original.data()}, state.center);
            exec.each(state.n, descent::Recenter<D>{state.y.data(), exec.address(state.center), anchored_});
        });
    }

    /// Moves the center of places, those that are not NaN, to the origin; returns where it was.
    static math::Vec<double, 3> center(std::vector<float>& places, int dim) {
        math::Vec<double, 3> center;
        const std::size_t axes = at(dim);
        for (std::size_t c = 0; c < axes; ++c) {
            double sum = 0, count = 0;
            for (std::size_t i = c; i < places.size(); i += axes) {
                if (std::isnan(places[i])) continue;
                sum += static_cast<double>(places[i]);
                count += 1;
            }
            center.at[c] = count > 0 ? sum / count : 0;
            for (std::size_t i = c; i < places.size(); i += axes)
                places[i] = static_cast<float>(static_cast<double>(places[i]) - center.at[c]);
        }
        return center;
    }
    /// Places on a line as places of the plane.
    static std::vector<float> padded(const std::vector<float>& line) {
        std::vector<float> plane;
        for (const float x : line) plane.insert(plane.end(), {x, 0});
        return plane;
    }

    bool fitted_;
    Index anchored_ = 0;  ///< points that have a given anchor
    double stiffness_ = 0, inverse_square_ = 0;
    typename Exec::template Buffer<float> anchors_;  ///< [input number][axis]
    typename Exec::template Cell<double> overlap_;
    typename Exec::template Cell<math::Vec<double, 3>> change_;
};

}  // namespace dunlin::tsne
