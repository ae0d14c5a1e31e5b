// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::mds {

/// Weights of the landmarks in sums that estimate sums over all items; 1 on average. Where items cluster near
/// landmarks, as in a graph, a landmark represents its cell, the items that it is nearest to (the regions of Ortmann,
/// Klimenta and Brandes, "A sparse stress model", 2016), and sums weighted by cells are far better estimates. Where all
/// items are about equally far from each other, cells are random. So a weight is 1 + share (cell / mean cell - 1), with
/// the share in [0, 1] that best predicts, by least squares, the mean distances of landmarks to all items from those to
/// landmarks. to_landmarks: n x landmarks; NaN: missing.
std::vector<float> landmark_weights(device::Cpu& cpu, std::span<const Index> landmarks,
                                    std::span<const float> to_landmarks);

}  // namespace dunlin::mds
