// SPDX-License-Identifier: Apache-2.0
#include "forces/sampled/sampled.cuh"

#include "forces/width.hpp"

namespace dunlin::forces {

namespace {

constexpr int threads = 256, warp = 32;
constexpr unsigned whole_warp = 0xffffffffU;

/// Partners of a row: those of its edges, drawn ones, or all points.
struct EdgePartners {
    graph::DeviceGraph::View graph;
    __device__ Offset count(Index row) const { return graph.offsets[row + 1] - graph.offsets[row]; }
    __device__ Index at(Index row, Offset s) const { return graph.targets[graph.offsets[row] + s]; }
    __device__ float weight(Index row, Offset s) const { return graph.weights[graph.offsets[row] + s]; }
};
struct DrawnPartners {
    const std::uint64_t* stream;
    Index n, draws;
    __device__ Offset count(Index) const { return draws; }
    __device__ Index at(Index row, Offset s) const { return Draws{*stream, n, draws}.of(row, static_cast<Index>(s)); }
};
struct AllPartners {
    Index n;
    __device__ Offset count(Index) const { return n; }
    __device__ Index at(Index, Offset s) const { return static_cast<Index>(s); }
};

/// A lane of a warp, which goes over the partners of one row: W / 4 lanes share a pair, each with four axes.
template <int W>
struct PairLane {
    static constexpr int group = W / 4, at_once = warp / group;
    int slot, axes;

    __device__ PairLane()
        : slot(static_cast<int>(threadIdx.x) % warp / group), axes(static_cast<int>(threadIdx.x) % group) {}

