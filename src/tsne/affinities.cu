// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/ranks.cuh"
#include "graph/half_graph.cuh"
#include "graph/symmetrize.cuh"
#include "math/exp.hpp"
#include "tsne/affinities.cuh"
#include "tsne/bandwidth.hpp"
#include "tsne/perplexity.hpp"

namespace dunlin::tsne {

namespace {

constexpr int warp = 32;

/// Combines a value of all lanes of a warp; every lane gets the same bits.
template <class T, class Combine>
__device__ T over_warp(T value, const Combine& combine) {
    for (int step = warp / 2; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(~0U, value, step));
    return value;
}

template <class T>
__device__ T warp_sum(T value) {
    return over_warp(value, [](T a, T b) { return a + b; });
}

/// The entries of a row that a lane processes: every 32nd.
struct LaneOfRow {
    float* values;  ///< distances, then normalized squared distances, then affinities
    Offset count;

    template <class Body>
    __device__ void each(const Body& body) const {
        for (Offset j = threadIdx.x % warp; j < count; j += warp) body(values[j]);
    }
};

/// Squared distances minus the least, divided by their mean; no scale if all are equal. As in perplexity_simd.cpp, but
/// summed over lanes and multiplied by the reciprocal mean, so that the last bits may differ.
struct NormalizedLanes {
    bool has_scale = false;
    double offset = 0;  ///< the least squared distance in the unit of the others
};
__device__ NormalizedLanes normalize(const LaneOfRow& row) {
    float least = INFINITY, most = 0;
    row.each([&](float x) { least = fminf(least, x), most = fmaxf(most, x); });
    least = over_warp(least, fminf);
    most = over_warp(most, fmaxf);
    if (!has_scale(least, most)) return {};
    const RowScale scale{least, 1.0 / most};
    double sum = 0;
    row.each([&](float x) { sum += scale(x); });
    const double mean = warp_sum(sum) / static_cast<double>(row.count);
    if (!(mean > 0)) return {};
    const double inverse = 1 / mean, nearest = scale.least * scale.inverse_most;
    row.each([&](float& x) { x = static_cast<float>(scale(x) * inverse); });
    return {true, nearest * nearest * inverse};
}

__device__ EntropySums entropy_sums(const LaneOfRow& row, float beta) {
    float e_sum = 0, ed_sum = 0, edd_sum = 0;
    row.each([&](float d) {
        const float e = math::exp_of_negative(-beta * d);
        e_sum += e;
        ed_sum += e * d;
        edd_sum += e * d * d;
    });
    return {warp_sum(e_sum), warp_sum(ed_sum), warp_sum(edd_sum)};
}

/// RowRule in registers.
struct RowEntropies {
    double entropy[most_perplexities];
    int count;
    AffinityKind kind;
};

__device__ void fill_equally(const LaneOfRow& row) {
    row.each([&](float& p) { p = 1.0F / static_cast<float>(row.count); });
}

/// One warp per row: its affinities.
__global__ void conditional_kernel(device::Slice rows, const Offset* offsets, float* weights, double entropy) {
    const Offset i = rows.begin + (Offset{blockIdx.x} * blockDim.x + threadIdx.x) / warp;
    if (i >= rows.end) return;
    const LaneOfRow row{weights + offsets[i], offsets[i + 1] - offsets[i]};
    if (!normalize(row).has_scale) return fill_equally(row);
    float beta = 1;
    const EntropySums sums = search_beta(entropy, [&](float next) {
        beta = next;
        return entropy_sums(row, beta);
    });
    const auto inverse = static_cast<float>(1 / sums.e);
    row.each([&](float& p) { p = math::exp_of_negative(-beta * p) * inverse; });
}

/// Affinities of one row per warp, for several perplexities.
__global__ void multiscale_kernel(device::Slice rows, const Offset* offsets, float* weights, RowEntropies rule) {
    const Offset i = rows.begin + (Offset{blockIdx.x} * blockDim.x + threadIdx.x) / warp;
    if (i >= rows.end) return;
    const LaneOfRow row{weights + offsets[i], offsets[i + 1] - offsets[i]};
    if (rule.kind == AffinityKind::uniform) return fill_equally(row);
    const NormalizedLanes normalized = normalize(row);
    if (!normalized.has_scale) return fill_equally(row);
    GaussianSum sum;
    for (int h = 0; h < rule.count; ++h) {
        float beta = 1;
        const EntropySums found = search_beta(rule.entropy[h], [&](float next) {
            beta = next;
            return entropy_sums(row, beta);
        });
        sum.add(beta, found.e);
    }
    rule.kind == AffinityKind::mixture ? sum.settle_as_mixture(normalized.offset) : sum.settle_as_mean();
    row.each([&](float& p) { p = sum.at(p); });
}

struct ScaleRow {
    const Offset* offsets;
    const float* point_weights;
    float* weights;
    double unit;
    __device__ void operator()(Offset i) const {
        const auto factor = static_cast<float>(static_cast<double>(point_weights[i]) * unit);
        for (Offset e = offsets[i]; e < offsets[i + 1]; ++e) weights[e] *= factor;
    }
};

/// Minimum over points of (degree << 32 | point): the least degree and the first point that has it.
struct LeastDegree {
    const Offset* offsets;
    unsigned long long* least;
    __device__ void operator()(Offset i) const {
        const auto here =
            static_cast<unsigned long long>(offsets[i + 1] - offsets[i]) << 32 | static_cast<unsigned long long>(i);
        if (here < *least) atomicMin(least, here);  // the test spares most atomics
    }
};

void check(device::Cuda& cuda, const graph::DeviceGraph& neighbors, float perplexity) {
    device::CudaCell<unsigned long long> least;
    cuda.fill(least.value, 1, ~0ULL);
    cuda.each(neighbors.size(), LeastDegree{neighbors.offsets.data(), cuda.address(least)});
    const unsigned long long found = cuda.read(least);
    require_perplexity(perplexity, static_cast<Offset>(found >> 32), static_cast<Index>(found & 0xffffffffULL));
}

}  // namespace

void conditional_affinities(device::Cuda& cuda, graph::DeviceGraph& neighbors, const RowRule& rule) {
    constexpr int threads = 256;
    const device::RowShare share = device::row_share(neighbors.size());
    RowEntropies entropies{{}, static_cast<int>(rule.perplexities.size()), rule.kind};
    for (std::size_t h = 0; h < rule.perplexities.size(); ++h)
        entropies.entropy[h] = std::log(static_cast<double>(rule.perplexities[h]));
    if (share.rows.size() > 0) {
        const auto blocks = static_cast<unsigned>((share.rows.size() * warp + threads - 1) / threads);
        if (rule.kind != AffinityKind::uniform && entropies.count == 1) {
            conditional_kernel<<<blocks, threads, 0, cuda.stream()>>>(share.rows, neighbors.offsets.data(),
                                                                      neighbors.weights.data(), entropies.entropy[0]);
        } else {
            multiscale_kernel<<<blocks, threads, 0, cuda.stream()>>>(share.rows, neighbors.offsets.data(),
                                                                     neighbors.weights.data(), entropies);
        }
        device::cuda_check(cudaGetLastError());
    }
    if (share.rank == nullptr) return;
    std::vector<Offset> edges;  // at which the rows of each rank begin
    for (const Offset row : share.borders)
        cuda.copy_out(&edges.emplace_back(), neighbors.offsets.data() + row, sizeof(Offset));
    device::all_gather(cuda, *share.rank, neighbors.weights.data(), edges);
}

namespace {

/// Checks the neighbors and replaces their distances by conditional affinities, weighted by their points.
void weigh(device::Cuda& cuda, graph::DeviceGraph& neighbors, const RowRule& rule, std::span<const float> point_weights,
           double stretch) {
    const Index n = neighbors.size();
    if (n > 1 && rule.kind != AffinityKind::uniform) check(cuda, neighbors, rule.largest());
    conditional_affinities(cuda, neighbors, rule);
    if (point_weights.empty()) return;
    device::CudaBuffer<float> of_points;
    cuda.upload(of_points, point_weights);
    cuda.each(n, ScaleRow{neighbors.offsets.data(), of_points.data(), neighbors.weights.data(),
                          unit_of(point_weights) * stretch});
}

}  // namespace

graph::DeviceGraph affinities_on_device(device::Cuda& cuda, graph::DeviceGraph&& neighbors, const RowRule& rule,
                                        std::span<const float> point_weights) {
    const double n = std::max<Index>(neighbors.size(), 1);
    weigh(cuda, neighbors, rule, point_weights, 1);
    return graph::symmetrize(cuda, std::move(neighbors), graph::ScaledSum{1.0 / (2.0 * n)});
}

graph::HalfGraph half_affinities_on_device(device::Cuda& cuda, graph::DeviceGraph&& neighbors, const RowRule& rule,
                                           std::span<const float> point_weights) {
    const double n = std::max<Index>(neighbors.size(), 1);
    double heaviest = 1;  // weights of edges are at most 1
    if (!point_weights.empty()) {
        const float most = *std::max_element(point_weights.begin(), point_weights.end());
        heaviest = static_cast<double>(most) * unit_of(point_weights);
    }
    weigh(cuda, neighbors, rule, point_weights, 1 / heaviest);
    return graph::half_symmetrize(cuda, std::move(neighbors), heaviest / (2.0 * n));
}

}  // namespace dunlin::tsne
