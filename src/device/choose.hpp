// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <dunlin/run.hpp>

namespace dunlin::device {

/// Throws Error{bad_input} for numbers out of range, several GPUs, or a checkpoint.
void check(const Run& run);

/// Settles where a public call runs: `automatic` becomes cuda where there is such a GPU and the work is large enough
/// to gain from it. Throws Error{no_device} if CUDA is asked for and cannot be had, and what check throws.
Device choose(const Run& run, bool large_enough);

/// For work that has no GPU version; throws Error{no_device} if CUDA is asked for, and what check throws. `what`: "the
/// scores are".
void require_cpu(const Run& run, std::string_view what);

}  // namespace dunlin::device
