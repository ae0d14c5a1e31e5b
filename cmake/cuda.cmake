# SPDX-License-Identifier: Apache-2.0
# The CUDA backend: src/**/*.cu as libdunlin_cuda.so, which libdunlin loads on first use of a GPU. It links to libdunlin,
# and CUDA's runtime statically: a machine needs only NVIDIA's driver.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES all-major)
endif()
enable_language(CUDA)
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # unknown to CMake 3.25 for nvcc
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
target_compile_options(dunlin_flags INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-lineinfo>")

file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS src/*.cu)
list(TRANSFORM hopper_kernels PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE hopper_sources)
list(REMOVE_ITEM cuda_sources ${hopper_sources})

add_library(dunlin_hopper OBJECT ${hopper_sources})
set_target_properties(dunlin_hopper PROPERTIES CUDA_ARCHITECTURES 90a-real)

add_library(dunlin_cuda SHARED ${cuda_sources} $<TARGET_OBJECTS:dunlin_hopper>)
foreach(target dunlin_hopper dunlin_cuda)
  set_target_properties(${target} PROPERTIES CUDA_VISIBILITY_PRESET protected)
  target_include_directories(${target} PRIVATE include src)
  target_link_libraries(${target} PRIVATE dunlin_flags)
endforeach()
add_dependencies(dunlin_cuda dunlin_interface)

# Internals have the private symbol version of the build, for tests and benchmarks
file(WRITE ${PROJECT_BINARY_DIR}/cuda_exports.map
  "DUNLIN_PRIVATE_${PROJECT_VERSION} { global: dunlin_cuda_table; _ZN6dunlin*; _ZNK6dunlin*; _ZT?N6dunlin*; local: *; };\n")
target_link_libraries(dunlin_cuda PRIVATE dunlin)
target_link_options(dunlin_cuda PRIVATE -Wl,--version-script=${PROJECT_BINARY_DIR}/cuda_exports.map
  -Wl,-Bsymbolic-functions -Wl,--no-undefined)
set_target_properties(dunlin_cuda PROPERTIES INSTALL_RPATH "$ORIGIN")

# Programs that call the backend's own functions
function(link_backend program)
  target_link_libraries(${program} PRIVATE dunlin_cuda)
endfunction()
