#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

namespace dunlin::neighbors {

/// Throws Error{bad_input} for rows < 1 or k < 1.
void check_search(Index rows, Index k);

/// Throws Error{bad_input}.
[[noreturn]] void fail_for_not_finite(Index row);

/// Throws Error{out_of_memory} if more bytes of device memory are wanted than may be taken.
void require_device_memory(std::uint64_t wanted, std::uint64_t allowed, Index rows, Index k);

}  // namespace dunlin::neighbors
