#pragma once

#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::layout {

/// Two discs that come nearer to each other than `gap`.
struct Clash {
    Index a, b;
};

/// Them, a > b, in ascending order: up to `most_each` that each disc has with larger ones (of equals, with those of
/// smaller id), found in one grid for every factor of two in radius.
std::vector<Clash> clashes(device::Cpu& cpu, const Map& map, std::span<const float> radii, float gap, int most_each);

/// Moves discs apart until no two of them come nearer to each other than `gap`, and keeps their arrangement. While many
/// clash, a tree of shortest links between near discs is grown, every link as far as its discs need, and carries along
/// what hangs on it (Nachmanson, Nocaj, Bereg, Zhang and Holroyd 2016); the few clashes left are pushed apart pair by
/// pair; then both again, from where the discs have come to. What a thousand rounds have not parted, scaling the whole
/// map does. Discs that do not clash may move, too.
/// map: 2-D or 3-D, finite; radii: one per point, finite and >= 0 (balls, in space); gap >= 0; in the map's unit.
/// Throws Error{bad_input} otherwise. Returns the number of rounds.
int remove_overlaps(device::Cpu& cpu, Map& map, std::span<const float> radii, float gap);

}  // namespace dunlin::layout
