// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

namespace dunlin::forces {

/// Direct implementation of repel_exact's formula, in any precision and dimension: the reference of the tests. Returns
/// the mass.
template <class Law, class Real>
double repel_exact_reference(MatrixView<const Real> y, MatrixView<Real> force, const Real* charges = nullptr,
                             Law law = {}) {
    double mass = 0;
    for (Index i = 0; i < y.rows; ++i) {
        for (Index d = 0; d < y.cols; ++d) force(i, d) = 0;
        for (Index j = 0; j < y.rows; ++j) {
            if (j == i) continue;
            Real r2 = 0;
            for (Index d = 0; d < y.cols; ++d) r2 += (y(i, d) - y(j, d)) * (y(i, d) - y(j, d));
            const Real strength = law.strength(r2) * (Law::charged ? charges[j] : Real(1));
            for (Index d = 0; d < y.cols; ++d) force(i, d) += strength * (y(i, d) - y(j, d));
            mass += static_cast<double>(law.mass(r2));
        }
    }
    return mass;
}

}  // namespace dunlin::forces
