// SPDX-License-Identifier: Apache-2.0
#include "device/resident.hpp"

#include <fmt/format.h>

#include <dunlin/device.hpp>
#include <dunlin/error.hpp>

#include "device/gpus.hpp"

namespace dunlin::device {

Run run_on_gpu_of(const DeviceMatrixView<const float>& points, const Run& run) {
    if (run.device == Device::cpu) {
        throw Error(Fault::bad_input,
                    fmt::format("the points are in the memory of GPU {}, and device is cpu; take device auto or cuda, "
                                "or copy them to the host",
                                points.gpu),
                    {.option = "device"});
    }
    if (!run.gpus.empty() && (run.gpus.size() > 1 || run.gpu() != points.gpu)) {
        throw Error(Fault::bad_input,
                    fmt::format("the points are in the memory of GPU {0}, and another one is named; name GPU {0} or "
                                "none",
                                points.gpu),
                    {.option = "gpus"});
    }
    cuda_device(points.gpu);
    Run there = run;
    there.device = Device::cuda;
    there.gpus = {points.gpu};
    return there;
}

void fail_for_foreign_pointer(int gpu) {
    throw Error(Fault::bad_input,
                fmt::format("the points are not in the memory of GPU {}; give the number of the GPU that has them, or "
                            "a matrix in host memory",
                            gpu));
}

}  // namespace dunlin::device

namespace dunlin {

Matrix copy_to_host(const DeviceMatrixView<const float>& matrix) {
    std::vector<float> values(static_cast<std::size_t>(matrix.size()));
    if (!values.empty()) device::copy_from_gpu(values.data(), matrix);
    return {matrix.rows, matrix.cols, std::move(values)};
}

}  // namespace dunlin
