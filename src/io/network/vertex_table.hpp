// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/dense.hpp"
#include "io/fail.hpp"

namespace dunlin::io {

/// Numbers vertices by their names, which views of the file are, in order of first appearance.
class VertexTable {
public:
    static constexpr Index none = -1;

    /// The number of a name, which is added if it is new.
    Index of(std::string_view name) {
        const auto [found, is_new] = numbers_.try_emplace(name, static_cast<Index>(names_.size()));
        if (is_new) {
            if (static_cast<Offset>(names_.size()) == most_items)
                bad_file("there are more than {} vertices", most_items);
            names_.push_back(name);
        }
        return found->second;
    }
    [[nodiscard]] Index find(std::string_view name) const {
        const auto found = numbers_.find(name);
        return found == numbers_.end() ? none : found->second;
    }
    [[nodiscard]] Index size() const { return static_cast<Index>(names_.size()); }
    [[nodiscard]] const std::vector<std::string_view>& views() const { return names_; }
    [[nodiscard]] std::vector<std::string> names() const { return {names_.begin(), names_.end()}; }

private:
    std::unordered_map<std::string_view, Index> numbers_;
    std::vector<std::string_view> names_;
};

}  // namespace dunlin::io
