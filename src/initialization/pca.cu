// SPDX-License-Identifier: Apache-2.0
#include "initialization/pca.cuh"

#include "initialization/axes.cuh"
#include "initialization/centered.cuh"
#include "initialization/dense.hpp"
#include "initialization/noisy_coordinate.hpp"
#include "numerics/product.cuh"

namespace dunlin::initialization {

namespace {

constexpr Index largest_square = 4096;  // up to here a d x d matrix is cheaper than many passes over the points

struct Squares {
    const float* coordinates;
    int dim;
    __device__ double operator()(Offset i) const {
        const auto first = static_cast<double>(coordinates[i * dim]);
        return first * first;
    }
};

struct Mix {
    float* coordinates;
    const double* squares;
    Index n;
    double deviation;
    std::uint64_t seed;
    __device__ void operator()(Offset i) const {
        coordinates[i] = NoisyCoordinate::of(*squares, n, deviation).at(seed, i, coordinates[i]);
    }
};

std::vector<double> axes_of(device::Cuda& cuda, CenteredRows& rows, Index count) {
    const Index d = rows.cols();
    if (d > largest_square) {
        const auto multiply = [&](const double* v, Index width, double* product) {
            rows.square_times(v, width, product);
        };
        return leading_axes(cuda, multiply, d, count, 1e-6);
    }
    device::CudaBuffer<double> square, parts;
    rows.square(square);
    const auto multiply = [&](const double* v, Index width, double* product) {
        numerics::multiply<double>(cuda, {numerics::Left::by_columns, d, width, d, square.data(), v, product, width},
                                   parts);
    };
    return leading_axes(cuda, multiply, d, count, 1e-7);
}

}  // namespace

device::CudaBuffer<float> principal_coordinates_on_device(device::Cuda& cuda, const device::DevicePoints& points,
                                                          int components) {
    const Index n = points.host.rows, d = points.host.cols;
    device::CudaBuffer<float> coordinates;
    cuda.fill(coordinates, static_cast<std::size_t>(n) * static_cast<std::size_t>(components), 0.0F);
    if (n < 2 || d < 1) return coordinates;

    // More memory pays off for many products with the points, not for the two passes of a covariance matrix
    const Offset most = d > largest_square ? Offset{1} << 31 : Offset{1} << 26;
    const auto allowed = static_cast<Offset>(device::allowance(cuda) / (8 * sizeof(float)));
    const Offset values = std::min(most, allowed);
    CenteredRows rows(cuda, points, values);
    const Index count = std::min<Index>({components, d, n});
    std::vector<double> axes = axes_of(cuda, rows, count);
    make_signs_canonical(axes.data(), d, count);
    device::CudaBuffer<double> columns;
    cuda.upload(columns, transposed(axes, d, count));
    rows.times(columns.data(), count, coordinates.data(), components);
    return coordinates;
}

device::CudaBuffer<float> pca_start_on_device(device::Cuda& cuda, const device::DevicePoints& points, int dim,
                                              double deviation, std::uint64_t seed) {
    const Index n = points.host.rows;
    auto coordinates = principal_coordinates_on_device(cuda, points, dim);
    device::CudaCell<double> squares;
    cuda.sum(n, Squares{coordinates.data(), dim}, squares);
    cuda.each(Offset{n} * dim, Mix{coordinates.data(), cuda.address(squares), n, deviation, seed});
    return coordinates;
}

device::CudaBuffer<float> random_start_on_device(device::Cuda& cuda, Index n, int dim, double deviation,
                                                 std::uint64_t seed) {
    device::CudaBuffer<float> coordinates;
    device::CudaCell<double> squares;
    cuda.fill(coordinates, static_cast<std::size_t>(n) * static_cast<std::size_t>(dim), 0.0F);
    cuda.set(squares, 0.0);
    cuda.each(Offset{n} * dim, Mix{coordinates.data(), cuda.address(squares), n, deviation, seed});
    return coordinates;
}

}  // namespace dunlin::initialization
