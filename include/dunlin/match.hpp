// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// The rows of an input.
struct NamedRows {
    std::string name;  ///< of the input, for messages
    Index rows = 0;
    std::span<const std::string> ids;  ///< one per row, or empty
};

/// Whether rows of the first input may lack a partner in the second.
enum class Lonely { refused, allowed };

/// Value of RowMatch::partner for a row without a partner.
constexpr Index no_row = -1;

/// Assignment of rows of a second input to rows of a first input.
struct RowMatch {
    std::vector<Index> partner = {};  ///< for each row of the first input the row of the second, or no_row
    bool by_id = false;               ///< else by order
    bool in_order = false;            ///< partner is 0, 1, 2, ...
    Index lonely = 0;                 ///< number of rows of the first input without a partner
    Index unused = 0;                 ///< number of rows of the second input that are not a partner
    std::string how = {};             ///< note for the user, "by id: ..." or "by order, ..."; empty: none
};

/// Matches rows by id if both inputs have ids, in whatever order, else by order. Ids that only count the rows (0, 1,
/// ... or 1, 2, ..., in order) are no ids if the other input has none of them. Throws Error{bad_file}, with an example
/// of each side, if no id is in both inputs, if one is twice in the second, if a row is lonely and that is refused, and
/// if rows are matched by order and their numbers differ.
DUNLIN_API RowMatch match_rows(const NamedRows& first, const NamedRows& second, Lonely lonely = Lonely::refused);

/// The values of the second input in the order of the first; `none` for lonely rows.
template <class T>
std::vector<T> taken(const std::vector<T>& values, const RowMatch& match, const T& none) {
    std::vector<T> of;
    of.reserve(match.partner.size());
    for (const Index row : match.partner) of.push_back(row == no_row ? none : values[static_cast<std::size_t>(row)]);
    return of;
}
inline Labels taken(const Labels& labels, const RowMatch& match) {
    return labels.empty() ? labels : Labels{taken(labels.of, match, no_label), labels.names};
}

/// Assignment of columns of a second input to columns of a first input.
struct ColumnMatch {
    std::vector<Index> from;  ///< for each column of the first input that of the second; empty: in order
    std::string how = {};     ///< "in another order: ..."; empty: nothing to say
};

/// Matches columns by name if both inputs have names, else by order. Throws Error{bad_file}, with an example of each
/// side, if a name is in one input only, or twice where the order differs.
DUNLIN_API ColumnMatch match_columns(const std::string& first, std::span<const std::string> first_names,
                                     const std::string& second, std::span<const std::string> second_names);

}  // namespace dunlin::io
