// SPDX-License-Identifier: Apache-2.0
#include "mixture/arrays.hpp"

#include <lapacke.h>

#include <algorithm>

namespace dunlin::mixture {

namespace {

/// The inverse of the Cholesky factor, row-major with zeros above the diagonal.
void write_inverse(const Component& component, double* to) {
    const Eigen::Index cols = component.mean.size();
    Square inverse = component.whitening;
    if (cols == 1) {
        *to = inverse(0, 0);  // of one column, `whitening` is the inverse
        return;
    }
    const auto size = static_cast<lapack_int>(cols);
    LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'L', 'N', size, inverse.data(), size);  // the diagonal is positive
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(to, cols, cols) =
        inverse.triangularView<Eigen::Lower>();
}

}  // namespace

ComponentArrays arrays_of(device::Cpu& cpu, const std::vector<Component>& components, Covariance covariance) {
    const auto cols = static_cast<std::size_t>(components.front().mean.size()), count = components.size();
    const std::size_t square = cols * cols;
    ComponentArrays all;
    all.means.resize(count * cols);
    all.log_scales.resize(count);
    all.factors.resize(covariance == Covariance::full   ? count * square
                       : covariance == Covariance::tied ? square
                                                        : count * cols);
    const auto write_one = [&](Offset at) {
        const auto k = static_cast<std::size_t>(at);
        const Component& component = components[k];
        std::copy(component.mean.begin(), component.mean.end(), all.means.data() + k * cols);
        all.log_scales[k] = component.log_scale;
        if (covariance == Covariance::full || (covariance == Covariance::tied && k == 0)) {
            write_inverse(component, all.factors.data() + k * square);
        } else if (covariance != Covariance::tied) {
            std::copy_n(component.whitening.data(), cols, all.factors.data() + k * cols);
        }
    };
    cpu.each(static_cast<Offset>(count), write_one, components_of_a_block(static_cast<Index>(cols), covariance));
    if (covariance == Covariance::tied) {
        const Square white = white_means_of(components);
        all.white_means.assign(white.data(), white.data() + white.size());
    }
    return all;
}

Expectation expectation_of(const MomentArrays& sums, Index components, Index cols, Covariance covariance) {
    if (sums.weights.empty()) {
        Expectation all;
        all.log_likelihood = sums.log_likelihood;
        return all;
    }
    Expectation all(components, cols, covariance);
    all.log_likelihood = sums.log_likelihood;
    const auto width = static_cast<std::size_t>(cols);
    for (std::size_t k = 0; k < all.moments.size(); ++k) {
        ComponentMoments& moments = all.moments[k];
        moments.weight = sums.weights[k];
        std::copy_n(sums.first.data() + k * width, width, moments.first.data());
        const auto size = static_cast<std::size_t>(moments.second.size());
        std::copy_n(sums.second.data() + k * size, size, moments.second.data());
    }
    return all;
}

}  // namespace dunlin::mixture
