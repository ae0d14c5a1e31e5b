#pragma once

#include "forces/tree_nodes.cuh"

/// The search for a group's interactions and their sum, by a warp: a lane for each of the group's points.
namespace dunlin::forces {

/// A small cell, laid out for a read by all lanes at once.
template <int D>
struct alignas(16) ListedCell {
    float at[D], trace, doubled[moments_of<D>], count;  // trace of the second moments, and these doubled
};

/// A leaf that was opened; first is ~first if its points share one place.
struct ListedLeaf {
    Index first, count;
};

/// What a warp keeps in shared memory.
template <int D>
struct WalkScratch {
    /// A step opens the last 16 waiting nodes and adds their children. So only the children of the step before are
    /// ever 32, and 16 are left at any other depth; and a node's depth is below the number of bits of a code.
    static constexpr int most_waiting = 16 * 32 + 32;

    ListedCell<D> cells[64];
    ListedLeaf leaves[64];
    Index waiting[most_waiting];
};

template <class Law, int D>
struct GroupWalk {
    const TreeView<D>& tree;
    WalkScratch<D>& scratch;
    const int lane = threadIdx.x % 32;

    // The group
    Index first = 0, last = 0;
    float at[D], low[D], high[D];

    // What the lane's point feels: sums of a few hundred terms in float, the sums of these in double
    float push[D], mass = 0;
    double force[D], total = 0;
    int terms = 0;

    int cells = 0, leaves = 0;

    __device__ void enter(Index begin, Index end) {
        first = begin;
        last = end;
        total = 0;
        const Place<D> place = tree.places[min(first + lane, last - 1)];
        for (int d = 0; d < D; ++d) {
            at[d] = low[d] = high[d] = place.at[d];
            force[d] = 0;
        }
        for (int lanes = 16; lanes > 0; lanes /= 2) {
            for (int d = 0; d < D; ++d) {
                low[d] = fminf(low[d], __shfl_xor_sync(~0U, low[d], lanes));
                high[d] = fmaxf(high[d], __shfl_xor_sync(~0U, high[d], lanes));
            }
        }
        rest();
    }

    __device__ void rest() {
        for (float& p : push) p = 0;
        mass = 0;
        terms = 0;
    }
    /// Moves the sums to double now and then.
    __device__ void add_terms(int count) {
        terms += count;
        if (terms >= 256) settle();
    }
    __device__ void settle() {
        for (int d = 0; d < D; ++d) force[d] += push[d];
        total += mass;
        rest();
    }

    __device__ void repel() {
        search();
        push_by_cells(cells);
        push_by_leaves();
        settle();
    }

