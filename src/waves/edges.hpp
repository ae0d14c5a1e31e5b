// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/problem.hpp"

namespace dunlin::waves {

/// Values of a graph's vertices and where their rates go; w and rate_w are null for models of one species.
struct Vertices {
    const double *v = nullptr, *w = nullptr;
    double *rate_v = nullptr, *rate_w = nullptr;
};

/// Writes the rates of the vertices [begin, end).
using VertexKernel = void (*)(const Problem& problem, const Vertices& vertices, Offset begin, Offset end);
VertexKernel rates_of_vertices(const Problem& problem);

}  // namespace dunlin::waves
