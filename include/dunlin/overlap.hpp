// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/export.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::layout {

/// Moves discs apart until no two are closer than `gap`, and preserves their arrangement. While many pairs overlap, a
/// minimum spanning tree of a proximity graph is laid out anew, with every edge as long as its discs need (Nachmanson,
/// Nocaj, Bereg, Zhang and Holroyd 2016); the few remaining overlaps are removed by moving pairs apart. Both steps
/// repeat for at most 1,000 rounds; then the whole map is scaled until no overlap is left. Discs without overlaps may
/// move, too. On a line the discs keep their order and move by the least sum of squares. Runs on the CPU; the result
/// does not depend on the number of threads.
/// map: 1-D, 2-D or 3-D, finite; radii: one per point, finite and >= 0 (in 3-D: balls); gap >= 0; all in the map's
/// unit. Throws Error{bad_input} otherwise. Returns the number of rounds; 0 if it was cancelled, which leaves the discs
/// at their last positions.
DUNLIN_API int remove_overlaps(Map& map, std::span<const float> radii, float gap = 0, const Run& run = {});

}  // namespace dunlin::layout
