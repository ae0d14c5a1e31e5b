// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <dunlin/neighbors.hpp>
#include <dunlin/page.hpp>
#include <dunlin/types.hpp>

namespace dunlin::serve {

/// A map that is shown, and what is known about its points. Nothing changes it once it is shown.
struct Viewed {
    Map map;
    Labels labels;
    std::vector<std::string> ids;    ///< empty: points are named by their numbers
    std::vector<std::string> names;  ///< shown in place of ids; empty: the ids
    picture::PageContent content;
    std::optional<Matrix> points;  ///< the data that the map was made from
    neighbors::Metric metric = neighbors::Metric::euclidean;
    std::filesystem::path selection;  ///< file for selected points; empty: none

    [[nodiscard]] const std::vector<std::string>& shown_names() const { return names.empty() ? ids : names; }
};

}  // namespace dunlin::serve
