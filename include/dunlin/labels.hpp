// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/holds.hpp>
#include <dunlin/types.hpp>

namespace dunlin {

/// Whether a word in the place of a label says that there is none: empty, NA, NaN, None, ..., the words that pandas
/// reads as missing, in their case, NaT, and the signs ? - -- --- . .. and dashes.
DUNLIN_API bool is_missing_label(std::string_view word);

/// Labels whose names are words as they were found: points of missing ones get no_label, and the names are ascending if
/// all are numbers. Beside a label "+" (or "++", ..) dashes are labels.
DUNLIN_API Labels settled(Labels labels);

/// Number of points without a label, in data that have labels.
DUNLIN_API Index unlabeled(const Labels& labels);

/// Adds a note on the points without a label, if there are some.
DUNLIN_API void note_unlabeled(const Labels& labels, std::vector<io::Note>& notes);

}  // namespace dunlin
