// SPDX-License-Identifier: Apache-2.0
#include "mds/spectral/anchored.cuh"

#include "mds/input/device_source.cuh"

namespace dunlin::mds {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// What all anchors do to an item at a place. Dim: of the map; 0: any, four axes at a time.
template <int Dim>
struct PullOfAnchors {
    ToAnchors to;
    Offset item;
    const float* anchors;
    int dim;

    __device__ double operator()(const float* place, double* force) const {
        constexpr int axes = Dim > 0 ? Dim : 4;
        const int all = Dim > 0 ? Dim : dim;
        double stress = 0;
        for (int first = 0; first < all; first += axes) {
            double sums[axes] = {};
            stress = 0;
            for (Offset a = 0; a < to.count; ++a) {
                const float* anchor = anchors + a * all;
                float d2 = 0;
                for (int c = 0; c < all; ++c) d2 += (place[c] - anchor[c]) * (place[c] - anchor[c]);
                const Pull pull = pull_of(d2, to(item, a), to.weights[a]);
                stress += static_cast<double>(pull.error2);
                for (int c = 0; c < axes && first + c < all; ++c)
                    sums[c] += static_cast<double>(pull.strength * (place[first + c] - anchor[first + c]));
            }
            for (int c = 0; c < axes && first + c < all; ++c) force[first + c] = sums[c];
        }
        return stress;
    }
};

template <int Dim>
struct PlaceItem {
    ToAnchors to;
    const float* anchors;
    int dim;
    double tolerance;
    Offset first;
    double* force;
    float* y;
    int* moves;
    __device__ void operator()(Offset k) const {
        const Offset item = first + k;
        const PullOfAnchors<Dim> pull{to, item, anchors, dim};
        moves[item] = place_item(to, item, anchors, dim, pull, force + k * dim, tolerance, y + item * dim);
    }
};

}  // namespace

Anchored<Cuda> hold_anchors(Cuda& cuda, const Anchors& anchors, const OnDemandRows& feed) {
    const Offset n = feed.size(), k = std::ssize(anchors.items);
    // A row after the other, as they come: neighboring threads, which have an item each, read side by side
    Anchored<Cuda> held{static_cast<Index>(k), {}, {}, {}, 1, n};
    cuda.upload(held.items, anchors.items);
    cuda.upload(held.weights, anchors.weights);
    cuda.resize(held.values, static_cast<std::size_t>(n * k));
    for (Offset a = 0; a < k; ++a) {
        const float* row = feed.row(anchors.items[static_cast<std::size_t>(a)]);
        cuda.copy_in(held.values.data() + a * n, row, static_cast<std::size_t>(n) * sizeof(float));
    }
    return held;
}

void place_items(Cuda& cuda, const Anchored<Cuda>& anchors, const CudaBuffer<float>& places,
                 Configuration<Cuda>& configuration, const Span& some, double tolerance, int* moves) {
    CudaBuffer<double> force(static_cast<std::size_t>(some.count * configuration.dim), cuda.stream());
    with_dim(configuration.dim, [&]<int Dim>() {
        cuda.each(some.count, PlaceItem<Dim>{anchors.to(), places.data(), configuration.dim, tolerance, some.first,
                                             force.data(), configuration.y.data(), moves});
    });
}

}  // namespace dunlin::mds
