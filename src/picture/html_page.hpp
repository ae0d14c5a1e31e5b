// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dunlin::picture {

/// The constant parts of the HTML pages, from the files in view/, and the SHA-256 in hexadecimal of style and scripts.
/// The page uses no library and no network; html.cpp inserts the data.
extern const std::string_view page_style, page_style_sha256;
extern const std::string_view page_body;
extern const std::string_view page_script, page_script_sha256;
/// Before page_script, in pages with a landscape or hulls.
extern const std::string_view page_relief_script, page_relief_script_sha256;
/// Before page_script, in pages with many points.
extern const std::string_view page_webgpu_script, page_webgpu_script_sha256;
/// Before page_script: in pages with a film of colors, and in pages of a run.
extern const std::string_view page_film_script, page_film_script_sha256;
extern const std::string_view page_run_script;
/// The page that plays states of a line or a grid, alone.
extern const std::string_view page_plot_body, page_plot_script, page_plot_script_sha256;
/// Before page_script, in a page inside a notebook; and the module of the notebook around it.
extern const std::string_view page_port_script, page_widget_module;

}  // namespace dunlin::picture
