// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <dunlin/check.hpp>
#include <dunlin/device.hpp>
#include <dunlin/error.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/fail.hpp"
#include "device/gpus.hpp"
#include "device/resident.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "surface/cuda.hpp"
#include "surface/problem.hpp"

namespace dunlin::surface {

namespace {

/// Values of a density on its grid, the first axis in sequence.
DeviceFieldView view_on(const ScalarField& grid, const DeviceMatrix<float>& values, const char* what) {
    if (values.data() == nullptr) {
        throw Error(Fault::bad_input, fmt::format("there is no {} on the GPU: the map has no points, the estimate was "
                                                  "stopped, or no values were given for a mean",
                                                  what));
    }
    if (grid.dim != 3) {
        throw Error(Fault::bad_input,
                    fmt::format("the {} has {} dimensions; a surface is of 3, take contours", what, grid.dim));
    }
    const Offset row = grid.nodes[0];
    return {.nodes = grid.nodes,
            .values = values.data(),
            .strides = {1, row, row * grid.nodes[1]},
            .spacing = {grid.spacing, grid.spacing, grid.spacing},
            .origin = grid.origin,
            .gpu = values.gpu()};
}

}  // namespace

DeviceFieldView field_of(const density::DeviceResult& density) {
    return view_on(density.field, density.device_field, "field");
}

DeviceFieldView mean_of(const density::DeviceResult& density) {
    return view_on(density.mean, density.device_mean, "mean");
}

DeviceResult extract(const DeviceFieldView& grid, const Options& options, const Run& run) {
    options::check(options);
    if (!options.seeds.empty()) device::bad_option("seeds", "seeds are for fields in host memory; give none");
    FieldView<float> as_on_host{grid.nodes, {}, grid.spacing, grid.origin};
    if (grid.values != nullptr) as_on_host.values = {grid.values, at(as_on_host.size())};
    check(as_on_host);
    const Run there = device::run_on_gpu_of({grid.values, 1, 1, grid.gpu, grid.stream}, run);
    device::check(there);
    device::reset_cuda_peak_memory();
    DeviceResult result;
    result.stopped = Stopped::converged;
    const bool is_done =
        progress::run_cancellable(there.stop, [&] { extract_resident_on_cuda(grid, options, there, result); });
    if (!is_done) {
        result = {};
        result.stopped = Stopped::cancelled;
    }
    result.options = options;
    device::complete(result, Device::cuda, there);
    return result;
}

}  // namespace dunlin::surface
