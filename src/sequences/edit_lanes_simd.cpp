// SPDX-License-Identifier: Apache-2.0
#include "sequences/edit_lanes.hpp"

#include <cstring>

#include "device/lanes.hpp"
#include "sequences/edit.hpp"

namespace dunlin::sequences {

namespace {

/// Vectors of words with so many bytes.
template <std::size_t bytes>
struct Words;
template <>
struct Words<64> {
    using Of16 = std::uint16_t __attribute__((vector_size(64)));
    using Of32 = std::uint32_t __attribute__((vector_size(64)));
    using Of64 = std::uint64_t __attribute__((vector_size(64)));
};
template <>
struct Words<32> {
    using Of16 = std::uint16_t __attribute__((vector_size(32)));
    using Of32 = std::uint32_t __attribute__((vector_size(32)));
    using Of64 = std::uint64_t __attribute__((vector_size(32)));
};
template <>
struct Words<16> {
    using Of16 = std::uint16_t __attribute__((vector_size(16)));
    using Of32 = std::uint32_t __attribute__((vector_size(16)));
    using Of64 = std::uint64_t __attribute__((vector_size(16)));
};

template <class Vector>
DUNLIN_INLINE void load(Vector& vector, const unsigned char* from) {
    std::memcpy(&vector, from, sizeof vector);
}

/// The patterns in vectors of the processor's width, one vector after the other.
template <class Vector>
DUNLIN_INLINE void edit_lanes(const PatternLanes& patterns, std::span<const std::uint32_t> text,
                              unsigned char* distance) {
    for (std::size_t part = 0; part < lane_bytes; part += sizeof(Vector)) {
        const Vector zero{}, one = zero + 1;
        Vector last, score;
        load(last, patterns.last + part);
        load(score, patterns.length + part);
        EditColumn<Vector> column{~zero, zero};
        for (const std::uint32_t slot : text) {
            Vector match;
            load(match, patterns.match + slot * lane_bytes + part);
            const EditStep<Vector> step = edit_step(column, match, one, zero);
            // A comparison gives -1 where it holds
            score -= (Vector)((step.plus & last) != zero);
            score += (Vector)((step.minus & last) != zero);
        }
        std::memcpy(distance + part, &score, sizeof score);
    }
}

template <class Lanes>
DUNLIN_INLINE void edit_lanes16_as(const PatternLanes& patterns, std::span<const std::uint32_t> text,
                                   unsigned char* distance) {
    edit_lanes<typename Words<sizeof(Lanes)>::Of16>(patterns, text, distance);
}
template <class Lanes>
DUNLIN_INLINE void edit_lanes32_as(const PatternLanes& patterns, std::span<const std::uint32_t> text,
                                   unsigned char* distance) {
    edit_lanes<typename Words<sizeof(Lanes)>::Of32>(patterns, text, distance);
}
template <class Lanes>
DUNLIN_INLINE void edit_lanes64_as(const PatternLanes& patterns, std::span<const std::uint32_t> text,
                                   unsigned char* distance) {
    edit_lanes<typename Words<sizeof(Lanes)>::Of64>(patterns, text, distance);
}

}  // namespace

DUNLIN_BY_WIDTH(edit_lanes16,
                (const PatternLanes& patterns, std::span<const std::uint32_t> text, unsigned char* distance),
                (patterns, text, distance))
DUNLIN_BY_WIDTH(edit_lanes32,
                (const PatternLanes& patterns, std::span<const std::uint32_t> text, unsigned char* distance),
                (patterns, text, distance))
DUNLIN_BY_WIDTH(edit_lanes64,
                (const PatternLanes& patterns, std::span<const std::uint32_t> text, unsigned char* distance),
                (patterns, text, distance))

}  // namespace dunlin::sequences
