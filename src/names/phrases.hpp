// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <dunlin/names.hpp>

namespace dunlin::naming {

/// Whether a text is in another, from the beginning of a word on: "car" in "old cars".
bool begins_in(std::string_view part, std::string_view whole);

/// The words of ranked terms in their order, but words that a phrase among them explains are replaced by it: it holds
/// the word and makes up half of its occurrences in the group or more, and all of its words are among the terms.
std::vector<Index> with_phrases(const std::vector<Term>& terms, const std::vector<std::string>& words);

}  // namespace dunlin::naming
