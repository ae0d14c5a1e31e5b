// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::io {

/// Interns strings: numbers distinct strings in order of first appearance.
class StringInterner {
public:
    void add(std::string word);

    /// Number of strings added.
    [[nodiscard]] std::size_t size() const { return labels_.of.size(); }

    /// Whether all strings are distinct.
    [[nodiscard]] bool distinct() const { return labels_.names.size() == labels_.of.size(); }

    /// The string that was added as number i.
    [[nodiscard]] const std::string& word(std::size_t i) const {
        return labels_.names[static_cast<std::size_t>(labels_.of[i])];
    }
    /// The distinct strings, in order of first appearance.
    [[nodiscard]] const std::vector<std::string>& names() const { return labels_.names; }

    /// Number of strings that were added once.
    [[nodiscard]] std::size_t single() const;
    /// The first string that was added more than once; there must be one.
    [[nodiscard]] const std::string& repeated() const;

    /// The added strings, in order.
    std::vector<std::string> all() const;

    /// The strings as labels: settled (dunlin/labels.hpp).
    Labels labels() &&;

    /// The strings as they are, with names in numeric order if all are numbers.
    Labels words() &&;

private:
    [[nodiscard]] std::vector<std::size_t> times() const;

    Labels labels_;
    std::unordered_map<std::string, Index> known_;
};

/// Sorts the names by value if all are numbers.
Labels sort_numeric_names(Labels labels);

}  // namespace dunlin::io
