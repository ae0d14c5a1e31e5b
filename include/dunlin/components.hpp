// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::graph {

/// Connected components, numbered in the order of their first vertices.
struct Components {
    std::vector<Index> of;           ///< component of each vertex
    std::vector<Offset> offsets{0};  ///< of component c: members[offsets[c] .. offsets[c + 1])
    std::vector<Index> members;      ///< vertices, component after component, ascending in each

    [[nodiscard]] Index count() const { return static_cast<Index>(offsets.size()) - 1; }
    [[nodiscard]] std::span<const Index> members_of(Index c) const {
        const auto at = static_cast<std::size_t>(c);
        return {members.data() + offsets[at], members.data() + offsets[at + 1]};
    }
};

/// The connected components of a graph; an edge connects in both directions, even if it is listed in one only. Runs on
/// the CPU; the result does not depend on the number of threads. Empty if cancelled.
DUNLIN_API Components components(const Graph& graph, const Run& run = {});

}  // namespace dunlin::graph
