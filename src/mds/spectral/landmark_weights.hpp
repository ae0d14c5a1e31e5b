// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::mds {

/// How much each landmark counts in sums that stand for those over all items: 1 on average. Where items lie near
/// landmarks, as those of a graph do, an landmark stands for the items that it is the nearest of, its cell (the regions
/// of Ortmann, Klimenta and Brandes, "A sparse stress model", 2016), and sums by cells are far nearer to those over all
/// items than plain ones. Where all are about equally far from each other, cells are chance. So a weight is 1 + share
/// (cell / mean cell - 1), with the share in [0, 1] that tells best, by least squares, the landmarks' mean distances to
/// all items from those to landmarks. to_anchors: n x landmarks; NaN: missing.
std::vector<float> landmark_weights(device::Cpu& cpu, std::span<const Index> landmarks,
                                    std::span<const float> to_anchors);

}  // namespace dunlin::mds
