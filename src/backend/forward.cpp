// SPDX-License-Identifier: Apache-2.0
// Forwarding functions of libdunlin: each calls the function of the same name in libdunlin_cuda.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/gpus.hpp>

#include "backend/load.hpp"

namespace dunlin {

namespace {

using backend::load, backend::loaded;

/// Throws Error{no_device} without the backend.
const backend::Table& there() {
    if (const backend::Table* const table = load()) return *table;
    throw Error(Fault::no_device, fmt::format("device cuda: {}; or use device cpu", backend::why_not_loaded()),
                {.option = "device"});
}

}  // namespace

namespace device {

int cuda_devices() { return load() != nullptr ? load()->cuda_devices() : 0; }

Gpu cuda_device(int index) { return there().cuda_device(index); }

std::uint64_t cuda_free_memory(int index) { return there().cuda_free_memory(index); }

// A backend that is not loaded holds no memory; these functions do not load it

std::uint64_t cuda_held_memory() { return loaded() != nullptr ? loaded()->cuda_held_memory() : 0; }

std::uint64_t cuda_peak_memory() { return loaded() != nullptr ? loaded()->cuda_peak_memory() : 0; }

void reset_cuda_peak_memory() {
    if (loaded() != nullptr) loaded()->reset_cuda_peak_memory();
}

std::shared_ptr<void> copy_to_gpu(const void* values, std::size_t bytes, int gpu) {
    return there().copy_to_gpu(values, bytes, gpu);
}

void copy_from_gpu(void* to, const DeviceMatrixView<const float>& from) { there().copy_from_gpu(to, from); }

}  // namespace device

bool clusters::span_on_cuda(MatrixView<const float> points, const spanning::PointSource& source, double scale,
                            const Run& run, Result& result, std::vector<hierarchy::Edge>& edges) {
    return there().span_points(points, source, scale, run, result, edges);
}

void communities::optimize_on_cuda(const UndirectedGraph& graph, std::vector<Index> from, const Run& run,
                                   progress::Stopwatch& watch, Result& result) {
    there().find_communities(graph, std::move(from), run, watch, result);
}

density::CudaResult density::estimate_on_cuda(const device::InputPoints& map, const Options& options, const Run& run,
                                              const Given& given) {
    return there().estimate_density(map, options, run, given);
}

std::vector<double> io::sample_on_gpu(const ForeignOnGpu& foreign, Index rows) {
    return there().sample_rows(foreign, rows);
}

io::NarrowedOnGpu io::narrow_on_gpu(const ForeignOnGpu& foreign, const std::vector<double>& shift) {
    return there().narrow(foreign, shift);
}

std::unique_ptr<kmeans::GpuLloyd> kmeans::hold_on_gpu(device::Cpu& cpu, const Rows& rows, const Scales& scales,
                                                      Index piece, const Run& run, const device::InputPoints& points) {
    return there().hold_on_gpu(cpu, rows, scales, piece, run, points);
}

kmeans::Scales kmeans::measure_on_gpu(device::Cpu& cpu, const Rows& rows, const Run& run,
                                      const device::InputPoints& points) {
    return there().measure_rows(cpu, rows, run, points);
}

std::unique_ptr<kmeans::ShardGpu> kmeans::shard_on_gpu(const Run& run) { return there().shard_on_gpu(run); }

layout::LayoutOutput layout::place_on_cuda(const LayoutInput& task, const Options& options, const Run& run) {
    return there().place_graph(task, options, run);
}

mds::ScalingOutput mds::place_on_cuda(const ScalingInput& task) { return there().place_items(task); }

mds::ScalingOutput mds::place_by_landmark_rows_on_cuda(const OnDemandInput& input) {
    return there().place_by_landmark_rows(input);
}

double mds::transformed_stress1_on_cuda(const Dissimilarities& items, const Map& map, Transform transform,
                                        const Matrix* weights, const Run& run) {
    return there().transformed_stress1(items, map, transform, weights, run);
}

std::vector<stress::StressSums> mds::stress_rows_on_cuda(const Dissimilarities& items, const Map& map,
                                                         std::span<const Index> rows, const Run& run) {
    return there().stress_rows(items, map, rows, run);
}

std::unique_ptr<mixture::GpuExpectations> mixture::expect_on_gpu(MatrixView<const float> points, Covariance covariance,
                                                                 Index components, const Run& run) {
    return there().expect_mixture(points, covariance, components, run);
}

neighbors::DeviceResult neighbors::search_with_cuda(const device::InputPoints& points, Index k, Metric metric,
                                                    const SearchParameters& parameters, const Run& run) {
    return there().search(points, k, metric, parameters, run);
}

neighbors::Result neighbors::search_queries_with_cuda(MatrixView<const float> points, const float* on_gpu,
                                                      MatrixView<const float> queries, Index k, Metric metric,
                                                      const SearchParameters& parameters, const Run& run) {
    return there().search_queries(points, on_gpu, queries, k, metric, parameters, run);
}

std::unique_ptr<scores::ScoreEngine> scores::engine_on_cuda(MatrixView<const float> points, neighbors::Metric metric,
                                                            const Run& run) {
    return there().score_engine(points, metric, run);
}

void sequences::compute_strings_on_cuda(const StringArrays& items, const PairTask& task, const Run& run) {
    there().compute_strings(items, task, run);
}

void sequences::compute_tracks_on_cuda(const TrackArrays& items, const PairTask& task, const Run& run) {
    there().compute_tracks(items, task, run);
}

tsne::Descent tsne::descend_on_cuda(const Graph& affinities, const Map& start, const Given& given,
                                    const Options& options, const Run& run) {
    return there().descend(affinities, start, given, options, run);
}

tsne::Result tsne::embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options,
                                 const Run& run) {
    return there().embed(points, given, options, run);
}

