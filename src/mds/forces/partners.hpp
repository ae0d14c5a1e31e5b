// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/forces/spring_stages.hpp"
#include "mds/input/source.hpp"

/// Executor-specific parts of the spring methods: CPU.
namespace dunlin::mds {

/// Fills view.delta of the random partners of items [first, size).
void measure(device::Cpu& cpu, const Source& source, const SpringView& view, Index first, Index size);

/// Calls step(i) for i in [0, n); for expensive steps, in small blocks.
template <class Step>
void each_slow(device::Cpu& cpu, Offset n, const Step& step) {
    cpu.each(n, step, 64);
}

/// Reverse partner lists of the first `size` items.
ReversePartners reverse_of(device::Cpu& cpu, SpringState<device::Cpu>& springs, Index size);

}  // namespace dunlin::mds
