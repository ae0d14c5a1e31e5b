// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

/// The address space of this process, where it is limited (ulimit -v).
namespace dunlin::device {

/// Bytes that OpenBLAS allocates for each thread that calls it. If the allocation fails, it retries forever.
constexpr std::size_t blas_buffer = std::size_t{129} << 20;

constexpr int no_thread_limit = std::numeric_limits<int>::max();

/// Whether the address space is limited.
bool limits_address_space();

/// How many threads the address space has room for, at least 1: half of what was left when this was first asked, as
/// data need room too. no_thread_limit if it is not limited.
int threads_in_address_space();

/// Remembers that a thread could not be started, for why_fewer_threads().
void note_missing_threads(int had, int wanted);

}  // namespace dunlin::device
