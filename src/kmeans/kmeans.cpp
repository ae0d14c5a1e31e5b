// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include <dunlin/device.hpp>
#include <dunlin/error.hpp>
#include <dunlin/threads.hpp>

#include "checkpoint/inputs.hpp"
#include "checkpoint/session.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "device/ranks.hpp"
#include "kmeans/cluster_part.hpp"
#include "kmeans/cpu.hpp"
#include "kmeans/cuda.hpp"
#include "kmeans/d2_sampling.hpp"
#include "kmeans/resolve.hpp"
#include "kmeans/restarts.hpp"
#include "kmeans/sequential.hpp"
#include "kmeans/several_gpus.hpp"
#include "kmeans/sparse_lloyd.hpp"
#include "kmeans/start.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::kmeans {

namespace {

std::vector<Offset> counts_of(const std::vector<Index>& labels, Index clusters) {
    std::vector<Offset> counts(static_cast<std::size_t>(clusters));
    for (const Index label : labels) ++counts[static_cast<std::size_t>(label)];
    return counts;
}

/// What only dense rows have.
void check_sparse(const SparseView& points, Method method, const Run& run) {
    dunlin::check(points);
    device::require_cpu(run, "k-means of sparse rows is");
    if (method == Method::lloyd) return;
    throw Error(Fault::bad_input, "method sequential reads dense rows, and these are sparse; use method lloyd",
                {.option = "method"});
}

/// Rows in device memory at once: all, or the size of a piece, of which two are there at a time; 0 if not even a small
/// piece fits. Pieces are multiples of 1,024 rows, so that sums have the same blocks, and there are at least eight, so
/// that the copy of one overlaps with the work on another. `at_first`: number of candidate centroids of the start,
/// which needs all rows in device memory.
Index gpu_piece(MatrixView<const float> points, Index clusters, Offset at_first, const Run& run) {
    constexpr std::uint64_t block = 1024;
    const auto n = static_cast<std::uint64_t>(points.rows), cols = static_cast<std::uint64_t>(points.cols);
    const std::uint64_t for_row = 4 * cols + 2 * ((cols + 63) / 64 * 64) + 116;
    const auto always_for = [&](Offset centroids) {
        return 8 * n + 32 * (static_cast<std::uint64_t>(centroids) + 128) * (cols + 64);
    };
    const std::uint64_t allowed = device::gpu_allowance(run), always = always_for(clusters);
    if (always_for(std::max<Offset>(clusters, at_first)) + n * for_row <= allowed) return points.rows;
    if (always >= allowed) return 0;
    const std::uint64_t most = (allowed - always) / (for_row + 4 * cols) / block * block;
    return static_cast<Index>(std::min(most, (n / 8 + block) / block * block));
}

/// Whether a GPU is faster: an iteration on a CPU takes longer than starting the GPU.
bool gpu_gains(MatrixView<const float> points, Index clusters) {
    return static_cast<double>(points.size()) * clusters >= 1e8;
}

/// The device of a run and, on a GPU, the rows held at once. `automatic` takes a GPU only if it can hold all rows.
struct Placement {
    Device device;
    Index piece = 0;
};

Placement choose(MatrixView<const float> points, Index clusters, Offset at_first, const Run& run) {
    const Device device = device::choose(run, gpu_gains(points, clusters), {.what = "k-means in this call runs"});
    if (device == Device::cpu) return {device};
    const Index piece = gpu_piece(points, clusters, at_first, run);
    const bool in_pieces = run.device == Device::cuda && points.data != nullptr;  // resident points are held whole
    if (piece > 0 && (piece >= points.rows || in_pieces)) return {device, piece};
    if (run.device == Device::automatic) return {Device::cpu};
    throw Error(
        Fault::out_of_memory,
        fmt::format("k-means of {} x {} points and {} clusters needs more than the {} MB of GPU memory available, {}",
                    points.rows, points.cols, clusters, device::gpu_allowance(run) / 1000000,
                    points.data != nullptr ? "even with points in pieces; use device cpu"
                                           : "beside the points themselves; copy these to the host"));
}

Placement placement_of(MatrixView<const float> points, const Options& options, const Run& run, const Given& given) {
    const bool draws_many = options.start == Start::parallel && given.centroids.data == nullptr;
    const Offset at_first = draws_many ? most_candidates(options.clusters) : 0;
    if (options.method == Method::lloyd) return choose(points, options.clusters, at_first, run);
    if (run.device == Device::cuda) {
        throw Error(Fault::bad_input,
                    "method sequential runs on one thread of the CPU; use device cpu or auto, or method lloyd",
                    {.option = "device"});
    }
    return {Device::cpu};
}

std::uint64_t bytes_of_given_start(Offset rows, Offset values, const Options& options, const Given& given) {
    return given.centroids.data != nullptr ? 0 : bytes_of_start(rows, values, options.clusters, options.start);
}

/// measure, where the points are.
Scales measured_scales(device::Cpu& cpu, const Rows& rows, const device::InputPoints& input, const Run& run) {
    return input.is_resident() ? measure_on_gpu(cpu, rows, run, input) : measure(cpu, rows);
}

/// What a result depends on beyond the points, for a checkpoint.
void add_givens(checkpoint::Key& key, Device device, const Options& options, const Given& given) {
    key.add("device", std::string(name_of(device)));
    key.add_options(options);
    if (given.centroids.data != nullptr) key.add_input("centroids", given.centroids);
    if (!given.weights.empty()) key.add_input("weights", given.weights);
}

/// A resolved call.
struct Task {
    Options options;
    Placement placement;
};

Task task_of(MatrixView<const float> points, const Options& wanted, const Run& run, const Given& given) {
    const Options options = resolve(points.rows, points.cols, wanted, given);
    return {options, placement_of(points, options, run, given)};
}

/// Fills in how a result was computed.
void describe(Result& result, const Options& options, Device device, const Run& run) {
    result.counts = counts_of(result.labels, options.clusters);
    result.options = options;
    result.engines = {{"iteration", name_of(options.method), 0}};
    device::complete(result, device, run);
    result.threads = options.method == Method::sequential ? 1 : usable_threads(run.threads);
}

/// more: as of cluster_part().
Result cluster_task(const device::InputPoints& input, const Task& task, const Run& run, const Given& given,
                    const std::vector<float>& more = {}) {
    const MatrixView<const float> points = input.host();
    const auto& [options, placement] = task;
    Result result;
    device::Cpu cpu(run);
    const Rows rows{points, given.weights, options.metric};
    if (placement.device == Device::cpu) {
        // the distances of k-means++ are released before the labels are allocated
        const std::uint64_t start = bytes_of_given_start(points.rows, points.size(), options, given);
        device::require_memory(run, std::max(start, bytes_of_cpu_lloyd(rows, options.clusters, cpu.threads())),
                               "k-means");
    }
    if (placement.device == Device::cuda) device::reset_cuda_peak_memory();
    progress::Stopwatch watch;
    Scales scales;
    const bool measured = progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "start", options.clusters);
        scales = measured_scales(cpu, rows, input, run);
    });
    if (!measured) result.stopped = Stopped::cancelled;
    require_not_tiny(scales);
    const double least_shift = options.tolerance.value_or(0) * scales.variance;
    std::unique_ptr<GpuLloyd> gpu;
    if (placement.device == Device::cuda && measured) gpu = hold_on_gpu(cpu, rows, scales, placement.piece, run, input);
    const auto start = [&](std::uint64_t seed) {
        return gpu ? gpu->start(options.clusters, options.start, seed)
                   : start_centroids(cpu, rows, options.clusters, options.start, seed, run);
    };
    const auto once = [&](std::vector<float> centroids, checkpoint::Loop& loop) {
        const auto run_by = [&](auto&& backend) {
            run_once(backend, points.rows, options, least_shift, points.cols, run, loop, result);
        };
        if (options.method == Method::sequential) {
            run_by(Sequential(rows, std::move(centroids)));
        } else if (gpu) {
            keep_if_better(gpu->iterate(centroids, options, least_shift, loop), points.cols, result);
        } else {
            run_by(CpuLloyd(cpu, rows, scales, std::move(centroids)));
        }
    };
    run_all(points, options, {given, more}, run, watch, result, start, once);
    describe(result, options, placement.device, run);
    return result;
}

