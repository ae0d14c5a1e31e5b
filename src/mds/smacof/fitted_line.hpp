// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "math/vec.hpp"

/// Linear regression: the least-squares line of values over dissimilarities, with coefficients of at least 0.
namespace dunlin::mds {

/// Weight of sorted pair k; 1 without weights.
DUNLIN_HD inline double weight_at(const double* weights, Offset k) { return weights == nullptr ? 1.0 : weights[k]; }

/// The variable of a linear fit: dissimilarities, of sorted pairs, above an origin. A line whose value at the origin is
/// at least 0 is at least 0 at all of them.
struct AboveOrigin {
    const float* delta;
    double origin;
    DUNLIN_HD double operator[](Offset k) const { return static_cast<double>(delta[k]) - origin; }
};

/// Sums of w, w x, w x^2 for a linear fit.
struct LineMoments {
    AboveOrigin x;
    const double* weight;
    DUNLIN_HD math::Vec<double, 3> operator()(Offset k) const {
        const double w = weight_at(weight, k), here = x[k];
        return {{w, w * here, w * here * here}};
    }
};
/// Sums of w v, w x v.
struct LineProducts {
    AboveOrigin x;
    const double *weight, *values;
    DUNLIN_HD math::Vec<double, 2> operator()(Offset k) const {
        const double wv = weight_at(weight, k) * values[k];
        return {{wv, wv * x[k]}};
    }
};

struct FittedLine {
    double height, slope;
};

/// Least-squares line height + slope x with both coefficients at least 0, or height 0 with `through_origin`; x >= 0.
DUNLIN_HD inline FittedLine fitted_line(const math::Vec<double, 3>& moments, const math::Vec<double, 2>& products,
                                        bool through_origin) {
    const auto [w, wx, wxx] = moments.at;
    const auto [wv, wxv] = products.at;
    const double spread = w * wxx - wx * wx;
    const double slope = spread > 0 ? (w * wxv - wx * wv) / spread : 0;
    const double height = w > 0 ? (wv - slope * wx) / w : 0;
    if (through_origin || height < 0) return {0, wxx > 0 ? wxv / wxx : 0};
    if (slope < 0) return {wv / w, 0};
    return {height, slope};
}

struct WriteFittedLine {
    math::Vec<double, 3> moments;
    const math::Vec<double, 2>* products;
    bool through_origin;
    AboveOrigin x;
    double* values;
    DUNLIN_HD void operator()(Offset k) const {
        const FittedLine line = fitted_line(moments, *products, through_origin);
        values[k] = line.height + line.slope * x[k];
    }
};

}  // namespace dunlin::mds
