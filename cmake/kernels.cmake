# SPDX-License-Identifier: Apache-2.0
# Files with their own compiler flags. The configuration fails if a listed file does not exist, or a file with such a name
# is not listed, so that no file loses its flags by renaming.

# The compiler may reorder float sums (results do not depend on the run); NaN and infinity keep their meaning
set(reordered_kernels
  src/numerics/fft_simd.cpp
  src/numerics/product_tile_simd.cpp
  src/forces/attraction/attraction_avx512_simd.cpp
  src/forces/attraction/attraction_simd.cpp
  src/forces/exact/exact_simd.cpp
  src/forces/sampled/batch_simd.cpp
  src/placement/sample_simd.cpp
  src/forces/grid/charges_simd.cpp
  src/forces/grid/passes_simd.cpp
  src/forces/grid/points_simd.cpp
  src/forces/tree/mac_test_simd.cpp
  src/forces/tree/tree_simd.cpp
  src/kmeans/bytes_simd.cpp
  src/kmeans/reassignments_simd.cpp
  src/kmeans/nearest_simd.cpp
  src/kmeans/products_simd.cpp
  src/layout/block_steps_simd.cpp
  src/layout/relax_distances_simd.cpp
  src/mds/sgd/group_simd.cpp
  src/mds/smacof/kernels_simd.cpp
  src/scores/segments_simd.cpp
  src/scores/kernels_simd.cpp
  src/neighbors/exact/boxes_simd.cpp
  src/neighbors/codes/residuals_simd.cpp
  src/distance/keys_simd.cpp
  src/neighbors/codes/top_k_buffer_simd.cpp
  src/distance/tile_simd.cpp
  src/neighbors/vectors_simd.cpp
  src/picture/line_coverage_simd.cpp
  src/density/convolve_simd.cpp
  src/kmedoids/savings_simd.cpp
  src/sequences/edit_lanes_simd.cpp
  src/sequences/matchings_simd.cpp
  src/stress/rows_simd.cpp
  src/descent/advance_simd.cpp
  src/forces/exact/potential_simd.cpp
  src/parametric/pairs_simd.cpp
  src/parametric/units_simd.cpp
  src/tsne/perplexity_simd.cpp
  src/umap/density_simd.cpp)
set(reordered_flags
  "$<$<CONFIG:Release>:-O3>;-fno-math-errno;-fno-trapping-math;-fassociative-math;-fno-signed-zeros;-freciprocal-math")

# The same bits as on a GPU: no fused multiply-add
set(unfused_kernels
  src/kmeans/distances_unfused.cpp
  src/surface/front_unfused.cpp
  src/surface/marching_unfused.cpp
  src/surface/metaballs_unfused.cpp
  src/spanning/boruvka_unfused.cpp
  src/spanning/keys_unfused.cpp
  src/spanning/near_lists_unfused.cpp)
set(unfused_flags -ffp-contract=off)
set(unfused_cuda_kernels
  src/surface/cuda/marching.cu
  src/spanning/cuda/absolutes.cu
  src/spanning/cuda/squares.cu)
file(GLOB_RECURSE waves CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} src/waves/*.cpp)

# Kernels for compute capability 9.0 only, compiled for 9.0a and selected at run time
set(hopper_kernels
  src/kmeans/cuda/score_hopper_sm90a.cu
  src/neighbors/cuda/filter_hopper_sm90a.cu)

function(check_kernels list pattern)
  file(GLOB_RECURSE named CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} src/${pattern})
  foreach(file ${${list}})
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${file})
      message(FATAL_ERROR "${file} is not there: cmake/kernels.cmake lists it in ${list}, for its compiler flags")
    endif()
  endforeach()
  list(REMOVE_ITEM named ${${list}})
  if(named)
    message(FATAL_ERROR "Named like files with compiler flags of their own, but not in ${list} of cmake/kernels.cmake: ${named}")
  endif()
endfunction()
check_kernels(reordered_kernels *_simd.cpp)
check_kernels(unfused_kernels *_unfused.cpp)
check_kernels(hopper_kernels *_sm90a.cu)

set_source_files_properties(${reordered_kernels} PROPERTIES COMPILE_OPTIONS "${reordered_flags}")
set_source_files_properties(${unfused_cuda_kernels} PROPERTIES COMPILE_OPTIONS -fmad=false)
set_source_files_properties(${unfused_kernels} ${waves} PROPERTIES COMPILE_OPTIONS "${unfused_flags}")
