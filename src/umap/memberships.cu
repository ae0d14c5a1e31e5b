// SPDX-License-Identifier: Apache-2.0
#include "umap/memberships.cuh"

#include "graph/symmetrize.cuh"
#include "umap/local_scale.hpp"
#include "umap/supervision.hpp"

namespace dunlin::umap {

namespace {

struct Distance {
    const float* weights;
    __device__ double operator()(Offset e) const { return static_cast<double>(weights[e]); }
};

/// Replaces the distances of a row by memberships.
struct RowMemberships {
    const Offset* offsets;
    float* weights;
    float connectivity;
    const double* total;
    double entries;
    __device__ void operator()(Offset i) const {
        float* row = weights + offsets[i];
        const Offset count = offsets[i + 1] - offsets[i];
        const LocalScale scale = local_scale(row, count, connectivity, static_cast<float>(*total / entries));
        for (Offset e = 0; e < count; ++e) row[e] = scale.membership(row[e]);
    }
};

}  // namespace

graph::DeviceGraph memberships_on_device(device::Cuda& cuda, graph::DeviceGraph&& neighbors, const Options& options) {
    device::CudaCell<double> total;
    cuda.sum(neighbors.edges(), Distance{neighbors.weights.data()}, total);
    const auto entries = static_cast<double>(neighbors.edges() + neighbors.size());
    cuda.each(neighbors.size(), RowMemberships{neighbors.offsets.data(), neighbors.weights.data(),
                                               options.local_connectivity, cuda.address(total), entries});
    return graph::symmetrize(cuda, std::move(neighbors), graph::FuzzyMix{static_cast<double>(options.mix)});
}

graph::DeviceGraph supervised_on_device(device::Cuda& cuda, graph::DeviceGraph&& memberships, const Labels* labels,
                                        float weight) {
    if (labels == nullptr) return std::move(memberships);
    device::CudaBuffer<Index> known;
    cuda.upload(known, labels->of);
    cuda.each(memberships.size(), SuperviseRow{memberships.offsets.data(), memberships.targets.data(), known.data(),
                                               LabelFactors(weight), memberships.weights.data()});
    return graph::symmetrize(cuda, std::move(memberships), graph::FuzzyMix{1});
}

}  // namespace dunlin::umap
