// SPDX-License-Identifier: Apache-2.0
#include "start.hpp"

#include <sched.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DUNLIN_SANITIZED 1
#elif defined(__has_feature)
#define DUNLIN_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define DUNLIN_SANITIZED 0
#endif

/// OpenBLAS starts a thread per core when it is loaded, each with a buffer, and cannot be told of limits: without
/// address space (ulimit -v) it tries for ever, and without threads (ulimit -u) it ends the process. Dunlin lets it use
/// one thread only (numerics/blas.hpp). Where the process may use one core, it starts none: so the process may use one
/// while its libraries are loaded.
namespace dunlin::app {

namespace {

cpu_set_t cores;
bool narrowed = false;

#if !DUNLIN_SANITIZED
void use_one_core(int, char**, char**) {
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return;  // more cores than a cpu_set_t holds
    const int core = sched_getcpu();
    if (core < 0 || core >= CPU_SETSIZE || !CPU_ISSET(core, &cores)) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    narrowed = sched_setaffinity(0, sizeof(one), &one) == 0;
}

/// Functions in this section run before those that initialize libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**, char**) = use_one_core;
#endif

}  // namespace

void use_all_cores() {
    if (narrowed) sched_setaffinity(0, sizeof(cores), &cores);
}

}  // namespace dunlin::app
