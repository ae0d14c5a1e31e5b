// SPDX-License-Identifier: Apache-2.0
#include "device/gpus.hpp"

#include <algorithm>
#include <map>
#include <string>

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

constexpr const char* without_gpu_memory = "use fewer points or neighbors, or device cpu";

/// "3.000 GB of GPU 1 and 2.500 GB of GPU 4": what may be taken of those that have less than is wanted.
std::string too_little(std::uint64_t wanted, std::span<const GpuAllowance> all) {
    std::map<int, std::uint64_t> less;  // several ranks may share a GPU
    for (const auto& [gpu, bytes] : all) {
        if (bytes < wanted) less[gpu] = less.contains(gpu) ? std::min(less[gpu], bytes) : bytes;
    }
    std::string listed;
    std::size_t count = 0;
    for (const auto& [gpu, bytes] : less) {
        ++count;
        const char* const joint = count == 1 ? "" : count == less.size() ? " and " : ", ";
        listed += fmt::format("{}{:.3f} GB of GPU {}", joint, in_gb(bytes), gpu);
    }
    return listed;
}

}  // namespace

void fail_on_gpu(std::string_view message, const std::source_location& where) {
    throw Error(Fault::device_failure, fmt::format("the GPU reported '{}' ({})", message, place_of(where)));
}

void fail_for_gpu_memory(std::uint64_t wanted, std::uint64_t held, std::uint64_t available,
                         const std::source_location& where) {
    throw Error(
        Fault::out_of_memory,
        fmt::format("{:.3f} GB of GPU memory were wanted ({}) beside {:.3f} GB held, and {:.3f} GB are free; {}",
                    in_gb(wanted), place_of(where), in_gb(held), in_gb(available), without_gpu_memory));
}

std::uint64_t gpu_allowance(const Run& run) {
    const std::uint64_t available = cuda_device(run.gpu()).free_memory / 20 * 19;
    return run.memory > 0 ? std::min(run.memory, available) : available;
}

void require_gpu_memory(std::uint64_t wanted, std::uint64_t allowed, std::string_view what) {
    if (wanted <= allowed) return;
    const Rank* const rank = Rank::current();
    const std::string listed = rank != nullptr ? too_little(wanted, rank->allowances()) : "";
    if (!listed.empty()) {
        throw ErrorOfGpus(
            Fault::out_of_memory,
            fmt::format(
                "{} needs {:.3f} GB of memory on each GPU, and {} may be taken; raise memory, name other GPUs, {}",
                what, in_gb(wanted), listed, without_gpu_memory),
            {.option = "memory"});
    }
    throw Error(Fault::out_of_memory,
                fmt::format("{} needs {:.3f} GB of GPU memory and {:.3f} GB may be taken; raise memory, {}", what,
                            in_gb(wanted), in_gb(allowed), without_gpu_memory),
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
