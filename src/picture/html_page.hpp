// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dunlin::picture {

/// The fixed parts of the HTML page, from the files in html/: no library, no network. html.cpp puts the data between
/// them.
extern const std::string_view page_style;
extern const std::string_view page_body;
extern const std::string_view page_script;

}  // namespace dunlin::picture
