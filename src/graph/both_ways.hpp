// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::graph {

/// The entries of lists at both of their ends: an entry q of the list of p is at p and at q, as often as it is listed,
/// in the order of the lists. An item that lists itself has it once.
template <class Entry>
class BothWays {
public:
    /// entry_of(other, e): what is kept of edge e beside the item `other`.
    template <class EntryOf>
    BothWays(const Graph& lists, const EntryOf& entry_of) : begin_(at(lists.size()) + 1, 0) {
        each(lists, [&](Index p, Index q, Offset) {
            ++begin_[at(p) + 1];
            if (q != p) ++begin_[at(q) + 1];
        });
        for (std::size_t p = 0; p + 1 < begin_.size(); ++p) begin_[p + 1] += begin_[p];
        entries_.resize(at(begin_.back()));
        std::vector<Offset> next(begin_.begin(), begin_.end() - 1);
        each(lists, [&](Index p, Index q, Offset e) {
            entries_[at(next[at(p)]++)] = entry_of(q, e);
            if (q != p) entries_[at(next[at(q)]++)] = entry_of(p, e);
        });
    }

    static std::uint64_t bytes(Index items, Offset edges) {
        return 2 * at(items) * sizeof(Offset) + 2 * at(edges) * sizeof(Entry);
    }

    [[nodiscard]] Index size() const { return static_cast<Index>(begin_.size() - 1); }
    [[nodiscard]] Offset entries() const { return std::ssize(entries_); }
    [[nodiscard]] std::span<const Entry> of(Index p) const { return std::span(entries_).subspan(begin(p), count(p)); }
    [[nodiscard]] std::span<Entry> of(Index p) { return std::span(entries_).subspan(begin(p), count(p)); }

private:
    /// Calls visit(p, q, e) for the entries of all lists.
    template <class Visit>
    static void each(const Graph& lists, const Visit& visit) {
        for (Index p = 0; p < lists.size(); ++p) {
            if (p % 65536 == 0) progress::cancellation_point();
            for (Offset e = lists.offsets[at(p)]; e < lists.offsets[at(p) + 1]; ++e) visit(p, lists.targets[at(e)], e);
        }
    }
    [[nodiscard]] std::size_t begin(Index p) const { return at(begin_[at(p)]); }
    [[nodiscard]] std::size_t count(Index p) const { return at(begin_[at(p) + 1] - begin_[at(p)]); }

    std::vector<Offset> begin_;
    std::vector<Entry> entries_;
};

}  // namespace dunlin::graph
