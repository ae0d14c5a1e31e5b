// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks a formula that host and device share, compiled by g++ and nvcc.
#if defined(__CUDACC__)
#define DUNLIN_HD __host__ __device__
#else
#define DUNLIN_HD
#endif
