// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/tree/nodes.cuh"

/// Top-down traversal for a group of targets by one warp: finds the interactions and sums them.
namespace dunlin::forces {

/// An accepted cell, laid out for broadcast reads: trace of the second moments, and the moments doubled.
template <int D>
struct alignas(16) ListedCell {
    float at[D], trace, doubled[moment_count<D>], count;  // count: or the sum of charges
};

struct ListedLeaf {
    Index first, count;
};

/// Shared memory of a warp. Listed cells and points are evaluated 32 at a time.
template <int D, bool Charged>
struct TraversalScratch {
    /// Bound of the stack of nodes. A step opens the last 16 nodes and adds their children, so that at most 16 nodes of
    /// a depth remain when deeper ones are added, and 32 of the last depth. A node's depth is below the number of bits
    /// of a code.
    static constexpr int max_waiting = 16 * 32 + 32;

    ListedCell<D> cells[64];
    TreePoint<D, Charged> points[64];
    ListedLeaf leaves[64];
    Index waiting[max_waiting];
};

/// Each lane has one target of the group, at most Members of them. 32 / Members lanes have the same target and divide
/// its sources.
template <class Law, int D, int Members>
struct GroupTraversal {
    static constexpr int members = Members, shares = 32 / members;
    static constexpr int leaf_lanes = CudaTreeNodes<D, Law::charged>::leaf_size;
    static constexpr float nowhere = 1e30F;  // padding: so far away that r2 is infinite, mass and force zero
    static_assert(members >= leaf_lanes && 32 % members == 0 && 32 % leaf_lanes == 0);
    using TreePoint = forces::TreePoint<D, Law::charged>;
    using Record = TreeRecord<D, Law::charged>;

    const TreeView<D, Law::charged>& tree;
    const Law law;
    TraversalScratch<D, Law::charged>& scratch;
    const int lane = threadIdx.x % 32, member = lane % members, share = lane / members;

    // State of the group
    Index first = 0, last = 0;
    TreePoint own;  // the lane's point
    float low[D], high[D];

    // Force and mass of the lane's target: sums of a few hundred terms in float, the sums of these in double
    float repulsion[D], mass = 0;
    double force[D], total = 0;
    int chunks = 0;

    int cells = 0, points = 0, leaves = 0;

    __device__ void enter(Index begin) {
        first = begin;
        const bool ends = begin + 1 + lane >= tree.n || (tree.starts[begin + 1 + lane] & group_start) != 0;
        last = begin + __ffs(static_cast<int>(__ballot_sync(~0U, ends)));
        own = tree.places[min(first + member, last - 1)];
        for (int d = 0; d < D; ++d) low[d] = high[d] = own.at[d];
        for (int lanes = members / 2; lanes > 0; lanes /= 2) {
            for (int d = 0; d < D; ++d) {
                low[d] = fminf(low[d], __shfl_xor_sync(~0U, low[d], lanes));
                high[d] = fmaxf(high[d], __shfl_xor_sync(~0U, high[d], lanes));
            }
        }
        for (double& f : force) f = 0;
        total = 0;
        reset_sums();
    }

    __device__ void reset_sums() {
        for (float& p : repulsion) p = 0;
        mass = 0;
        chunks = 0;
    }
    /// Adds the float sums to the double sums.
    __device__ void flush_sums() {
        for (int d = 0; d < D; ++d) force[d] += repulsion[d];
        total += mass;
        reset_sums();
    }

    __device__ void repel() {
        search();
        list_leaves();
        repel_by_cells();
        repel_by_points();
        repel_by_each_other();
        flush_sums();
        for (int lanes = members; lanes < 32; lanes *= 2) {
            for (double& f : force) f += __shfl_xor_sync(~0U, f, lanes);
            total += __shfl_xor_sync(~0U, total, lanes);
        }
    }

