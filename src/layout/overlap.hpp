// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/overlap.hpp>

#include "device/cpu.hpp"

namespace dunlin::layout {

/// Two discs closer than `gap`.
struct OverlappingPair {
    Index a, b;
};

/// Overlapping pairs with a > b, ascending: up to `max_per_disc` overlaps of each disc with larger ones (of equals,
/// with those of smaller index). One grid per factor of two in radius.
std::vector<OverlappingPair> overlapping_pairs(device::Cpu& cpu, const Map& map, std::span<const float> radii,
                                               float gap, int max_per_disc);

/// As the public function, with existing threads.
int remove_overlaps(device::Cpu& cpu, Map& map, std::span<const float> radii, float gap);

}  // namespace dunlin::layout
