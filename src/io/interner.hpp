// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::io {

/// Gives every different word a number, in order of first appearance.
class StringInterner {
public:
    void add(std::string word);

    /// How many were added.
    [[nodiscard]] std::size_t size() const { return labels_.of.size(); }

    /// Is every word met only once?
    [[nodiscard]] bool distinct() const { return labels_.names.size() == labels_.of.size(); }

    /// The words met, in order.
    std::vector<std::string> all() const;

    /// As labels: names ascend where all of them are numbers.
    Labels labels() &&;

private:
    Labels labels_;
    std::unordered_map<std::string, Index> known_;
};

/// Sorts the names where all of them are numbers, by value.
Labels sort_numeric_names(Labels labels);

}  // namespace dunlin::io