    /// From the root down, 32 cells at a time: those that are small seen from every member are listed, any others
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
            const TreeRecord<D> cell = tree.records[2 * Offset{node} + lane % 2];
            const bool small = valid && is_small(cell);
            const bool leaf = cell.link < 0;
            list_cell(cell, small || (valid && leaf && is_one_place_elsewhere(cell)));
            list_leaf(cell, valid && leaf && !small && !is_one_place_elsewhere(cell));
            waiting += put(scratch.waiting + waiting, cell.link, valid && !leaf && !small);
            if (cells > 32) push_by_cells(32);
            if (leaves > 32) push_by_leaves();
        }
    }

    __device__ bool is_small(const TreeRecord<D>& cell) const {
        float distance2 = 0;
        for (int d = 0; d < D; ++d) {
            const float gap = fmaxf(fmaxf(low[d] - cell.at[d], cell.at[d] - high[d]), 0.0F);
            distance2 += gap * gap;
        }
        return distance2 > cell.reach2;
    }
    __device__ bool is_ours(Index begin, Index count) const { return begin < last && begin + count > first; }
    __device__ bool is_one_place_elsewhere(const TreeRecord<D>& cell) const {
        return cell.reach2 == 0 && !is_ours(~cell.link, cell.count);
    }

    /// Appends the values of the lanes that have one, in the order of lanes; returns how many.
    template <class T>
    __device__ int put(T* list, const T& value, bool has_one) const {
        const unsigned having = __ballot_sync(~0U, has_one);
        if (has_one) list[__popc(having & ((1U << lane) - 1))] = value;
        __syncwarp();
        return __popc(having);
    }
    __device__ void list_cell(const TreeRecord<D>& cell, bool is_listed) {
        ListedCell<D> listed;
        listed.trace = 0;
        for (int d = 0; d < D; ++d) {
            listed.at[d] = cell.at[d];
            listed.trace += cell.moments[d];
        }
        for (int m = 0; m < moments_of<D>; ++m) listed.doubled[m] = 2 * cell.moments[m];
        listed.count = static_cast<float>(cell.count);
        cells += put(scratch.cells + cells, listed, is_listed);
    }
    __device__ void list_leaf(const TreeRecord<D>& cell, bool is_listed) {
        leaves += put(scratch.leaves + leaves, {cell.reach2 == 0 ? cell.link : ~cell.link, cell.count}, is_listed);
    }

    /// Takes the last `count` cells off the list.
    __device__ void push_by_cells(int count) {
        cells -= count;
#pragma unroll 4
        for (int c = 0; c < count; ++c) {
            const ListedCell<D> cell = scratch.cells[cells + c];
            float delta[D], s = Law::origin;
            for (int d = 0; d < D; ++d) delta[d] = at[d] - cell.at[d];
            for (int d = 0; d < D; ++d) s += delta[d] * delta[d];
            push_by_cell<Law, D>(delta, s, cell.count, cell.trace, cell.doubled, push, mass);
        }
        __syncwarp();
        add_terms(count);
    }

    __device__ void push_by_leaves() {
        for (int l = 0; l < leaves; ++l) {
            const ListedLeaf leaf = scratch.leaves[l];
            const Index begin = leaf.first < 0 ? ~leaf.first : leaf.first;
            if (!is_ours(begin, leaf.count)) {
                push_by_points<false>(begin, leaf.count);
            } else if (leaf.first >= 0 || leaf.count <= 32) {
                push_by_points<true>(begin, leaf.count);
            } else {  // crowded into one place with all of the group
                total += (leaf.count - 1.0) * static_cast<double>(Law::mass(0.0F));
            }
        }
        leaves = 0;
        __syncwarp();
    }

    /// Ours: the group's points are among them.
    template <bool Ours>
    __device__ void push_by_points(Index begin, Index count) {
        constexpr Index at_once = 256;
        for (Index chunk = 0; chunk < count; chunk += at_once) {
            const Index end = min(count, chunk + at_once);
#pragma unroll 4
            for (Index j = chunk; j < end; ++j) {
                const Place<D> place = tree.places[begin + j];
                float delta[D], s = Law::origin;
                for (int d = 0; d < D; ++d) delta[d] = at[d] - place.at[d];
                for (int d = 0; d < D; ++d) s += delta[d] * delta[d];
                const float strength = Law::strength_at(s);
                for (int d = 0; d < D; ++d) push[d] += strength * delta[d];
                const bool itself = Ours && begin + j == first + lane;
                mass += itself ? 0 : Law::mass_at(s);
            }
            add_terms(end - chunk);
        }
    }
};

constexpr int walk_warps = 4;

/// Warps take one group after another; what a group gets does not depend on which.
template <class Law, int D>
__global__ void __launch_bounds__(32 * walk_warps)
    walk_kernel(TreeView<D> tree, float* force, double* masses, unsigned* next_group) {
    __shared__ WalkScratch<D> scratch[walk_warps];
    GroupWalk<Law, D> walk{tree, scratch[threadIdx.x / 32]};
    const Index groups = *tree.group_count;
    for (;;) {
        Index group = walk.lane == 0 ? static_cast<Index>(atomicAdd(next_group, 1U)) : 0;
        group = __shfl_sync(~0U, group, 0);
        if (group >= groups) return;
        walk.enter(tree.groups[group], group + 1 < groups ? tree.groups[group + 1] : tree.n);
        walk.repel();
        const bool member = walk.first + walk.lane < walk.last;
        if (member) {
            const Offset item = tree.items[walk.first + walk.lane];
            for (int d = 0; d < D; ++d) force[item * D + d] = static_cast<float>(walk.force[d]);
        }
        const double mass = device::group_sum<32>(member ? walk.total : 0.0);
        if (walk.lane == 0) masses[group] = mass;
    }
}

}  // namespace dunlin::forces
