// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "forces/law.hpp"

namespace dunlin::forces {

/// Direct implementation of the formulas of attract and attract_cost, in any precision and dimension: the reference of
/// the tests. Returns the cost.
template <class Real>
double attract_reference(const Graph& affinities, MatrixView<const Real> y, MatrixView<Real> force) {
    double cost = 0;
    for (Index i = 0; i < y.rows; ++i) {
        for (Index d = 0; d < y.cols; ++d) force(i, d) = 0;
        for (Offset e = affinities.offsets[static_cast<std::size_t>(i)];
             e < affinities.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
            const Index j = affinities.targets[static_cast<std::size_t>(e)];
            const Real p = affinities.weights[static_cast<std::size_t>(e)];
            Real r2 = 0;
            for (Index d = 0; d < y.cols; ++d) r2 += (y(i, d) - y(j, d)) * (y(i, d) - y(j, d));
            for (Index d = 0; d < y.cols; ++d) force(i, d) += StudentT::attraction(p, r2) * (y(i, d) - y(j, d));
            cost += static_cast<double>(StudentT::cost(p, r2));
        }
    }
    return cost;
}

}  // namespace dunlin::forces
