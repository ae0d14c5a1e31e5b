// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live_map.hpp"
#include "shepard.hpp"
#include "viewed.hpp"

namespace dunlin::serve {

/// Answers what a page asks about points. A message is a JSON object with `ask` (point, names, search, shepard, save,
/// steer) and a number `serial`, which the answer repeats; binary messages are parts of the selection. `{"drawn":
/// NUMBER}` says that a map has been drawn, and has no answer. Whatever else arrives, the answer is an object, with
/// `error` if the message cannot be answered. One for each page and content.
class Answers {
public:
    /// others: pages that ask at the same time; neighbors are searched for one at a time. content: its number. moves:
    /// the map may move; once it has, nothing is said about neighbors in it.
    Answers(const Viewed& viewed, std::mutex& others, std::uint32_t content, bool moves, const LiveMap& live);

    /// The first message: facts, and what can be asked.
    [[nodiscard]] std::string hello() const;

    std::string answer(std::string_view message);

    /// The first message of a sample of the points, about which nothing can be asked.
    static std::string hello_of_sample(const Viewed& sample);
    /// The answer before all points are there; empty if none is expected.
    static std::string too_early(std::string_view message);

    /// Number of the last map that was drawn.
    [[nodiscard]] std::uint32_t drawn() const { return drawn_; }

    /// A part of the selection: the number of its first byte (32 bits, little-endian), and bytes with a bit per place,
    /// the lowest first. Returns an error's answer, or an empty text.
    std::string select(std::string_view part);

private:
    /// Whether the map is no longer the one that is known.
    [[nodiscard]] bool has_moved() const {
        const auto moved = live_.state().moved;
        return moved != nullptr && !moved->is_near;
    }

    const Viewed& viewed_;
    std::mutex& others_;
    const LiveMap& live_;
    std::uint32_t content_, drawn_ = 0;
    bool moves_;
    std::vector<Index> place_of_;  ///< place_of_[row]
    std::vector<std::uint8_t> selected_;
    std::optional<Shepard> shepard_;  ///< once it was asked for
};

}  // namespace dunlin::serve
