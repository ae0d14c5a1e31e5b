// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "picture/groups.hpp"
#include "picture/page.hpp"

namespace dunlin::picture {

/// What a legend shows, and where.
struct LegendContent {
    const Groups& groups;
    const std::vector<std::string>& notes;  ///< faint lines after the entries
    std::string title;                      ///< above them; empty: the name of a scale
    LegendPlace place = LegendPlace::right;
};

/// Adds the legend of labels or of a scale, and takes its room from the plot: up to two fifths of the page. Names are
/// complete, on up to 3 lines; entries are in as many columns as they need. Only a name that is longer ends with an
/// ellipsis. The text is set smaller if it must be; a picture that is too small has no legend. `gap`: between the plot
/// and the legend.
void lay_legend(Page& page, const LegendContent& content, float gap);

}  // namespace dunlin::picture
