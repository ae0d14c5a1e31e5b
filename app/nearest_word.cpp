// SPDX-License-Identifier: Apache-2.0
#include "nearest_word.hpp"

#include <algorithm>
#include <cctype>

#include <dunlin/sequences.hpp>

namespace dunlin::app {

namespace {

std::string lowered(std::string word) {
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return word;
}

}  // namespace

std::string nearest_word(const std::string& misspelled, const std::vector<std::string>& known) {
    std::vector<std::string> words{lowered(misspelled)};
    std::transform(known.begin(), known.end(), std::back_inserter(words), lowered);
    const sequences::Strings strings = sequences::strings_of(words);
    std::string nearest;
    double least = static_cast<double>(misspelled.size()) / 3;
    for (std::size_t w = 0; w < known.size(); ++w) {
        const double edits = sequences::between(strings, 0, static_cast<Index>(w) + 1);
        if (edits > least || (edits == least && !nearest.empty())) continue;
        least = edits;
        nearest = known[w];
    }
    return nearest;
}

}  // namespace dunlin::app
