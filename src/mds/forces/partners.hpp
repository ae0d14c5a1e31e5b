// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/forces/spring_stages.hpp"
#include "mds/input/source.hpp"

/// What springs need of a CPU.
namespace dunlin::mds {

/// bonds.delta of the random partners of items [first, size).
void measure(device::Cpu& cpu, const Source& source, const SpringView& bonds, Index first, Index size);

/// step(i) for every i in [0, n), which takes long.
template <class Step>
void each_slow(device::Cpu& cpu, Offset n, const Step& step) {
    cpu.each(n, step, 64);
}

/// Whose partner each of the first `size` items is.
ReversePartners reverse_of(device::Cpu& cpu, SpringState<device::Cpu>& springs, Index size);

}  // namespace dunlin::mds
