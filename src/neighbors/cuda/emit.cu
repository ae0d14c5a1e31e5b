// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "neighbors/cuda/emit.cuh"

#include "device/ranks.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;

/// Space::distance
__device__ float distance_of(Metric metric, double key) {
    if (metric == Metric::euclidean) return static_cast<float>(sqrt(key));
    if (metric == Metric::inner_product) return static_cast<float>(0.0 - key);
    return static_cast<float>(metric == Metric::manhattan ? key : key / 2);
}

struct SetOffsets {
    Index degree;
    Offset* offsets;
    __device__ void operator()(Offset r) const { offsets[r] = r * degree; }
};

/// For distinct rows: every group is one row.
struct Copy {
    const double* keys;
    const Index* items;
    Metric metric;
    Index degree;
    GraphRows rows;
    Index* targets;
    float* weights;
    __device__ void operator()(Offset i) const {
        const Offset to =
            rows.order == nullptr ? Offset{rows.first} * degree + i : rows.row(i / degree) * degree + i % degree;
        targets[to] = items[i];
        weights[to] = distance_of(metric, keys[i]);
    }
};

struct GroupsView {
    const Index* members;
    const Offset* offsets;
};

/// The `length` nearest rows of a query, by (key, id): groups with equal keys are merged by the ids of their members. A
/// query that is a group is nearest to its own members, which are included. One warp per query.
struct Expand {
    GroupsView groups;
    Index first, wanted, length;
    Index own;  ///< 1: query q is group first + q; 0: it is none
    const double* keys;
    const Index* items;
    Metric metric;
    Offset* heads;  ///< per group and list entry: the next of its members
    GraphRows rows;
    Index* targets;
    float* weights;

    [[nodiscard]] __device__ Index group_at(Offset query, Index place) const {
        return place < own ? first + static_cast<Index>(query) : items[query * wanted + place - own];
    }
    [[nodiscard]] __device__ double key_at(Offset query, Index place) const {
        return place < own ? 0.0 : keys[query * wanted + place - own];
    }

    __device__ void operator()(Offset query) const {
        Index written = 0;
        for (Index begin = 0, end = 0; written < length && begin < wanted + own; begin = end) {
            const double key = key_at(query, begin);
            while (end < wanted + own && key_at(query, end) == key) ++end;
            written = merge(query, begin, end, key, written);
        }
    }

    /// Writes the members of list entries [begin, end), ascending, while there is room.
    __device__ Index merge(Offset query, Index begin, Index end, double key, Index written) const {
        const auto lane = static_cast<Index>(threadIdx.x % 32);
        Offset* next = heads + query * (wanted + own);
        const Offset to = rows.row(query) * length;
        for (Index i = begin + lane; i < end; i += 32) next[i] = groups.offsets[group_at(query, i)];
        __syncwarp();
        constexpr unsigned none = std::numeric_limits<unsigned>::max();
        while (written < length) {
            unsigned least = none;
            Index from = 0;
            for (Index i = begin + lane; i < end; i += 32) {
                if (next[i] == groups.offsets[group_at(query, i) + 1]) continue;
                const auto row = static_cast<unsigned>(groups.members[next[i]]);
                if (row < least) from = i;
                least = min(least, row);
            }
            const unsigned row = least_of(least);
            if (row == none) break;
            if (row == least) {  // rows are distinct, so this is one lane
                ++next[from];
                targets[to + written] = static_cast<Index>(row);
                weights[to + written] = distance_of(metric, key);
            }
            ++written;
            __syncwarp();
        }
        return written;
    }

    __device__ static unsigned least_of(unsigned value) {
        for (int lanes = 16; lanes > 0; lanes /= 2) value = min(value, __shfl_xor_sync(~0U, value, lanes));
        return value;
    }
};

/// Copies the group's list to each member, without the member itself. One warp per row.
struct Distribute {
    GroupsView groups;
    const Index* group_of;
    Index first, degree;
    Offset first_member;
    const Index* found;
    const float* found_weights;
    Index* targets;
    float* weights;

    __device__ void operator()(Offset i) const {
        const Index row = groups.members[first_member + i];
        const Offset from = Offset{group_of[row] - first} * (degree + 1), to = Offset{row} * degree;
        Index written = 0;
        for (Index base = 0; written < degree; base += 32) {
            const Index place = base + static_cast<Index>(threadIdx.x % 32);
            const bool there = place <= degree && found[from + place] != row;
            const unsigned taken = __ballot_sync(~0U, there);
            const Index at = written + __popc(taken & ((1U << (threadIdx.x % 32)) - 1));
            if (there && at < degree) {
                targets[to + at] = found[from + place];
                weights[to + at] = found_weights[from + place];
            }
            written += __popc(taken);
        }
    }
};

