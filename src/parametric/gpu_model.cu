// SPDX-License-Identifier: Apache-2.0
#include "parametric/gpu_model.cuh"

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>

#include "device/current_gpu.cuh"
#include "device/gpus.hpp"
#include "device/resident.cuh"
#include "neighbors/checks.hpp"
#include "parametric/layers.cuh"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::parametric {

namespace {

using device::Cuda, device::CudaBuffer;

constexpr Index most_rows_at_once = 16384;

/// The least row with a value that is not finite; a minimum of integers has no order.
struct LeastNotFinite {
    const float* values;
    Index cols, first;
    Index* least;
    __device__ void operator()(Offset i) const {
        if (!isfinite(values[i])) atomicMin(least, first + static_cast<Index>(i / cols));
    }
};

}  // namespace

ModelOnCuda::ModelOnCuda(Cuda& cuda, const Model& model) : dim_(model.dim()), scale_(static_cast<float>(model.scale)) {
    const Unit hidden = model.activation == Activation::relu ? Unit::relu : Unit::logistic;
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
        const Layer& layer = model.layers[l];
        LayerOnCuda& own = layers_.emplace_back();
        own.inputs = layer.inputs, own.outputs = layer.outputs;
        own.unit = l + 1 == model.layers.size() ? Unit::linear : hidden;
        cuda.upload(own.weights, layer.weights);
        cuda.upload(own.biases, layer.biases);
    }
    cuda.upload(prototypes_, model.prototypes);
    cuda.upload(shift_, std::vector<float>(model.shift.begin(), model.shift.end()));
    cuda.set(not_finite_, std::numeric_limits<Index>::max());
    part_ = rows_at_once(cuda);
}

/// A part keeps the GPU busy; its values take at most half of what is free. Asking for that takes as long as a part.
Index ModelOnCuda::rows_at_once(const Cuda& cuda) const {
    Offset widest = layers_.front().inputs;
    for (const LayerOnCuda& layer : layers_) widest = std::max<Offset>(widest, layer.outputs);
    const Offset of_row = 3 * widest * Offset{sizeof(float)};
    const auto most = static_cast<Offset>(device::allowance(cuda) / 2) / of_row;
    if (most < 1) {
        device::require_gpu_memory(static_cast<std::uint64_t>(2 * of_row), device::allowance(cuda),
                                   "a row in all layers of this model");
    }
    return static_cast<Index>(std::clamp<Offset>(most, 1, most_rows_at_once));
}

void ModelOnCuda::place_part(Cuda& cuda, const float* rows, Index first, Index count, float* places) {
    const Index cols = layers_.front().inputs;
    cuda.each(Offset{count} * cols, LeastNotFinite{rows, cols, first, cuda.address(not_finite_)});
    reserve(cuda, from_, Offset{count} * cols);
    normalize(cuda, {{rows, count, cols}, shift_.data(), scale_}, 0, count, from_.data());
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        const LayerOnCuda& layer = layers_[l];
        float* to = places;
        if (l + 1 < layers_.size() || prototypes_.size() > 0) {
            reserve(cuda, to_, Offset{count} * layer.outputs);
            to = to_.data();
        }
        multiply(cuda, numerics::DenseProduct{.rows = count,
                                              .cols = layer.outputs,
                                              .inner = layer.inputs,
                                              .a = {from_.data(), layer.inputs},
                                              .b = {layer.weights.data(), layer.outputs},
                                              .c = to});
        activate(cuda, to, count, layer.outputs, layer.biases.data(), layer.unit);
        std::swap(from_, to_);
    }
    if (prototypes_.size() > 0)
        place_by_prototypes(cuda, {prototypes_.data(), layers_.back().outputs, dim_}, from_.data(), count, places);
}

void ModelOnCuda::require_finite(Cuda& cuda) {
    const Index row = cuda.read(not_finite_);
    if (row == std::numeric_limits<Index>::max()) return;
    cuda.set(not_finite_, std::numeric_limits<Index>::max());
    neighbors::fail_for_not_finite(row);
}

