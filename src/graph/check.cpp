// SPDX-License-Identifier: Apache-2.0
#include "graph/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "graph/edge_hash.hpp"
#include "math/at.hpp"

namespace dunlin::graph {

namespace {

[[noreturn]] void refuse(Index source, Index target, std::string_view what) {
    throw Error(Fault::bad_input, fmt::format("edge {} - {}: {}", source, target, what),
                {.row = source, .column = target});
}

void check_arrays(const Graph& graph) {
    const bool whole = !graph.offsets.empty() && graph.offsets.front() == 0 &&
                       graph.targets.size() == at(graph.edges()) && graph.weights.size() == graph.targets.size();
    if (whole) return;
    throw Error(Fault::bad_input,
                fmt::format("the graph has {} offsets ending with {}, {} targets and {} weights; offsets must begin "
                            "with 0, end with the number of targets, and every target needs a weight",
                            graph.offsets.size(), graph.offsets.empty() ? 0 : graph.edges(), graph.targets.size(),
                            graph.weights.size()));
}

/// Checks row i; returns its part of a sum of hashes that is 0 if every edge has its reverse.
std::uint64_t check_row(const Graph& graph, Index i) {
    std::uint64_t unpaired = 0;
    Index before = -1;
    for (Offset e = graph.offsets[at(i)]; e < graph.offsets[at(i) + 1]; ++e) {
        const Index j = graph.targets[at(e)];
        const float w = graph.weights[at(e)];
        if (j < 0 || j >= graph.size()) refuse(i, j, fmt::format("there are {} vertices, from 0", graph.size()));
        if (j == i) refuse(i, j, "an edge from a vertex to itself; leave it out");
        if (j <= before) refuse(i, j, "targets must ascend in a row, each once; sort and merge them");
        if (!(w > 0) || !std::isfinite(w)) refuse(i, j, fmt::format("its weight is {}; it must be above 0", w));
        before = j;
        unpaired += hash_of_direction(i, j);
    }
    return unpaired;
}

[[noreturn]] void name_unpaired(const Graph& graph) {
    for (Index i = 0; i < graph.size(); ++i) {
        for (Offset e = graph.offsets[at(i)]; e < graph.offsets[at(i) + 1]; ++e) {
            const Index j = graph.targets[at(e)];
            const auto* row = graph.targets.data();
            if (!std::binary_search(row + graph.offsets[at(j)], row + graph.offsets[at(j) + 1], i)) {
                refuse(i, j, "there is no edge back; an undirected graph has every edge in both directions");
            }
        }
    }
    throw Error(Fault::bad_input, "the graph is not undirected: some edge has no edge back");
}

struct WrappingSum {
    std::uint64_t value = 0;
    WrappingSum& operator+=(const WrappingSum& other) {
        value += other.value;
        return *this;
    }
};

}  // namespace

void require_undirected(device::Cpu& cpu, const Graph& graph) {
    check_arrays(graph);
    for (Index i = 0; i < graph.size(); ++i) {
        if (graph.offsets[at(i)] > graph.offsets[at(i) + 1]) {
            throw Error(Fault::bad_input, fmt::format("the graph's offsets fall after vertex {}", i));
        }
    }
    device::Cell<WrappingSum> unpaired;
    cpu.sum(graph.size(), [&](Offset i) { return WrappingSum{check_row(graph, static_cast<Index>(i))}; }, unpaired);
    if (unpaired.value.value != 0) name_unpaired(graph);
}

}  // namespace dunlin::graph
