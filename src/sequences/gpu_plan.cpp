// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "math/at.hpp"
#include "sequences/cuda.hpp"
#include "sequences/cuda/sizes.hpp"

namespace dunlin::sequences {

namespace {

constexpr unsigned most_blocks = 2112;                            ///< 16 for each of 132 multiprocessors
constexpr std::uint64_t most_workspace = std::uint64_t{1} << 30;  ///< of all blocks, unless one needs more
constexpr Offset most_values = Offset{1} << 24;                   ///< dissimilarities in device memory, beyond one row

/// items: bytes of the items and of the lists of rows and columns.
GpuPlan plan_of(std::uint64_t items, std::uint64_t workspace, Index columns) {
    GpuPlan plan;
    plan.workspace = workspace;
    plan.blocks = most_blocks;
    if (workspace > 0)
        plan.blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(most_workspace / workspace, 1, most_blocks));
    plan.rows_at_once = static_cast<Index>(std::max<Offset>(1, most_values / std::max<Offset>(columns, 1)));
    plan.rows_at_once = std::min(plan.rows_at_once, std::max<Index>(columns, 1));
    plan.bytes = items + plan.blocks * workspace +
                 static_cast<std::uint64_t>(plan.rows_at_once) * static_cast<std::uint64_t>(columns) * sizeof(float);
    return plan;
}

}  // namespace

GpuPlan gpu_plan(const StringArrays& items, Index columns) {
    const Offset longest = longest_of(items.offsets);
    const std::uint64_t of_items = items.symbols.size() * (sizeof(std::uint32_t) + sizeof(std::uint16_t)) +
                                   items.offsets.size_bytes() + 2 * static_cast<std::uint64_t>(columns) * sizeof(Index);
    return plan_of(of_items,
                   edit_table(longest, items.alphabet).in_workspace() +
                       teams_of_strips * bytes_between_strips(longest, edit_strip, sizeof(unsigned char)),
                   columns);
}

GpuPlan gpu_plan(const TrackArrays& items, Index columns) {
    const Offset longest = longest_of(items.offsets);
    const std::uint64_t of_items = items.positions.size_bytes() + items.extremes.size_bytes() +
                                   items.offsets.size_bytes() + 2 * static_cast<std::uint64_t>(columns) * sizeof(Index);
    const bool by_strips = items.metric != Metric::hausdorff;
    return plan_of(of_items,
                   by_strips ? teams_of_strips * bytes_between_strips(longest, track_strip, sizeof(double)) : 0,
                   columns);
}

std::vector<std::uint16_t> slots_of(const StringArrays& items) {
    std::vector<std::uint16_t> slots(items.symbols.size()), slot_of(items.alphabet, 0);
    for (std::size_t i = 1; i < items.offsets.size(); ++i) {
        for (Offset begin = items.offsets[i - 1]; begin < items.offsets[i]; begin += edit_strip) {
            const auto strip = items.symbols.subspan(at(begin), at(std::min(edit_strip, items.offsets[i] - begin)));
            std::uint16_t used = 0;
            for (std::size_t row = 0; row < strip.size(); ++row) {
                std::uint16_t& slot = slot_of[strip[row]];
                if (slot == 0) slot = ++used;
                slots[at(begin) + row] = slot;
            }
            for (const std::uint32_t symbol : strip) slot_of[symbol] = 0;
        }
    }
    return slots;
}

}  // namespace dunlin::sequences
