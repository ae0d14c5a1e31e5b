// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/sequences.hpp>

#include "math/rng.hpp"

/// Strings and tracks of tests and benchmarks.
namespace dunlin::made {

using sequences::Strings, sequences::Tracks;

inline std::uint64_t drawn(std::uint64_t bound, std::uint64_t item, std::uint64_t draw) {
    return math::random_below(bound, 11, item, draw);
}

/// Strings of these lengths over an alphabet; every second one is a copy of the one before with some symbols changed,
/// left out and inserted.
inline Strings random_strings(const std::vector<std::size_t>& lengths, std::uint64_t alphabet) {
    Strings strings;
    std::vector<std::uint32_t> last;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        std::vector<std::uint32_t> now;
        for (std::size_t k = 0; now.size() < lengths[i]; ++k) {
            const bool kept = i % 2 == 1 && k < last.size() && drawn(10, i, 3 * k) > 0;
            if (i % 2 == 1 && drawn(20, i, 3 * k + 1) == 0) continue;
            now.push_back(kept ? last[k] : static_cast<std::uint32_t>(drawn(alphabet, i, 3 * k + 2)));
        }
        strings.symbols.insert(strings.symbols.end(), now.begin(), now.end());
        strings.offsets.push_back(std::ssize(strings.symbols));
        last = now;
    }
    return strings;
}

/// Random walks of these lengths.
inline Tracks random_tracks(const std::vector<Index>& lengths, int dim, bool geographic = false) {
    Tracks tracks;
    tracks.dim = dim;
    tracks.geographic = geographic;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        std::vector<double> position(static_cast<std::size_t>(dim), 40);
        for (Index k = 0; k < lengths[i]; ++k) {
            for (std::size_t c = 0; c < position.size(); ++c)
                position[c] +=
                    (geographic ? 0.01 : 1) * math::random_normal(3, i, 10 * static_cast<std::uint64_t>(k) + c);
            tracks.positions.insert(tracks.positions.end(), position.begin(), position.end());
        }
        tracks.offsets.push_back(tracks.offsets.back() + lengths[i]);
    }
    return tracks;
}

}  // namespace dunlin::made
