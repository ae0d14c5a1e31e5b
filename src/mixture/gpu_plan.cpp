// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mixture/cuda.hpp"
#include "mixture/cuda/sizes.hpp"

namespace dunlin::mixture {

namespace {

/// Blocks of a sum that keep a GPU busy. Constants, so that the order of sums is the same on every GPU.
constexpr Offset wanted_blocks = 2048, wanted_blocks_of_few = 1024;
/// Multiplications of a chunk: some hundredths of a second, after which a stop is noticed.
constexpr double most_work = 2e11;
constexpr std::uint64_t most_bytes = 256'000'000;  ///< of the densities of a chunk

}  // namespace

GpuPlan gpu_plan(Covariance covariance, Index components, Index rows, Index cols) {
    const bool full = covariance == Covariance::full;
    const double k = components, d = cols;
    const double work_of_row = (full ? k * d * d : k * d) + (covariance == Covariance::tied ? d * d : 0);
    const double bytes_of_row = k * sizeof(double) + (covariance == Covariance::tied ? d * sizeof(double) : 0);
    const double most = std::min({most_work / work_of_row, static_cast<double>(most_bytes) / bytes_of_row, 4e6});
    const auto rounded = [](double count) {
        return static_cast<Index>(std::max(1.0, count / window_rows)) * window_rows;
    };
    GpuPlan plan;
    plan.chunk_rows = std::min(rounded(most), rounded(static_cast<double>(rows) + window_rows - 1));

    const bool few = cols <= few_columns;
    const Index block_components = components_of_block(components, few ? products_of(cols, full) : 1);
    const Offset blocks = few ? (components + block_components - 1) / block_components
                              : components * Offset{full ? tile_pairs(cols) : (cols + most_lanes - 1) / most_lanes};
    const Index step = few ? few_rows : window_rows, steps = plan.chunk_rows / step;
    const Offset wanted = (few ? wanted_blocks_of_few : wanted_blocks) / blocks;
    plan.segments = static_cast<Index>(std::clamp<Offset>(wanted, 1, steps));
    plan.segment_rows = (steps + plan.segments - 1) / plan.segments * step;

    const auto slots = static_cast<std::uint64_t>(plan.segments) * static_cast<std::uint64_t>(components);
    const auto width = static_cast<std::uint64_t>(cols), wide = full ? width : 1;
    const auto chunk = static_cast<std::uint64_t>(plan.chunk_rows);
    const std::uint64_t factors = static_cast<std::uint64_t>(components) * width * (wide + 2) + width * width;
    plan.bytes = static_cast<std::uint64_t>(rows) * 2 * sizeof(Index) +
                 sizeof(double) * (slots * (1 + width + width * wide) + factors + 1) +
                 chunk * (static_cast<std::uint64_t>(bytes_of_row) + 3 * sizeof(double) +
                          static_cast<std::uint64_t>(components) * sizeof(float));
    plan.chunk_bytes = chunk * width * sizeof(float);
    return plan;
}

}  // namespace dunlin::mixture
