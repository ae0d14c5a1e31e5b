// SPDX-License-Identifier: Apache-2.0
#include "graph/simplify.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "math/at.hpp"

namespace dunlin::graph {

namespace {

/// Target of an edge, without and with a weight.
struct UnweightedEnd {
    Index target;
    static UnweightedEnd of(Index target, std::span<const float>, Offset) { return {target}; }
    [[nodiscard]] float weight() const { return 1; }
    bool operator<(const UnweightedEnd& other) const { return target < other.target; }
};

struct WeightedEnd {
    Index target;
    float value;
    static WeightedEnd of(Index target, std::span<const float> weights, Offset e) { return {target, weights[at(e)]}; }
    [[nodiscard]] float weight() const { return value; }
    /// Equal targets: the largest weight first.
    bool operator<(const WeightedEnd& other) const {
        return target != other.target ? target < other.target : value > other.value;
    }
};

/// Builds rows in two steps: edges are distributed, in both directions, to buckets of consecutive vertices; then one
/// thread per bucket sorts it in cache.
template <class End>
class RowBuilder {
public:
    RowBuilder(device::Cpu& cpu, Index vertices, std::span<const Edge> edges, std::span<const float> weights)
        : cpu_(cpu), vertices_(vertices), edges_(edges), weights_(weights) {
        while (vertices >> shift_ >= max_buckets) ++shift_;
        buckets_ = (Offset{vertices} >> shift_) + 1;
    }

    Graph graph() {
        distribute();
        Graph graph;
        graph.offsets.assign(at(vertices_) + 1, 0);
        std::vector<Scratch> scratch(at(cpu_.threads()));
        cpu_.blocks(buckets_, 1,
                    [&](Offset bucket, Offset, int worker) { merge(bucket, scratch[at(worker)], graph.offsets); });
        std::partial_sum(graph.offsets.begin(), graph.offsets.end(), graph.offsets.begin());
        graph.targets.resize(at(graph.edges()));
        graph.weights.resize(at(graph.edges()));
        cpu_.blocks(buckets_, 1, [&](Offset bucket, Offset, int) { fill(bucket, graph); });
        return graph;
    }

private:
    static constexpr Index max_buckets = 1024;  ///< number of concurrent write streams

    /// An edge in one direction.
    struct Arc {
        Index source;
        End end;
    };
    /// Scratch memory of a thread for one bucket.
    struct Scratch {
        std::vector<Offset> offsets;
        std::vector<End> ends;
    };

    [[nodiscard]] Offset bucket_of(Index vertex) const { return vertex >> shift_; }
    [[nodiscard]] Index first_of(Offset bucket) const {
        return static_cast<Index>(std::min<Offset>(bucket << shift_, vertices_));
    }

    /// Calls use(source, target, index of the edge) for both directions of the edges [begin, end).
    template <class Use>
    void each_arc(Offset begin, Offset end, const Use& use) const {
        for (Offset e = begin; e < end; ++e) {
            const Edge edge = edges_[at(e)];
            if (edge.source == edge.target) continue;
            use(edge.source, edge.target, e);
            use(edge.target, edge.source, e);
        }
    }

    /// Each block of edges has its own range in every bucket, so threads do not synchronize.
    void distribute() {
        const auto edges = static_cast<Offset>(edges_.size());
        const Offset share = std::max<Offset>(1, (edges + cpu_.threads() - 1) / cpu_.threads());
        std::vector<std::vector<Offset>> places(at((edges + share - 1) / share), std::vector<Offset>(at(buckets_), 0));
        cpu_.blocks(edges, share, [&](Offset begin, Offset end, int) {
            std::vector<Offset>& count = places[at(begin / share)];
            each_arc(begin, end, [&](Index source, Index, Offset) { ++count[at(bucket_of(source))]; });
        });
        starts_.assign(at(buckets_) + 1, 0);
        Offset next = 0;
        for (Offset bucket = 0; bucket < buckets_; ++bucket) {
            starts_[at(bucket)] = next;
            for (std::vector<Offset>& place : places) next += std::exchange(place[at(bucket)], next);
        }
        starts_[at(buckets_)] = next;
        arcs_ = std::make_unique_for_overwrite<Arc[]>(at(next));
        cpu_.blocks(edges, share, [&](Offset begin, Offset end, int) {
            std::vector<Offset>& place = places[at(begin / share)];
            each_arc(begin, end, [&](Index source, Index target, Offset e) {
                arcs_[at(place[at(bucket_of(source))]++)] = {source, End::of(target, weights_, e)};
            });
        });
    }

    /// Sorts the arcs of a bucket, moves the distinct ones to its front, and stores the degree of each vertex v at
    /// counts[v + 1].
    void merge(Offset bucket, Scratch& scratch, std::vector<Offset>& counts) {
        const Index first = first_of(bucket), last = first_of(bucket + 1);
        Arc* const begin = arcs_.get() + starts_[at(bucket)];
        Arc* const end = arcs_.get() + starts_[at(bucket) + 1];
        scratch.offsets.assign(at(last - first) + 2, 0);
        for (const Arc* arc = begin; arc != end; ++arc) ++scratch.offsets[at(arc->source - first) + 2];
        std::partial_sum(scratch.offsets.begin(), scratch.offsets.end(), scratch.offsets.begin());
        scratch.ends.resize(at(end - begin));
        for (const Arc* arc = begin; arc != end; ++arc) {
            scratch.ends[at(scratch.offsets[at(arc->source - first) + 1]++)] = arc->end;
        }
        Arc* out = begin;
        for (Index v = first; v < last; ++v) {
            End* const row = scratch.ends.data() + scratch.offsets[at(v - first)];
            End* row_end = scratch.ends.data() + scratch.offsets[at(v - first) + 1];
            if (!std::is_sorted(row, row_end)) std::sort(row, row_end);
            row_end = std::unique(row, row_end, [](End a, End b) { return a.target == b.target; });
            for (const End* e = row; e != row_end; ++e) *out++ = {v, *e};
            counts[at(v) + 1] = row_end - row;
        }
    }

    void fill(Offset bucket, Graph& graph) const {
        const Arc* arc = arcs_.get() + starts_[at(bucket)];
        const Offset end = graph.offsets[at(first_of(bucket + 1))];
        for (Offset e = graph.offsets[at(first_of(bucket))]; e < end; ++e, ++arc) {
            graph.targets[at(e)] = arc->end.target;
            graph.weights[at(e)] = arc->end.weight();
        }
    }

    device::Cpu& cpu_;
    Index vertices_;
    std::span<const Edge> edges_;
    std::span<const float> weights_;
    int shift_ = 10;
    Offset buckets_ = 1;
    std::vector<Offset> starts_;  ///< begin of each bucket in arcs_
    std::unique_ptr<Arc[]> arcs_;
};

}  // namespace

SimpleGraph simplify(device::Cpu& cpu, Index vertices, std::span<const Edge> edges, std::span<const float> weights) {
    SimpleGraph simple;
    simple.graph = weights.empty() ? RowBuilder<UnweightedEnd>(cpu, vertices, edges, weights).graph()
                                   : RowBuilder<WeightedEnd>(cpu, vertices, edges, weights).graph();
    simple.self_loops = std::count_if(edges.begin(), edges.end(), [](Edge e) { return e.source == e.target; });
    simple.multi_edges = static_cast<Offset>(edges.size()) - simple.self_loops - simple.graph.edges() / 2;
    return simple;
}

}  // namespace dunlin::graph
