// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/tree/nodes.cuh"

/// Bottom-up build of the tree above the leaves: of two siblings the one that arrives second builds the parent (Apetrei
/// 2014). A cell is a range of points; inner node p is the cell that is split before point p.
namespace dunlin::forces {

/// Unique sort key: the code, then the position in the order as a tie-breaker.
__host__ __device__ inline std::uint64_t ordinal(std::uint32_t code, Offset place) {
    return std::uint64_t{code} << 32 | static_cast<std::uint32_t>(place);
}

constexpr int build_threads = 128, build_points = 512;  // threads and points per block

/// Loads past the L1 cache what another block wrote in this launch.
template <class T>
__device__ T load_fresh(const T* from) {
    static_assert(sizeof(T) % sizeof(uint4) == 0);
    T value;
    for (std::size_t i = 0; i < sizeof(T) / sizeof(uint4); ++i) {
        reinterpret_cast<uint4*>(&value)[i] = __ldcg(reinterpret_cast<const uint4*>(from) + i);
    }
    return value;
}

template <int D, bool Charged>
struct BuildInput {
    Index n;
    const std::uint32_t* codes;
    const TreePoint<D, Charged>* places;
    const std::uint8_t* starts;
    Index* meeting;
    float theta;
    Index *groups, *group_count;
    Content<D, Charged>* contents;
    TreeRecord<D, Charged>* records;
};

/// Shared memory for merging siblings whose parent lies within the block's points, with room for the inner nodes of
/// `nodes` leaves. A block with more leaves merges all of them in global memory, as for cells across blocks: a cell
/// merged there could not return to a sibling that waits in shared memory.
template <int D, bool Charged>
struct BuildScratch {
    static constexpr int nodes = 192;

    Content<D, Charged> contents[2 * nodes];
    Index meeting[nodes];
    std::uint32_t codes[build_points];
    std::int16_t leaves[build_points + 1];  // first points of leaves
    std::int16_t rank[build_points];        // index of the leaf, at its first point
};

template <int D, bool Charged>
struct BottomUpBuild {
    using Content = forces::Content<D, Charged>;
    using Scratch = BuildScratch<D, Charged>;

    const BuildInput<D, Charged>& job;
    Scratch& scratch;
    const Offset begin = Offset{blockIdx.x} * build_points;
    const Offset end = min(begin + build_points, Offset{job.n});
    std::uint64_t before = 0, after = 0;  // ordinals of the points adjacent to the block
    int leaves = 0;

    /// A finished subtree: points [left, right), link of its record, and aggregates.
    struct Subtree {
        Offset left, right;
        Index link;
        Content content;
    };

    __device__ std::uint64_t ordinal_of(Offset place) const {
        const bool here = place >= begin && place < end;
        return ordinal(here ? scratch.codes[place - begin] : job.codes[place], place);
    }
    __device__ std::uint64_t difference(Offset place) const { return ordinal_of(place) ^ ordinal_of(place - 1); }

    /// Lists the block's leaves in order, and its groups.
    __device__ void list() {
        for (int i = threadIdx.x; i < build_points; i += build_threads) {
            scratch.codes[i] = begin + i < end ? job.codes[begin + i] : 0;
        }
        for (int i = threadIdx.x; i < Scratch::nodes; i += build_threads) scratch.meeting[i] = -1;
        for (int first = 0; first < build_points; first += build_threads) {
            const int i = first + threadIdx.x;
            const std::uint8_t start = begin + i < end ? job.starts[begin + i] : 0;
            leaves += append(i, (start & leaf_start) != 0);
            if ((start & group_start) != 0) job.groups[atomicAdd(job.group_count, 1)] = static_cast<Index>(begin + i);
        }
        before = begin > 0 ? ordinal_of(begin - 1) : 0;
        after = end < job.n ? ordinal_of(end) : 0;
    }

    /// Appends i to the list of leaves if it begins one. All threads of the block call it; returns the number appended.
    __device__ int append(int i, bool is_leaf) {
        __shared__ int of_warp[build_threads / 32];
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const unsigned having = __ballot_sync(~0U, is_leaf);
        if (lane == 0) of_warp[warp] = __popc(having);
        __syncthreads();
        int place = leaves, total = 0;
        for (int w = 0; w < build_threads / 32; ++w) {
            place += w < warp ? of_warp[w] : 0;
            total += of_warp[w];
        }
        place += __popc(having & ((1U << lane) - 1));
        if (is_leaf) {
            scratch.leaves[place] = static_cast<std::int16_t>(i);
            scratch.rank[i] = static_cast<std::int16_t>(place);
        }
        __syncthreads();
        return total;
    }

    /// End of a leaf: the first point after it.
    __device__ Offset end_of(int leaf) const {
        if (leaf + 1 < leaves) return begin + scratch.leaves[leaf + 1];
        Offset place = max(begin + scratch.leaves[leaf] + 1, end);
        while (place < job.n && (job.starts[place] & leaf_start) == 0) ++place;
        return place;
    }

    /// Weight of a point: its charge, or 1.
    __device__ auto weight_of(const TreePoint<D, Charged>& place) const {
        if constexpr (Charged) {
            return static_cast<double>(place.charge);
        } else {
            return 1;
        }
    }

