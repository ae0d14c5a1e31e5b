#pragma once

#include "mds/on_device.cuh"
#include "mds/relax.hpp"

namespace dunlin::mds {

/// relax_all (relax.hpp) on a GPU.
void relax_all(device::Cuda& cuda, const DeviceSource& source, Shape<device::Cuda>& shape, const Some& some,
               const math::Permutation& shuffle, float mu);

}  // namespace dunlin::mds