Result cluster_anywhere(const device::InputPoints& input, const Options& wanted, const Run& given_run,
                        const Given& given) {
    const Run run = checkpoint::without_checkpoint(given_run);
    const Task task = task_of(input.host(), wanted, run, given);
    checkpoint::Session session(given_run, "k-means", [&](checkpoint::Key& key) {
        add_givens(key, task.placement.device, task.options, given);
        checkpoint::add_points(key, input, run);
    });
    Result result = cluster_task(input, task, run, given);
    session.complete(result);
    return result;
}

void check_centroids(MatrixView<const float> points, MatrixView<const float> centroids) {
    check_points(points.rows, points.cols);
    if (centroids.rows >= 1 && centroids.cols == points.cols) return;
    throw Error(Fault::bad_input,
                fmt::format("the centroids are {} x {}; there must be at least one, with {} columns like the points",
                            centroids.rows, centroids.cols, points.cols));
}

/// One assignment by a backend of lloyd.hpp.
template <class Backend>
    requires LabelingBackend<std::remove_cvref_t<Backend>>
Assignment assigned(Backend&& backend, Index clusters) {
    const double inertia = backend.assign(true).inertia;
    std::vector<Index> labels = backend.take_labels();
    std::vector<Offset> counts = counts_of(labels, clusters);
    return {std::move(labels), std::move(counts), inertia};
}

