// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dunlin::picture {

/// The constant parts of the HTML page, from the files in html/. The page uses no library and no network; html.cpp
/// inserts the data.
extern const std::string_view page_style;
extern const std::string_view page_body;
extern const std::string_view page_script;

}  // namespace dunlin::picture
