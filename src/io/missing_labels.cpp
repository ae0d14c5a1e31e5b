// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <dunlin/labels.hpp>

#include "io/interner.hpp"
#include "math/at.hpp"

namespace dunlin {

namespace {

/// na_values of pandas.read_csv, NaT, and signs in the place of a word.
constexpr std::array<std::string_view, 27> missing_words = {
    "",        " ",       "NA",       "N/A",  "n/a",  "NaN", "nan", "-NaN",     "-nan",
    "NULL",    "null",    "None",     "<NA>", "#N/A", "#NA", "NaT", "#N/A N/A", "1.#IND",
    "-1.#IND", "1.#QNAN", "-1.#QNAN", "?",    "-",    "--",  "---", ".",        ".."};
/// Dashes of Unicode: minus, en dash, em dash.
constexpr std::array<std::string_view, 3> other_dashes = {"\xe2\x88\x92", "\xe2\x80\x93", "\xe2\x80\x94"};

template <class Words>
bool among(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_dash(std::string_view word) {
    return word == "-" || word == "--" || word == "---" || among(other_dashes, word);
}

}  // namespace

bool is_missing_label(std::string_view word) { return among(missing_words, word) || among(other_dashes, word); }

Labels settled(Labels labels) {
    // Beside a plus a minus is a class
    const bool has_plus = std::any_of(labels.names.begin(), labels.names.end(), [](const std::string& name) {
        return name.find_first_not_of('+') == name.npos && !name.empty();
    });
    const auto is_missing = [has_plus](std::string_view word) {
        return is_missing_label(word) && !(has_plus && is_dash(word));
    };
    if (std::none_of(labels.names.begin(), labels.names.end(), is_missing))
        return io::sort_numeric_names(std::move(labels));
    Labels known;
    std::vector<Index> number(labels.names.size(), no_label);
    for (std::size_t l = 0; l < labels.names.size(); ++l) {
        if (is_missing(labels.names[l])) continue;
        number[l] = static_cast<Index>(known.names.size());
        known.names.push_back(std::move(labels.names[l]));
    }
    known.of = std::move(labels.of);
    for (Index& label : known.of) label = label == no_label ? no_label : number[at(label)];
    return io::sort_numeric_names(std::move(known));
}

Index unlabeled(const Labels& labels) {
    return static_cast<Index>(std::count(labels.of.begin(), labels.of.end(), no_label));
}

void note_unlabeled(const Labels& labels, std::vector<io::Note>& notes) {
    const Index count = unlabeled(labels);
    if (count > 0)
        notes.push_back({fmt::format("read with {} of {} rows without a label", count, labels.of.size()), ""});
}

}  // namespace dunlin
