// SPDX-License-Identifier: Apache-2.0
#include "graph/coarsen.hpp"

#include <algorithm>

#include "graph/coarsen_rules.hpp"
#include "math/at.hpp"

namespace dunlin::graph {

namespace {

class IndependentSet {
public:
    IndependentSet(device::Cpu& cpu, const Graph& graph, std::uint64_t seed)
        : graph_(graph),
          priority_(at(graph.size())),
          wins_(at(graph.size())),
          state_(at(graph.size()), VertexState::open) {
        cpu.each(graph.size(), [&](Offset v) {
            priority_[at(v)] =
                luby_priority(graph.offsets[at(v) + 1] - graph.offsets[at(v)], static_cast<Index>(v), seed);
        });
        while (round(cpu) > 0) {
        }
    }

    [[nodiscard]] bool is_root(Index v) const { return state_[at(v)] == VertexState::root; }
    [[nodiscard]] std::uint32_t priority_of(Index v) const { return priority_[at(v)]; }

private:
    /// One round of Luby's algorithm: open vertices with a priority above all open neighbors become roots, their
    /// neighbors become members. Returns the number of vertices that were open.
    double round(device::Cpu& cpu) {
        cpu.each(graph_.size(),
                 [&](Offset v) { wins_[at(v)] = state_[at(v)] == VertexState::open && wins(static_cast<Index>(v)); });
        device::Cell<double> open;
        cpu.sum(
            graph_.size(),
            [&](Offset v) {
                if (state_[at(v)] != VertexState::open) return 0.0;
                state_[at(v)] = wins_[at(v)] != 0  ? VertexState::root
                                : beside_winner(v) ? VertexState::member
                                                   : VertexState::open;
                return 1.0;
            },
            open);
        return open.value;
    }

    [[nodiscard]] bool wins(Index v) const {
        return none_of_row(v, [&](Index u) {
            return state_[at(u)] == VertexState::open &&
                   std::pair(priority_[at(u)], u) > std::pair(priority_[at(v)], v);
        });
    }
    [[nodiscard]] bool beside_winner(Offset v) const {
        return !none_of_row(static_cast<Index>(v), [&](Index u) { return wins_[at(u)] != 0; });
    }
    template <class Is>
    [[nodiscard]] bool none_of_row(Index v, const Is& is) const {
        const Index* targets = graph_.targets.data();
        return std::none_of(targets + graph_.offsets[at(v)], targets + graph_.offsets[at(v) + 1], is);
    }

    const Graph& graph_;
    std::vector<std::uint32_t> priority_;
    std::vector<std::uint8_t> wins_;
    std::vector<VertexState> state_;
};

/// Accumulates one coarse row; one per thread.
class RowAccumulator {
public:
    explicit RowAccumulator(Index coarse_size) : place_(at(coarse_size), -1) {}

    void add(Index target, const CoarseEdge& link) {
        Index& place = place_[at(target)];
        if (place < 0) {
            place = static_cast<Index>(targets_.size());
            targets_.push_back(target);
            lengths_.push_back(link.length);
            strengths_.push_back(static_cast<double>(link.strength));
        } else {
            lengths_[at(place)] = std::min(lengths_[at(place)], link.length);
            strengths_[at(place)] += static_cast<double>(link.strength);
        }
    }

    /// Calls emit(target, length, strength) with ascending targets, and clears the row.
    template <class Emit>
    void finish(const Emit& emit) {
        sorted_ = targets_;
        std::sort(sorted_.begin(), sorted_.end());
        for (const Index target : sorted_) {
            const auto place = at(place_[at(target)]);
            emit(target, lengths_[place], static_cast<float>(strengths_[place]));
            place_[at(target)] = -1;
        }
        targets_.clear();
        lengths_.clear();
        strengths_.clear();
    }

private:
    std::vector<Index> place_;  // index of every target in the lists below; -1: absent
    std::vector<Index> targets_, sorted_;
    std::vector<float> lengths_;
    std::vector<double> strengths_;
};

/// A block of rows of the coarse graph.
struct CoarseRows {
    std::vector<Index> targets;
    std::vector<float> lengths, strengths;
};

class Coarsener {
public:
    Coarsener(const Level& fine, std::uint64_t seed) : fine_(fine), graph_(*fine.graph), seed_(seed) {}

