// SPDX-License-Identifier: Apache-2.0
#include "stress/classical_scaling.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "initialization/dense.hpp"
#include "math/rng.hpp"
#include "numerics/blas.hpp"

namespace dunlin::stress {

namespace {

using Doubles = Eigen::MatrixXd;
using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double rounding = 1e-7;  ///< an eigenvalue below this share of the first is 0 for float32

Doubles squares_of(std::span<const float> delta, Index n) {
    const Doubles b = Eigen::Map<const Eigen::MatrixXf>(delta.data(), n, n).cast<double>();
    return b.cwiseAbs2();
}

/// -1/2 J A J, rows and columns centered.
void center_doubly(Doubles& a) {
    const Eigen::VectorXd row_means = a.rowwise().mean();
    a.colwise() -= row_means;
    const Eigen::RowVectorXd column_means = a.colwise().mean();
    a.rowwise() -= column_means;
    a *= -0.5;
}

struct Spectrum {
    Eigen::VectorXd values;
    Doubles vectors;  ///< a column each
};

/// The leading eigenpairs, largest first, signs canonical; those that are missing or not above 0 are 0.
Spectrum leading(std::vector<double> a, Index size, int count) {
    const Index found = std::min<Index>(count, size);
    initialization::Eigenpairs pairs = initialization::leading_eigenpairs(std::move(a), size, found);
    initialization::make_signs_canonical(pairs.vectors.data(), size, found);
    Spectrum result{Eigen::VectorXd::Zero(count), Doubles::Zero(size, count)};
    for (Index c = 0; c < found; ++c) {
        const double value = pairs.values[static_cast<std::size_t>(c)];
        if (!(value > rounding * pairs.values[0])) continue;
        result.values(c) = value;
        result.vectors.col(c) = Eigen::Map<const Eigen::VectorXd>(pairs.vectors.data() + Offset{c} * size, size);
    }
    return result;
}

Spectrum leading(const Doubles& a, int count) {
    return leading(std::vector<double>(a.data(), a.data() + a.size()), static_cast<Index>(a.rows()), count);
}

std::vector<double> by_rows(const Doubles& a) {
    const ByRows rows = a;
    return {rows.data(), rows.data() + rows.size()};
}

std::vector<float> narrowed_by_rows(const Doubles& a) {
    const std::vector<double> rows = by_rows(a);
    std::vector<float> narrow(rows.size());
    std::transform(rows.begin(), rows.end(), narrow.begin(), [](double x) { return static_cast<float>(x); });
    return narrow;
}

/// -1/2 J D^2 J v.
Doubles centered_times(const SquaresTimes& squares_times, Doubles v) {
    const Eigen::RowVectorXd before = v.colwise().mean();
    v.rowwise() -= before;
    const std::vector<double> squares = squares_times({v.data(), v.data() + v.size()}, static_cast<Index>(v.cols()));
    Doubles product = Eigen::Map<const Doubles>(squares.data(), v.rows(), v.cols());
    const Eigen::RowVectorXd after = product.colwise().mean();
    product.rowwise() -= after;
    return -0.5 * product;
}

Doubles orthonormal(Doubles v) {
    initialization::make_orthonormal(v.data(), static_cast<Index>(v.rows()), static_cast<Index>(v.cols()));
    return v;
}

}  // namespace

Triangulation triangulation_of(std::span<const float> delta, Index count, int dim) {
    Doubles b = squares_of(delta, count);
    const Eigen::VectorXd mean = b.rowwise().mean();
    center_doubly(b);
    Spectrum axes = leading(b, dim);
    for (Index c = 0; c < dim; ++c) {
        if (axes.values(c) > 0) axes.vectors.col(c) /= std::sqrt(axes.values(c));
    }
    return {{mean.begin(), mean.end()}, by_rows(axes.vectors)};
}

std::vector<double> pivot_axes(std::vector<double> gram, Index count, int dim, Index n) {
    Spectrum axes = leading(std::move(gram), count, dim);
    const double whole = std::sqrt(static_cast<double>(n) / count);
    for (Index axis = 0; axis < dim; ++axis) {
        const double sigma = std::sqrt(axes.values(axis));  // of which length C times the vector is
        if (sigma > 0) axes.vectors.col(axis) *= std::sqrt(sigma * whole) / sigma;
    }
    return by_rows(axes.vectors);
}

std::vector<float> classical_scaling(std::span<const float> delta, Index n, int dim) {
    if (n == 0) return {};
    numerics::hold_blas_to_one_thread();
    Doubles b = squares_of(delta, n);
    center_doubly(b);
    const Spectrum axes = leading(b, dim);
    return narrowed_by_rows(axes.vectors * axes.values.cwiseSqrt().asDiagonal());
}

std::vector<float> classical_scaling_by_krylov(const SquaresTimes& squares_times, Index n, int dim) {
    constexpr Index depth = 8;
    numerics::hold_blas_to_one_thread();
    const Index width = std::min(dim + 8, n / depth);
    Doubles block(n, width);
    for (Index c = 0; c < width; ++c) {
        for (Index r = 0; r < n; ++r)
            block(r, c) = math::random_normal(0, static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c));
    }
    Doubles basis(n, width * depth);  // of the span of G, BG, BBG, .. for random G
    for (Index level = 0; level < depth; ++level) {
        block = orthonormal(centered_times(squares_times, block));
        basis.middleCols(Offset{level} * width, width) = block;
    }
    basis = orthonormal(basis);
    const Spectrum small = leading(basis.transpose() * centered_times(squares_times, basis), dim);
    Doubles vectors = basis * small.vectors;  // the best in it, by Rayleigh and Ritz
    initialization::make_signs_canonical(vectors.data(), n, dim);
    return narrowed_by_rows(vectors * small.values.cwiseSqrt().asDiagonal());
}

}  // namespace dunlin::stress
