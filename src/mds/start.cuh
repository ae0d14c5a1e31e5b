#pragma once

#include "mds/align.hpp"
#include "mds/on_device.cuh"
#include "mds/start.hpp"

namespace dunlin::mds {

/// The word of start.hpp on a GPU: principal axes of points are found there, other spectra on the host.
void place_by_spectrum(device::Cuda& cuda, const Dissimilarities& items, const DeviceSource& source,
                       Shape<device::Cuda>& shape, std::uint64_t seed);

/// Extremes (align.hpp) are added across a warp as numbers are.
template <int Lanes>
__device__ Extreme from_further(Extreme extreme, int lanes) {
    return {device::from_further<Lanes>(extreme.value, lanes)};
}

}  // namespace dunlin::mds
