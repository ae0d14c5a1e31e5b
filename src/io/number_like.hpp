// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "io/fail.hpp"
#include "io/table_schema.hpp"

/// Columns of words that look like numbers: 5%, $5, 12 kg, 1 234, <5, 1/2, 10:30.
namespace dunlin::io {

/// How a text looks like a number without being one.
struct NumberLikeness {
    std::string_view sign;    ///< what it has beside the digits, such as "a percent sign"; empty: it looks like none
    std::string_view suffix;  ///< letters after the digits that are a unit only if other rows have them, too
};
NumberLikeness likeness_to_number(std::string_view text);

/// Decides whether the words of a column look like numbers, from each distinct one.
class NumberLikeColumn {
public:
    /// with_times: dates and clock times look like numbers, too.
    explicit NumberLikeColumn(bool with_times = false) : with_times_(with_times) {}

    void add(std::string_view word);
    /// Whether at least half of the words are numbers or look like them.
    [[nodiscard]] bool looks_like_numbers() const;
    /// The first word that looks like a number, and what it has.
    [[nodiscard]] const std::string& example() const;
    [[nodiscard]] std::string_view sign() const;

private:
    [[nodiscard]] bool is_mixed() const;
    [[nodiscard]] bool are_quoted() const;

    std::size_t numbers_ = 0, fractions_ = 0, like_ = 0, compared_ = 0, ranges_ = 0, suffixed_ = 0, words_ = 0;
    bool with_times_, one_suffix_ = true, only_magnitudes_ = true;
    std::string suffix_, example_, word_, fraction_;
    std::string_view sign_;
};

/// Throws Error{bad_file} if the rows looked at have words like numbers in a column.
void require_words(const TableSchema& schema, std::size_t column, const std::string& file);

/// Throws Error{bad_file}: the words of a column look like numbers; `place` is that of the example.
[[noreturn]] void refuse_number_like(const FileLocation& place, std::string_view example, std::string_view sign);

}  // namespace dunlin::io
