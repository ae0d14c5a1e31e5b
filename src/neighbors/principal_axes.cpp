// SPDX-License-Identifier: Apache-2.0
#include "neighbors/principal_axes.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

#include "math/rng.hpp"
#include "numerics/blas.hpp"

namespace dunlin::neighbors {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int rounds = 3;
constexpr Index most_together = 1024;  // columns summed in one product: bounds the rounding error

Matrix inner_products(const Eigen::Ref<const Matrix>& a) {
    Matrix gram(a.cols(), a.cols());
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, static_cast<int>(a.cols()), static_cast<int>(a.cols()),
                static_cast<int>(a.rows()), 1.0, a.data(), static_cast<int>(a.cols()), a.data(),
                static_cast<int>(a.cols()), 0.0, gram.data(), static_cast<int>(a.cols()));
    return gram;
}

/// Orthonormalizes the columns by the Cholesky factor of their Gram matrix, twice because of rounding. Linearly
/// dependent columns come out short, which is harmless.
void orthonormalize(Eigen::Ref<Matrix> a) {
    for (int pass = 0; pass < 2; ++pass) {
        Matrix gram = inner_products(a);
        gram.diagonal().array() += 1e-13 * gram.trace() + 1e-300;
        const Matrix upper = Eigen::LLT<Matrix>(gram).matrixU();
        const Matrix inverse = upper.triangularView<Eigen::Upper>().solve(Matrix::Identity(a.cols(), a.cols()));
        a = (a * inverse).eval();
    }
}

Matrix noise(Index rows, Index cols) {
    Matrix values(rows, cols);
    for (Offset i = 0; i < values.size(); ++i) values.data()[i] = math::random_normal(1, static_cast<std::uint64_t>(i));
    return values;
}

}  // namespace

PrincipalAxes::PrincipalAxes(MatrixView<const float> sample, Index count) : cols_(sample.cols), count_(count) {
    axes_.resize(static_cast<std::size_t>(cols_) * static_cast<std::size_t>(count));
    Matrix axes = Matrix::Identity(cols_, count);
    if (count < cols_) find_principal(sample, axes.data());
    Matrix turn = noise(count, count);
    orthonormalize(turn);
    store(Matrix(axes * turn).data());

    // Bounds that hold for the axes as rounded, whatever their quality
    const Matrix rounded = Eigen::Map<const FloatMatrix>(axes_.data(), cols_, count).cast<double>();
    stretch_ = std::sqrt(inner_products(rounded).cwiseAbs().rowwise().sum().maxCoeff()) * (1 + 1e-9);
    const double sums = std::min(cols_, most_together) + cols_ / most_together + 4;
    rounding_ = stretch_ * std::sqrt(static_cast<double>(count)) * sums * 0x1p-24;
}

void PrincipalAxes::store(const double* axes) {
    Eigen::Map<FloatMatrix>(axes_.data(), cols_, count_) = Eigen::Map<const Matrix>(axes, cols_, count_).cast<float>();
}

/// Subspace iteration: axes = X^T (X axes), orthonormalized.
void PrincipalAxes::find_principal(MatrixView<const float> sample, double* result) {
    FloatMatrix along = noise(sample.rows, count_).cast<float>();
    Eigen::Map<Matrix> axes(result, cols_, count_);
    for (int round = 0; round < rounds; ++round) {
        if (round > 0) project(sample.data, sample.rows, along.data());
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, cols_, count_, sample.rows, 1.0F, sample.data, cols_,
                    along.data(), count_, 0.0F, axes_.data(), count_);
        axes = Eigen::Map<const FloatMatrix>(axes_.data(), cols_, count_).cast<double>();
        orthonormalize(axes);
        store(result);
    }
}

void PrincipalAxes::project(const float* in, Index rows, float* out) const {
    for (Index c = 0; c < cols_; c += most_together) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, count_, std::min(cols_ - c, most_together), 1.0F,
                    in + c, cols_, axes_.data() + Offset{c} * count_, count_, c == 0 ? 0.0F : 1.0F, out, count_);
    }
}

}  // namespace dunlin::neighbors
