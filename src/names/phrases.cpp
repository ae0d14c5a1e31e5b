// SPDX-License-Identifier: Apache-2.0
#include "names/phrases.hpp"

#include <unordered_map>

#include "math/at.hpp"

namespace dunlin::naming {

namespace {

/// Calls visit(word) for the words of a phrase, which blanks separate.
template <class Visit>
void each_word(std::string_view phrase, const Visit& visit) {
    while (!phrase.empty()) {
        const std::size_t end = std::min(phrase.find(' '), phrase.size());
        visit(phrase.substr(0, end));
        phrase.remove_prefix(std::min(end + 1, phrase.size()));
    }
}

}  // namespace

bool begins_in(std::string_view part, std::string_view whole) {
    for (std::size_t place = whole.find(part); place != std::string_view::npos; place = whole.find(part, place + 1)) {
        if (place == 0 || whole[place - 1] == ' ') return true;
    }
    return false;
}

std::vector<Index> with_phrases(const std::vector<Term>& terms, const std::vector<std::string>& words) {
    std::unordered_map<std::string_view, std::size_t> rank;
    std::vector<Index> ranked;
    for (std::size_t t = 0; t < terms.size(); ++t) {
        ranked.push_back(terms[t].term);
        rank.emplace(words[at(terms[t].term)], t);
    }
    // From the last phrase to the first: the best one that explains a word stays
    for (std::size_t t = terms.size(); t-- > 0;) {
        const std::string_view phrase = words[at(terms[t].term)];
        if (phrase.find(' ') == std::string_view::npos) continue;
        bool all_known = true;
        each_word(phrase, [&](std::string_view word) { all_known = all_known && rank.contains(word); });
        if (!all_known) continue;
        each_word(phrase, [&](std::string_view word) {
            const std::size_t r = rank.at(word);
            if (terms[t].count >= terms[r].count / 2) ranked[r] = terms[t].term;
        });
    }
    return ranked;
}

}  // namespace dunlin::naming
