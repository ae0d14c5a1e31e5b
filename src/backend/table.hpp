// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clusters/backend.hpp"
#include "communities/backend.hpp"
#include "density/backend.hpp"
#include "device/gpus.hpp"
#include "device/resident.hpp"
#include "io/narrow_on_gpu.hpp"
#include "kmeans/cuda.hpp"
#include "layout/backend.hpp"
#include "mds/backend.hpp"
#include "mixture/cuda.hpp"
#include "neighbors/cuda.hpp"
#include "pacmap/backend.hpp"
#include "parametric/backend.hpp"
#include "placement/backend.hpp"
#include "reliability/left_out.hpp"
#include "scores/score_engine.hpp"
#include "sequences/cuda.hpp"
#include "shards/cuda.hpp"
#include "surface/cuda.hpp"
#include "tsne/backend.hpp"
#include "umap/backend.hpp"
#include "waves/cuda.hpp"

/// The CUDA backend is a separate shared library, libdunlin_cuda.so, which libdunlin loads when a GPU is first
/// requested. libdunlin does not link CUDA, so one installation serves machines with and without a GPU.
namespace dunlin::backend {

/// Functions that libdunlin_cuda provides. They call functions of libdunlin under its private symbol version.
struct Table {
    const char* interface;  ///< version and hash of all headers; must equal libdunlin's

    decltype(&device::cuda_devices) cuda_devices;
    decltype(&device::cuda_device) cuda_device;
    decltype(&device::cuda_free_memory) cuda_free_memory;
    decltype(&device::cuda_held_memory) cuda_held_memory;
    decltype(&device::cuda_peak_memory) cuda_peak_memory;
    decltype(&device::reset_cuda_peak_memory) reset_cuda_peak_memory;
    decltype(&device::copy_to_gpu) copy_to_gpu;
    decltype(&device::copy_from_gpu) copy_from_gpu;

    decltype(&clusters::span_on_cuda) span_points;
    decltype(&communities::optimize_on_cuda) find_communities;
    decltype(&density::estimate_on_cuda) estimate_density;
    decltype(&io::sample_on_gpu) sample_rows;
    decltype(&io::narrow_on_gpu) narrow;
    decltype(&kmeans::hold_on_gpu) hold_on_gpu;
    decltype(&kmeans::measure_on_gpu) measure_rows;
    decltype(&kmeans::shard_on_gpu) shard_on_gpu;
    decltype(&layout::place_on_cuda) place_graph;
    decltype(&mds::place_on_cuda) place_items;
    decltype(&mds::place_by_landmark_rows_on_cuda) place_by_landmark_rows;
    decltype(&mds::transformed_stress1_on_cuda) transformed_stress1;
    decltype(&mds::stress_rows_on_cuda) stress_rows;
    decltype(&mixture::expect_on_gpu) expect_mixture;
    decltype(&neighbors::search_with_cuda) search;
    decltype(&neighbors::search_queries_with_cuda) search_queries;
    decltype(&scores::engine_on_cuda) score_engine;
    decltype(&sequences::compute_strings_on_cuda) compute_strings;
    decltype(&sequences::compute_tracks_on_cuda) compute_tracks;
    decltype(&tsne::descend_on_cuda) descend;
    decltype(&tsne::embed_on_cuda) embed;
    decltype(&umap::descend_on_cuda) descend_umap;
    decltype(&umap::embed_on_cuda) embed_umap;
    decltype(&pacmap::descend_on_cuda) descend_pacmap;
    decltype(&pacmap::embed_on_cuda) embed_pacmap;
    decltype(&parametric::train_on_cuda) train_network;
    decltype(&parametric::hold_on_cuda) hold_model;
    decltype(&surface::extract_floats_on_cuda) extract_surface_of_floats;
    decltype(&surface::extract_doubles_on_cuda) extract_surface_of_doubles;
    decltype(&surface::extract_resident_on_cuda) extract_resident_surface;
    placement::PlaceOnCuda<forces::StudentT>* place_by_student_t;
    placement::PlaceOnCuda<forces::GeneralStudentT>* place_by_general_student_t;
    placement::PlaceOnCuda<forces::Fuzzy>* place_by_fuzzy;
    placement::PlaceOnCuda<forces::FurtherPairs>* place_by_further_pairs;
    decltype(&reliability::curvature_on_cuda) find_curvature;
    decltype(&reliability::minima_on_cuda) find_minima;
    decltype(&waves::run_on_cuda) run_waves;
    decltype(&waves::run_rank_on_cuda) run_rank_of_waves;
};

/// The name of the function in libdunlin_cuda that returns its table: extern "C" const Table* ().
constexpr const char* table_symbol = "dunlin_cuda_table";

}  // namespace dunlin::backend
