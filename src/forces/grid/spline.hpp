// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "forces/grid/shape.hpp"
#include "math/bspline.hpp"
#include "math/expansion.hpp"
#include "math/hd.hpp"

namespace dunlin::forces {

/// A function of position given by the B-spline through values on the nodes of a grid: scale * spline(y) + constant.
/// Does not own its values.
struct GridSpline {
    const float* values = nullptr;
    Offset row = 0, plane = 0;  ///< node (x, y, z) has index x + y * row + z * plane
    double origin[3]{};         ///< coordinates where the first cell begins
    double inverse_spacing = 0;
    int cells[3]{};  ///< cells along each axis, on which it is defined
    double scale = 0, constant = 0;

    /// Whether y is in a cell.
    template <int D>
    [[nodiscard]] DUNLIN_HD bool contains(const double (&y)[D]) const {
        for (int d = 0; d < D; ++d) {
            const double at = (y[d] - origin[d]) * inverse_spacing;
            if (!(at >= 0 && at < cells[d])) return false;
        }
        return true;
    }

    /// y must be in a cell.
    template <int D>
    [[nodiscard]] DUNLIN_HD math::Expansion<D> at(const double (&y)[D]) const {
        static_assert(D == 2 || D == 3);
        double weight[D][3][grid_order];  // [axis][order of the derivative][node]
        Offset node = 0;
        for (int d = 0; d < D; ++d) {
            const double at = (y[d] - origin[d]) * inverse_spacing;
            const auto cell = static_cast<int>(at);
            const double t = at - cell;
            math::bspline_weights<grid_order>(t, weight[d][0]);
            math::bspline_slopes<grid_order>(t, weight[d][1]);
            math::bspline_curvatures<grid_order>(t, weight[d][2]);
            node += cell * (d == 0 ? 1 : d == 1 ? row : plane);
        }
        math::Expansion<D> sum;
        if constexpr (D == 2) {
            add_plane<D>(values + node, weight[0], weight[1], 1, 0, 0, sum);
        } else {
            for (int p = 0; p < grid_order; ++p) {
                add_plane<D>(values + node + p * plane, weight[0], weight[1], weight[2][0][p], weight[2][1][p],
                             weight[2][2][p], sum);
            }
        }
        sum.value = scale * sum.value + constant;
        for (double& slope : sum.gradient) slope *= scale * inverse_spacing;
        for (double& curvature : sum.hessian) curvature *= scale * inverse_spacing * inverse_spacing;
        return sum;
    }

private:
    /// Adds the nodes of a plane z; z0, z1, z2: their weight along z and its derivatives.
    template <int D>
    DUNLIN_HD void add_plane(const float* at, const double (&x)[3][grid_order], const double (&y)[3][grid_order],
                             double z0, double z1, double z2, math::Expansion<D>& sum) const {
        double v = 0, vx = 0, vy = 0, vxx = 0, vxy = 0, vyy = 0;
        for (int r = 0; r < grid_order; ++r) {
            double a = 0, ax = 0, axx = 0;
            for (int c = 0; c < grid_order; ++c) {
                const auto value = static_cast<double>(at[r * row + c]);
                a += value * x[0][c];
                ax += value * x[1][c];
                axx += value * x[2][c];
            }
            v += a * y[0][r];
            vx += ax * y[0][r];
            vy += a * y[1][r];
            vxx += axx * y[0][r];
            vxy += ax * y[1][r];
            vyy += a * y[2][r];
        }
        sum.value += v * z0;
        sum.gradient[0] += vx * z0;
        sum.gradient[1] += vy * z0;
        sum.hessian[0] += vxx * z0;
        sum.hessian[1] += vyy * z0;
        sum.hessian[math::packed_at<D>(0, 1)] += vxy * z0;
        if constexpr (D == 3) {
            sum.gradient[2] += v * z1;
            sum.hessian[2] += v * z2;
            sum.hessian[math::packed_at<D>(0, 2)] += vx * z1;
            sum.hessian[math::packed_at<D>(1, 2)] += vy * z1;
        }
    }
};

}  // namespace dunlin::forces
