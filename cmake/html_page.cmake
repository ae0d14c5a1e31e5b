# SPDX-License-Identifier: Apache-2.0
# Style, body and script of the HTML pages: files of view, embedded into the library as text. The modules are joined into
# one script in an order in which each follows those it imports; lines of imports, and the word export, are left out.
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
read_page(page_modules frames.js morton.js order.js blocks.js scene.js camera.js look.js names.js lasso.js dom.js
  paint/shaders.js paint/program.js paint/webgl.js paint/plain.js overlay.js pace.js save.js legend.js points.js search.js hands.js page.js
  file.js live.js link.js main.js)
string(REGEX REPLACE "\nimport [^\n]*" "" page_modules "\n${page_modules}")
string(REGEX REPLACE "\nexport " "\n" page_modules "${page_modules}")
set(page_script "'use strict';${page_modules}")
string(SHA256 page_style_sha256 "${page_style}")
string(SHA256 page_script_sha256 "${page_script}")
configure_file(${page_folder}/page.cpp.in ${PROJECT_BINARY_DIR}/html_page.cpp @ONLY)