    Coarsening run(device::Cpu& cpu) {
        {
            const IndependentSet roots(cpu, graph_, seed_);
            join(cpu, roots);
        }
        gather_rows(cpu);
        return std::move(result_);
    }

private:
    void join(device::Cpu& cpu, const IndependentSet& roots) {
        result_.parent.assign(at(graph_.size()), -1);
        result_.reach.assign(at(graph_.size()), 0.0F);
        to_root_.resize(at(graph_.size()));
        for (Index v = 0; v < graph_.size(); ++v) {
            if (!roots.is_root(v)) continue;
            result_.parent[at(v)] = static_cast<Index>(result_.root.size());
            result_.root.push_back(v);
        }
        cpu.each(graph_.size(), [&](Offset v) {
            if (!roots.is_root(static_cast<Index>(v))) join(roots, v);
        });
    }

    /// Assigns v to the neighboring root with the strongest edge.
    void join(const IndependentSet& roots, Offset v) {
        Offset best = -1;
        for (Offset e = graph_.offsets[at(v)]; e < graph_.offsets[at(v) + 1]; ++e) {
            if (roots.is_root(graph_.targets[at(e)]) && (best < 0 || rank(roots, e) > rank(roots, best))) best = e;
        }
        // No race: roots have their numbers already, and no other thread writes to v
        result_.parent[at(v)] = result_.parent[at(graph_.targets[at(best)])];
        result_.reach[at(v)] = fine_.length(best);
        to_root_[at(v)] = {fine_.length(best), 1 / graph_.weights[at(best)]};
    }
    [[nodiscard]] std::pair<float, std::uint32_t> rank(const IndependentSet& roots, Offset e) const {
        return {graph_.weights[at(e)], roots.priority_of(graph_.targets[at(e)])};
    }

    void gather_rows(device::Cpu& cpu) {
        constexpr Offset grain = 512;
        const auto n = static_cast<Offset>(result_.root.size());
        Graph& coarse = result_.graph;
        coarse.offsets.assign(at(n) + 1, 0);
        std::vector<RowAccumulator> rows(at(cpu.threads()), RowAccumulator(static_cast<Index>(n)));
        std::vector<CoarseRows> blocks(at((n + grain - 1) / grain));
        cpu.blocks(n, grain, [&](Offset begin, Offset end, int worker) {
            for (Offset c = begin; c < end; ++c) gather(c, rows[at(worker)], blocks[at(begin / grain)]);
        });
        for (Offset c = 0; c < n; ++c) coarse.offsets[at(c) + 1] += coarse.offsets[at(c)];
        coarse.targets.resize(at(coarse.edges()));
        coarse.weights.resize(at(coarse.edges()));
        result_.lengths.resize(at(coarse.edges()));
        cpu.each(
            static_cast<Offset>(blocks.size()),
            [&](Offset b) {
                const Offset first = coarse.offsets[at(b * grain)];
                const CoarseRows& block = blocks[at(b)];
                std::copy(block.targets.begin(), block.targets.end(), coarse.targets.begin() + first);
                std::copy(block.strengths.begin(), block.strengths.end(), coarse.weights.begin() + first);
                std::copy(block.lengths.begin(), block.lengths.end(), result_.lengths.begin() + first);
            },
            1);
    }

    /// Row of coarse vertex c: the edges of its root and of the members of its cluster.
    void gather(Offset c, RowAccumulator& row, CoarseRows& out) {
        const Index root = result_.root[at(c)];
        const auto gather_from = [&](Index v) {
            for (Offset e = graph_.offsets[at(v)]; e < graph_.offsets[at(v) + 1]; ++e) {
                const Index u = graph_.targets[at(e)], target = result_.parent[at(u)];
                if (target == c) continue;
                row.add(target,
                        coarse_edge_through(to_root_[at(v)], fine_.length(e), graph_.weights[at(e)], to_root_[at(u)]));
            }
        };
        gather_from(root);
        for (Offset e = graph_.offsets[at(root)]; e < graph_.offsets[at(root) + 1]; ++e) {
            if (result_.parent[at(graph_.targets[at(e)])] == c) gather_from(graph_.targets[at(e)]);
        }
        const std::size_t before = out.targets.size();
        row.finish([&](Index target, float length, float strength) {
            out.targets.push_back(target);
            out.lengths.push_back(length);
            out.strengths.push_back(strength);
        });
        result_.graph.offsets[at(c) + 1] = static_cast<Offset>(out.targets.size() - before);
    }

    const Level& fine_;
    const Graph& graph_;
    std::uint64_t seed_;
    std::vector<PathToRoot> to_root_;  // from every fine vertex to its root
    Coarsening result_;
};

}  // namespace

Coarsening coarsen(device::Cpu& cpu, const Level& fine, std::uint64_t seed) { return Coarsener(fine, seed).run(cpu); }

}  // namespace dunlin::graph
