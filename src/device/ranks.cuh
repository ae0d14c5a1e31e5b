// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "device/ranks.hpp"

namespace dunlin::device {

/// exchange() between GPUs, by peer copies in the streams of the ranks: a copy begins when the rank that offers the
/// memory has enqueued all that writes it and its GPU has done it. The host waits for the other hosts, and for no GPU.
/// Not to be recorded (Cuda::replay): an event that another thread records is not part of a graph.
void exchange(Cuda& cuda, Rank& rank, const void* offered, std::span<const RemotePiece> pieces);

}  // namespace dunlin::device
