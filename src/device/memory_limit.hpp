// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include <dunlin/memory_limit.hpp>
#include <dunlin/run.hpp>

/// Finds the least limit of memory. Also the two checks that require_memory() consists of.
namespace dunlin::device {

/// The least of `allowed` (0: none) and what free_memory() looks at, with its name.
MemoryLimit least_memory(std::uint64_t allowed = 0, const std::filesystem::path& root = "/");

/// Throws Error{out_of_memory} if `bytes` exceed run.memory, if that is given.
void require_allowed(const Run& run, std::uint64_t bytes, std::string_view what, std::string_view remedy);

/// Throws Error{out_of_memory} if `bytes` are not free.
void require_free(std::uint64_t bytes, std::string_view what, std::string_view remedy);

}  // namespace dunlin::device
