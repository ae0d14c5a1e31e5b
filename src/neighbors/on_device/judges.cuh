#pragma once

#include "math/at.hpp"
#include "neighbors/on_device/rank.cuh"

namespace dunlin::neighbors {

/// Some items and their true nearest, which an exact search has found: by some of them a search is tuned, by the others
/// it is measured.
struct Judges {
    static constexpr Index wanted_items = 1400;

    std::vector<Index> items = {};    ///< ascending
    std::vector<double> keys = {};    ///< items x wanted, ascending
    std::vector<Index> nearest = {};  ///< items x wanted
    Index wanted = 0;

    /// Of seven five say how much is to be visited, and two what came of it.
    [[nodiscard]] static bool measures(std::size_t i) { return i % 7 >= 5; }
    [[nodiscard]] std::span<const double> keys_of(std::size_t i) const {
        return std::span(keys).subspan(i * at(wanted), at(wanted));
    }
    [[nodiscard]] std::span<const Index> nearest_of(std::size_t i) const {
        return std::span(nearest).subspan(i * at(wanted), at(wanted));
    }

    /// What was found for all of them, as queries in their order. Waits for the device.
    void take(device::Cuda& cuda, const Nearest& found);
    /// Follows items that were put in another order: item i is the one that was order[i].
    void follow(const std::vector<Index>& order);
    /// Appends the shares found of those among items [first, first + count) that measure, of which `found` has row
    /// after row. Waits for the device.
    void compare(device::Cuda& cuda, Index first, Index count, const Nearest& found, std::vector<double>& shares) const;
};

}  // namespace dunlin::neighbors
