#include "neighbors/axes.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "device/blas.hpp"
#include "math/rng.hpp"

namespace dunlin::neighbors {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int rounds = 3;
constexpr Index most_together = 1024;  // products summed in one go: bounds the rounding

/// Rows of the sample, as floats.
std::vector<float> sample_rows(const Frame& frame) {
    const auto cols = static_cast<std::size_t>(frame.cols());
    std::vector<float> rows(frame.sample().size() * cols);
    for (std::size_t s = 0; s < frame.sample().size(); ++s) frame.row(frame.sample()[s], rows.data() + s * cols);
    return rows;
}

Matrix inner_products(const Matrix& a) {
    Matrix gram(a.cols(), a.cols());
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, static_cast<int>(a.cols()), static_cast<int>(a.cols()),
                static_cast<int>(a.rows()), 1.0, a.data(), static_cast<int>(a.cols()), a.data(),
                static_cast<int>(a.cols()), 0.0, gram.data(), static_cast<int>(a.cols()));
    return gram;
}

/// Makes the columns orthonormal by Cholesky's factor of their inner products, twice for the rounding. Columns that
/// depend on others come out short, which does no harm.
void orthonormalise(Matrix& a) {
    for (int pass = 0; pass < 2; ++pass) {
        Matrix gram = inner_products(a);
        gram.diagonal().array() += 1e-13 * gram.trace() + 1e-300;
        const Matrix upper = Eigen::LLT<Matrix>(gram).matrixU();
        const Matrix inverse = upper.triangularView<Eigen::Upper>().solve(Matrix::Identity(a.cols(), a.cols()));
        a = (a * inverse).eval();
    }
}

}  // namespace

Axes::Axes(const Frame& frame, Index count) : cols_(frame.cols()), count_(count) {
    const std::vector<float> sample = sample_rows(frame);
    const auto rows = static_cast<int>(frame.sample().size());
    std::vector<float> along(static_cast<std::size_t>(rows) * static_cast<std::size_t>(count));
    axes_.resize(static_cast<std::size_t>(cols_) * static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < along.size(); ++i) along[i] = static_cast<float>(math::random_normal(1, i));

    // Subspace iteration: axes = X^T (X axes), made orthonormal
    Matrix axes(cols_, count);
    for (int round = 0; round < rounds; ++round) {
        if (round > 0) project(sample.data(), rows, along.data());
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, cols_, count, rows, 1.0F, sample.data(), cols_,
                    along.data(), count, 0.0F, axes_.data(), count);
        axes =
            Eigen::Map<const Eigen::Matrix<float, -1, -1, Eigen::RowMajor>>(axes_.data(), cols_, count).cast<double>();
        orthonormalise(axes);
        Eigen::Map<Eigen::Matrix<float, -1, -1, Eigen::RowMajor>>(axes_.data(), cols_, count) = axes.cast<float>();
    }

    // Turned so that the first spreads most
    project(sample.data(), rows, along.data());
    const Matrix spread = inner_products(
        Eigen::Map<const Eigen::Matrix<float, -1, -1, Eigen::RowMajor>>(along.data(), rows, count).cast<double>());
    const Matrix turn = Eigen::SelfAdjointEigenSolver<Matrix>(spread).eigenvectors().rowwise().reverse();
    axes = (axes * turn).eval();
    Eigen::Map<Eigen::Matrix<float, -1, -1, Eigen::RowMajor>>(axes_.data(), cols_, count) = axes.cast<float>();

    // Bounds that hold for the axes as rounded, however good they are
    const Matrix rounded =
        Eigen::Map<const Eigen::Matrix<float, -1, -1, Eigen::RowMajor>>(axes_.data(), cols_, count).cast<double>();
    stretch_ = std::sqrt(inner_products(rounded).cwiseAbs().rowwise().sum().maxCoeff()) * (1 + 1e-9);
    const double sums = std::min(cols_, most_together) + cols_ / most_together + 4;
    rounding_ = stretch_ * std::sqrt(static_cast<double>(count)) * sums * 0x1p-24;
}

void Axes::project(const float* in, Index rows, float* out) const {
    for (Index c = 0; c < cols_; c += most_together) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, count_, std::min(cols_ - c, most_together), 1.0F,
                    in + c, cols_, axes_.data() + Offset{c} * count_, count_, c == 0 ? 0.0F : 1.0F, out, count_);
    }
}

}  // namespace dunlin::neighbors
