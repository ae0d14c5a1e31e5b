// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/export.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::layout {

/// Moves discs apart until no two of them come nearer to each other than `gap`, and keeps their arrangement. While many
/// clash, a tree of shortest links between near discs is grown, every link as far as its discs need, and carries along
/// what hangs on it (Nachmanson, Nocaj, Bereg, Zhang and Holroyd 2016); the few clashes left are pushed apart pair by
/// pair; then both again, from where the discs have come to. What a thousand rounds have not parted, scaling the whole
/// map does. Discs that do not clash may move, too. Runs on the CPU; the same for any number of threads.
/// map: 2-D or 3-D, finite; radii: one per point, finite and >= 0 (balls, in space); gap >= 0; in the map's unit.
/// Throws Error{bad_input} otherwise. Returns the number of rounds; 0 if it was cancelled, which leaves discs where
/// they have come to.
DUNLIN_API int remove_overlaps(Map& map, std::span<const float> radii, float gap = 0, const Run& run = {});

}  // namespace dunlin::layout
