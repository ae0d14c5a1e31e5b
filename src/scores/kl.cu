// SPDX-License-Identifier: Apache-2.0
#include "scores/kl.cuh"

#include "forces/attraction/attraction.cuh"
#include "forces/exact/exact.cuh"
#include "scores/kl.hpp"
#include "scores/sample.hpp"

namespace dunlin::scores {

namespace {

struct Weight {
    const float* weights;
    __device__ double operator()(Offset e) const { return static_cast<double>(weights[e]); }
};

Score row_mass(device::Cuda& cuda, MatrixView<const float> y, const std::vector<Index>& rows) {
    device::CudaBuffer<Index> judged;
    cuda.upload(judged, rows);
    const device::CudaBuffer<double> masses(rows.size(), cuda.stream());
    forces::exact_potentials<forces::StudentT>(cuda, y, judged.data(), static_cast<Index>(rows.size()), masses.data());
    return mean_over(cuda.host(masses), y.rows);
}

}  // namespace

Score kl_on_device(device::Cuda& cuda, const graph::DeviceGraph& affinities, MatrixView<const float> y,
                   const Options& options) {
    device::CudaCell<double> cost, total;
    forces::attract_cost(cuda, forces::StudentT(), affinities, y, cost);
    cuda.sum(affinities.edges(), Weight{affinities.weights.data()}, total);
    const Score mass = row_mass(cuda, y, rows_of_normalizer(y.rows, options, cuda.run().seed));
    return kl_of(cuda.read(cost), cuda.read(total), mass, y.rows);
}

}  // namespace dunlin::scores
