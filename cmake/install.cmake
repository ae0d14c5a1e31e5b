# What `cmake --install` lays down, and what find_package(dunlin) finds
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dunlin)

install(TARGETS dunlin EXPORT dunlin_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS dunlin_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/dunlin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dunlin_targets FILE dunlin-config.cmake NAMESPACE dunlin:: DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dunlin-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dunlin-config-version.cmake DESTINATION ${package_dir})
set_target_properties(dunlin_command PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