umap::Descent umap::descend_on_cuda(const Graph& memberships, const Map& start, const Given& given,
                                    const Options& options, const Run& run) {
    return there().descend_umap(memberships, start, given, options, run);
}

umap::Result umap::embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options,
                                 const Run& run) {
    return there().embed_umap(points, given, options, run);
}

pacmap::Descent pacmap::descend_on_cuda(const Pairs<Graph>& pairs, const Map& start, const Given& given,
                                        const Options& options, const Run& run) {
    return there().descend_pacmap(pairs, start, given, options, run);
}

pacmap::Result pacmap::embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options,
                                     const Run& run) {
    return there().embed_pacmap(points, given, options, run);
}

parametric::Result parametric::train_on_cuda(MatrixView<const float> points, const Options& resolved,
                                             const PointStatistics& statistics, const Run& run) {
    return there().train_network(points, resolved, statistics, run);
}

std::unique_ptr<parametric::GpuModel> parametric::hold_on_cuda(const Model& model, const Run& run) {
    return there().hold_model(model, run);
}

surface::MeshSizes surface::extract_floats_on_cuda(const FieldView<float>& grid, const Options& options, const Run& run,
                                                   Mesh& mesh, Seconds& seconds) {
    return there().extract_surface_of_floats(grid, options, run, mesh, seconds);
}

surface::MeshSizes surface::extract_doubles_on_cuda(const FieldView<double>& grid, const Options& options,
                                                    const Run& run, Mesh& mesh, Seconds& seconds) {
    return there().extract_surface_of_doubles(grid, options, run, mesh, seconds);
}

void surface::extract_resident_on_cuda(const DeviceFieldView& grid, const Options& options, const Run& run,
                                       DeviceResult& result) {
    there().extract_resident_surface(grid, options, run, result);
}

void placement::place_on_cuda(const PlaceTask& task, const MapLoss<forces::StudentT>& loss, const Run& run,
                              Result& placed) {
    there().place_by_student_t(task, loss, run, placed);
}

void placement::place_on_cuda(const PlaceTask& task, const MapLoss<forces::GeneralStudentT>& loss, const Run& run,
                              Result& placed) {
    there().place_by_general_student_t(task, loss, run, placed);
}

void placement::place_on_cuda(const PlaceTask& task, const MapLoss<forces::Fuzzy>& loss, const Run& run,
                              Result& placed) {
    there().place_by_fuzzy(task, loss, run, placed);
}

void placement::place_on_cuda(const PlaceTask& task, const MapLoss<forces::FurtherPairs>& loss, const Run& run,
                              Result& placed) {
    there().place_by_further_pairs(task, loss, run, placed);
}

reliability::Curvature reliability::curvature_on_cuda(const Graph& affinities, const Map& map, const MapField& field,
                                                      const Run& run) {
    return there().find_curvature(affinities, map, field, run);
}

reliability::Minima reliability::minima_on_cuda(const LeftOutTask& task, const Run& run,
                                                progress::ProgressReporter* reporter) {
    return there().find_minima(task, run, reporter);
}

void waves::run_on_cuda(const Problem& problem, State start, const Given& given, const Run& run, Result& result) {
    there().run_waves(problem, std::move(start), given, run, result);
}
void waves::run_rank_on_cuda(const Problem& problem, State& values, const Given& given, const Run& run,
                             Result& result) {
    there().run_rank_of_waves(problem, values, given, run, result);
}

std::string why_no_gpu() {
    if (load() == nullptr) return backend::why_not_loaded();
    return device::cuda_devices() > 0 ? "" : "no NVIDIA GPU with a working driver was found";
}

}  // namespace dunlin
