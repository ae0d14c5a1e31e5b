// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks a formula that host and device share: g++ and nvcc compile the same text.
#if defined(__CUDACC__)
#define DUNLIN_HD __host__ __device__
#else
#define DUNLIN_HD
#endif
