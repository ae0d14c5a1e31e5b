// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "math/hd.hpp"
#include "math/unrolled.hpp"

/// The formulas of one step of the descent. No loops, no launches: g++ and nvcc compile the same text.
namespace dunlin::descent {

/// Gradient of a neighbor embedding with respect to y_i, up to a constant factor: attraction along edges times its
/// exaggeration, less the repulsion between all pairs over its normalizer. t-SNE, without its factor 4: exaggeration *
/// sum_j p_ij q_ij (y_i - y_j) - sum_j q_ij^2 (y_i - y_j) / Z (van der Maaten 2014, eq. 5).
template <class Real>
DUNLIN_HD Real gradient_of(Real attraction, Real repulsion, Real exaggeration, Real mass) {
    return exaggeration * attraction - repulsion / mass;
}

/// Z, or 1 for a single point, whose Z is 0.
DUNLIN_HD inline double normalizer(double mass) { return mass > 0 ? mass : 1.0; }

/// Jacobs 1988: the gain grows while a coordinate keeps its direction and shrinks when it reverses.
DUNLIN_HD inline float next_gain(float gain, float gradient, float velocity, float least) {
    const bool keeps_direction = (gradient > 0) != (velocity > 0);
    const float next = keeps_direction ? gain + 0.2F : gain * 0.8F;
    return next < least ? least : next;
}

/// Parameters of a step, the same for all points.
struct StepParameters {
    float exaggeration, learning_rate, momentum, least_gain;
    float longest_step;  ///< infinity: no clipping
};

/// StepParameters::longest_step of an option whose 0 means no clipping.
inline float step_limit(float longest_step) {
    return longest_step > 0 ? longest_step : std::numeric_limits<float>::infinity();
}

/// Step with momentum and gains. advance moves one point of dimension D; mass is the normalizer.
struct GainStep {
    template <int D>
    DUNLIN_INLINE DUNLIN_HD static void advance(float* y, float* velocity, float* gain, const float* attraction,
                                                const float* repulsion, float mass, const StepParameters& parameters) {
        float moved[D], length2 = 0;
        DUNLIN_UNROLL
        for (int c = 0; c < D; ++c) {
            const float gradient = gradient_of(attraction[c], repulsion[c], parameters.exaggeration, mass);
            gain[c] = next_gain(gain[c], gradient, velocity[c], parameters.least_gain);
            moved[c] = parameters.momentum * velocity[c] - parameters.learning_rate * gain[c] * gradient;
            length2 += moved[c] * moved[c];
        }
        const float limit2 = parameters.longest_step * parameters.longest_step;
        const float shrink = length2 > limit2 ? parameters.longest_step / sqrtf(length2) : 1.0F;
        DUNLIN_UNROLL
        for (int c = 0; c < D; ++c) {
            velocity[c] = moved[c] * shrink;
            y[c] += velocity[c];
        }
    }
};

/// Adam (Kingma and Ba 2015). The velocity is the running mean of the gradient, the gain that of its square; both begin
/// at 0. Of the parameters only exaggeration and learning_rate are read; the latter includes bias_correction.
struct AdamStep {
    static constexpr float first_decay = 0.9F, second_decay = 0.999F, epsilon = 1e-7F;

    static float bias_correction(int iteration) {
        const double first = std::pow(static_cast<double>(first_decay), iteration + 1);
        return static_cast<float>(std::sqrt(1 - std::pow(static_cast<double>(second_decay), iteration + 1)) /
                                  (1 - first));
    }

    template <int D>
    DUNLIN_INLINE DUNLIN_HD static void advance(float* y, float* velocity, float* gain, const float* attraction,
                                                const float* repulsion, float mass, const StepParameters& parameters) {
        DUNLIN_UNROLL
        for (int c = 0; c < D; ++c) {
            const float gradient = gradient_of(attraction[c], repulsion[c], parameters.exaggeration, mass);
            move(y[c], velocity[c], gain[c], gradient, parameters.learning_rate);
        }
    }

    /// Moves one number; rate includes bias_correction.
    DUNLIN_INLINE DUNLIN_HD static void move(float& value, float& mean, float& square, float gradient, float rate) {
        mean += (1 - first_decay) * (gradient - mean);
        square += (1 - second_decay) * (gradient * gradient - square);
        value -= rate * mean / (sqrtf(square) + epsilon);
    }
};

}  // namespace dunlin::descent
