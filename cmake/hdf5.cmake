# SPDX-License-Identifier: Apache-2.0
# Files of HDF5 (.h5ad): hdf5/*.cpp as libdunlin_hdf5.so, which libdunlin loads when such a file is first used, because
# Debian's HDF5 links to dozens of libraries. Without HDF5's headers it is not built, and the files are refused by name.
pkg_check_modules(hdf5 IMPORTED_TARGET hdf5)
if(NOT hdf5_FOUND)
  message(STATUS "HDF5 is not there: .h5ad cannot be read")
  return()
endif()
file(GLOB hdf5_sources CONFIGURE_DEPENDS hdf5/*.cpp)
add_library(dunlin_hdf5 SHARED ${hdf5_sources})
set_target_properties(dunlin_hdf5 PROPERTIES CXX_VISIBILITY_PRESET hidden INSTALL_RPATH "$ORIGIN")
target_compile_definitions(dunlin_hdf5 PRIVATE DUNLIN_VERSION="${PROJECT_VERSION}")
target_include_directories(dunlin_hdf5 PRIVATE include src)
target_link_libraries(dunlin_hdf5 PRIVATE dunlin_flags dunlin fmt::fmt PkgConfig::hdf5)
target_link_options(dunlin_hdf5 PRIVATE -Wl,--no-undefined)
install(TARGETS dunlin_hdf5 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
