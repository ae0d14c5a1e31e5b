// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/smacof/disparities.hpp"
#include "mds/smacof/pull.cuh"

/// The functions of disparities.hpp on a GPU.
namespace dunlin::mds {

device::CudaBuffer<float> matrix_of(device::Cuda& cuda, const DeviceSource& source, Index stride);
void sort_pairs(device::Cuda& cuda, device::CudaBuffer<float>& delta, device::CudaBuffer<ItemPair>& pairs);
void sort_ties(device::Cuda& cuda, const device::CudaBuffer<std::uint32_t>& tie,
               const device::CudaBuffer<double>& distance, device::CudaBuffer<ItemPair>& pairs);
void make_monotone(device::Cuda& cuda, const WeightedValues& all);
void pull_in(device::Cuda& cuda, const SquareMatrix& matrix, const float* weights,
             Configuration<device::Cuda>& configuration);

inline PairWeights pair_weights(const CudaItems& items) { return {items.weights, padded(items.source->size())}; }

}  // namespace dunlin::mds
