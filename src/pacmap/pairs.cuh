// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/points.cuh"
#include "graph/device_graph.cuh"
#include "pacmap/pairs.hpp"

namespace dunlin::pacmap {

/// chosen_near of rows of equal length in device memory.
graph::DeviceGraph chosen_near(device::Cuda& cuda, const graph::DeviceGraph& neighbors, Index k);

/// drawn_mid_near; points that do not fit in device memory are compared on the CPU. The keys of the GPU are those of
/// distance::Space in double, so that a pair may differ from the CPU's where two keys are equal within rounding.
graph::DeviceGraph drawn_mid_near(device::Cuda& cuda, const device::DevicePoints& points, const Options& options);

graph::DeviceGraph symmetric_pairs(device::Cuda& cuda, graph::DeviceGraph&& chosen);

}  // namespace dunlin::pacmap
