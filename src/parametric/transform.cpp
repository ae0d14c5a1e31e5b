// SPDX-License-Identifier: Apache-2.0
#include <dunlin/parametric.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/error.hpp>

#include "device/choose.hpp"
#include "device/cpu.hpp"
#include "device/memory.hpp"
#include "math/at.hpp"
#include "neighbors/checks.hpp"
#include "numerics/tiled_product.hpp"
#include "parametric/backend.hpp"
#include "parametric/prototypes.hpp"
#include "parametric/units.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::parametric {

namespace {

/// Rows that a thread takes through all layers at once. Every product has this many rows, at the end some of zeros, so
/// that a row is computed in the same way wherever it is.
constexpr Index rows_of_block = 128;

/// Memory of one thread: the values of a block before and after a layer.
struct BlockValues {
    std::vector<float> from, to;
};

void transform_block(const Model& model, const float* shift, MatrixView<const float> rows, Offset begin, Offset end,
                     BlockValues& block, float* out) {
    const Index cols = rows.cols;
    for (Offset r = begin; r < end; ++r) {
        const auto row = rows.row(static_cast<Index>(r));
        if (!std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); }))
            neighbors::fail_for_not_finite(static_cast<Index>(r));
        normalize(row.data(), shift, static_cast<float>(model.scale), cols, block.from.data() + (r - begin) * cols);
    }
    std::fill(block.from.begin() + (end - begin) * cols, block.from.begin() + Offset{rows_of_block} * cols, 0.0F);
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
        progress::cancellation_point();
        const Layer& layer = model.layers[l];
        numerics::multiply_here({.rows = rows_of_block,
                                 .cols = layer.outputs,
                                 .inner = layer.inputs,
                                 .a = {block.from.data(), layer.inputs},
                                 .b = {layer.weights.data(), layer.outputs},
                                 .c = block.to.data()});
        const bool is_last = l + 1 == model.layers.size();
        const Unit hidden = model.activation == Activation::relu ? Unit::relu : Unit::logistic;
        for (Index r = 0; r < rows_of_block; ++r) {
            activate(block.to.data() + Offset{r} * layer.outputs, layer.biases.data(), layer.outputs,
                     is_last ? Unit::linear : hidden);
        }
        std::swap(block.from, block.to);
    }
    if (model.prototypes.empty()) {
        std::copy_n(block.from.data(), (end - begin) * model.dim(), out + begin * model.dim());
        return;
    }
    const MatrixView<const float> prototypes{model.prototypes.data(), model.layers.back().outputs, model.dim()};
    for (Offset r = begin; r < end; ++r)
        place_row(prototypes, block.from.data() + (r - begin) * prototypes.rows, out + r * prototypes.cols);
}

Index widest_of(const Model& model) {
    Index widest = model.cols();
    for (const Layer& layer : model.layers) widest = std::max(widest, layer.outputs);
    return widest;
}

void require_columns(const Model& model, Index rows, Index cols) {
    if (cols == model.cols() || rows == 0) return;
    throw Error(Fault::bad_input, fmt::format("the rows have {} columns, and the model was trained on {}; give rows of "
                                              "the same columns",
                                              cols, model.cols()));
}

/// Number of multiplications that one row takes.
Offset products_of(const Model& model) {
    Offset products = 0;
    for (const Layer& layer : model.layers) products += Offset{layer.inputs} * layer.outputs;
    return products;
}

/// A GPU needs some tenths of a second before its first call, in which two cores make this many products.
bool pays_on_gpu(const Model& model, Index rows) {
    constexpr double products_of_start = 5e9;
    return static_cast<double>(products_of(model)) * rows >= products_of_start;
}

Device device_of(const Model& model, Index rows, const Run& run) {
    return device::choose(run, pays_on_gpu(model, rows), {.what = "a network is applied"});
}

