// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <dunlin/sequences.hpp>

#include "device/cpu.hpp"
#include "sequences/cuda.hpp"

namespace dunlin::sequences {

/// Dissimilarities of checked and prepared items.
class ItemDistances {
public:
    /// Memory of one thread.
    class ThreadMemory {
    public:
        ThreadMemory() = default;
        virtual ~ThreadMemory() = default;
        ThreadMemory(const ThreadMemory&) = delete;
        ThreadMemory& operator=(const ThreadMemory&) = delete;
        ThreadMemory(ThreadMemory&&) = delete;
        ThreadMemory& operator=(ThreadMemory&&) = delete;
    };

    ItemDistances() = default;
    virtual ~ItemDistances() = default;
    ItemDistances(const ItemDistances&) = delete;
    ItemDistances& operator=(const ItemDistances&) = delete;
    ItemDistances(ItemDistances&&) = delete;
    ItemDistances& operator=(ItemDistances&&) = delete;

    [[nodiscard]] virtual Index size() const = 0;

    /// Items in an order in which consecutive ones are fast as rows of a tile.
    [[nodiscard]] virtual std::vector<Index> order() const = 0;
    /// Number of rows that a tile should have.
    [[nodiscard]] virtual Index rows_at_once() const = 0;
    /// Estimated seconds of one thread for all pairs.
    [[nodiscard]] virtual double seconds_of_all() const = 0;

    [[nodiscard]] virtual std::unique_ptr<ThreadMemory> workspace() const = 0;

    /// out[r * columns.size() + c] = the dissimilarity of rows[r] and columns[c]. Has cancellation points.
    virtual void tile(ThreadMemory& workspace, std::span<const Index> rows, std::span<const Index> columns,
                      float* out) const = 0;

    /// The items for a GPU; they refer to this object.
    [[nodiscard]] virtual ItemArrays arrays() const = 0;
};

/// Checks and prepares the items, with the metric of `options`, which is set.
std::shared_ptr<const ItemDistances> pair_distances(const Strings& items, Options& options);
std::shared_ptr<const ItemDistances> pair_distances(const Tracks& items, Options& options);

/// The device of a run on one GPU; `automatic` takes the GPU if there is one, a thread would work for longer than it
/// takes to start, and the pairs fit. Throws what device::choose throws.
Device choose_device(const ItemDistances& pairs, const Run& run);

/// rows[r][j] = the dissimilarity of items[r] and j, for all j.
void fill_rows(device::Cpu& cpu, const ItemDistances& pairs, std::span<const Index> items,
               std::span<float* const> rows);
void fill_rows_on_gpu(device::Cpu& cpu, const ItemDistances& pairs, std::span<const Index> items,
                      std::span<float* const> rows, const Run& run);

/// All dissimilarities, n x n, by this device; every pair is computed once. Empty if cancelled. Throws
/// Error{out_of_memory} before the run. Stage: "distances".
Matrix all_pairs(const ItemDistances& pairs, Device device, const Run& run);

/// Whether all dissimilarities are computed at once: options.pairs, by memory and time if it is automatic.
bool computes_all(const ItemDistances& pairs, const Options& options, Device device, const Run& run);

}  // namespace dunlin::sequences
