// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "viewed.hpp"

namespace dunlin::serve {

/// Answers what a page asks about points. A message is a JSON object with `ask` (point, search, save) and a number
/// `serial`, which the answer repeats; binary messages are parts of the selection. Whatever arrives, the answer is an
/// object, with `error` if the message cannot be answered. One for each page.
class Answers {
public:
    /// others: pages that ask at the same time; neighbors are searched for one at a time.
    Answers(const Viewed& viewed, std::mutex& others);

    /// The first message: facts, and what can be asked.
    [[nodiscard]] std::string hello() const;

    std::string answer(std::string_view message);

    /// A part of the selection: the number of its first byte (32 bits, little-endian), and bytes with a bit per place,
    /// the lowest first. Returns an error's answer, or an empty text.
    std::string select(std::string_view part);

private:
    const Viewed& viewed_;
    std::mutex& others_;
    std::vector<Index> place_of_;  ///< place_of_[row]
    std::vector<std::uint8_t> selected_;
};

}  // namespace dunlin::serve
