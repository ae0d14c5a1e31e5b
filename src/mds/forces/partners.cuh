// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/forces/spring_stages.hpp"
#include "mds/input/device_source.cuh"

/// The functions of partners.hpp on a GPU.
namespace dunlin::mds {

void measure(device::Cuda& cuda, const DeviceSource& source, const SpringView& view, Index first, Index size);

template <class Step>
void each_slow(device::Cuda& cuda, Offset n, const Step& step) {
    cuda.each(n, step);
}

/// Slots sorted by partner; equal partners keep the order of slots, as on a CPU.
ReversePartners reverse_of(device::Cuda& cuda, SpringState<device::Cuda>& springs, Index size);

}  // namespace dunlin::mds
