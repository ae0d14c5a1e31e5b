// SPDX-License-Identifier: Apache-2.0
#include "device/gpus.hpp"
#include <algorithm>

#include <fmt/format.h>

#include <dunlin/error.hpp>

#include "device/ranks.hpp"

namespace dunlin::device {

namespace {

std::string place_of(const std::source_location& where) {
    const std::string_view path = where.file_name();
    return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), where.line());
}

double in_gb(std::uint64_t bytes) { return static_cast<double>(bytes) * 1e-9; }

}  // namespace

void fail_on_gpu(std::string_view message, const std::source_location& where) {
    throw Error(Fault::device_failure, fmt::format("the GPU reported '{}' ({})", message, place_of(where)));
}

void fail_for_gpu_memory(std::uint64_t wanted, std::uint64_t held, std::uint64_t available,
                         const std::source_location& where) {
    throw Error(
        Fault::out_of_memory,
        fmt::format("{:.3f} GB of GPU memory were wanted ({}) beside {:.3f} GB held, and {:.3f} GB are free; use "
                    "fewer points or neighbors, or device cpu",
                    in_gb(wanted), place_of(where), in_gb(held), in_gb(available)));
}

std::uint64_t gpu_allowance(const Run& run) {
    const std::uint64_t available = cuda_device(run.gpu()).free_memory / 20 * 19;
    return run.memory > 0 ? std::min(run.memory, available) : available;
}

void require_gpu_memory(std::uint64_t wanted, std::uint64_t allowed, std::string_view what) {
    if (wanted <= allowed) return;
    throw Error(Fault::out_of_memory,
                fmt::format("{} needs {:.3f} GB of GPU memory and {:.3f} GB may be taken{}; raise memory, use fewer "
                            "points or neighbors, or device cpu",
                            what, in_gb(wanted), in_gb(allowed),
                            Rank::current() != nullptr ? " on the GPU that has the least" : ""),
                {.option = "memory"});
}

void fail_without_gpu(int index, int count) {
    if (count == 0) {
        throw Error(Fault::no_device,
                    "device cuda: no NVIDIA GPU with a working driver was found; use device cpu or auto",
                    {.option = "device"});
    }
    throw Error(Fault::no_device,
                fmt::format("device cuda:{} is not there; this machine has {} GPU(s), numbered from 0", index, count),
                {.option = "device"});
}

}  // namespace dunlin::device

namespace dunlin {

std::vector<Gpu> gpus() {
    const int count = device::cuda_devices();
    std::vector<Gpu> all;
    all.reserve(static_cast<std::size_t>(count));
    for (int index = 0; index < count; ++index) all.push_back(device::cuda_device(index));
    return all;
}

}  // namespace dunlin