Assignment assign_anywhere(const device::InputPoints& input, MatrixView<const float> centroids, Metric metric,
                           const Run& run) {
    const MatrixView<const float> points = input.host();
    check_centroids(points, centroids);
    const Placement placement = choose(points, centroids.rows, 0, run);
    device::Cpu cpu(run);
    const Rows rows{points, {}, metric};
    std::vector<float> nearest_to = checked_centroids(centroids, metric);
    if (placement.device == Device::cuda) {
        const Scales scales = measured_scales(cpu, rows, input, run);
        const Options options{.clusters = centroids.rows, .metric = metric, .iterations = 0};
        checkpoint::Loop none;
        LloydResult found =
            hold_on_gpu(cpu, rows, scales, placement.piece, run, input)->iterate(nearest_to, options, 0, none);
        std::vector<Offset> counts = counts_of(found.labels, centroids.rows);
        return {std::move(found.labels), std::move(counts), found.inertia};
    }
    device::require_memory(run, bytes_of_cpu_lloyd(rows, centroids.rows, cpu.threads()), "k-means");
    Assignment result;
    progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "optimize", 1);
        const Scales scales = measure(cpu, rows);
        result = assigned(CpuLloyd(cpu, rows, scales, std::move(nearest_to)), centroids.rows);
    });
    return result;
}

/// One label per row, in the memory of the GPU.
DeviceMatrix<Index> on_gpu(const std::vector<Index>& labels, int gpu) {
    return device::matrix_on_gpu(std::span(labels), static_cast<Index>(labels.size()), 1, gpu);
}

}  // namespace

Result cluster(MatrixView<const float> points, const Options& options, const Run& run, const Given& given) {
    const bool several = device::names_several(run) && options.method == Method::lloyd;
    if (!several) return cluster_anywhere(points, options, run, given);
    device::refuse_checkpoint_of_several(run);
    const bool gains = gpu_gains(points, options.clusters);
    if (device::choose(run, gains, device::several_gpus) == Device::cuda)
        return cluster_on_gpus(points, options, run, given);
    return cluster_anywhere(points, options, device::on_one_gpu(run), given);
}

Result cluster_part(MatrixView<const float> points, const Options& options, const Run& run,
                    const std::vector<float>& more) {
    return cluster_task(points, task_of(points, options, run, {}), run, {}, more);
}

