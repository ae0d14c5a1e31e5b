// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include <dunlin/tsne.hpp>

#include "descent/state.hpp"
#include "forces/line.hpp"

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

/// The springs of a descent. Those to the initial map have the scale that fits the map best (least squares), found anew
/// in every iteration.
template <class Exec>
class Springs {
public:
    Springs(Exec& exec, const Options& options, const descent::DescentState<Exec>& start, const Map* anchors)
        : fitted_(options.anchor == Anchor::start) {
        if (options.anchor == Anchor::none || start.n == 0) return;
        stiffness_ = static_cast<double>(*options.anchor_strength) / (2.0 * start.n);
        std::vector<float> places;
        if (fitted_) {
            const auto& y = exec.host(start.y);
            places.assign(y.begin(), y.end());
            center(places, start.dim);
            double square = 0;
            for (const float a : places) square += static_cast<double>(a) * static_cast<double>(a);
            inverse_square_ = square > 0 ? 1 / square : 0;
        } else {
            places = anchors->coordinates;
            if (anchors->dim == 1) places = padded(places);
        }
        exec.upload(anchors_, std::span<const float>(places));
    }

    /// Of several ranks, of the points of the share.
    void pull(Exec& exec, descent::DescentState<Exec>& state) {
        if (anchors_.size() == 0) return;
        const auto with = [&]<int D>() {
            const double* overlap = nullptr;
            if (fitted_) {
                exec.sum(state.n, Overlap<D>{state.y.data(), anchors_.data(), state.original.data()}, overlap_);
                overlap = exec.address(overlap_);
            }
            const device::Slice own = state.share.rows;
            exec.each(own.size(),
                      SpringPull<D>{state.attraction.data(), state.y.data(), anchors_.data(), state.original.data(),
                                    exec.address(state.parameters), overlap, own.begin, inverse_square_, stiffness_});
        };
        state.dim == 2 ? with.template operator()<2>() : with.template operator()<3>();
    }

private:
    static void center(std::vector<float>& places, int dim) {
        const auto axes = static_cast<std::size_t>(dim);
        for (std::size_t c = 0; c < axes; ++c) {
            double sum = 0;
            for (std::size_t i = c; i < places.size(); i += axes) sum += static_cast<double>(places[i]);
            const double mean = sum / static_cast<double>(places.size() / axes);
            for (std::size_t i = c; i < places.size(); i += axes)
                places[i] = static_cast<float>(static_cast<double>(places[i]) - mean);
        }
    }
    /// Places on a line as places of the plane.
    static std::vector<float> padded(const std::vector<float>& line) {
        std::vector<float> plane;
        for (const float x : line) plane.insert(plane.end(), {x, 0});
        return plane;
    }

    bool fitted_;
    double stiffness_ = 0, inverse_square_ = 0;
    typename Exec::template Buffer<float> anchors_;  ///< [input number][axis]
    typename Exec::template Cell<double> overlap_;
};

}  // namespace dunlin::tsne
