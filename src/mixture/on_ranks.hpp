// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "device/ranks.hpp"
#include "mixture/cuda.hpp"

/// The expectation step of several GPUs. The first rank runs all else: k-means, components, decisions. The others
/// serve: they do their share of each step that it asks for.
namespace dunlin::mixture {

using MakeExpectations = std::function<std::unique_ptr<GpuExpectations>()>;

/// Called by the first rank: returns an engine that has every rank do its share. make() returns that of one rank. The
/// other ranks may access what the arguments of a call point to until they have ended, also if the call throws.
std::unique_ptr<GpuExpectations> ask_ranks(device::Rank& rank, const MakeExpectations& make);

/// Called by the other ranks: answers requests until the first rank calls end_service().
void serve(device::Rank& rank, const MakeExpectations& make);
void end_service(device::Rank& rank);

}  // namespace dunlin::mixture
