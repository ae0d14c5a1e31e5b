// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

/// Scales a given start. Its unit is arbitrary (pixels, principal coordinates), but distances in a map have the unit of
/// the kernel, and points that begin far beyond the reach of the kernel do not move.
namespace dunlin::descent {

/// Width of a method's own starts, and the width from which on given starts are scaled to it.
struct StartRule {
    double own;       ///< what its own starts are scaled to: the standard deviation along their widest axis
    bool by_largest;  ///< ... or the largest coordinate
    /// Root mean square distance from the center up to which a start is used as it is: about twice that of the widest
    /// maps of the method (docs/tsne.md). The attraction of its kernel falls like 1 / r, so that an edge
    /// of length r is drawn in within some r^2 / 10 iterations: of much wider starts the large shape stays.
    double widest;
};

/// The factor by which a start is multiplied, around its center, so that it becomes as wide as the method's own: 1 for
/// one whose width is at most rule.widest, and from 1e-8 of the method's own on (narrower ones drown in rounding).
/// Throws Error{bad_input} for several points at one place, which no force moves apart.
double start_scale(const Map& start, const StartRule& rule);

/// The start, moved to the origin and multiplied.
Map scaled_start(const Map& start, double factor);

}  // namespace dunlin::descent
