// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/forces/spring_stages.hpp"
#include "mds/input/device_source.cuh"

/// The words of partners.hpp on a GPU.
namespace dunlin::mds {

void measure(device::Cuda& cuda, const DeviceSource& source, const SpringView& bonds, Index first, Index size);

template <class Step>
void each_slow(device::Cuda& cuda, Offset n, const Step& step) {
    cuda.each(n, step);
}

/// The slots sorted by partner: in each's part they are in order, as on a CPU.
ReversePartners reverse_of(device::Cuda& cuda, SpringState<device::Cuda>& springs, Index size);

}  // namespace dunlin::mds
