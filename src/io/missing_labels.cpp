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

/// na_values of pandas.read_csv, and NaT.
constexpr std::array<std::string_view, 21> missing_words = {
    "",     " ",    "NA",   "N/A", "n/a", "NaN",      "nan",    "-NaN",    "-nan",    "NULL",    "null",
    "None", "<NA>", "#N/A", "#NA", "NaT", "#N/A N/A", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"};

}  // namespace

bool is_missing_label(std::string_view word) {
    return std::find(missing_words.begin(), missing_words.end(), word) != missing_words.end();
}

Labels settled(Labels labels) {
    if (std::none_of(labels.names.begin(), labels.names.end(), is_missing_label))
        return io::sort_numeric_names(std::move(labels));
    Labels known;
    std::vector<Index> number(labels.names.size(), no_label);
    for (std::size_t l = 0; l < labels.names.size(); ++l) {
        if (is_missing_label(labels.names[l])) continue;
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
