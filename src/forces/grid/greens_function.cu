// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "forces/grid/greens_function.cuh"
#include "forces/grid/greens_function.hpp"
#include "forces/law.hpp"

namespace dunlin::forces {

namespace {

/// Values along the three axes, consecutive in device memory.
struct PerAxis {
    const double* of[3];
    int places[3];
};

PerAxis upload_axes(device::Cuda& cuda, const std::array<std::vector<double>, 3>& axes,
                    device::CudaBuffer<double>& to) {
    std::vector<double> all;
    for (const auto& axis : axes) all.insert(all.end(), axis.begin(), axis.end());
    cuda.upload(to, all);
    PerAxis result{};
    std::size_t begin = 0;
    for (std::size_t a = 0; a < 3; begin += axes[a++].size()) {
        result.of[a] = to.data() + begin;
        result.places[a] = static_cast<int>(axes[a].size());
    }
    return result;
}

struct WaveVector {
    int x, y, z;

    __device__ WaveVector(Offset i, const PerAxis& axes)
        : x(static_cast<int>(i / axes.places[2] / axes.places[1])),
          y(static_cast<int>(i / axes.places[2] % axes.places[1])),
          z(static_cast<int>(i % axes.places[2])) {}
};

/// Samples the potential between nodes, scaled to [0, 1].
template <class Law>
struct SampleKernel {
    Law law;
    PerAxis squares;
    double scale, floor;
    float* kernel;

    __device__ void operator()(Offset i) const {
        const WaveVector at(i, squares);
        const double r2 = squares.of[0][at.x] + squares.of[1][at.y] + squares.of[2][at.z];
        kernel[i] = static_cast<float>((potential_of(law, r2) - floor) / scale);
    }
};

/// A row of the cosine transform matrix of an even sequence, times the deconvolution factor.
struct CosineRow {
    int nodes;
    const double* deconvolution;
    float* cosines;

    __device__ void operator()(Offset i) const {
        const int places = nodes + 1, mode = static_cast<int>(i / places), node = static_cast<int>(i % places);
        const int turn = static_cast<int>(Offset{mode} * node % (2 * nodes));
        const double often = node == 0 || node == nodes ? 1 : 2;
        cosines[i] = static_cast<float>(often * deconvolution[mode] * cospi(static_cast<double>(turn) / nodes));
    }
};

/// out[m][c] = sum over j of a[m][j] in[c][j], for rows m and columns c: the last axis of `in` is transformed and
/// becomes the first. A block makes 64 x 64 of them, a thread 4 x 4.
constexpr int product_tile = 64, product_depth = 16;

struct ProductTiles {
    float a[product_depth][product_tile + 1], in[product_depth][product_tile + 1];
};

__device__ void load_rows(const float* from, Offset rows, int length, Offset first_row, int first,
                          float (&to)[product_depth][product_tile + 1]) {
    for (int i = static_cast<int>(threadIdx.x); i < product_tile * product_depth; i += 256) {
        const Offset row = first_row + i / product_depth;
        const int j = first + i % product_depth;
        to[i % product_depth][i / product_depth] = row < rows && j < length ? from[row * length + j] : 0.0F;
    }
}

__global__ void __launch_bounds__(256)
    product_kernel(int length, Offset columns, const float* a, const float* in, float* out) {
    __shared__ ProductTiles tiles;
    const int x = static_cast<int>(threadIdx.x) % 16, y = static_cast<int>(threadIdx.x) / 16;
    const Offset column = Offset{blockIdx.x} * product_tile;
    const int row = static_cast<int>(blockIdx.y) * product_tile;
    double sum[4][4] = {};
    for (int first = 0; first < length; first += product_depth) {
        load_rows(a, length, length, row, first, tiles.a);
        load_rows(in, columns, length, column, first, tiles.in);
        __syncthreads();
        float part[4][4] = {};
#pragma unroll
        for (int j = 0; j < product_depth; ++j) {
#pragma unroll
            for (int r = 0; r < 4; ++r) {
#pragma unroll
                for (int c = 0; c < 4; ++c) part[r][c] += tiles.a[j][y + 16 * r] * tiles.in[j][x + 16 * c];
            }
        }
        __syncthreads();
        for (int r = 0; r < 4; ++r) {
            for (int c = 0; c < 4; ++c) sum[r][c] += static_cast<double>(part[r][c]);
        }
    }
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            const Offset m = row + y + 16 * r, at = column + x + 16 * c;
            if (m < length && at < columns) out[m * columns + at] = static_cast<float>(sum[r][c]);
        }
    }
}

