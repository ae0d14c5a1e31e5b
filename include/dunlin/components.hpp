// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::graph {

/// Which vertices hang together. Components are numbered in the order of their first vertices.
struct Components {
    std::vector<Index> of;           ///< per vertex, its component
    std::vector<Offset> offsets{0};  ///< of component c: members[offsets[c] .. offsets[c + 1])
    std::vector<Index> members;      ///< vertices, component after component, ascending in each

    [[nodiscard]] Index count() const { return static_cast<Index>(offsets.size()) - 1; }
    [[nodiscard]] std::span<const Index> members_of(Index c) const {
        const auto at = static_cast<std::size_t>(c);
        return {members.data() + offsets[at], members.data() + offsets[at + 1]};
    }
};

/// The connected components of a graph whose edges count in both directions, whether both are listed or one. Runs on
/// the CPU; the same for any number of threads. Cancelled, it is empty.
DUNLIN_API Components components(const Graph& graph, const Run& run = {});

}  // namespace dunlin::graph
