// SPDX-License-Identifier: Apache-2.0
#include "parametric/batch_loss.cuh"

#include "forces/law.hpp"
#include "parametric/arrays.hpp"

namespace dunlin::parametric {

namespace {

using device::Cuda, device::CudaBuffer;

constexpr int warp = 32, threads = 256;
constexpr int at_once = 4;  ///< axes whose sums a lane holds; more take further passes over the pairs

/// One warp per row.
struct Rows {
    Index count, dim;
    const float* y;

    __device__ static Offset own() { return (Offset{blockIdx.x} * blockDim.x + threadIdx.x) / warp; }
    __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp; }
    [[nodiscard]] unsigned blocks() const {
        return static_cast<unsigned>((Offset{count} * warp + threads - 1) / threads);
    }
};

/// force: the repulsion of a row by all others. masses: per row, without itself.
template <class Law>
__global__ void repulsion_kernel(Law law, Rows rows, float* force, double* masses) {
    const Offset i = Rows::own();
    if (i >= rows.count) return;
    const Index dim = rows.dim;
    const float* const place = rows.y + i * dim;
    for (Index first = 0; first < dim; first += at_once) {
        double sums[at_once] = {}, mass = 0;
        for (Offset j = Rows::lane(); j < rows.count; j += warp) {
            const float* const other = rows.y + j * dim;
            float r2 = law.origin;
            for (Index d = 0; d < dim; ++d) r2 += (place[d] - other[d]) * (place[d] - other[d]);
            const float strength = law.strength_at(r2);
            if (first == 0 && j != i) mass += static_cast<double>(law.mass_at(r2));
#pragma unroll
            for (int d = 0; d < at_once; ++d) {
                if (first + d < dim) sums[d] += static_cast<double>(strength * (place[first + d] - other[first + d]));
            }
        }
#pragma unroll
        for (int d = 0; d < at_once; ++d) {
            const double sum = device::group_sum<warp>(sums[d]);
            if (Rows::lane() == 0 && first + d < dim) force[i * dim + first + d] = static_cast<float>(sum);
        }
        mass = device::group_sum<warp>(mass);
        if (first == 0 && Rows::lane() == 0) masses[i] = mass;
    }
}

/// Adds the attraction to the repulsion, and sets the terms of KL of a row.
template <class Law>
__global__ void attraction_kernel(Law law, Rows rows, graph::DeviceGraph::View affinities, const double* mass,
                                  float* gradient, double* costs, double* totals) {
    const Offset i = Rows::own();
    if (i >= rows.count) return;
    const Index dim = rows.dim;
    const double normalizer = descent::normalizer(*mass);
    const float* const place = rows.y + i * dim;
    for (Index first = 0; first < dim; first += at_once) {
        double sums[at_once] = {}, cost = 0, total = 0;
        for (Offset e = affinities.offsets[i] + Rows::lane(); e < affinities.offsets[i + 1]; e += warp) {
            const float* const other = rows.y + Offset{affinities.targets[e]} * dim;
            const auto p = static_cast<double>(affinities.weights[e]);
            double r2 = 0;
            for (Index d = 0; d < dim; ++d) {
                const double difference = static_cast<double>(place[d]) - static_cast<double>(other[d]);
                r2 += difference * difference;
            }
            const double factor = law.attraction(p, r2);
#pragma unroll
            for (int d = 0; d < at_once; ++d) {
                if (first + d < dim)
                    sums[d] += factor * (static_cast<double>(place[first + d]) - static_cast<double>(other[first + d]));
            }
            cost += law.cost(p, r2);
            total += p;
        }
#pragma unroll
        for (int d = 0; d < at_once; ++d) {
            const double sum = device::group_sum<warp>(sums[d]);
            if (Rows::lane() > 0 || first + d >= dim) continue;
            float& out = gradient[i * dim + first + d];
            out = batch_gradient(sum, static_cast<double>(out), normalizer);
        }
        cost = device::group_sum<warp>(cost);
        total = device::group_sum<warp>(total);
        if (first == 0 && Rows::lane() == 0) costs[i] = cost, totals[i] = total;
    }
}

struct TermOfRow {
    const double *costs, *totals, *mass;
    __device__ double operator()(Offset i) const {
        return batch_kl_of(costs[i], totals[i], descent::normalizer(*mass));
    }
};

}  // namespace

template <class Law>
void batch_kl(Cuda& cuda, const Law& law, const graph::DeviceGraph& affinities, MatrixView<const float> y,
              MatrixView<float> gradient, device::CudaCell<double>& kl) {
    const auto n = static_cast<std::size_t>(y.rows);
    const Rows rows{y.rows, y.cols, y.data};
    CudaBuffer<double> masses(n, cuda.stream()), costs(n, cuda.stream()), totals(n, cuda.stream());
    device::CudaCell<double> mass;
    if (n > 0) {
        repulsion_kernel<<<rows.blocks(), threads, 0, cuda.stream()>>>(law, rows, gradient.data, masses.data());
        device::cuda_check(cudaGetLastError());
    }
    cuda.sum(y.rows, RowValue{masses.data()}, mass);
    if (n > 0) {
        attraction_kernel<<<rows.blocks(), threads, 0, cuda.stream()>>>(
            law, rows, affinities.view(), cuda.address(mass), gradient.data, costs.data(), totals.data());
        device::cuda_check(cudaGetLastError());
    }
    cuda.sum(y.rows, TermOfRow{costs.data(), totals.data(), cuda.address(mass)}, kl);
}

template void batch_kl(Cuda&, const forces::StudentT&, const graph::DeviceGraph&, MatrixView<const float>,
                       MatrixView<float>, device::CudaCell<double>&);
template void batch_kl(Cuda&, const forces::GeneralStudentT&, const graph::DeviceGraph&, MatrixView<const float>,
                       MatrixView<float>, device::CudaCell<double>&);

}  // namespace dunlin::parametric
