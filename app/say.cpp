// SPDX-License-Identifier: Apache-2.0
#include "say.hpp"

#include <fmt/format.h>

#include <dunlin/distinct.hpp>

#include "streams.hpp"

namespace dunlin::app {

void say(const CommonOptions& common, const std::string& sentence) {
    common.said->push_back(sentence);
    if (!common.quiet) tell("note: {}\n", sentence);
}

void say_if_few_distinct(const CommonOptions& common, const fs::path& input, Index distinct, Index parts,
                         std::string_view name) {
    const std::string few = sentence_of_distinct(distinct, parts, name);
    if (!few.empty()) say(common, fmt::format("{}: {}", input.string(), few));
}

}  // namespace dunlin::app
