# SPDX-License-Identifier: Apache-2.0
# The style, body and script of the HTML picture: files of src/picture/html, embedded into the library as text.
set(page_folder ${PROJECT_SOURCE_DIR}/src/picture/html)
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
read_page(page_script view.js shaders.js webgl.js redraw.js input.js)
configure_file(${page_folder}/page.cpp.in ${PROJECT_BINARY_DIR}/html_page.cpp @ONLY)
