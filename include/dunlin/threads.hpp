// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/export.hpp>

namespace dunlin {

/// Number of CPU threads that a method takes if Run::threads is `wanted`. 0 means the default: the minimum of the
/// machine's cores, the cores in the calling thread's affinity mask, and the CPU quota of its control groups (versions
/// 1 and 2; rounded up). Of more than that, four times as many (but 16) are taken at most, as more only wait; results
/// are the same for any number. The result is at most thread_limit() and at least 1. Throws Error{bad_input} if the
/// environment variable DUNLIN_THREADS is set to anything but a whole number >= 1.
DUNLIN_API int usable_threads(int wanted = 0);

/// Upper limit of CPU threads of a method in this process, also for explicit Run::threads; 0: no limit. The initial
/// value is the environment variable DUNLIN_THREADS, if set. Running methods keep their threads.
DUNLIN_API int thread_limit();

/// Sets thread_limit(); 0 removes the limit. Throws Error{bad_input} if `most` is below 0.
DUNLIN_API void set_thread_limit(int most);

}  // namespace dunlin
