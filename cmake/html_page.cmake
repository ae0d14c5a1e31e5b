# SPDX-License-Identifier: Apache-2.0
# Style, body and script of the HTML pages: files of view, embedded into the library as text. The modules are joined into
# one script in an order in which each follows those it imports; lines of imports, the word export, comments of types,
# lines of comments and indentation are left out.
set(page_folder ${PROJECT_SOURCE_DIR}/view)
function(read_page result)
  set(text "")
  foreach(name ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_folder}/${name})
    file(READ ${page_folder}/${name} part)
    string(APPEND text "${part}")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

read_page(page_style style.css)
read_page(page_body body.html)
read_page(page_modules frames.js morton.js order.js blocks.js scene.js camera.js look.js names.js items.js lasso.js dom.js
  paint/shaders.js paint/program.js paint/webgl.js paint/plain.js overlay.js pace.js save.js legend.js points.js search.js hands.js keys.js page.js
  file.js main.js)
# Landscapes and hulls are a script of their own, before the other one, of the pages that have them
read_page(page_relief_modules relief/relief.js relief/ground.js)
# So is what plays frames of colors
read_page(page_film_modules film/player.js film/colors.js)
# So is what draws with WebGPU, of pages with many points
read_page(page_webgpu_modules webgpu/shaders.js webgpu/painter.js)
# So is what a page does that shows a run: pages of a server and of a notebook have it
read_page(page_run_modules run/link.js run/shepard.js run/steer.js film/player.js run/film.js run/live.js)
# States of a line or a grid have a page of their own
read_page(page_plot_body plot/body.html)
read_page(page_plot_modules frames.js dom.js look.js save.js legend.js film/player.js plot/grid.js plot/main.js)
# In a notebook, the page is fed through a port; the module for anywidget around it stays a module
read_page(page_port_modules notebook/port.js)
read_page(page_widget_module notebook/widget.js)
foreach(script page page_relief page_film page_webgpu page_run page_plot page_port)
  string(REGEX REPLACE "\nimport [^\n]*" "" modules "\n${${script}_modules}")
  string(REGEX REPLACE "\nexport " "\n" modules "${modules}")
  string(REGEX REPLACE "/\\*\\*([^*]|\\*+[^*/])*\\*+/ ?" "" modules "${modules}")
  string(REGEX REPLACE "\n *//[^\n]*" "" modules "${modules}")
  string(REGEX REPLACE "\n[ \n]+" "\n" modules "${modules}")
  set(${script}_script "'use strict';${modules}")
  string(SHA256 ${script}_script_sha256 "${${script}_script}")
endforeach()
string(SHA256 page_style_sha256 "${page_style}")
configure_file(${page_folder}/page.cpp.in ${PROJECT_BINARY_DIR}/html_page.cpp @ONLY)
