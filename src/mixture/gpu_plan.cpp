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

/// Most blocks of rows: a number that 2, 3, 4, 6 and 8 GPUs share equally. There are fewer where their sums would take
/// much memory, or where a block would be shorter than a segment.
constexpr Offset most_blocks = 24, blocks_of_large_sums = 8;
constexpr std::uint64_t most_bytes_of_blocks = 256'000'000;

constexpr Offset ratio_up(Offset count, Offset size) { return (count + size - 1) / size; }
constexpr Offset rounded_up(Offset count, Offset size) { return ratio_up(count, size) * size; }

}  // namespace

GpuPlan gpu_plan(Covariance covariance, Index components, Index rows, Index cols, int ranks) {
    const bool full = covariance == Covariance::full, few = cols <= few_columns;
    const double k = components, d = cols;
    const double work_of_row = (full ? k * d * d : k * d) + (covariance == Covariance::tied ? d * d : 0);
    const double bytes_of_row = k * sizeof(double) + (covariance == Covariance::tied ? d * sizeof(double) : 0);
    const double most = std::min({most_work / work_of_row, static_cast<double>(most_bytes) / bytes_of_row, 4e6});
    const Offset unit = few ? few_rows : window_rows,
                 most_rows = static_cast<Offset>(std::max(1.0, most / window_rows)) * window_rows;

    const auto width = static_cast<std::uint64_t>(cols), wide = full ? width : 1;
    const std::uint64_t sums = static_cast<std::uint64_t>(components) * (1 + width + width * wide) + 1;
    const std::uint64_t fitting = most_bytes_of_blocks / (sums * sizeof(double));
    const Offset wanted_row_blocks =
        std::clamp<Offset>(static_cast<Offset>(fitting), blocks_of_large_sums, most_blocks);

    // Segments of a chunk, for which it has a block of threads each, or for every component or tile
    const Index block_components = components_of_block(components, few ? products_of(cols, full) : 1);
    const Offset blocks = few ? (components + block_components - 1) / block_components
                              : components * Offset{full ? tile_pairs(cols) : (cols + most_lanes - 1) / most_lanes};
    const Offset wanted = (few ? wanted_blocks_of_few : wanted_blocks) / blocks;
    const Offset at_once = std::min(most_rows, rounded_up(std::max<Offset>(rows, 1), unit));
    const Offset segments = std::clamp<Offset>(wanted, 1, at_once / unit);

    // A block has no fewer rows than a segment of a chunk: where these are few, more would be slower
    const Offset block_rows =
        rounded_up(std::max(ratio_up(rows, wanted_row_blocks), ratio_up(at_once, segments)), unit);
    GpuPlan plan;
    plan.parts = static_cast<Index>(std::max<Offset>(1, ratio_up(block_rows, most_rows)));
    Offset part_rows = rounded_up(ratio_up(block_rows, plan.parts), unit);
    const Offset together = plan.parts > 1 ? 1 : std::max<Offset>(1, at_once / part_rows);
    const Offset of_part = std::clamp<Offset>(ratio_up(segments, together), 1, part_rows / unit);
    plan.segment_rows = static_cast<Index>(rounded_up(ratio_up(part_rows, of_part), unit));
    plan.segments = static_cast<Index>(ratio_up(part_rows, plan.segment_rows));
    part_rows = plan.part_rows();
    plan.blocks = static_cast<Index>(std::max<Offset>(1, ratio_up(rows, plan.block_rows())));
    if (plan.parts == 1) {
        plan.blocks_of_chunk =
            static_cast<Index>(std::clamp<Offset>(most_rows / part_rows, 1, ratio_up(plan.blocks, ranks)));
    }
    plan.chunk_rows = static_cast<Index>(plan.blocks_of_chunk * part_rows);

    plan.keeps_blocks =
        ranks > 1 || static_cast<std::uint64_t>(plan.blocks) * sums * sizeof(double) <= most_bytes_of_blocks;
    const auto slots = static_cast<std::uint64_t>(plan.segments) * static_cast<std::uint64_t>(plan.blocks_of_chunk) +
                       (plan.keeps_blocks ? static_cast<std::uint64_t>(plan.blocks) : 0) + 1;
    const auto chunk = static_cast<std::uint64_t>(plan.chunk_rows);
    const auto of_rank =
        static_cast<std::uint64_t>(std::min<Offset>(rows, ratio_up(plan.blocks, ranks) * plan.block_rows()));
    const std::uint64_t factors = static_cast<std::uint64_t>(components) * width * (wide + 2) + width * width;
    plan.bytes = of_rank * 2 * sizeof(Index) + sizeof(double) * (slots * sums + factors) +
                 chunk * (static_cast<std::uint64_t>(bytes_of_row) + 3 * sizeof(double) +
                          static_cast<std::uint64_t>(components) * sizeof(float));
    plan.chunk_bytes = chunk * width * sizeof(float);
    plan.point_bytes = of_rank * width * sizeof(float);
    return plan;
}

std::vector<GpuChunk> chunks_of(const GpuPlan& plan, Index rows, Index first, Index last) {
    const Offset part_rows = plan.part_rows(), n = rows;
    std::vector<GpuChunk> chunks;
    for (Index block = first; block < last;) {
        const Index here = std::min(plan.blocks_of_chunk, last - block);
        const Offset begin = block * plan.block_rows();
        for (Offset part = 0; part < plan.parts && begin + part * part_rows < n; ++part) {
            const Offset from = begin + part * part_rows, left = n - from, size = std::min(left, here * part_rows);
            chunks.push_back({static_cast<Index>(from), static_cast<Index>(size), block, here, part == 0,
                              part + 1 == plan.parts || left <= part_rows});
        }
        block += here;
    }
    return chunks;
}

}  // namespace dunlin::mixture
