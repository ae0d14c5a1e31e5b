// SPDX-License-Identifier: Apache-2.0
#include "graph/components.hpp"

#include <atomic>
#include <numeric>

#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::graph {

namespace {

/// Concurrent union-find. A root is only linked to a smaller root, so the root of each component is its smallest
/// vertex, independent of the order of operations.
class Forest {
public:
    explicit Forest(Index n) : parent_(at(n)) { std::iota(parent_.begin(), parent_.end(), Index{0}); }

    Index root(Index v) {
        for (Index above = up(v); above != v; above = up(v)) {
            const Index next = up(above);
            std::atomic_ref(parent_[at(v)]).store(next, std::memory_order_relaxed);  // path halving
            v = next;
        }
        return v;
    }

    void unite(Index a, Index b) {
        for (a = root(a), b = root(b); a != b; a = root(a), b = root(b)) {
            if (a < b) std::swap(a, b);
            Index still_a = a;
            if (std::atomic_ref(parent_[at(a)]).compare_exchange_strong(still_a, b, std::memory_order_relaxed)) return;
        }
    }

private:
    Index up(Index v) { return std::atomic_ref(parent_[at(v)]).load(std::memory_order_relaxed); }

    std::vector<Index> parent_;
};

}  // namespace

Components components(device::Cpu& cpu, const Graph& graph) {
    const Index n = graph.size();
    Forest forest(n);
    cpu.each(
        n,
        [&](Offset v) {
            for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e) {
                forest.unite(static_cast<Index>(v), graph.targets[at(e)]);
            }
        },
        1024);

    Components found;
    found.of.resize(at(n));
    for (Index v = 0; v < n; ++v) {
        const Index root = forest.root(v);
        if (root == v) found.offsets.push_back(0);
        const Index c =
            root == v ? found.count() - 1 : found.of[at(root)];  // a root precedes the other vertices of its component
        found.of[at(v)] = c;
        ++found.offsets[at(c) + 1];
    }
    std::partial_sum(found.offsets.begin(), found.offsets.end(), found.offsets.begin());
    found.members.resize(at(n));
    std::vector<Offset> next(found.offsets.begin(), found.offsets.end() - 1);
    for (Index v = 0; v < n; ++v) found.members[at(next[at(found.of[at(v)])]++)] = v;
    return found;
}

Components components(const Graph& graph, const Run& run) {
    device::Cpu cpu(run);
    Components found;
    progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "components", 1);
        found = components(cpu, graph);
    });
    return found;
}

}  // namespace dunlin::graph
