# SPDX-License-Identifier: Apache-2.0
# Files of `cmake --install`, and the package for find_package(dunlin)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dunlin)

install(TARGETS dunlin EXPORT dunlin_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(DUNLIN_CUDA)
  install(TARGETS dunlin_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS dunlin_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/dunlin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dunlin_targets FILE dunlin-config.cmake NAMESPACE dunlin:: DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dunlin-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dunlin-config-version.cmake DESTINATION ${package_dir})
set_target_properties(dunlin_command PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

# Tests of the command, the installed package and the README, and of files of earlier releases
if(DUNLIN_DEVELOPER)
  file(GLOB install_tests CONFIGURE_DEPENDS tests/install/*_test.sh tests/compat/*_test.sh)
  foreach(script ${install_tests})
    get_filename_component(name ${script} NAME_WE)
    get_filename_component(kind ${script} DIRECTORY)
    get_filename_component(kind ${kind} NAME)
    add_test(NAME ${kind}.${name} COMMAND sh ${script})
    set_tests_properties(${kind}.${name} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77 ENVIRONMENT
      "DUNLIN_COMMAND=$<TARGET_FILE:dunlin_command>;DUNLIN_BUILD=${PROJECT_BINARY_DIR};DUNLIN_SOURCE=${PROJECT_SOURCE_DIR}")
  endforeach()
endif()
