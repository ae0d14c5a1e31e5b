// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu.hpp"
#include "waves/problem.hpp"

/// The step of a run: its limit, its default, and the tolerance that chooses it where nothing else does.
namespace dunlin::waves {

/// Whether the tolerance is a default: diffusion has no reaction whose time would say what a good step is, and its own
/// times span orders of magnitude.
bool is_by_tolerance(const Options& options, Device device);

/// The limit and the default of the step. Needs all else of the problem.
void settle_step(device::Cpu& cpu, Problem& problem, const Given& given, Device device);

}  // namespace dunlin::waves
