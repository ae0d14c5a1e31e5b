// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/overlap.hpp>

#include "device/cpu.hpp"

namespace dunlin::layout {

/// Two discs that come nearer to each other than `gap`.
struct OverlappingPair {
    Index a, b;
};

/// Them, a > b, in ascending order: up to `most_each` that each disc has with larger ones (of equals, with those of
/// smaller id), found in one grid for every factor of two in radius.
std::vector<OverlappingPair> overlapping_pairs(device::Cpu& cpu, const Map& map, std::span<const float> radii, float gap, int most_each);

/// As the public function, on threads that are there already.
int remove_overlaps(device::Cpu& cpu, Map& map, std::span<const float> radii, float gap);

}  // namespace dunlin::layout