    /// Traversal from the root, 32 cells at a time. Cells that pass the MAC for the group are listed, the others are
    /// opened.
    __device__ void search() {
        int waiting = 1;
        scratch.waiting[0] = 0;
        __syncwarp();
        while (waiting > 0) {
            const int opened = min(waiting, 16);
            waiting -= opened;
            const Index node = scratch.waiting[waiting + min(lane / 2, opened - 1)];
            const bool valid = lane < 2 * opened && !(node == 0 && lane == 1);  // the root has no sibling
            const Record cell = tree.records[2 * Offset{node} + lane % 2];
            const bool leaf = cell.link < 0, ours = leaf && is_ours(~cell.link, cell.count);
            const bool accepted = is_accepted(cell) || (leaf && cell.accept_r2 == 0 && !ours);
            const bool few = cell.count <= leaf_lanes;
            list_cell(cell, valid && accepted);
            leaves +=
                append(scratch.leaves + leaves, {~cell.link, cell.count}, valid && leaf && !accepted && !ours && few);
            list_crowds(cell, valid && leaf && !accepted && !few);
            waiting += append(scratch.waiting + waiting, cell.link, valid && !leaf && !accepted);
            if (leaves >= 32) list_leaves();
        }
    }

    __device__ bool is_accepted(const Record& cell) const {
        float distance2 = 0;
        for (int d = 0; d < D; ++d) {
            const float gap = fmaxf(fmaxf(low[d] - cell.at[d], cell.at[d] - high[d]), 0.0F);
            distance2 += gap * gap;
        }
        return distance2 > cell.accept_r2;
    }
    /// True if a leaf contains points of the group. A leaf of at most leaf_lanes points then contains no others.
    __device__ bool is_ours(Index begin, Index count) const { return begin < last && begin + count > first; }

    /// Appends the values of the lanes that have one, in the order of lanes; returns their number.
    template <class T>
    __device__ int append(T* list, const T& value, bool has_one) const {
        const unsigned having = __ballot_sync(~0U, has_one);
        if (has_one) list[__popc(having & ((1U << lane) - 1))] = value;
        __syncwarp();
        return __popc(having);
    }

    __device__ void list_cell(const Record& cell, bool is_listed) {
        ListedCell<D> listed;
        listed.trace = 0;
        for (int d = 0; d < D; ++d) {
            listed.at[d] = cell.at[d];
            listed.trace += cell.moments[d];
        }
        for (int m = 0; m < moment_count<D>; ++m) listed.doubled[m] = 2 * cell.moments[m];
        if constexpr (Law::charged) {
            listed.count = cell.charge;
        } else {
            listed.count = static_cast<float>(cell.count);
        }
        cells += append(scratch.cells + cells, listed, is_listed);
        if (cells >= 32) repel_by_cells();
    }

    __device__ void list_point(Index place, bool is_listed) {
        const TreePoint point = is_listed ? tree.places[place] : TreePoint{};
        points += append(scratch.points + points, point, is_listed);
        if (points >= 32) repel_by_points();
    }

    /// Lists the points of all listed leaves, several leaves at a time.
    __device__ void list_leaves() {
        constexpr int at_once = 32 / leaf_lanes;
        for (int l = 0; l < leaves; l += at_once) {
            const ListedLeaf leaf = scratch.leaves[min(l + lane / leaf_lanes, leaves - 1)];
            const bool valid = l + lane / leaf_lanes < leaves && lane % leaf_lanes < leaf.count;
            list_point(leaf.first + lane % leaf_lanes, valid);
        }
        leaves = 0;
    }

    /// Lists the points of large leaves, whose points share a code: one leaf after the other, without the group's own
    /// points.
    __device__ void list_crowds(const Record& cell, bool is_listed) {
        for (unsigned crowds = __ballot_sync(~0U, is_listed); crowds != 0; crowds &= crowds - 1) {
            const int source = __ffs(static_cast<int>(crowds)) - 1;
            const Index begin = ~__shfl_sync(~0U, cell.link, source), count = __shfl_sync(~0U, cell.count, source);
            const bool one_place = __shfl_sync(~0U, cell.accept_r2, source) == 0;
            const bool ours = is_ours(begin, count);
            if (ours && one_place) {  // the leaf is the group, or all points coincide
                const Index others = max(count - (last - first), 0);
                total += share == 0 ? others * static_cast<double>(law.mass(0.0F)) : 0;
                continue;
            }
            list_range(begin, ours ? first : begin + count);
            if (ours) list_range(last, begin + count);
        }
    }
    __device__ void list_range(Index begin, Index end) {
        for (Offset i = begin; i < end; i += 32) list_point(static_cast<Index>(i + lane), i + lane < end);
    }