    __device__ Content measure(Offset first, Offset last) const {
        Content content;
        if (!Charged) content.count = static_cast<Index>(last - first);
        for (int d = 0; d < D; ++d) content.low[d] = content.high[d] = job.places[first].at[d];
#pragma unroll 4
        for (Offset i = first; i < last; ++i) {
            const TreePoint<D, Charged> place = job.places[i];
            for (int d = 0; d < D; ++d) {
                content.low[d] = fminf(content.low[d], place.at[d]);
                content.high[d] = fmaxf(content.high[d], place.at[d]);
                content.center[d] += place.at[d] * weight_of(place);
            }
            if (Charged) content.count += weight_of(place);
        }
        for (int d = 0; d < D; ++d) content.center[d] /= content.count;
#pragma unroll 4
        for (Offset i = first; i < last; ++i) {
            std::array<double, D> delta;
            const TreePoint<D, Charged> place = job.places[i];
            for (int d = 0; d < D; ++d) delta[d] = place.at[d] - content.center[d];
            add_moments(content.moments, delta, weight_of(place));
        }
        return content;
    }

    /// Parent of a cell: the inner node that is split before p, and whether the cell is its left child. p = 0: the cell
    /// is the root.
    struct Parent {
        Offset p;
        bool is_left;
        std::uint64_t difference;
        __device__ bool exists() const { return p > 0; }
        __device__ Offset part(Offset node) const { return 2 * node + (is_left ? 0 : 1); }
    };
    __device__ Parent parent_of(const Subtree& cell) const {
        if (cell.left == 0 && cell.right == job.n) return {0, false, 0};
        const std::uint64_t at_left = cell.left > 0 ? difference(cell.left) : ~std::uint64_t{0};
        const std::uint64_t at_right = cell.right < job.n ? difference(cell.right) : ~std::uint64_t{0};
        if (at_right < at_left) return {cell.right, true, at_right};
        return {cell.left, false, at_left};
    }

    /// True if all points of the parent are in the block.
    __device__ bool is_within(const Parent& parent) const {
        const int above =
            64 - __clzll(static_cast<long long>(parent.difference));  // the points share the bits from here on
        const auto shares = [&](std::uint64_t other) {
            return above == 64 || (ordinal_of(parent.p) ^ other) >> above == 0;
        };
        return parent.p > begin && parent.p < end && (begin == 0 || !shares(before)) &&
               (end == job.n || !shares(after));
    }

    /// Writes the record of a cell to the children of its parent.
    __device__ void write(const Subtree& cell, const Parent& parent) const {
        const Content& content = cell.content;
        TreeRecord<D, Charged> record;
        for (int d = 0; d < D; ++d) record.at[d] = static_cast<float>(content.center[d]);
        record.accept_r2 = accept_r2(content, job.theta);
        for (int m = 0; m < moment_count<D>; ++m) record.moments[m] = static_cast<float>(content.moments[m]);
        record.count = static_cast<Index>(cell.right - cell.left);
        if constexpr (Charged) record.charge = static_cast<float>(content.count);
        record.link = cell.link;
        job.records[parent.exists() ? parent.part(parent.p) : 0] = record;
    }

    /// Replaces the cell by its parent: merges the sibling's aggregates and extends the range to its far end.
    __device__ void join(Subtree& cell, const Parent& parent, const Content& sibling, Index far_end) const {
        const Content parts[2] = {parent.is_left ? cell.content : sibling, parent.is_left ? sibling : cell.content};
        cell.content = merge(parts, 2);
        (parent.is_left ? cell.right : cell.left) = far_end;
        cell.link = static_cast<Index>(parent.difference >> 32 != 0 ? parent.p : ~cell.left);
    }

    __device__ Subtree leaf(int number) const {
        const Offset left = begin + scratch.leaves[number], right = end_of(number);
        return {left, right, static_cast<Index>(~left), measure(left, right)};
    }

    /// Merges the cells of all threads in shared memory, one level per round, until their parents are not within the
    /// block. Returns false for cells whose sibling had not arrived; that sibling continues.
    __device__ bool merge_within_block(Subtree& cell, bool rises) const {
        for (;;) {
            const Parent parent = rises ? parent_of(cell) : Parent{};
            const bool meets = leaves <= Scratch::nodes && is_within(parent);
            const int node = meets ? scratch.rank[parent.p - begin] : -1;
            Index far_end = -1;
            if (meets) {
                scratch.contents[parent.part(node)] = cell.content;
                far_end =
                    atomicExch(scratch.meeting + node, static_cast<Index>(parent.is_left ? cell.left : cell.right));
            }
            if (__syncthreads_or(meets) == 0) return rises;
            if (!meets) continue;
            write(cell, parent);
            rises = far_end >= 0;
            if (rises) join(cell, parent, scratch.contents[parent.part(node) ^ 1], far_end);
        }
    }

    /// Continues in global memory to the root, or to a parent whose other child has not arrived.
    __device__ void merge_across_blocks(Subtree& cell) const {
        for (;;) {
            const Parent parent = parent_of(cell);
            write(cell, parent);
            if (!parent.exists()) return;
            const Offset part = parent.part(parent.p);
            job.contents[part] = cell.content;
            __threadfence();
            const Index far_end =
                atomicExch(job.meeting + parent.p, static_cast<Index>(parent.is_left ? cell.left : cell.right));
            if (far_end < 0) return;
            __threadfence();
            job.meeting[parent.p] = -1;
            join(cell, parent, load_fresh(job.contents + (part ^ 1)), far_end);
        }
    }
};

template <int D, bool Charged>
__global__ void __launch_bounds__(build_threads) build_kernel(BuildInput<D, Charged> job) {
    __shared__ BuildScratch<D, Charged> scratch;
    BottomUpBuild<D, Charged> block{job, scratch};
    block.list();
    for (int first = 0; first < block.leaves; first += build_threads) {
        const int leaf = first + static_cast<int>(threadIdx.x);
        typename BottomUpBuild<D, Charged>::Subtree cell{};
        if (leaf < block.leaves) cell = block.leaf(leaf);
        if (block.merge_within_block(cell, leaf < block.leaves)) block.merge_across_blocks(cell);
    }
}

}  // namespace dunlin::forces