Map transform_on_cpu(const Model& model, MatrixView<const float> rows, const Run& run) {
    device::Cpu cpu(run);
    const std::size_t width = at(rows_of_block) * at(widest_of(model));
    device::require_memory(run, sizeof(float) * (at(rows.rows) * at(model.dim()) + 2 * width * at(cpu.threads())),
                           fmt::format("the places of {} rows", rows.rows));
    Map map{model.dim(), std::vector<float>(at(rows.rows) * at(model.dim()))};
    const std::vector<float> shift(model.shift.begin(), model.shift.end());
    std::vector<BlockValues> workers(at(cpu.threads()));
    const bool done = progress::run_cancellable(run.stop, [&] {
        // In parts, between which there is progress
        const Offset part = Offset{rows_of_block} * cpu.threads() * 4;
        progress::ProgressReporter reporter(run, "transform", rows.rows);
        for (Offset first = 0; first < rows.rows; first += part) {
            const Offset count = std::min<Offset>(part, rows.rows - first);
            cpu.blocks(count, rows_of_block, [&](Offset begin, Offset end, int worker) {
                BlockValues& block = workers[at(worker)];
                if (block.from.empty()) block = {std::vector<float>(width), std::vector<float>(width)};
                transform_block(model, shift.data(), rows, first + begin, first + end, block, map.coordinates.data());
            });
            reporter.tick(first + count);
        }
    });
    if (!done) map.coordinates.clear();
    return map;
}

Map transform_on_gpu(GpuModel& held, int dim, MatrixView<const float> rows, const Run& run) {
    device::require_memory(run, sizeof(float) * at(rows.rows) * at(dim),
                           fmt::format("the places of {} rows", rows.rows));
    Map map{dim, std::vector<float>(at(rows.rows) * at(dim))};
    const bool done = progress::run_cancellable(
        run.stop, [&] { held.place(device::InputPoints(rows), run, map.coordinates.data()); });
    if (!done) map.coordinates.clear();
    return map;
}

}  // namespace

Map transform(const Model& model, MatrixView<const float> rows, const Run& run) {
    const Device device = device_of(model, rows.rows, run);
    check(model);
    require_columns(model, rows.rows, rows.cols);
    if (device == Device::cpu) return transform_on_cpu(model, rows, run);
    const std::unique_ptr<GpuModel> held = hold_on_cuda(model, run);
    return transform_on_gpu(*held, model.dim(), rows, run);
}

struct HeldModel::OnDevice {
    Model model;
    Device device = Device::cpu;
    int gpu = 0;
    std::unique_ptr<GpuModel> on_gpu;
};

HeldModel::HeldModel(Model model, const Run& run, Index rows) : state_(std::make_unique<OnDevice>()) {
    state_->device = device_of(model, rows, run);
    check(model);
    state_->model = std::move(model);
    if (state_->device == Device::cpu) return;
    state_->gpu = run.gpu();
    state_->on_gpu = hold_on_cuda(state_->model, run);
}

HeldModel::~HeldModel() = default;
HeldModel::HeldModel(HeldModel&&) noexcept = default;
HeldModel& HeldModel::operator=(HeldModel&&) noexcept = default;

Device HeldModel::device() const { return state_->device; }

Map HeldModel::transform(MatrixView<const float> rows, const Run& run) const {
    require_columns(state_->model, rows.rows, rows.cols);
    if (state_->on_gpu != nullptr) return transform_on_gpu(*state_->on_gpu, state_->model.dim(), rows, run);
    return transform_on_cpu(state_->model, rows, run);
}

DeviceMatrix<float> HeldModel::transform(const DeviceMatrixView<const float>& rows, const Run& run) const {
    require_columns(state_->model, rows.rows, rows.cols);
    if (state_->on_gpu == nullptr || rows.gpu != state_->gpu) {
        throw Error(
            Fault::bad_input,
            fmt::format("the rows are in the memory of GPU {}, and the model is {}; hold it there", rows.gpu,
                        state_->on_gpu == nullptr ? std::string("on the CPU") : fmt::format("on GPU {}", state_->gpu)));
    }
    DeviceMatrix<float> places(0, state_->model.dim(), rows.gpu, nullptr);
    progress::run_cancellable(run.stop, [&] { places = state_->on_gpu->place(rows, run); });
    return places;
}

}  // namespace dunlin::parametric
