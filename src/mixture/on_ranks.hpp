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

/// Of the first rank, whose own share is that of make(). Until the ranks have ended, the others may read and write what
/// the arguments of a call point to, also if it throws.
std::unique_ptr<GpuExpectations> ask_ranks(device::Rank& rank, const MakeExpectations& make);

/// Of the other ranks: returns when the first calls end_service().
void serve(device::Rank& rank, const MakeExpectations& make);
void end_service(device::Rank& rank);

}  // namespace dunlin::mixture
