# SPDX-License-Identifier: Apache-2.0
# libdunlin for the Python wheel, wheel/libdunlin.so.0: the same objects and the same interface, so that the command of
# this build runs with it. What Debian has as static libraries is linked in, hidden, and only as far as it is used:
# OpenBLAS without threads, cairo without X. auditwheel adds the shared libraries that remain.
function(static_libraries files)
  foreach(name ${ARGN})
    find_library(static_${name} lib${name}.a REQUIRED
      PATH_SUFFIXES openblas-serial ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial
      PATHS ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES})
    list(APPEND found ${static_${name}})
  endforeach()
  set(${files} ${found} PARENT_SCOPE)
endfunction()

# OpenBLAS with threads has the same file name
find_library(static_openblas libopenblas.a REQUIRED PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial
  NO_DEFAULT_PATH)
static_libraries(static lapacke openblas gfortran cairo pugixml lzma)

# cairo with its streams renamed, see wheel_streams.cpp; what it draws with is shared
pkg_check_modules(drawing REQUIRED IMPORTED_TARGET pixman-1 fontconfig freetype2 libpng)
set(cairo_archive ${PROJECT_BINARY_DIR}/wheel/libcairo.a)
add_custom_command(OUTPUT ${cairo_archive} VERBATIM
  COMMAND ${CMAKE_OBJCOPY} --redefine-sym stderr=dunlin_stderr --redefine-sym stdout=dunlin_stdout
    ${static_cairo} ${cairo_archive})
list(TRANSFORM static REPLACE "^${static_cairo}$" ${cairo_archive} OUTPUT_VARIABLE linked)

add_library(dunlin_wheel SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:dunlin_objects> cmake/wheel_streams.cpp
  ${cairo_archive})
set_target_properties(dunlin_wheel PROPERTIES OUTPUT_NAME dunlin VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/wheel LINKER_LANGUAGE CXX)
target_link_libraries(dunlin_wheel PRIVATE ${linked} PkgConfig::drawing ZLIB::ZLIB
  PkgConfig::cgraph fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})
target_link_options(dunlin_wheel PRIVATE -s -Wl,--gc-sections -Wl,--as-needed -Wl,--no-undefined
  -Wl,--version-script=${PROJECT_BINARY_DIR}/exports.map -Wl,-Bsymbolic-functions)
add_dependencies(dunlin_wheel dunlin)  # writes exports.map

# For python/licenses.sh: the files that are linked in, and one header of each library that is compiled in
list(JOIN static "\n" lines)
file(WRITE ${PROJECT_BINARY_DIR}/wheel/static.txt "${lines}\n")
foreach(header eigen3/Eigen/Core nlohmann/json.hpp CLI/CLI.hpp)
  find_file(header_of NAMES ${header} REQUIRED NO_CACHE)
  file(APPEND ${PROJECT_BINARY_DIR}/wheel/static.txt "${header_of}\n")
  unset(header_of)
endforeach()
