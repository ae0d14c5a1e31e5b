// SPDX-License-Identifier: Apache-2.0
#pragma once

// Function multiversioning: one source compiled for three generations of processors; the loader selects at program
// start. Files *_simd.cpp are compiled with relaxed floating-point rules, see cmake/kernels.cmake. Sanitizer builds use
// the plain version, because sanitizers cannot run before the selection.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(DUNLIN_NO_CLONES)
#define DUNLIN_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define DUNLIN_CLONES
#endif

// Put before a loop whose arrays do not overlap, so that the compiler need not check for aliasing.
#if defined(__GNUC__) && !defined(__clang__)
#define DUNLIN_NO_OVERLAP _Pragma("GCC ivdep")
#else
#define DUNLIN_NO_OVERLAP
#endif
