// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <dunlin/types.hpp>

namespace dunlin::sequences {

constexpr std::size_t lane_bytes = 64;  ///< of one vector of patterns: 32 of 16 bits, 16 of 32 bits or 8 of 64 bits

/// Patterns that are compared with a text at once, one in each lane. Vectors have 64 bytes.
struct PatternLanes {
    const unsigned char* match;   ///< [slot of a symbol]: the rows of each pattern that have it
    const unsigned char* last;    ///< the bit of each pattern's last row; 0: no pattern, or an empty one
    const unsigned char* length;  ///< the length of each pattern
};

/// distance: of the last row of each pattern after the text, modulo the range of a lane. text: slots of its symbols.
void edit_lanes16(const PatternLanes& patterns, std::span<const std::uint32_t> text, unsigned char* distance);
void edit_lanes32(const PatternLanes& patterns, std::span<const std::uint32_t> text, unsigned char* distance);
void edit_lanes64(const PatternLanes& patterns, std::span<const std::uint32_t> text, unsigned char* distance);

}  // namespace dunlin::sequences
