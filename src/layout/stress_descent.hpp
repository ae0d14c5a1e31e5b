#pragma once

#include <dunlin/layout.hpp>

#include "device/cpu.hpp"
#include "layout/backend.hpp"

namespace dunlin::layout {

/// Stress over all pairs, sum_{i < j} d_ij^-2 (|y_i - y_j| - d_ij)^2, lowered by stochastic gradient descent (Zheng,
/// Pawar and Goodman 2018): in each of `epochs` every pair moves once, both ends along the line between them by
/// min(1, eta / d_ij^2) / 2 of what they lack (where one is pinned, the other by all of it), and eta falls from the
/// square of the graph's diameter to a hundredth of that of its shortest path; with a start that is given it begins
/// with the latter, so that the arrangement stays. Pairs that no path joins are left out. Holds the distances of all
/// pairs: 2 n^2 bytes.
///
/// Vertices are in a random order, cut into blocks of 32. In a round every block meets another one, all of their 1,024
/// pairs, so that nobody is moved by two at once; after as many rounds as there are blocks each has met each. The same
/// seed gives the same bytes for any number of threads.
Ending descend_stress(device::Cpu& cpu, const Task& task, int epochs, const Run& run, Map& map);

}  // namespace dunlin::layout
