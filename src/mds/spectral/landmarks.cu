// SPDX-License-Identifier: Apache-2.0
#include "mds/spectral/landmarks.cuh"

#include "mds/input/device_source.cuh"

namespace dunlin::mds {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Stress and force of an item by all landmarks. Dim: of the map; 0: any, four axes at a time.
template <int Dim>
struct ForceOfLandmarks {
    LandmarkDistances to;
    Offset item;
    const float* landmarks;
    int dim;

    __device__ double operator()(const float* place, double* force) const {
        constexpr int axes = Dim > 0 ? Dim : 4;
        const int all = Dim > 0 ? Dim : dim;
        double stress = 0;
        for (int first = 0; first < all; first += axes) {
            double sums[axes] = {};
            stress = 0;
            for (Offset a = 0; a < to.count; ++a) {
                const float* landmark = landmarks + a * all;
                float d2 = 0;
                for (int c = 0; c < all; ++c) d2 += (place[c] - landmark[c]) * (place[c] - landmark[c]);
                const auto term = stress::majorization_term(d2, to(item, a), to.weights[a]);
                stress += static_cast<double>(term.error2);
                for (int c = 0; c < axes && first + c < all; ++c)
                    sums[c] += static_cast<double>(term.strength * (place[first + c] - landmark[first + c]));
            }
            for (int c = 0; c < axes && first + c < all; ++c) force[first + c] = sums[c];
        }
        return stress;
    }
};

template <int Dim>
struct PlaceItem {
    LandmarkDistances to;
    const float* landmarks;
    int dim;
    double tolerance;
    Offset first;
    double* force;
    float* y;
    int* moves;
    __device__ void operator()(Offset k) const {
        const Offset item = first + k;
        const ForceOfLandmarks<Dim> pull{to, item, landmarks, dim};
        moves[item] = place_item(to, item, landmarks, dim, pull, force + k * dim, tolerance, y + item * dim);
    }
};

}  // namespace

HeldLandmarks<Cuda> hold_landmarks(Cuda& cuda, const Landmarks& landmarks, const OnDemandRows& feed) {
    const Offset n = feed.size(), k = std::ssize(landmarks.items);
    // A row per landmark: threads of neighboring items read contiguous memory
    HeldLandmarks<Cuda> held{static_cast<Index>(k), {}, {}, {}, 1, n};
    cuda.upload(held.items, landmarks.items);
    cuda.upload(held.weights, landmarks.weights);
    cuda.resize(held.values, static_cast<std::size_t>(n * k));
    for (Offset a = 0; a < k; ++a) {
        const float* row = feed.row(landmarks.items[static_cast<std::size_t>(a)]);
        cuda.copy_in(held.values.data() + a * n, row, static_cast<std::size_t>(n) * sizeof(float));
    }
    return held;
}

void place_items(Cuda& cuda, const HeldLandmarks<Cuda>& landmarks, const CudaBuffer<float>& places,
                 Configuration<Cuda>& configuration, const ItemRange& some, double tolerance, int* moves) {
    CudaBuffer<double> force(static_cast<std::size_t>(some.count * configuration.dim), cuda.stream());
    with_dim(configuration.dim, [&]<int Dim>() {
        cuda.each(some.count, PlaceItem<Dim>{landmarks.to(), places.data(), configuration.dim, tolerance, some.first,
                                             force.data(), configuration.y.data(), moves});
    });
}

}  // namespace dunlin::mds