    /// Evaluates the first 32 listed cells; a shorter list is padded with cells that exert no force.
    __device__ void repel_by_cells() {
        if (cells == 0) return;
        pad(scratch.cells, cells, ListedCell<D>{nowhere, nowhere});
#pragma unroll 4
        for (int c = share; c < 32; c += shares) {
            const ListedCell<D> cell = scratch.cells[c];
            float delta[D], s = law.origin;
            for (int d = 0; d < D; ++d) delta[d] = own.at[d] - cell.at[d];
            for (int d = 0; d < D; ++d) s += delta[d] * delta[d];
            repel_by_multipole<Law, D>(law, delta, s, cell.count, cell.trace, cell.doubled, repulsion, mass);
        }
        drop_first_32(scratch.cells, cells);
    }

    __device__ void repel_by_points() {
        if (points == 0) return;
        pad(scratch.points, points, far_away());
#pragma unroll 8
        for (int p = share; p < 32; p += shares) repel_by_point(scratch.points[p], false);
        drop_first_32(scratch.points, points);
    }

    __device__ void repel_by_each_other() {
        if (share == 0) scratch.points[member] = own;
        __syncwarp();
        for (int p = share; p < last - first; p += shares) repel_by_point(scratch.points[p], p == member);
        __syncwarp();
    }
    /// Padding: a point that exerts no force.
    __device__ static TreePoint far_away() {
        TreePoint place{};
        for (float& c : place.at) c = nowhere;
        return place;
    }

    __device__ void repel_by_point(const TreePoint& place, bool itself) {
        float delta[D], s = law.origin;
        for (int d = 0; d < D; ++d) delta[d] = own.at[d] - place.at[d];
        for (int d = 0; d < D; ++d) s += delta[d] * delta[d];
        float strength = law.strength_at(s);
        if constexpr (Law::charged) strength *= place.charge;
        for (int d = 0; d < D; ++d) repulsion[d] += strength * delta[d];
        mass += itself ? 0 : law.mass_at(s);
    }

    template <class T>
    __device__ void pad(T* list, int size, const T& filler) const {
        if (lane >= size) list[lane] = filler;
        __syncwarp();
    }
    /// Removes the first 32 entries of a list.
    template <class T>
    __device__ void drop_first_32(T* list, int& size) {
        __syncwarp();
        if (32 + lane < size) list[lane] = list[32 + lane];
        __syncwarp();
        size = max(size - 32, 0);
        if (++chunks == 8 * shares) flush_sums();
    }
};

constexpr int traversal_warps = 4;

/// Warps take groups from a common counter; the result of a group does not depend on its warp. masses: one value per
/// group, at the index of its first point.
template <class Law, int D, int Members>
__global__ void __launch_bounds__(32 * traversal_warps)
    traversal_kernel(TreeView<D, Law::charged> tree, Law law, float* force, double* masses, unsigned* next_group) {
    __shared__ TraversalScratch<D, Law::charged> scratch[traversal_warps];
    GroupTraversal<Law, D, Members> traversal{tree, law, scratch[threadIdx.x / 32]};
    const auto groups = static_cast<unsigned>(*tree.group_count);
    for (;;) {
        unsigned group = traversal.lane == 0 ? atomicAdd(next_group, 1U) : 0;
        group = __shfl_sync(~0U, group, 0);
        if (group >= groups) return;
        traversal.enter(tree.groups[group]);
        traversal.repel();
        const bool writes = traversal.share == 0 && traversal.first + traversal.member < traversal.last;
        if (writes) {
            const Offset item = tree.items[traversal.first + traversal.member];
            for (int d = 0; d < D; ++d) force[item * D + d] = static_cast<float>(traversal.force[d]);
        }
        if constexpr (!has_normalizer<Law>) continue;
        const double mass = device::group_sum<32>(writes ? traversal.total : 0.0);
        if (traversal.lane == 0) masses[traversal.first] = mass;
    }
}

}  // namespace dunlin::forces
