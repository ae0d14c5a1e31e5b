// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "neighbors/top_k.hpp"

namespace dunlin::neighbors {

/// The lists and search radii of a block of queries.
struct QueryLists {
    std::vector<Index> items;
    std::vector<TopK> best;
    std::vector<double> limits;        ///< thresholds of the keys
    std::vector<double> search_radii;  ///< search radii in coarse coordinates, without the other row's error

    void reset(Index k) {
        reset_each([k](std::size_t) { return k; });
    }

    /// k(i): length of the list of item i.
    template <class K>
    void reset_each(const K& k) {
        if (best.size() < items.size()) best.resize(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) best[i].reset(k(i));
        limits.assign(items.size(), std::numeric_limits<double>::infinity());
        search_radii.assign(items.size(), std::numeric_limits<double>::infinity());
    }

    [[nodiscard]] double largest_search_radius() const {
        return *std::max_element(search_radii.begin(), search_radii.end());
    }

    /// Updates the row's threshold; true if it decreased.
    bool tighten(std::size_t row) {
        best[row].tighten();
        if (!(best[row].limit() < limits[row])) return false;
        limits[row] = best[row].limit();
        return true;
    }

    /// Bytes for so many rows and lists of k.
    [[nodiscard]] static std::uint64_t bytes(Index k, Offset rows) {
        return static_cast<std::uint64_t>(rows) * (TopK::bytes(k) + sizeof(TopK) + sizeof(Index) + 2 * sizeof(double));
    }

    /// Largest block of rows, so that lists of k stay within about 64 MB per thread.
    static Offset most_rows(Index k, Offset wanted) {
        const auto fit = static_cast<Offset>((std::size_t{64} << 20) / TopK::bytes(k));
        return std::clamp<Offset>(fit, 1, wanted);
    }
};

}  // namespace dunlin::neighbors
