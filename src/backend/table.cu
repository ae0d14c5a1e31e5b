// SPDX-License-Identifier: Apache-2.0
#include "backend/table.hpp"

#include "interface.hpp"

namespace dunlin::backend {

namespace {

constexpr Table table{
    .interface = DUNLIN_INTERFACE,
    .cuda_devices = &device::backend::cuda_devices,
    .cuda_device = &device::backend::cuda_device,
    .cuda_free_memory = &device::backend::cuda_free_memory,
    .cuda_held_memory = &device::backend::cuda_held_memory,
    .cuda_peak_memory = &device::backend::cuda_peak_memory,
    .reset_cuda_peak_memory = &device::backend::reset_cuda_peak_memory,
    .copy_to_gpu = &device::backend::copy_to_gpu,
    .copy_from_gpu = &device::backend::copy_from_gpu,
    .span_points = &clusters::backend::span_on_cuda,
    .find_communities = &communities::backend::optimize_on_cuda,
    .estimate_density = &density::backend::estimate_on_cuda,
    .sample_rows = &io::backend::sample_on_gpu,
    .narrow = &io::backend::narrow_on_gpu,
    .hold_on_gpu = &kmeans::backend::hold_on_gpu,
    .measure_rows = &kmeans::backend::measure_on_gpu,
    .shard_on_gpu = &kmeans::backend::shard_on_gpu,
    .place_graph = &layout::backend::place_on_cuda,
    .place_items = &mds::backend::place_on_cuda,
    .place_by_landmark_rows = &mds::backend::place_by_landmark_rows_on_cuda,
    .transformed_stress1 = &mds::backend::transformed_stress1_on_cuda,
    .stress_rows = &mds::backend::stress_rows_on_cuda,
    .expect_mixture = &mixture::backend::expect_on_gpu,
    .search = &neighbors::backend::search_with_cuda,
    .search_queries = &neighbors::backend::search_queries_with_cuda,
    .score_engine = &scores::backend::engine_on_cuda,
    .compute_strings = &sequences::backend::compute_strings_on_cuda,
    .compute_tracks = &sequences::backend::compute_tracks_on_cuda,
    .descend = &tsne::backend::descend_on_cuda,
    .embed = &tsne::backend::embed_on_cuda,
    .descend_umap = &umap::backend::descend_on_cuda,
    .embed_umap = &umap::backend::embed_on_cuda,
    .descend_pacmap = &pacmap::backend::descend_on_cuda,
    .embed_pacmap = &pacmap::backend::embed_on_cuda,
    .train_network = &parametric::backend::train_on_cuda,
    .hold_model = &parametric::backend::hold_on_cuda,
    .extract_surface_of_floats = &surface::backend::extract_floats_on_cuda,
    .extract_surface_of_doubles = &surface::backend::extract_doubles_on_cuda,
    .extract_resident_surface = &surface::backend::extract_resident_on_cuda,
    .place_by_student_t = &placement::backend::place_on_cuda<forces::StudentT>,
    .place_by_general_student_t = &placement::backend::place_on_cuda<forces::GeneralStudentT>,
    .place_by_fuzzy = &placement::backend::place_on_cuda<forces::Fuzzy>,
    .place_by_further_pairs = &placement::backend::place_on_cuda<forces::FurtherPairs>,
    .find_curvature = &reliability::backend::curvature_on_cuda,
    .find_minima = &reliability::backend::minima_on_cuda,
    .run_waves = &waves::backend::run_on_cuda,
    .run_rank_of_waves = &waves::backend::run_rank_on_cuda,
};

}  // namespace

}  // namespace dunlin::backend

extern "C" const dunlin::backend::Table* dunlin_cuda_table() { return &dunlin::backend::table; }
