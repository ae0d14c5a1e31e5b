// SPDX-License-Identifier: Apache-2.0
#include "graph/simplify.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "graph/edge_hash.hpp"
#include "math/at.hpp"

namespace dunlin::graph {

namespace {

bool adds(Repeated repeated) { return repeated == Repeated::add || repeated == Repeated::add_listed; }

/// Target of an edge, and whether it is listed from there.
struct EndKey {
    std::uint32_t key;  ///< twice the target, and 1 if backward
    static EndKey of(Index target, bool backward) {
        return {2 * static_cast<std::uint32_t>(target) + (backward ? 1U : 0U)};
    }
    [[nodiscard]] Index target() const { return static_cast<Index>(key / 2); }
    [[nodiscard]] bool backward() const { return key % 2 == 1; }
};

/// An end without and with a weight. alone(): the weight of an edge that is not repeated. joined(first, middle, last,
/// repeated): the weight of parallel edges, sorted, of which those from `middle` on are listed backward.
struct UnweightedEnd : EndKey {
    static UnweightedEnd of(Index target, bool backward, std::span<const float>, Offset) {
        return {EndKey::of(target, backward)};
    }
    [[nodiscard]] static float alone() { return 1; }
    static float joined(const UnweightedEnd* first, const UnweightedEnd* middle, const UnweightedEnd* last,
                        Repeated repeated) {
        if (!adds(repeated)) return 1;
        const bool once = repeated == Repeated::add_listed && middle - first == last - middle;
        return static_cast<float>(once ? middle - first : last - first);
    }
    bool operator<(const UnweightedEnd& other) const { return key < other.key; }
};

struct WeightedEnd : EndKey {
    float value;
    static WeightedEnd of(Index target, bool backward, std::span<const float> weights, Offset e) {
        return {EndKey::of(target, backward), weights[at(e)]};
    }
    [[nodiscard]] float alone() const { return value; }
    static float joined(const WeightedEnd* first, const WeightedEnd* middle, const WeightedEnd* last,
                        Repeated repeated) {
        const auto [least, largest] = std::minmax_element(
            first, last, [](const WeightedEnd& a, const WeightedEnd& b) { return a.value < b.value; });
        if (!adds(repeated)) return repeated == Repeated::least ? least->value : largest->value;
        const auto same = [](const WeightedEnd& a, const WeightedEnd& b) { return a.value == b.value; };
        const bool once = repeated == Repeated::add_listed && std::equal(first, middle, middle, last, same);
        // Each direction by itself, so that both ends have one sum
        const double sum = sum_of(first, middle) + (once ? 0 : sum_of(middle, last));
        return static_cast<float>(std::min<double>(sum, std::numeric_limits<float>::max()));
    }
    /// Equal ends: the least weight first.
    bool operator<(const WeightedEnd& other) const { return key != other.key ? key < other.key : value < other.value; }

private:
    static double sum_of(const WeightedEnd* first, const WeightedEnd* last) {
        double sum = 0;
        for (const WeightedEnd* e = first; e != last; ++e) sum += static_cast<double>(e->value);
        return sum;
    }
};

/// Whether every edge is listed as often in one direction as in the other, with the same weights.
bool is_listed_from_both_ends(std::span<const Edge> edges, std::span<const float> weights) {
    std::uint64_t unpaired = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const std::uint64_t of_weight = weights.empty() ? 1 : math::mix(std::bit_cast<std::uint32_t>(weights[e])) | 1;
        unpaired += hash_of_direction(edges[e].source, edges[e].target) * of_weight;
    }
    return unpaired == 0;
}

/// Builds rows in two steps: edges are distributed, in both directions, to buckets of consecutive vertices; then one
/// thread per bucket sorts it in cache.
template <class End>
class RowBuilder {
public:
    RowBuilder(device::Cpu& cpu, Index vertices, std::span<const Edge> edges, std::span<const float> weights,
               Repeated repeated)
        : cpu_(cpu), vertices_(vertices), edges_(edges), weights_(weights), repeated_(repeated) {
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
        union {
            Index source;  ///< until it is merged
            float weight;  ///< then the weight of its parallel edges
        };
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

    /// Calls use(source, target, index of the edge, backward) for both directions of the edges [begin, end).
    template <class Use>
    void each_arc(Offset begin, Offset end, const Use& use) const {
        for (Offset e = begin; e < end; ++e) {
            const Edge edge = edges_[at(e)];
            if (edge.source == edge.target) continue;
            use(edge.source, edge.target, e, false);
            use(edge.target, edge.source, e, true);
        }
    }

    /// Each block of edges has its own range in every bucket, so threads do not synchronize.
    void distribute() {
        const auto edges = static_cast<Offset>(edges_.size());
        const Offset share = std::max<Offset>(1, (edges + cpu_.threads() - 1) / cpu_.threads());
        std::vector<std::vector<Offset>> places(at((edges + share - 1) / share), std::vector<Offset>(at(buckets_), 0));
        cpu_.blocks(edges, share, [&](Offset begin, Offset end, int) {
            std::vector<Offset>& count = places[at(begin / share)];
            each_arc(begin, end, [&](Index source, Index, Offset, bool) { ++count[at(bucket_of(source))]; });
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
            each_arc(begin, end, [&](Index source, Index target, Offset e, bool backward) {
                arcs_[at(place[at(bucket_of(source))]++)] = {{.source = source},
                                                             End::of(target, backward, weights_, e)};
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
            End* const row_end = scratch.ends.data() + scratch.offsets[at(v - first) + 1];
            if (!std::is_sorted(row, row_end)) std::sort(row, row_end);
            Arc* const row_out = out;
            for (const End *e = row, *next = row; e != row_end; e = next) {
                ++next;
                if (next == row_end || next->target() != e->target()) {  // most edges
                    *out++ = {{.weight = e->alone()}, *e};
                    continue;
                }
                while (next != row_end && next->key == e->key) ++next;
                const End* const middle = e->backward() ? e : next;
                while (next != row_end && next->target() == e->target()) ++next;
                *out++ = {{.weight = End::joined(e, middle, next, repeated_)}, *e};
            }
            counts[at(v) + 1] = out - row_out;
        }
    }

    void fill(Offset bucket, Graph& graph) const {
        const Arc* arc = arcs_.get() + starts_[at(bucket)];
        const Offset end = graph.offsets[at(first_of(bucket + 1))];
        for (Offset e = graph.offsets[at(first_of(bucket))]; e < end; ++e, ++arc) {
            graph.targets[at(e)] = arc->end.target();
            graph.weights[at(e)] = arc->weight;
        }
    }

    device::Cpu& cpu_;
    Index vertices_;
    std::span<const Edge> edges_;
    std::span<const float> weights_;
    Repeated repeated_;
    int shift_ = 10;
    Offset buckets_ = 1;
    std::vector<Offset> starts_;  ///< begin of each bucket in arcs_
    std::unique_ptr<Arc[]> arcs_;
};

}  // namespace

SimpleGraph simplify(device::Cpu& cpu, Index vertices, std::span<const Edge> edges, std::span<const float> weights,
                     Repeated repeated) {
    SimpleGraph simple;
    simple.graph = weights.empty() ? RowBuilder<UnweightedEnd>(cpu, vertices, edges, weights, repeated).graph()
                                   : RowBuilder<WeightedEnd>(cpu, vertices, edges, weights, repeated).graph();
    simple.self_loops = std::count_if(edges.begin(), edges.end(), [](Edge e) { return e.source == e.target; });
    const Offset distinct = simple.graph.edges() / 2;
    simple.multi_edges = static_cast<Offset>(edges.size()) - simple.self_loops - distinct;
    simple.both_ends = repeated == Repeated::add_listed && distinct > 0 && simple.multi_edges >= distinct &&
                       is_listed_from_both_ends(edges, weights);
    return simple;
}

}  // namespace dunlin::graph
