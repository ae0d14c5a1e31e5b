// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <dunlin/run.hpp>

namespace dunlin::device {

/// Throws Error{bad_input} for numbers out of range, several GPUs, or a checkpoint.
void check(const Run& run);

/// Chooses the device of a public call: `automatic` becomes cuda if the GPU exists and the work is large enough to gain
/// from it. Throws Error{no_device} if CUDA is requested but not available, and the errors of check().
Device choose(const Run& run, bool large_enough);

/// For work without a GPU version: throws Error{no_device} if CUDA is requested, and the errors of check(). `what`:
/// subject and verb of the sentence, "the scores are".
void require_cpu(const Run& run, std::string_view what);

}  // namespace dunlin::device
