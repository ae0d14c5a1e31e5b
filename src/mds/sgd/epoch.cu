// SPDX-License-Identifier: Apache-2.0
#include "mds/sgd/epoch.cuh"

namespace dunlin::mds {

namespace {

using device::Cuda;

// A warp takes a group, a lane an item. For points, the sums over features with the 24 partners of a lane are computed
// first: the group's rows pass through shared memory, eight times four columns at a time. Loops are unrolled only as
// far as the code fits the instruction cache, which limits the speed.
constexpr int groups_of_block = 4;
constexpr int chunk_quads = 8, chunk_pairs = chunk_quads / 2;
constexpr int row_quads = chunk_quads + 1;  // padded: 16-byte reads of eight lanes use all banks

/// Shared memory of a group.
struct GroupWorkspace {
    float4 rows[group_size * row_quads];
    float sums[group_rounds * group_size];  ///< of a lane and its partners, over half of the columns
};

__device__ int lane_now() { return static_cast<int>(threadIdx.x % group_size); }

/// Loads quads [first, first + count) of the rows of the group's items; an odd count is padded with 0.
__device__ void load_rows(const Items& items, Index item, Index first, int count, float4* rows) {
    const int width = count <= 2 ? 2 : count <= 4 ? 4 : 8;  // lanes side by side along a row
    const int quad = lane_now() % width, rows_at_once = group_size / width;
#pragma unroll 2
    for (int row = lane_now() / width; row < group_size; row += rows_at_once) {
        const Index of = __shfl_sync(~0U, item, row);
        float4 value{0, 0, 0, 0};
        if (quad < count && of >= 0) value = items.quads(of)[first + quad];
        rows[row * row_quads + quad] = value;
    }
}

/// Adds the quads of each pair: the item in the lower block adds the even quads, the other item the odd ones.
template <bool manhattan>
__device__ void add_chunk(GroupWorkspace& workspace, int pairs, bool first) {
    const int lane = lane_now();
#pragma unroll 1
    for (int m = 0; m < group_matchings; ++m) {
        const int upper = partner(lane, m * group_block) < lane / group_block * group_block ? 1 : 0;
        float4 own[chunk_pairs];
#pragma unroll
        for (int k = 0; k < chunk_pairs; ++k) {
            if (k < pairs) own[k] = workspace.rows[lane * row_quads + 2 * k + upper];
        }
#pragma unroll 2
        for (int round = m * group_block; round < (m + 1) * group_block; ++round) {
            const float4* other = workspace.rows + partner(lane, round) * row_quads + upper;
            float& kept = workspace.sums[round * group_size + lane];
            float sum = first ? 0 : kept;
#pragma unroll
            for (int k = 0; k < chunk_pairs; ++k) {
                if (k < pairs) sum = apart<manhattan>(own[k], other[2 * k], sum);
            }
            kept = sum;
        }
    }
}

/// The sums of all pairs, in two halves.
__device__ void sum_points(const Items& items, Index item, GroupWorkspace& workspace) {
    const Index quads = items.stride / 4;
    for (Index first = 0; first < quads; first += chunk_quads) {
        const int count = static_cast<int>(min(Index{chunk_quads}, quads - first)), pairs = (count + 1) / 2;
        __syncwarp();
        load_rows(items, item, first, count, workspace.rows);
        __syncwarp();
        items.kind == DissimilarityKind::sum ? add_chunk<true>(workspace, pairs, first == 0)
                                             : add_chunk<false>(workspace, pairs, first == 0);
    }
    __syncwarp();
}

/// delta of the lane's pair in a round; slots from `live` on are empty.
struct FromPoints {
    const GroupWorkspace& workspace;
    DissimilarityKind kind;
    float unit;
    int live;
    __device__ float operator()(int round, int other) const {
        const int lane = lane_now();
        const float sum = workspace.sums[round * group_size + lane] + workspace.sums[round * group_size + other];
        return max(lane, other) < live ? dissimilarity(sum, kind, unit) : NAN;
    }
};

/// Dissimilarity of a pair from a matrix. The item in the lower block reads the entry for both.
struct FromMatrix {
    const Items& items;
    Index item;
    __device__ float operator()(int, int other) const {
        const int lane = lane_now();
        const Index to = __shfl_sync(~0U, item, other);
        const bool reads = lane < other;  // the two are in different blocks
        float entry = NAN;
        if (reads && item >= 0 && to >= 0) entry = items.row(item)[to];
        return __shfl_sync(~0U, entry, reads ? lane : other);
    }
};

/// Learning rate of a pair: mu, or min(1, mu weight).
struct SameMu {
    float mu;
    __device__ float operator()(int) const { return mu; }
};
struct WeightedMu {
    DeviceWeights weights;
    Index item;
    float mu;
    __device__ float operator()(int other) const {
        const Index to = __shfl_sync(~0U, item, other);
        return item >= 0 && to >= 0 ? stress::capped_rate(mu * weights(item, to)) : 0.0F;
    }
};

/// All rounds, coordinates in registers.
template <int Dim, class Delta, class Mu>
__device__ void move_in_registers(float* y, Index item, const Delta& delta, const Mu& mu) {
    float* place = y + Offset{item} * Dim;
    float here[Dim] = {};
    for (int c = 0; c < Dim && item >= 0; ++c) here[c] = place[c];
#pragma unroll 8
    for (int round = 0; round < group_rounds; ++round) {
        const int other = partner(lane_now(), round);
        const float wanted = delta(round, other);
        float from[Dim], d2 = 0;
        for (int c = 0; c < Dim; ++c) {
            from[c] = here[c] - __shfl_sync(~0U, here[c], other);
            d2 += from[c] * from[c];
        }
        const float share = stress::pair_step(d2, wanted, mu(other));
        for (int c = 0; c < Dim; ++c) here[c] -= share * from[c];
    }
    for (int c = 0; c < Dim && item >= 0; ++c) place[c] = here[c];
}

/// All rounds, coordinates in memory; no other warp uses these items.
template <class Delta, class Mu>
__device__ void move_in_place(float* y, int dim, Index item, const Delta& delta, const Mu& mu) {
#pragma unroll 1
    for (int round = 0; round < group_rounds; ++round) {
        const int other = partner(lane_now(), round);
        const float wanted = delta(round, other);
        const Index to = __shfl_sync(~0U, item, other);
        const bool both = item >= 0 && to >= 0;
        float *here = y + Offset{item} * dim, *there = y + Offset{to} * dim;
        float d2 = 0;
        for (int c = 0; c < dim && both; ++c) d2 += (here[c] - there[c]) * (here[c] - there[c]);
        const float share = stress::pair_step(d2, wanted, mu(other));
        for (int c = 0; c < dim; ++c) {
            const float moved = both ? here[c] - share * (here[c] - there[c]) : 0.0F;
            __syncwarp();
            if (both) here[c] = moved;
        }
        __syncwarp();
    }
}

struct EpochInput {
    Items items;
    DeviceWeights weights;
    Subset some;
    math::Permutation shuffle;
    float* y;
    int dim;
    float mu;
};

/// Dim: of the map; 0: any.
template <int Dim, class Delta, class Mu>
__device__ void move(const EpochInput& input, Index item, const Delta& delta, const Mu& mu) {
    if constexpr (Dim > 0) {
        move_in_registers<Dim>(input.y, item, delta, mu);
    } else {
        move_in_place(input.y, input.dim, item, delta, mu);
    }
}
template <int Dim, bool Weighted, class Delta>
__device__ void move(const EpochInput& input, Index item, const Delta& delta) {
    if constexpr (Weighted) {
        move<Dim>(input, item, delta, WeightedMu{input.weights, item, input.mu});
    } else {
        move<Dim>(input, item, delta, SameMu{input.mu});
    }
}

template <int Dim, bool Weighted>
__global__ void __launch_bounds__(groups_of_block* group_size) epoch_kernel(EpochInput input) {
    __shared__ GroupWorkspace workspaces[groups_of_block];
    const Offset place = Offset{blockIdx.x} * blockDim.x + threadIdx.x;
    const Offset left = input.some.count - place / group_size * group_size;
    if (left <= 0) return;  // the whole warp
    const Index item = place < input.some.count ? input.some[input.shuffle(static_cast<Index>(place))] : -1;
    if (input.items.kind == DissimilarityKind::given) {
        move<Dim, Weighted>(input, item, FromMatrix{input.items, item});
    } else {
        GroupWorkspace& workspace = workspaces[threadIdx.x / group_size];
        sum_points(input.items, item, workspace);
        const int live = static_cast<int>(min(Offset{group_size}, left));
        move<Dim, Weighted>(input, item, FromPoints{workspace, input.items.kind, input.items.unit, live});
    }
}

}  // namespace

void sgd_epoch(Cuda& cuda, const DeviceSource& source, Configuration<Cuda>& configuration, const Subset& some,
               const math::Permutation& shuffle, float mu) {
    constexpr int threads = groups_of_block * group_size;
    const auto blocks = static_cast<unsigned>((Offset{some.count} + threads - 1) / threads);
    if (blocks == 0) return;
    const EpochInput input{source.items(),         source.weights(),  some, shuffle,
                           configuration.y.data(), configuration.dim, mu};
    with_dim(configuration.dim, [&]<int Dim>() {
        const auto kernel = input.weights.values == nullptr ? epoch_kernel<Dim, false> : epoch_kernel<Dim, true>;
        kernel<<<blocks, threads, 0, cuda.stream()>>>(input);
    });
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::mds
