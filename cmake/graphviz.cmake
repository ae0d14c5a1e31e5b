# SPDX-License-Identifier: Apache-2.0
# The Graphviz plug-in (dot -Kdunlin), if libgvc is installed; `./dev install` registers it. Not with sanitizers, which
# cannot be loaded into another program.
pkg_check_modules(gvc IMPORTED_TARGET libgvc)
if(gvc_FOUND AND NOT DUNLIN_SANITIZE)
  pkg_get_variable(graphviz_libdir libgvc libdir)
  find_library(neato_plugin gvplugin_neato_layout PATHS ${graphviz_libdir}/graphviz NO_DEFAULT_PATH)
endif()
if(neato_plugin)
  # Graphviz requires a plug-in with its own version number
  file(REAL_PATH ${neato_plugin} neato_file)
  string(REGEX MATCH "[.]so[.]([0-9]+)" matched ${neato_file})
  set(graphviz_number ${CMAKE_MATCH_1})

  add_library(gvplugin_dunlin SHARED graphviz/plugin.cpp)
  target_link_libraries(gvplugin_dunlin PRIVATE dunlin dunlin_flags PkgConfig::gvc ${neato_plugin})
  set_target_properties(gvplugin_dunlin PROPERTIES VERSION ${graphviz_number}.0.0 SOVERSION ${graphviz_number}
    INSTALL_RPATH "$ORIGIN/..;${CMAKE_INSTALL_FULL_LIBDIR};${graphviz_libdir}/graphviz")
  install(TARGETS gvplugin_dunlin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/graphviz NAMELINK_SKIP)
endif()
