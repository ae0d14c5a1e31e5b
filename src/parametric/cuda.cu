// SPDX-License-Identifier: Apache-2.0
#include "parametric/batch_loss.cuh"
#include "parametric/layers.cuh"
#include "parametric/training_parts.cuh"
#include "parametric/whole_loss.cuh"

#include "device/gpus.hpp"
#include "device/points.cuh"
#include "parametric/backend.hpp"
#include "parametric/gpu_model.cuh"
#include "parametric/training.hpp"

namespace dunlin::parametric {

using device::Cuda;

Result backend::train_on_cuda(MatrixView<const float> points, const Options& resolved,
                              const PointStatistics& statistics, const Run& run) {
    Cuda cuda(run);
    const std::uint64_t of_points = static_cast<std::uint64_t>(points.size()) * sizeof(float);
    const std::uint64_t allowed = device::allowance(cuda);
    device::require_gpu_memory(std::max(2 * of_points, of_points + bytes_of(resolved, points.rows, points.cols)),
                               allowed, "training on this many points");
    Result result;
    progress::Stopwatch watch;
    const device::DevicePoints held = device::hold_points(cuda, points);
    result.seconds["copy"] = watch.lap();
    Training<Cuda> training(cuda, {held.values(), points.rows, points.cols}, resolved, statistics, run);
    const bool done = training.run_all(result, [&](const Model& model, const Run& rest) {
        ModelOnCuda network(cuda, model);
        device::CudaBuffer<float> places(static_cast<std::size_t>(points.rows) * static_cast<std::size_t>(model.dim()),
                                         cuda.stream());
        const bool placed = progress::run_cancellable(
            rest.stop, [&] { network.place(cuda, held.values(), points.rows, rest, places.data()); });
        return placed ? Map{model.dim(), cuda.host(places)} : Map{model.dim(), {}};
    });
    if (!done) result.stopped = Stopped::cancelled;
    return result;
}

}  // namespace dunlin::parametric
