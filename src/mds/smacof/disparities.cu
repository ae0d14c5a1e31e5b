// SPDX-License-Identifier: Apache-2.0
#include "mds/smacof/disparities.cuh"

#include <bit>

#include "numerics/sort.cuh"

namespace dunlin::mds {

namespace {

using device::Cuda;
using device::CudaBuffer;

struct CopyDelta {
    Items items;
    SquareMatrix matrix;
    __device__ void operator()(Offset at) const {
        const auto i = static_cast<Index>(at / matrix.stride), j = static_cast<Index>(at % matrix.stride);
        matrix.values[at] = j < items.n ? items(i, j) : NAN;
    }
};

/// Sort key: tie first, then distance, whose bits ascend with its value.
struct KeyOfTied {
    const std::uint32_t* tie;
    const double* distance;
    std::uint64_t* key;
    __device__ void operator()(Offset k) const {
        key[k] = std::uint64_t{tie[k]} << 32 | __float_as_uint(static_cast<float>(distance[k]));
    }
};

}  // namespace

CudaBuffer<float> matrix_of(Cuda& cuda, const DeviceSource& source, Index stride) {
    const Offset size = Offset{source.size()} * stride;
    CudaBuffer<float> matrix(static_cast<std::size_t>(size), cuda.stream());
    cuda.each(size, CopyDelta{source.items(), {matrix.data(), stride}});
    return matrix;
}

void sort_pairs(Cuda& cuda, CudaBuffer<float>& delta, CudaBuffer<ItemPair>& pairs) {
    numerics::sort_pairs(cuda, delta, pairs, 0, 32);
}

void sort_ties(Cuda& cuda, const CudaBuffer<std::uint32_t>& tie, const CudaBuffer<double>& distance,
               CudaBuffer<ItemPair>& pairs) {
    CudaBuffer<std::uint64_t> key(tie.size(), cuda.stream());
    cuda.each(static_cast<Offset>(tie.size()), KeyOfTied{tie.data(), distance.data(), key.data()});
    numerics::sort_pairs(cuda, key, pairs, 0, 32 + std::bit_width(tie.size()));
}

void make_monotone(Cuda& cuda, const WeightedValues& all) { hull::make_monotone(cuda, all); }

void pull_in(Cuda& cuda, const SquareMatrix& matrix, const float* weights, Configuration<Cuda>& configuration) {
    pull_all(cuda, Items{matrix.values, configuration.n, matrix.stride, DissimilarityKind::given, 1.0F}, weights,
             {nullptr, 0}, configuration);
}

}  // namespace dunlin::mds