/// Terms of a point's potential on itself, averaged over its position in a cell.
struct SelfTerm {
    PerAxis factors;
    const float* greens_function;

    __device__ double operator()(Offset i) const {
        const WaveVector k(i, factors);
        return static_cast<double>(greens_function[i]) * factors.of[0][k.x] * factors.of[1][k.y] * factors.of[2][k.z];
    }
};

void transform_last_axis(device::Cuda& cuda, int nodes, const double* deconvolution, Offset size,
                         device::CudaBuffer<float>& cosines, const float* in, float* out) {
    const int places = nodes + 1;
    cuda.resize(cosines, static_cast<std::size_t>(Offset{places} * places));
    cuda.each(Offset{places} * places, CosineRow{nodes, deconvolution, cosines.data()});
    const Offset columns = size / places;
    const dim3 blocks(static_cast<unsigned>((columns + product_tile - 1) / product_tile),
                      static_cast<unsigned>((places + product_tile - 1) / product_tile));
    product_kernel<<<blocks, 256, 0, cuda.stream()>>>(places, columns, cosines.data(), in, out);
    device::cuda_check(cudaGetLastError());
}

}  // namespace

template <class Law>
void make_greens_function(device::Cuda& cuda, const GridShape& shape, CudaGreensFunction& greens_function, Law law) {
    const auto squares = squared_distances(shape);
    greens_function.floor = potential_of(law, squares[0].back() + squares[1].back() + squares[2].back());
    greens_function.scale = potential_of(law, 0.0) - greens_function.floor;
    const PerAxis squared = upload_axes(cuda, squares, greens_function.factors_);
    const Offset size = Offset{squared.places[0]} * squared.places[1] * squared.places[2];
    cuda.resize(greens_function.values, static_cast<std::size_t>(size));
    cuda.resize(greens_function.kernel_, static_cast<std::size_t>(size));
    float* from = greens_function.kernel_.data();
    float* to = greens_function.values.data();
    if (shape.dim == 2) std::swap(from, to);
    cuda.each(size, SampleKernel<Law>{law, squared, greens_function.scale, greens_function.floor, from});

    std::array<std::vector<double>, 3> deconvolution{{{1}, {1}, {1}}}, self = deconvolution;
    for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dim); ++a) {
        AxisFactors factors = axis_factors(shape.nodes[a]);
        deconvolution[a] = std::move(factors.deconvolution), self[a] = std::move(factors.self);
    }
    const PerAxis factors = upload_axes(cuda, deconvolution, greens_function.factors_);
    for (int a = shape.dim - 1; a >= 0; --a, std::swap(from, to)) {
        transform_last_axis(cuda, shape.nodes[static_cast<std::size_t>(a)], factors.of[a], size,
                            greens_function.cosines_, from, to);
    }
    const PerAxis own = upload_axes(cuda, self, greens_function.factors_);
    cuda.sum(size, SelfTerm{own, greens_function.values.data()}, greens_function.self);
}

template void make_greens_function<StudentT>(device::Cuda&, const GridShape&, CudaGreensFunction&, StudentT);
template void make_greens_function<GeneralStudentT>(device::Cuda&, const GridShape&, CudaGreensFunction&,
                                                    GeneralStudentT);
template void make_greens_function<Fuzzy>(device::Cuda&, const GridShape&, CudaGreensFunction&, Fuzzy);
template void make_greens_function<FurtherPairs>(device::Cuda&, const GridShape&, CudaGreensFunction&, FurtherPairs);

}  // namespace dunlin::forces
