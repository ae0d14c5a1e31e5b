// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace dunlin::io {

/// Throws Error{out_of_memory} if `bytes` for `what`, beside those that it has already, cannot be had: with them they
/// are more than Run::memory of the reader allows, or alone they are not free. Whether requests of up to 64 MiB are
/// free is not looked at.
void require_memory(std::uint64_t bytes, const std::string& what, std::uint64_t held = 0);

/// Whether so many bytes are at most a quarter of the memory that a reader may take: that of its Run, or what is free.
/// Chooses between ways to read a file of which all give the same.
bool leaves_most_memory(std::uint64_t bytes);

/// Sets the limit of readers without one, for fuzzers; 0: the free memory of the machine.
void set_memory_limit(std::uint64_t bytes);

}  // namespace dunlin::io
