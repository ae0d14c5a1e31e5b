// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <dunlin/run.hpp>

namespace dunlin::device {

/// Whether a call can use several GPUs, and the words of the message that refuses them.
struct GpuUsers {
    bool several = false;
    std::string_view what = "this call runs";  ///< subject and verb of the sentence that refuses several
};
constexpr GpuUsers several_gpus{.several = true};

/// Throws Error{bad_input} for numbers out of range, several GPUs that the call cannot use, or a checkpoint.
void check(const Run& run);
void check(const Run& run, const GpuUsers& users);

/// Chooses the device of a public call: `automatic` becomes cuda if the GPU exists and the work is large enough to gain
/// from it. Throws Error{no_device} if CUDA is requested but not available, and the errors of check().
Device choose(const Run& run, bool large_enough);
Device choose(const Run& run, bool large_enough, const GpuUsers& users);

/// Throws Error{bad_input} if a run on several GPUs has a checkpoint: it cannot write one.
void refuse_checkpoint_of_several(const Run& run);

/// Copy of `run` with the first of its GPUs only. For parts of a call that use one GPU.
Run on_one_gpu(const Run& run);

/// Call for work that has no GPU version. Throws Error{no_device} if CUDA is requested, and the errors of check().
/// `what`: subject and verb of the message, such as "the scores are".
void require_cpu(const Run& run, std::string_view what);

}  // namespace dunlin::device
