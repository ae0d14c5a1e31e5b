// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cpu.hpp"
#include "math/hash.hpp"

namespace dunlin::checkpoint {

/// Checksum of bytes that come in order: a hash over the hashes of their chunks, so that chunks can be hashed in
/// parallel.
class Checksum {
public:
    static constexpr std::size_t chunk = std::size_t{1} << 20;

    /// All calls but the last take a whole chunk.
    void add(std::span<const std::byte> bytes) { add(math::hash_of(0, bytes), bytes.size()); }
    void add(std::uint64_t hash_of_chunk, std::size_t count) { state_ = math::mix(state_ ^ hash_of_chunk) + count; }
    [[nodiscard]] std::uint64_t value() const { return math::mix(state_); }

private:
    std::uint64_t state_ = 0;
};

/// Checksum of `bytes`, which the threads of `cpu` hash in chunks. Does not depend on the number of threads.
inline std::uint64_t checksum_of(device::Cpu& cpu, std::span<const std::byte> bytes) {
    constexpr auto chunk = static_cast<Offset>(Checksum::chunk);
    const auto size = static_cast<Offset>(bytes.size());
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>((size + chunk - 1) / chunk));
    const auto part = [&](Offset begin) {
        const auto first = static_cast<std::size_t>(begin);
        return bytes.subspan(first, std::min(Checksum::chunk, bytes.size() - first));
    };
    cpu.blocks(size, chunk, [&](Offset begin, Offset, int) {
        hashes[static_cast<std::size_t>(begin / chunk)] = math::hash_of(0, part(begin));
    });
    Checksum checksum;
    for (Offset begin = 0; begin < size; begin += chunk)
        checksum.add(hashes[static_cast<std::size_t>(begin / chunk)], part(begin).size());
    return checksum.value();
}

}  // namespace dunlin::checkpoint