Device device_of_part(MatrixView<const float> points, const Options& options, const Run& run) {
    return task_of(points, options, run, {}).placement.device;
}

void describe_part(Result& result, MatrixView<const float> points, const Options& options, const Run& run) {
    const Task task = task_of(points, options, run, {});
    describe(result, task.options, task.placement.device, run);
}

Result cluster(const SparseView& points, const Options& wanted, const Run& given_run, const Given& given) {
    const Run run = checkpoint::without_checkpoint(given_run);
    check_sparse(points, wanted.method, run);
    const Options options = resolve(points.rows, points.cols, wanted, given);
    checkpoint::Session session(given_run, "k-means", [&](checkpoint::Key& key) {
        add_givens(key, Device::cpu, options, given);
        checkpoint::add_points(key, points, run);
    });
    device::Cpu cpu(run);
    const std::uint64_t of_start =
        bytes_of_given_start(points.rows, values_of_sparse(points.nonzeros()), options, given);
    device::require_memory(
        run, std::max(of_start, bytes_of_sparse_lloyd(points, options.clusters, options.metric, cpu.threads())),
        "k-means");
    progress::Stopwatch watch;
    Result result;
    std::optional<SparseInput> rows;
    Scales scales;
    const bool measured = progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "start", options.clusters);
        rows.emplace(cpu, points, given.weights, options.metric);
        scales = measure(cpu, *rows);
    });
    if (!measured) result.stopped = Stopped::cancelled;
    require_not_tiny(scales);
    const double least_shift = options.tolerance.value_or(0) * scales.variance;
    const auto start = [&](std::uint64_t seed) {
        return start_centroids(cpu, *rows, options.clusters, options.start, seed, run);
    };
    const auto once = [&](std::vector<float> centroids, checkpoint::Loop& loop) {
        run_once(SparseLloyd(cpu, *rows, scales, std::move(centroids)), points.rows, options, least_shift, points.cols,
                 run, loop, result);
    };
    run_all({nullptr, points.rows, points.cols}, options, {given}, run, watch, result, start, once);
    describe(result, options, Device::cpu, run);
    session.complete(result);
    return result;
}

DeviceResult cluster(const DeviceMatrixView<const float>& points, const Options& options, const Run& run,
                     const Given& given) {
    DeviceResult result{cluster_anywhere(points, options, device::run_on_gpu_of(points, run), given), {}, {}};
    result.device_labels = on_gpu(std::exchange(result.labels, {}), points.gpu);
    const MatrixView<const float> centroids = result.centroids.view();
    result.device_centroids =
        device::matrix_on_gpu(std::span(centroids.data, static_cast<std::size_t>(centroids.size())), centroids.rows,
                              centroids.cols, points.gpu);
    result.centroids = {};
    return result;
}

Assignment assign(MatrixView<const float> points, MatrixView<const float> centroids, Metric metric, const Run& run) {
    return assign_anywhere(points, centroids, metric, run);
}

Assignment assign(const SparseView& points, MatrixView<const float> centroids, Metric metric, const Run& run) {
    check_sparse(points, Method::lloyd, run);
    check_centroids({nullptr, points.rows, points.cols}, centroids);
    device::Cpu cpu(run);
    device::require_memory(run, bytes_of_sparse_lloyd(points, centroids.rows, metric, cpu.threads()), "k-means");
    Assignment result;
    progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "optimize", 1);
        const SparseInput rows(cpu, points, {}, metric);
        const Scales scales = measure(cpu, rows);
        result = assigned(SparseLloyd(cpu, rows, scales, checked_centroids(centroids, metric)), centroids.rows);
    });
    return result;
}

DeviceAssignment assign(const DeviceMatrixView<const float>& points, MatrixView<const float> centroids, Metric metric,
                        const Run& run) {
    Assignment found = assign_anywhere(points, centroids, metric, device::run_on_gpu_of(points, run));
    return {on_gpu(found.labels, points.gpu), std::move(found.counts), found.inertia};
}

}  // namespace dunlin::kmeans