    __device__ float4 load(const float* y, Index row) const {
        return __ldg(reinterpret_cast<const float4*>(y + Offset{row} * W) + axes);
    }
    /// Calls use(s, delta, r2, there) for each pair of this lane, all lanes equally often, and flush() after at most 64
    /// of them.
    template <class Partners, class Use, class Flush>
    __device__ void for_pairs(const float* y, Index row, const Partners& partners, const Use& use,
                              const Flush& flush) const {
        const float4 from = load(y, row);
        const Offset count = partners.count(row);
        int unflushed = 0;
        for (Offset first = 0; first < count; first += at_once) {
            const Offset s = first + slot;
            const bool there = s < count;
            const float4 to = load(y, there ? partners.at(row, s) : row);
            const float4 delta{from.x - to.x, from.y - to.y, from.z - to.z, from.w - to.w};
            float r2 = delta.x * delta.x + delta.y * delta.y + delta.z * delta.z + delta.w * delta.w;
            for (int step = 1; step < group; step *= 2) r2 += __shfl_xor_sync(whole_warp, r2, step);
            use(s, delta, r2, there);
            if (++unflushed < 64) continue;
            flush();
            unflushed = 0;
        }
        flush();
    }
    /// The sum over the slots, in every lane.
    __device__ static double sum_of_slots(double value) {
        for (int step = group; step < warp; step *= 2) value += __shfl_xor_sync(whole_warp, value, step);
        return value;
    }
};

/// force row = scale * sum over its partners of factor(partners, row, s, r2) delta.
template <int W, class Partners, class Factor>
__global__ void __launch_bounds__(threads)
    force_kernel(const float* y, Index begin, Index end, Partners partners, Factor factor, double scale, float* force) {
    const auto row =
        static_cast<Index>(begin + (Offset{blockIdx.x} * threads + static_cast<Offset>(threadIdx.x)) / warp);
    if (row >= end) return;
    const PairLane<W> lane;
    double sum[4] = {};
    float part[4] = {};
    lane.for_pairs(
        y, row, partners,
        [&](Offset s, const float4& delta, float r2, bool there) {
            const float weight = there ? factor(partners, row, s, r2) : 0;
            part[0] += weight * delta.x;
            part[1] += weight * delta.y;
            part[2] += weight * delta.z;
            part[3] += weight * delta.w;
        },
        [&] {
            for (int c = 0; c < 4; ++c) sum[c] += static_cast<double>(part[c]), part[c] = 0;
        });
    for (double& value : sum) value = scale * PairLane<W>::sum_of_slots(value);
    if (lane.slot > 0) return;
    const float4 total{static_cast<float>(sum[0]), static_cast<float>(sum[1]), static_cast<float>(sum[2]),
                       static_cast<float>(sum[3])};
    reinterpret_cast<float4*>(force + Offset{row} * W)[lane.axes] = total;
}

/// sums[r] = sum over the partners of row_of(r) of value(partners, row, s, r2), less `own`.
template <int W, class RowOf, class Partners, class Value>
__global__ void __launch_bounds__(threads) sum_kernel(const float* y, Index begin, Index end, RowOf row_of,
                                                      Partners partners, Value value, double own, double* sums) {
    const auto r = static_cast<Index>(begin + (Offset{blockIdx.x} * threads + static_cast<Offset>(threadIdx.x)) / warp);
    if (r >= end) return;
    const PairLane<W> lane;
    const Index row = row_of(r);
    double sum = 0;
    float part = 0;
    lane.for_pairs(
        y, row, partners,
        [&](Offset s, const float4&, float r2, bool there) { part += there ? value(partners, row, s, r2) : 0; },
        [&] { sum += static_cast<double>(part), part = 0; });
    sum = PairLane<W>::sum_of_slots(sum);
    if (static_cast<int>(threadIdx.x) % warp == 0) sums[r] = sum - own;
}

unsigned blocks_for(Offset rows) { return static_cast<unsigned>((rows * warp + threads - 1) / threads); }

template <class Partners, class Factor>
void add_forces(device::Cuda& cuda, MatrixView<const float> y, const device::Slice& rows, const Partners& partners,
                const Factor& factor, double scale, MatrixView<float> force) {
    if (rows.size() == 0) return;
    with_wide(y.cols, [&]<int W>() {
        force_kernel<W><<<blocks_for(rows.size()), threads, 0, cuda.stream()>>>(
            y.data, static_cast<Index>(rows.begin), static_cast<Index>(rows.end), partners, factor, scale, force.data);
    });
    device::cuda_check(cudaGetLastError());
}

template <class RowOf, class Partners, class Value>
void add_values(device::Cuda& cuda, MatrixView<const float> y, const device::Slice& rows, const RowOf& row_of,
                const Partners& partners, const Value& value, double own, double* sums) {
    if (rows.size() == 0) return;
    with_wide(y.cols, [&]<int W>() {
        sum_kernel<W><<<blocks_for(rows.size()), threads, 0, cuda.stream()>>>(
            y.data, static_cast<Index>(rows.begin), static_cast<Index>(rows.end), row_of, partners, value, own, sums);
    });
    device::cuda_check(cudaGetLastError());
}

template <class Law>
struct PairStrength {
    Law law;
    template <class Partners>
    __device__ float operator()(const Partners&, Index, Offset, float r2) const {
        return law.strength(r2);
    }
};
template <class Law>
struct EdgeAttraction {
    Law law;
    __device__ float operator()(const EdgePartners& edges, Index row, Offset s, float r2) const {
        return law.attraction(edges.weight(row, s), r2);
    }
};
template <class Law>
struct EdgeCost {
    Law law;
    __device__ float operator()(const EdgePartners& edges, Index row, Offset s, float r2) const {
        return law.cost(edges.weight(row, s), r2);
    }
};
template <class Law>
struct PairPotential {
    Law law;
    __device__ float operator()(const AllPartners&, Index, Offset, float r2) const { return potential_of(law, r2); }
};
struct SameRow {
    __device__ Index operator()(Index r) const { return r; }
};
struct ListedRow {
    const Index* rows;
    __device__ Index operator()(Index r) const { return rows[r]; }
};

}  // namespace

template <class Law>
void repel_drawn(device::Cuda& cuda, const Law& law, const std::uint64_t* stream, Index draws,
                 MatrixView<const float> y, MatrixView<float> force, const device::Slice& rows) {
    const auto weight = static_cast<double>(Draws{0, y.rows, draws}.weight());
    add_forces(cuda, y, rows, DrawnPartners{stream, y.rows, draws}, PairStrength<Law>{law}, weight, force);
}

template <class Law>
void repel_all(device::Cuda& cuda, const Law& law, MatrixView<const float> y, MatrixView<float> force,
               const device::Slice& rows) {
    add_forces(cuda, y, rows, AllPartners{y.rows}, PairStrength<Law>{law}, 1, force);
}

template <class Law>
void attract_wide(device::Cuda& cuda, const Law& law, const graph::DeviceGraph& edges, MatrixView<const float> y,
                  MatrixView<float> force, const device::Slice& rows) {
    add_forces(cuda, y, rows, EdgePartners{edges.view()}, EdgeAttraction<Law>{law}, 1, force);
}

template <class Law>
void attract_costs_wide(device::Cuda& cuda, const Law& law, const graph::DeviceGraph& edges, MatrixView<const float> y,
                        double* of_row, const device::Slice& rows) {
    add_values(cuda, y, rows, SameRow{}, EdgePartners{edges.view()}, EdgeCost<Law>{law}, 0, of_row);
}

template <class Law>
void potentials_wide(device::Cuda& cuda, const Law& law, MatrixView<const float> y, const Index* rows, Index count,
                     double* potential_of_row) {
    const auto own = static_cast<double>(potential_of(law, 0.0F));
    add_values(cuda, y, {0, count}, ListedRow{rows}, AllPartners{y.rows}, PairPotential<Law>{law}, own,
               potential_of_row);
}

#define DUNLIN_REPEL(Law)                                                                                      \
    template void repel_drawn(device::Cuda&, const Law&, const std::uint64_t*, Index, MatrixView<const float>, \
                              MatrixView<float>, const device::Slice&);                                        \
    template void repel_all(device::Cuda&, const Law&, MatrixView<const float>, MatrixView<float>,             \
                            const device::Slice&);                                                             \
    template void potentials_wide(device::Cuda&, const Law&, MatrixView<const float>, const Index*, Index, double*);
DUNLIN_REPEL(Fuzzy)
DUNLIN_REPEL(FurtherPairs)

#define DUNLIN_ATTRACT(Law)                                                                                         \
    template void attract_wide(device::Cuda&, const Law&, const graph::DeviceGraph&, MatrixView<const float>,       \
                               MatrixView<float>, const device::Slice&);                                            \
    template void attract_costs_wide(device::Cuda&, const Law&, const graph::DeviceGraph&, MatrixView<const float>, \
                                     double*, const device::Slice&);
DUNLIN_ATTRACT(Fuzzy)
DUNLIN_ATTRACT(PairLoss)

}  // namespace dunlin::forces