void expand(Cuda& cuda, const CudaDistinctRows& groups, Index first, Index count, const NearestLists& nearest,
            Metric metric, Index degree, graph::DeviceGraph& graph) {
    const auto lists = static_cast<std::size_t>(count), entries = lists * (static_cast<std::size_t>(degree) + 1);
    device::CudaBuffer<Offset> heads(lists * (static_cast<std::size_t>(nearest.wanted) + 1), cuda.stream());
    device::CudaBuffer<Index> targets(entries, cuda.stream());
    device::CudaBuffer<float> weights(entries, cuda.stream());
    const GroupsView view{groups.members.data(), groups.offsets.data()};
    each_warp(cuda, count,
              Expand{view,
                     first,
                     nearest.wanted,
                     degree + 1,
                     1,
                     nearest.keys.data(),
                     nearest.items.data(),
                     metric,
                     heads.data(),
                     {},
                     targets.data(),
                     weights.data()});
    Offset begin = 0, end = 0;
    cuda.copy_out(&begin, groups.offsets.data() + first, sizeof(Offset));
    cuda.copy_out(&end, groups.offsets.data() + first + count, sizeof(Offset));
    each_warp(cuda, end - begin,
              Distribute{view, groups.group_of.data(), first, degree, begin, targets.data(), weights.data(),
                         graph.targets.data(), graph.weights.data()});
}

}  // namespace

graph::DeviceGraph empty_lists(Cuda& cuda, Index n, Index degree) {
    graph::DeviceGraph graph;
    const auto edges = static_cast<std::size_t>(n) * static_cast<std::size_t>(degree);
    cuda.resize(graph.offsets, static_cast<std::size_t>(n) + 1);
    cuda.resize(graph.targets, edges);
    cuda.resize(graph.weights, edges);
    if (device::Rank::current() != nullptr) {
        cuda.fill(graph.targets, edges, Index{0});
        cuda.fill(graph.weights, edges, 0.0F);
    }
    cuda.each(Offset{n} + 1, SetOffsets{degree, graph.offsets.data()});
    return graph;
}

void join_lists(Cuda& cuda, device::Rank& rank, graph::DeviceGraph& graph) {
    const auto edges = static_cast<Offset>(graph.targets.size());
    device::all_reduce(cuda, rank, graph.targets.data(), edges);
    device::all_reduce(cuda, rank, reinterpret_cast<Index*>(graph.weights.data()), edges);  // bits, of -0 too
}

namespace {

/// For distinct rows: groups are rows, and lists have `degree` entries.
void copy(Cuda& cuda, const GraphRows& rows, Index count, const NearestLists& nearest, Metric metric, Index degree,
          graph::DeviceGraph& graph) {
    cuda.each(Offset{count} * degree, Copy{nearest.keys.data(), nearest.items.data(), metric, degree, rows,
                                           graph.targets.data(), graph.weights.data()});
}

}  // namespace

void emit(Cuda& cuda, const CudaDistinctRows& groups, Index first, Index count, const NearestLists& nearest,
          Metric metric, Index degree, graph::DeviceGraph& graph) {
    if (!groups.trivial()) return expand(cuda, groups, first, count, nearest, metric, degree, graph);
    copy(cuda, {first}, count, nearest, metric, degree, graph);
}

void emit_queries(Cuda& cuda, const CudaDistinctRows& groups, const GraphRows& rows, Index count,
                  const NearestLists& nearest, Metric metric, Index degree, graph::DeviceGraph& graph) {
    if (groups.trivial()) return copy(cuda, rows, count, nearest, metric, degree, graph);
    device::CudaBuffer<Offset> heads(static_cast<std::size_t>(count) * static_cast<std::size_t>(nearest.wanted),
                                     cuda.stream());
    each_warp(cuda, count,
              Expand{{groups.members.data(), groups.offsets.data()},
                     0,
                     nearest.wanted,
                     degree,
                     0,
                     nearest.keys.data(),
                     nearest.items.data(),
                     metric,
                     heads.data(),
                     rows,
                     graph.targets.data(),
                     graph.weights.data()});
}

}  // namespace dunlin::neighbors
