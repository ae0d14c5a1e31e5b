// SPDX-License-Identifier: Apache-2.0
#include "graph/components.hpp"

#include <numeric>

#include "graph/forest.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::graph {

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
