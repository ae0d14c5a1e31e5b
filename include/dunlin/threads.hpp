// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/export.hpp>

namespace dunlin {

/// Number of CPU threads that a method takes if Run::threads is `wanted`. 0 asks for the default: the cores that this
/// process may use, which is the smallest of the machine's cores, the cores in the calling thread's affinity mask, and
/// the CPU quota of its control groups (versions 1 and 2; rounded up). No answer is above thread_limit() or below 1.
/// Throws Error{bad_input} if the environment variable DUNLIN_THREADS is set to anything but a whole number >= 1.
DUNLIN_API int usable_threads(int wanted = 0);

/// The most CPU threads that a method of this process takes, whatever its Run asks for; 0: no limit. It starts as the
/// value of the environment variable DUNLIN_THREADS, if that is set. Methods that are running already keep theirs.
DUNLIN_API int thread_limit();

/// Sets thread_limit(); 0 removes the limit. Throws Error{bad_input} if `most` is below 0.
DUNLIN_API void set_thread_limit(int most);

}  // namespace dunlin
