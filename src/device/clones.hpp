// SPDX-License-Identifier: Apache-2.0
#pragma once

// One text, compiled for three generations of processors; the loader picks when the program starts. Kernel files
// (named *_simd.cpp) are built with relaxed float rules, see CMakeLists.txt. Sanitizers cannot run before the
// loader's choice is made, so they get the plain version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(DUNLIN_NO_CLONES)
#define DUNLIN_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define DUNLIN_CLONES
#endif

// Before a loop whose arrays do not overlap: the compiler need not check.
#if defined(__GNUC__) && !defined(__clang__)
#define DUNLIN_NO_OVERLAP _Pragma("GCC ivdep")
#else
#define DUNLIN_NO_OVERLAP
#endif
