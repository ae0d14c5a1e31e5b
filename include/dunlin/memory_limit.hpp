// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <dunlin/export.hpp>

namespace dunlin {

/// Host memory that a run may take now, and the limit that is the least.
struct MemoryLimit {
    std::uint64_t bytes = 0;
    std::string by;  ///< "free memory of the system"
};

/// The least of Run::memory (`allowed`; 0: none given), what the system has free, what the control groups of this
/// process leave (versions 1 and 2), and what its address space leaves (ulimit -v).
DUNLIN_API MemoryLimit memory_limit(std::uint64_t allowed = 0);

/// "15.360 MB", "1.50 GB"
DUNLIN_API std::string size_text(std::uint64_t bytes);

}  // namespace dunlin
