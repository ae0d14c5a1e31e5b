// SPDX-License-Identifier: Apache-2.0
#include <dunlin/density.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include <dunlin/device.hpp>
#include <dunlin/error.hpp>

#include "density/backend.hpp"
#include "density/checks.hpp"
#include "density/estimate.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/fail.hpp"
#include "math/at.hpp"
#include "options/check.hpp"
#include "progress/cancel.hpp"

namespace dunlin::density {

namespace {

/// From here on a GPU gains more than it takes to start it and to copy the points.
constexpr Index large = 5'000'000;

Result without_points(const Options& options) {
    Result result;
    result.options = options;
    result.stopped = Stopped::converged;
    return result;
}

}  // namespace

void check(Index n, int dim, const Options& options, const Given& given) {
    options::check(options);
    percentages_of(options.bands);
    if (dim != 2 && dim != 3) {
        throw Error(Fault::bad_input,
                    fmt::format("the map has {} dimensions; a density is of maps of 2 or 3 dimensions", dim));
    }
    if (dim == 3 && options.nodes && *options.nodes > most_nodes_3d) {
        device::bad_option("nodes",
                           fmt::format("nodes is {}; in 3-D it must be at most {}", *options.nodes, most_nodes_3d));
    }
    if (given.values.empty()) return;
    if (std::ssize(given.values) != n) {
        throw Error(Fault::bad_input,
                    fmt::format("the map has {} points and there are {} values; give one for every point", n,
                                given.values.size()));
    }
    const auto bad = std::find_if(given.values.begin(), given.values.end(), [](double v) { return std::isinf(v); });
    if (bad == given.values.end()) return;
    device::bad_row(bad - given.values.begin(),
                    fmt::format("the value of point {} is {}; it must be a number, or NaN if "
                                "it is missing",
                                bad - given.values.begin(), *bad));
}

void refuse_row(Offset row, float x, int axis) {
    device::bad_row(
        row, fmt::format("coordinate {} of point {} is {}; every one must be a finite number", axis + 1, row, x), axis);
}

namespace {

/// Infinite or NaN: all bits of the exponent are set.
bool is_infinite(float x) {
    constexpr std::uint32_t exponent = 0x7f800000;
    return (std::bit_cast<std::uint32_t>(x) & exponent) == exponent;
}

}  // namespace

void check_coordinates(device::Cpu& cpu, MatrixView<const float> map) {
    constexpr Offset grain = 16384;
    std::vector<Offset> bad(at((map.size() + grain - 1) / grain), -1);
    cpu.blocks(map.size(), grain, [&](Offset begin, Offset end, int) {
        const float *const first = map.data + begin, *const last = map.data + end;
        std::uint32_t any = 0;  // without branches, so that it is vectorized
        for (const float* x = first; x < last; ++x) any |= is_infinite(*x) ? 1U : 0U;
        if (any != 0) bad[at(begin / grain)] = std::find_if(first, last, is_infinite) - map.data;
    });
    const auto first = std::find_if(bad.begin(), bad.end(), [](Offset place) { return place >= 0; });
    if (first != bad.end()) refuse_row(*first / map.cols, map.data[*first], static_cast<int>(*first % map.cols));
}

namespace {

/// Nodes of the grid, before it is placed: at most these along each axis.
std::uint64_t most_nodes_of(const Options& options, int dim) {
    const auto side = static_cast<std::uint64_t>(nodes_of(options, dim));
    return side * side * (dim == 3 ? side : 1);
}

}  // namespace

std::uint64_t bytes_on_cpu(Index n, int dim, const Options& options, bool has_values) {
    // The field at the points, ordered points of a group; charges, planes of the convolution and the result
    const std::uint64_t per_point = sizeof(float) * ((options.bands.empty() ? 0U : 1U) + (has_values ? 2U : 0U));
    const std::uint64_t grid = most_nodes_of(options, dim);
    const auto ordered = static_cast<std::uint64_t>(std::min<Offset>(n, points_per_group(static_cast<Offset>(grid))));
    const std::uint64_t per_node = sizeof(std::int64_t) + sizeof(float) * (has_values ? 5U : 3U);
    return static_cast<std::uint64_t>(n) * per_point + ordered * sizeof(float) * static_cast<std::uint64_t>(dim + 1) +
           grid * per_node;
}

std::uint64_t bytes_on_gpu(const device::InputPoints& map, const Options& options, bool has_values) {
    // The map, keys and their copy for sorting; charges, a plane and the result
    const int copied = map.is_resident() ? 0 : map.cols();
    const std::uint64_t per_point = sizeof(float) * static_cast<std::uint64_t>(copied + 2 + (has_values ? 1 : 0));
    const std::uint64_t per_node = sizeof(std::int64_t) + sizeof(float) * (has_values ? 4U : 2U);
    return static_cast<std::uint64_t>(map.rows()) * per_point + most_nodes_of(options, map.cols()) * per_node;
}

RelativeValues relative_values(std::span<const double> values) {
    RelativeValues relative;
    double high = -HUGE_VAL;
    relative.low = HUGE_VAL;
    for (const double value : values) {
        relative.missing += std::isnan(value) ? 1 : 0;
        relative.low = value < relative.low ? value : relative.low;
        high = value > high ? value : high;
    }
    progress::cancellation_point();
    relative.range = relative.missing < std::ssize(values) ? high - relative.low : 0;
    if (!std::isfinite(relative.range)) {
        throw Error(Fault::bad_input,
                    fmt::format("the values reach from {} to {}; scale them down", relative.low, high));
    }
    const double divisor = relative.range > 0 ? relative.range : 1;
    relative.values.reserve(values.size());
    if (relative.missing > 0) relative.present.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % 1048576 == 0) progress::cancellation_point();
        const double value = values[i];
        const bool there = !std::isnan(value);
        relative.values.push_back(there ? static_cast<float>((value - relative.low) / divisor) : 0.0F);
        if (relative.missing > 0) relative.present.push_back(there ? 1.0F : 0.0F);
    }
    return relative;
}

