// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "checkpoint/session.hpp"
#include "neighbors/search_distinct.hpp"

namespace dunlin::neighbors {

/// Where the output rows of a query are in the graph.
using PlacesOf = std::function<std::span<const Index>(Offset q)>;

/// The lists of an exact search that are finished, in its graph and in its checkpoint. The list of a query depends on
/// no other query, so that a resumed search looks for the others only.
class KeptLists {
public:
    /// Reads the finished lists of the checkpoint, if there is one, into `graph`, which has `queries` queries with
    /// their output rows and targets below `rows`. Holds the arguments.
    KeptLists(Graph& graph, Offset queries, Index rows, PlacesOf places_of);

    /// The numbers of the queries whose lists are not finished.
    [[nodiscard]] std::vector<Offset> unfinished() const;
    /// The lists of this query are in the graph. From any thread.
    void finish(Offset q) {
        if (loop_.is_kept()) finished_[static_cast<std::size_t>(q)].store(1, std::memory_order_release);
    }
    /// Writes the checkpoint if that is due; from the thread of the session.
    void offer();
    /// After a stop, and at the end.
    void save();
    void end();

private:
    void write(checkpoint::ArchiveWriter& archive) const;
    void read(checkpoint::ArchiveReader& archive);
    template <class Visit>
    void each_list(Offset q, const Visit& visit) const;
    [[nodiscard]] Offset count() const;

    Graph& graph_;
    Offset queries_;
    Index rows_;
    PlacesOf places_of_;
    checkpoint::Loop loop_;
    std::vector<std::atomic<std::uint8_t>> finished_;  ///< per query
};

}  // namespace dunlin::neighbors
