// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include <dunlin/sequences.hpp>

/// Dissimilarities of sequences on a GPU, without CUDA headers.
namespace dunlin::sequences {

/// Strings, whose symbols are numbered from 0 without gaps.
struct StringArrays {
    std::span<const std::uint32_t> symbols;
    std::span<const Offset> offsets;
    std::uint32_t alphabet = 0;  ///< number of different symbols
};

/// Tracks and how they are compared.
struct TrackArrays {
    std::span<const double> positions;  ///< [axis][position]; on the sphere unit vectors
    std::span<const double> extremes;   ///< [item][axis]: the least coordinate; then the same of the largest ones
    std::span<const Offset> offsets;
    int dim = 2;
    Metric metric = Metric::frechet;
    bool squared = false;  ///< the costs are squares of the distances
    bool geographic = false;
    Offset band = 0;
};

using ItemArrays = std::variant<StringArrays, TrackArrays>;

/// Some rows of dissimilarities, in host memory.
struct ComputedRows {
    Index row, rows;        ///< their places in PairTask::rows
    Index column, columns;  ///< places in PairTask::columns
    const float* values;    ///< rows x columns
};

/// Pairs of items, all of some rows and columns. Rows of similar lengths should be beside each other, and such columns.
struct PairTask {
    std::span<const Index> rows, columns;
    bool upper = false;  ///< rows and columns are equal, and only pairs of a row and a later column are computed
    std::function<void(const ComputedRows&)> take;  ///< called for all rows in order, while the GPU goes on
};

/// Has cancellation points, at most about 0.1 s apart.
void compute_strings_on_cuda(const StringArrays& items, const PairTask& task, const Run& run);
void compute_tracks_on_cuda(const TrackArrays& items, const PairTask& task, const Run& run);

/// What a task takes on a GPU.
struct GpuPlan {
    Index rows_at_once = 1;       ///< rows of dissimilarities that are in device memory
    unsigned blocks = 1;          ///< of threads, at most; each has a workspace
    std::uint64_t workspace = 0;  ///< bytes of a block in device memory
    std::uint64_t bytes = 0;      ///< of device memory, all together
};
GpuPlan gpu_plan(const StringArrays& items, Index columns);
GpuPlan gpu_plan(const TrackArrays& items, Index columns);

/// Number of the kind of each symbol within its strip (cuda/sizes.hpp), from 1 in the order of first appearance.
std::vector<std::uint16_t> slots_of(const StringArrays& items);

/// Implementation in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(sequences::compute_strings_on_cuda) compute_strings_on_cuda;
decltype(sequences::compute_tracks_on_cuda) compute_tracks_on_cuda;
}  // namespace backend

}  // namespace dunlin::sequences
