// SPDX-License-Identifier: Apache-2.0
#include "initialization/axes.cuh"

#include <cmath>

#include "initialization/dense.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "numerics/product.cuh"

namespace dunlin::initialization {

namespace {

using device::CudaBuffer;
using numerics::Left;

struct RandomNormal {
    double* values;
    __device__ void operator()(Offset i) const { values[i] = math::random_normal(0, static_cast<std::uint64_t>(i)); }
};

/// next = factor * (product - center * last) - before.
struct ChebyshevStep {
    double factor, center;
    const double *product, *last, *before;
    double* next;
    __device__ void operator()(Offset i) const { next[i] = factor * (product[i] - center * last[i]) - before[i]; }
};

constexpr int threads = 256;

/// residuals[v] = |A v - value v|, one block per column v.
__global__ void residuals_of(const double* products, const double* columns, const double* values, Index size,
                             double* residuals) {
    double sum = 0;
    for (Offset i = threadIdx.x; i < size; i += threads) {
        const Offset at = i * gridDim.x + blockIdx.x;
        const double rest = products[at] - values[blockIdx.x] * columns[at];
        sum += rest * rest;
    }
    sum = device::block_sum<threads>(sum);
    if (threadIdx.x == 0) residuals[blockIdx.x] = std::sqrt(sum);
}

/// An iterated subspace that converges to the leading eigenvectors; row-major in device memory.
class Subspace {
public:
    Subspace(device::Cuda& cuda, const Multiply& multiply, Index size, Index width)
        : cuda_(cuda), multiply_(multiply), size_(size), width_(width) {
        for (auto* columns : {&columns_, &products_, &spare_}) cuda_.resize(*columns, at(values()));
        cuda_.each(values(), RandomNormal{columns_.data()});
    }

    /// Replaces the columns by orthonormal Ritz vectors (Rayleigh-Ritz) and computes their products with the matrix.
    void rotate() {
        std::vector<double> basis = transposed(cuda_.host(columns_), width_, size_);
        make_orthonormal(basis.data(), size_, width_);
        cuda_.upload(columns_, transposed(basis, size_, width_));
        multiply_(columns_.data(), width_, products_.data());
        cuda_.resize(rotation_, at(Offset{width_} * width_));
        numerics::multiply<double>(
            cuda_,
            {Left::by_columns, width_, width_, size_, columns_.data(), products_.data(), rotation_.data(), width_},
            parts_);
        const Eigenpairs pairs = leading_eigenpairs(cuda_.host(rotation_), width_, width_);
        ritz_ = pairs.values;
        cuda_.upload(rotation_, transposed(pairs.vectors, width_, width_));
        for (auto* columns : {&columns_, &products_}) {
            numerics::multiply<double>(
                cuda_, {Left::by_rows, size_, width_, width_, columns->data(), rotation_.data(), spare_.data(), width_},
                parts_);
            columns->swap(spare_);
        }
    }

    /// Applies the Chebyshev polynomial of this degree for [0, least Ritz value]; degree 1: the matrix itself.
    void filter(int degree) {
        if (degree == 1) return columns_.swap(products_);
        const double half = 0.5 * ritz_.back();
        cuda_.fill(spare_, spare_.size(), 0.0);
        advance(1 / half, half);
        for (int i = 2; i <= degree; ++i) {
            multiply_(columns_.data(), width_, products_.data());
            advance(2 / half, half);
        }
    }

    /// The largest residual of the first `count` Ritz vectors, relative to their Ritz values. Residuals within rounding
    /// of the largest Ritz value are ignored.
    [[nodiscard]] double residual(Index count) {
        cuda_.upload(values_, ritz_);
        cuda_.resize(residuals_, at(width_));
        residuals_of<<<static_cast<unsigned>(width_), threads, 0, cuda_.stream()>>>(
            products_.data(), columns_.data(), values_.data(), size_, residuals_.data());
        device::cuda_check(cudaGetLastError());
        const std::vector<double> residuals = cuda_.host(residuals_);
        double most = 0;
        for (Index c = 0; c < count; ++c) {
            if (residuals[at(c)] > 1e-13 * ritz(0)) most = std::max(most, residuals[at(c)] / ritz(c));
        }
        return most;
    }

    [[nodiscard]] double ritz(Index i) const { return std::max(0.0, ritz_[at(i)]); }
    [[nodiscard]] Index width() const { return width_; }
    /// The first `count` columns, column-major.
    [[nodiscard]] std::vector<double> host(Index count) {
        std::vector<double> columns = transposed(cuda_.host(columns_), width_, size_);
        columns.resize(at(Offset{size_} * count));
        return columns;
    }

private:
    [[nodiscard]] Offset values() const { return Offset{size_} * width_; }

    /// columns, before <- next, columns
    void advance(double factor, double center) {
        cuda_.each(values(),
                   ChebyshevStep{factor, center, products_.data(), columns_.data(), spare_.data(), spare_.data()});
        columns_.swap(spare_);
    }

    device::Cuda& cuda_;
    const Multiply& multiply_;
    Index size_, width_;
    CudaBuffer<double> columns_, products_, spare_, rotation_, values_, residuals_, parts_;
    std::vector<double> ritz_;
};

/// The largest degree that keeps the columns linearly independent: it amplifies the first over the last by at most 1e9.
/// The first Ritz values are inaccurate, so the degree at most doubles from round to round.
int degree_of(const Subspace& subspace, int round) {
    constexpr double max_gain = 1e9;
    const double least = subspace.ritz(subspace.width() - 1);
    const double first = least > 0 ? 2 * subspace.ritz(0) / least - 1 : std::numeric_limits<double>::infinity();
    const double degree = std::acosh(max_gain) / std::acosh(std::max(first, 1.0001));
    return static_cast<int>(std::clamp(degree, 1.0, std::ldexp(1.0, std::min(round, 6))));
}

}  // namespace

std::vector<double> leading_axes(device::Cuda& cuda, const Multiply& multiply, Index size, Index count,
                                 double tolerance) {
    constexpr int max_rounds = 100, max_stalled_rounds = 6;
    Subspace subspace(cuda, multiply, size, std::min(size, count + std::max<Index>(count / 2, 14)));
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0, best_round = 0; round < max_rounds; ++round) {
        subspace.rotate();
        const double residual = subspace.residual(count);
        if (residual < 0.5 * best) best = residual, best_round = round;
        if (residual <= tolerance || round - best_round >= max_stalled_rounds) break;
        subspace.filter(degree_of(subspace, round));
    }
    return subspace.host(count);
}

}  // namespace dunlin::initialization