void ModelOnCuda::place(Cuda& cuda, const float* rows, Index count, const Run& run, float* places) {
    const Index part = part_, cols = layers_.front().inputs;
    progress::ProgressReporter reporter(run, "transform", count);
    Pace<Cuda> pace;
    for (Index first = 0; first < count; first += part) {
        progress::cancellation_point();
        const Index here = std::min(part, count - first);
        place_part(cuda, rows + Offset{first} * cols, first, here, places + Offset{first} * dim());
        pace.step(cuda);
        reporter.tick(first + here);
    }
    require_finite(cuda);
}

void ModelOnCuda::place_host(Cuda& cuda, MatrixView<const float> rows, const Run& run, float* places) {
    const Index part = part_;
    progress::ProgressReporter reporter(run, "transform", rows.rows);
    CudaBuffer<float> on_gpu(static_cast<std::size_t>(rows.rows) * static_cast<std::size_t>(dim()), cuda.stream());
    for (Index first = 0; first < rows.rows; first += part) {
        progress::cancellation_point();
        const Index here = std::min(part, rows.rows - first);
        const Offset size = Offset{here} * rows.cols;
        reserve(cuda, rows_, size);
        cuda.copy_in(rows_.data(), rows.data + Offset{first} * rows.cols,
                     static_cast<std::size_t>(size) * sizeof(float));
        place_part(cuda, rows_.data(), first, here, on_gpu.data() + Offset{first} * dim());
        reporter.tick(first + here);
    }
    require_finite(cuda);
    cuda.copy_out(places, on_gpu.data(), on_gpu.size() * sizeof(float));
}

namespace {

class HeldOnCuda : public GpuModel {
public:
    HeldOnCuda(const Model& model, const Run& run) : gpu_(run.gpu()) {
        const device::CallersContext callers;  // the current device of the thread stays as it is
        cuda_.emplace(run);
        model_.emplace(*cuda_, model);
    }
    ~HeldOnCuda() override {
        const device::CallersContext callers;
        cudaSetDevice(gpu_);
        model_.reset();
        cuda_.reset();
    }

    void place(const device::InputPoints& rows, const Run& run, float* places) override {
        const std::lock_guard lock(mutex_);
        const device::CurrentGpu current(gpu_);
        if (!rows.is_resident()) return model_->place_host(*cuda_, rows.host(), run, places);
        CudaBuffer<float> on_gpu(size_of(rows.rows()), cuda_->stream());
        place_resident(rows.resident(), rows.rows(), rows.stream(), run, on_gpu.data());
        cuda_->copy_out(places, on_gpu.data(), on_gpu.size() * sizeof(float));
    }

    DeviceMatrix<float> place(const DeviceMatrixView<const float>& rows, const Run& run) override {
        const std::lock_guard lock(mutex_);
        const device::CurrentGpu current(gpu_);
        CudaBuffer<float> on_gpu(size_of(rows.rows), cuda_->stream());
        place_resident(rows.data, rows.rows, rows.stream, run, on_gpu.data());
        auto places = device::matrix_for_caller(*cuda_, on_gpu.data(), rows.rows, model_->dim());
        cuda_->wait();
        return places;
    }

private:
    [[nodiscard]] std::size_t size_of(Index rows) const {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(model_->dim());
    }
    void place_resident(const float* rows, Index count, void* stream, const Run& run, float* places) {
        if (count == 0) return;
        device::require_resident(*cuda_, rows);
        device::follow(*cuda_, stream);
        model_->place(*cuda_, rows, count, run, places);
    }

    int gpu_;
    std::optional<Cuda> cuda_;
    std::optional<ModelOnCuda> model_;
    std::mutex mutex_;  ///< one call at a time uses the stream and the buffers
};

}  // namespace

std::unique_ptr<GpuModel> backend::hold_on_cuda(const Model& model, const Run& run) {
    return std::make_unique<HeldOnCuda>(model, run);
}

}  // namespace dunlin::parametric
