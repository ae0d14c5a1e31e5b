// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "math/rng.hpp"

namespace dunlin::math {

/// Continues a 64-bit hash over these bytes: words of eight, then the rest with its length. Detects damage; not
/// cryptographic.
inline std::uint64_t hash_of(std::uint64_t hash, std::span<const std::byte> bytes) {
    for (; bytes.size() >= sizeof(std::uint64_t); bytes = bytes.subspan(sizeof(std::uint64_t))) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), sizeof word);
        hash = mix(hash ^ word);
    }
    std::uint64_t rest = bytes.size();
    for (const std::byte byte : bytes) rest = rest << 8 | static_cast<std::uint64_t>(byte);
    return mix(hash ^ rest);
}

}  // namespace dunlin::math
