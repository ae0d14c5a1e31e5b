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

template <class Law>
Score row_mass(device::Cuda& cuda, const Law& law, MatrixView<const float> y, const std::vector<Index>& rows) {
    device::CudaBuffer<Index> judged;
    cuda.upload(judged, rows);
    const device::CudaBuffer<double> masses(rows.size(), cuda.stream());
    forces::exact_potentials<Law>(cuda, y, judged.data(), static_cast<Index>(rows.size()), masses.data(), law);
    return mean_over(cuda.host(masses), y.rows);
}

}  // namespace

template <class Law>
Score kl_on_device(device::Cuda& cuda, const Law& law, const graph::DeviceGraph& affinities, MatrixView<const float> y,
                   const Options& options) {
    device::CudaCell<double> cost, total;
    forces::attract_cost(cuda, law, affinities, y, cost);
    cuda.sum(affinities.edges(), Weight{affinities.weights.data()}, total);
    const Score mass = row_mass(cuda, law, y, rows_of_normalizer(y.rows, options, cuda.run().seed));
    return kl_of(cuda.read(cost), cuda.read(total), mass, y.rows);
}

template Score kl_on_device(device::Cuda&, const forces::StudentT&, const graph::DeviceGraph&, MatrixView<const float>,
                            const Options&);
template Score kl_on_device(device::Cuda&, const forces::GeneralStudentT&, const graph::DeviceGraph&,
                            MatrixView<const float>, const Options&);

}  // namespace dunlin::scores
