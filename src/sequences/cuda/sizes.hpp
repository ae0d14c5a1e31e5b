// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <dunlin/types.hpp>

#include "math/hd.hpp"

/// Sizes of the kernels of sequences. A pair is computed by a team: 1, 2, 4, .. or 32 lanes of a warp, each with some
/// rows of the dynamic program. Rows beyond those of a team are done strip after strip.
namespace dunlin::sequences {

constexpr int block_threads = 128;
constexpr int most_lanes = 32;
constexpr int bits_of_lane = 64;      ///< edit: rows of a lane
constexpr int positions_of_lane = 8;  ///< tracks: the same, at most
constexpr Offset edit_strip = Offset{most_lanes} * bits_of_lane;
constexpr Offset track_strip = Offset{most_lanes} * positions_of_lane;

constexpr std::size_t most_shared_table = 32768, most_shared_slots = 8192;  ///< bytes

/// Lanes of a team for so many rows.
constexpr int lanes_for(Offset rows, int of_lane) {
    int lanes = 1;
    while (lanes < most_lanes && Offset{lanes} * of_lane < rows) lanes *= 2;
    return lanes;
}

/// Rows of a lane of tracks, where the longest has so many.
constexpr int rows_of_lane(Offset rows, int lanes) {
    return static_cast<int>(std::clamp<Offset>((rows + lanes - 1) / lanes, 1, positions_of_lane));
}

/// Columns of a tile, which a block computes for one row: several for each team.
constexpr Index tile_columns(int lanes) { return std::max(16, 2 * block_threads / lanes); }

/// Memory of the table of a pattern, as the kernel of the edit distance has it. The vector of a symbol has a word for
/// each lane; slot 0 is that of symbols that the pattern does not have.
struct EditTable {
    int lanes = 1;
    std::uint64_t vectors = 0;  ///< bytes: 8 for each slot and lane
    std::uint64_t slots = 0;    ///< bytes: the slot of each symbol of the alphabet

    [[nodiscard]] constexpr bool shares_vectors() const { return vectors <= most_shared_table; }
    [[nodiscard]] constexpr bool shares_slots() const { return slots <= most_shared_slots; }
    [[nodiscard]] constexpr std::uint64_t in_shared_memory() const {
        return (shares_vectors() ? vectors : 0) + (shares_slots() ? slots : 0);
    }
    [[nodiscard]] constexpr std::uint64_t in_workspace() const { return vectors + slots - in_shared_memory(); }
};

/// longest: rows of the longest pattern.
constexpr EditTable edit_table(Offset longest, std::uint32_t alphabet) {
    EditTable table;
    table.lanes = lanes_for(longest, bits_of_lane);
    const auto symbols = static_cast<std::uint64_t>(std::min({longest, edit_strip, Offset{alphabet}}));
    table.vectors = (symbols + 1) * static_cast<std::uint64_t>(table.lanes) * sizeof(std::uint64_t);
    table.slots = (std::uint64_t{alphabet} * sizeof(std::uint16_t) + 7) / 8 * 8;
    return table;
}

/// Bytes of a team for what a strip hands to the next one, at each position of the longest text or track; 0 if there is
/// one strip. Only teams of all lanes have several.
constexpr std::uint64_t bytes_between_strips(Offset longest, Offset strip, std::size_t of_position) {
    return longest <= strip ? 0 : (static_cast<std::uint64_t>(longest) * of_position + 7) / 8 * 8;
}
constexpr int teams_of_strips = block_threads / most_lanes;  ///< of a block

constexpr Offset longest_of(std::span<const Offset> offsets) {
    Offset longest = 0;
    for (std::size_t i = 1; i < offsets.size(); ++i) longest = std::max(longest, offsets[i] - offsets[i - 1]);
    return longest;
}

}  // namespace dunlin::sequences