std::vector<Offset> ranks_of(const std::vector<double>& percentages, Offset n) {
    std::vector<Offset> ranks;
    for (const double percentage : percentages) {
        const auto inside = static_cast<Offset>(std::ceil(percentage / 100 * static_cast<double>(n)));
        ranks.push_back(n - std::clamp<Offset>(inside, 1, n));
    }
    return ranks;
}

Result estimate(const Map& map, const Options& options, const Run& run, const Given& given) {
    Result result = estimate(map.view(), options, run, given);
    for (ScalarField* field : {&result.field, &result.mean}) {
        for (std::size_t a = 0; a < map.origin.size() && a < field->origin.size(); ++a)
            field->origin[a] += map.origin[a];
    }
    return result;
}

Result estimate(MatrixView<const float> map, const Options& options, const Run& run, const Given& given) {
    check(map.rows, map.cols, options, given);
    const Device device = device::choose(run, map.rows >= large, {.what = "density is estimated"});
    if (map.rows == 0) {
        Result result = without_points(options);
        device::complete(result, Device::cpu, run);
        return result;
    }
    if (device == Device::cuda) device::reset_cuda_peak_memory();
    Result result = device == Device::cuda ? estimate_on_cuda(map, options, run, given).result
                                           : estimate_on_cpu(map, options, run, given);
    device::complete(result, device, run);
    return result;
}

DeviceResult estimate(const DeviceMatrixView<const float>& map, const Options& options, const Run& run,
                      const Given& given) {
    check(map.rows, map.cols, options, given);
    const Run there = device::run_on_gpu_of(map, run);
    device::check(there);
    device::reset_cuda_peak_memory();
    CudaResult found = map.rows == 0 ? CudaResult{without_points(options), {}, {}}
                                     : estimate_on_cuda(device::InputPoints(map), options, there, given);
    DeviceResult result{std::move(found.result), std::move(found.values), std::move(found.mean)};
    device::complete(result, Device::cuda, there);
    return result;
}

}  // namespace dunlin::density
