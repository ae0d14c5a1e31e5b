// SPDX-License-Identifier: Apache-2.0
#include "mds/spectral/spectral.cuh"

#include "initialization/pca.cuh"
#include "mds/smacof/pair_sums.cuh"
#include "mds/start.hpp"
#include "numerics/product.cuh"

namespace dunlin::mds {

namespace {

using device::Cuda;
using device::CudaBuffer;

struct DistanceTo {
    Items items;
    const Index* chosen;
    Offset count, stride;
    float* to;
    __device__ void operator()(Offset at) const {
        const Offset i = at / count, k = at % count;
        to[i * stride + k] = items(chosen[k], static_cast<Index>(i));
    }
};

/// Sum of delta^2 v over a row, for four columns of v from `first` on.
struct SquareTally {
    static constexpr int size = 4;
    int first, width;
    __device__ void add(float* sums, float delta, float, float, const float*, const float* there) const {
        for (int c = 0; c < size && first + c < width; ++c)
            sums[c] += delta >= 0 ? delta * delta * there[first + c] : 0;
    }
};

struct KeepColumns {
    RowSums<SquareTally::size> sums;
    SquareTally tally;
    double* to;  ///< n x width, by columns
    Offset n;
    __device__ void operator()(Offset i) const {
        const auto sum = sums[i];
        for (int c = 0; c < tally.size && tally.first + c < tally.width; ++c) to[(tally.first + c) * n + i] = sum.at[c];
    }
};

}  // namespace

void distances_to(Cuda& cuda, const DeviceSource& source, std::span<const Index> chosen, float* to, Index stride,
                  const Run&) {
    CudaBuffer<Index> items;
    cuda.upload(items, chosen);
    const Offset count = std::ssize(chosen);
    cuda.each(Offset{source.size()} * count, DistanceTo{source.items(), items.data(), count, stride, to});
}

std::vector<double> gram_of(Cuda& cuda, Index n, const CudaBuffer<float>& c, Index count) {
    CudaBuffer<float> product(static_cast<std::size_t>(Offset{count} * count), cuda.stream()), parts;
    numerics::multiply<float>(
        cuda, {numerics::Left::by_columns, count, count, n, c.data(), c.data(), product.data(), count}, parts);
    const std::vector<float> found = cuda.host(product);
    return {found.begin(), found.end()};
}

std::vector<double> squares_times(Cuda& cuda, const DeviceSource& source, const std::vector<double>& v, Index width) {
    const Index n = source.size();
    std::vector<float> by_rows;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        for (std::size_t c = 0; c < static_cast<std::size_t>(width); ++c)
            by_rows.push_back(static_cast<float>(v[c * static_cast<std::size_t>(n) + i]));
    }
    CudaBuffer<float> narrow;
    CudaBuffer<double> parts, product(v.size(), cuda.stream());
    cuda.upload(narrow, by_rows);
    const PairSumInput input{source.items(), nullptr, narrow.data(), width, nullptr, n};
    for (int first = 0; first < width; first += SquareTally::size) {
        const SquareTally tally{first, width};
        cuda.each(n, KeepColumns{sum_over_pairs<0>(cuda, input, tally, parts), tally, product.data(), n});
    }
    return cuda.host(product);
}

CudaBuffer<float> principal_axes(Cuda& cuda, const Dissimilarities&, const DeviceSource& source, int dim) {
    auto y = initialization::principal_coordinates_on_device(cuda, source.points(), dim);
    cuda.each(Offset{source.size()} * dim, ScaleCoordinate{y.data(), static_cast<double>(source.items().unit)});
    return y;
}

}  // namespace dunlin::mds
