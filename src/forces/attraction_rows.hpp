#pragma once

#include <dunlin/types.hpp>

namespace dunlin::forces {

/// A few edges of one vertex: `size` targets and their p, the vertex at `from`, all positions at y (n x D).
struct Spokes {
    const Index* targets;
    const float* weights;
    Offset size;
    const float* from;
    const float* y;
};

/// Adds sum p q (from - y_j) over the spokes to sum[0 .. D).
template <int D>
void pull_spokes(const Spokes& spokes, double* sum);

/// Returns sum p log(p / q) over the spokes.
template <int D>
double spokes_cost(const Spokes& spokes);

}  // namespace dunlin::forces
