// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

/// Scales a given start. Its unit is arbitrary (pixels, principal coordinates), but distances in a map have the unit of
/// the kernel, and points that begin far beyond the reach of the kernel do not move.
namespace dunlin::descent {

/// Width of a method's own starts, and the width from which on given starts are scaled to it.
struct StartRule {
    double own;       ///< width of the method's own starts: the standard deviation along their widest axis,
    bool by_largest;  ///< or the largest coordinate
    /// Root mean square distance from the center up to which a start is used as it is: about twice that of the widest
    /// maps of the method (docs/tsne.md). The attraction of its kernel falls like 1 / r, so that an edge
    /// of length r is drawn in within about r^2 / 10 iterations: much wider starts keep their large shape.
    double widest;
};

/// Factor that makes a start, scaled around its center, as wide as the method's own starts. 1 if the width of the start
/// is at most rule.widest and at least 1e-8 of that of the method's own (rounding would decide narrower ones). Throws
/// Error{bad_input} if all of several points are at one place, since no force moves them apart.
double start_scale(const Map& start, const StartRule& rule);

/// The start, moved to the origin and multiplied.
Map scaled_start(const Map& start, double factor);

}  // namespace dunlin::descent
