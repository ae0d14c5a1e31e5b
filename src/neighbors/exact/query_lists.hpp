// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "neighbors/top_k.hpp"

namespace dunlin::neighbors {

/// The lists of a block of queries, and how far from each query a neighbor can still be.
struct QueryLists {
    std::vector<Index> items;
    std::vector<TopK> best;
    std::vector<double> limits;   ///< of the keys
    std::vector<double> reaches;  ///< in the sketch, without what the other row's error adds

    void reset(Index k) {
        reset_each([k](std::size_t) { return k; });
    }

    /// k(i): of the list of item i.
    template <class K>
    void reset_each(const K& k) {
        if (best.size() < items.size()) best.resize(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) best[i].reset(k(i));
        limits.assign(items.size(), std::numeric_limits<double>::infinity());
        reaches.assign(items.size(), std::numeric_limits<double>::infinity());
    }

    [[nodiscard]] double farthest_reach() const { return *std::max_element(reaches.begin(), reaches.end()); }

    /// True if the row's limit became less.
    bool tighten(std::size_t row) {
        best[row].tighten();
        if (!(best[row].limit() < limits[row])) return false;
        limits[row] = best[row].limit();
        return true;
    }

    /// Bytes held for so many rows and lists of k.
    [[nodiscard]] static std::uint64_t bytes(Index k, Offset rows) {
        return static_cast<std::uint64_t>(rows) * (TopK::bytes(k) + sizeof(TopK) + sizeof(Index) + 2 * sizeof(double));
    }

    /// Most rows in a block, so that lists of k stay within some 64 MB a thread.
    static Offset most_rows(Index k, Offset wanted) {
        const auto fit = static_cast<Offset>((std::size_t{64} << 20) / TopK::bytes(k));
        return std::clamp<Offset>(fit, 1, wanted);
    }
};

}  // namespace dunlin::neighbors
