// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/shards.hpp>

#include "device/choose.hpp"
#include "math/ordered_sum.hpp"
#include "progress/cancel.hpp"
#include "shards/chunk.hpp"
#include "shards/cuda.hpp"
#include "shards/rounds.hpp"

namespace dunlin::kmeans {

Offset chunk_rows(Index cols) {
    constexpr std::uint64_t values = 64ULL << 18;  // 64 MiB of float32
    const auto fitting = values / static_cast<std::uint64_t>(std::max<Index>(cols, 1));
    return static_cast<Offset>(std::max<std::uint64_t>(std::bit_floor(fitting), math::sum_block));
}

std::uint64_t bytes_of_shard(const Shape& held, Offset chunks, Index clusters, int threads) {
    const auto rows = static_cast<std::uint64_t>(held.rows), cols = static_cast<std::uint64_t>(held.cols);
    const std::uint64_t values = rows * (cols + (held.weighted ? 1 : 0)) * sizeof(float);
    const std::uint64_t response = static_cast<std::uint64_t>(clusters) * (cols + 1) * sizeof(Sum);
    const std::uint64_t sums =
        (bytes_of_lloyd_rows(0, held.cols, clusters) + response) * static_cast<std::uint64_t>(chunks);
    return values + bytes_of_lloyd_rows(held.rows, held.cols, 0) + sums +
           bytes_of_lloyd_workspaces(held.cols, clusters, threads);
}

std::uint64_t gpu_bytes_of_rows(Offset rows, Index cols, bool weighted) {
    constexpr Offset tile = 64;  // columns that halves are padded to
    const Offset of_row = 4 * (Offset{cols} + (weighted ? 1 : 0)) + (cols + tile - 1) / tile * tile * 2 + 16;
    return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(of_row);
}

std::uint64_t gpu_bytes_of_workspace(Offset chunk_rows, Index cols, Index clusters) {
    const auto padded = (static_cast<std::uint64_t>(clusters) + 128) * static_cast<std::uint64_t>(cols + 64);
    return 100 * static_cast<std::uint64_t>(chunk_rows) + 32 * padded;
}

std::uint64_t gpu_bytes_of_shard(const Shape& held, Index clusters) {
    if (held.rows == 0) return 0;
    const Offset chunk = std::min(resolved(held).chunk_rows, held.rows);
    const auto chunks = static_cast<std::uint64_t>((held.rows + chunk - 1) / chunk);
    const std::uint64_t of_chunk =
        static_cast<std::uint64_t>(clusters) * static_cast<std::uint64_t>(held.cols + 1) * 12;
    return gpu_bytes_of_rows(held.rows, held.cols, held.weighted) + chunks * of_chunk +
           gpu_bytes_of_workspace(chunk, held.cols, clusters);
}

void fail_for_chunk_memory(const Rows& rows, std::uint64_t needed, std::uint64_t left, std::uint64_t all) {
    constexpr std::uint64_t mb = 1000000;
    throw Error(Fault::out_of_memory,
                fmt::format("a chunk of {} x {} numbers needs {} MB of GPU memory, and {} of {} MB are left beside the "
                            "chunks that are there; use device cpu, or more GPUs",
                            rows.count(), rows.cols(), needed / mb, left / mb, all / mb));
}

struct Shard::Held {
    Held(Metric metric_of_rows, const Run& run) : metric(metric_of_rows), workspace(run) {
        if (device::choose(run, false) == Device::cuda) gpu = shard_on_gpu(run);
    }

    std::unique_ptr<ChunkEngine> engine_of(const Rows& rows) {
        return gpu != nullptr ? gpu->chunk(workspace.cpu, rows) : chunk_on_cpu(workspace, rows);
    }

    ChunkOfRows& chunk(Offset first) {
        const auto found = chunks.find(first);
        if (found != chunks.end()) return found->second;
        throw Error(Fault::bad_input,
                    fmt::format("the shard has no chunk that begins at row {}; add it before it is asked", first));
    }

    Metric metric;
    std::mutex mutex;
    ShardWorkspace workspace;
    std::unique_ptr<ShardGpu> gpu;  ///< null: on the CPU
    std::map<Offset, ChunkOfRows> chunks;
    std::uint64_t newest = 0;  ///< epoch
};

Shard::Shard(Metric metric, const Run& run) : held_(std::make_unique<Held>(metric, run)) {}
Shard::~Shard() = default;
Shard::Shard(Shard&&) noexcept = default;
Shard& Shard::operator=(Shard&&) noexcept = default;

void Shard::add(Offset first, MatrixView<const float> rows, std::span<const float> weights) {
    const auto require = [&](bool holds, const char* why) {
        if (holds) return;
        throw Error(Fault::bad_input,
                    fmt::format("the chunk of {} rows from row {} on cannot be used: {}", rows.rows, first, why));
    };
    require(first >= 0 && first % math::sum_block == 0, "its first row is no multiple of 1,024");
    require(rows.rows >= 1 && rows.cols >= 1, "there must be at least one row and one column");
    require(weights.empty() || weights.size() == static_cast<std::size_t>(rows.rows),
            "there must be one weight for each row");
    const std::lock_guard lock(held_->mutex);
    held_->chunks.erase(first);  // before its successor needs memory
    const Rows all{rows, weights, held_->metric};
    held_->chunks.emplace(first, ChunkOfRows(first, all, held_->engine_of(all)));
}

void Shard::remove(Offset first) {
    const std::lock_guard lock(held_->mutex);
    held_->chunks.erase(first);
}

std::vector<Chunk> Shard::chunks() const {
    const std::lock_guard lock(held_->mutex);
    std::vector<Chunk> all;
    for (const auto& [first, chunk] : held_->chunks) all.push_back(chunk.chunk());
    return all;
}

std::vector<Message> Shard::answer(std::span<const std::byte> message, std::span<const Offset> only) {
    const MessageHeader header = header_of(message);
    if (header.chunk >= 0) fail_for_message("it is a response, not a request");
    if (header.kind == MessageKind::state) fail_for_message("it is the state of a driver, not a request");
    const auto request = decoded<ShardRequest>(message);
    const std::lock_guard lock(held_->mutex);
    if (request.header.epoch < held_->newest) {
        throw Error(Fault::bad_input,
                    fmt::format("a driver of epoch {} asks a shard that has answered one of epoch {}: "
                                "the run was taken over; end this driver",
                                request.header.epoch, held_->newest));
    }
    held_->newest = request.header.epoch;
    std::vector<ChunkOfRows*> asked;
    for (const Offset first : only) asked.push_back(&held_->chunk(first));
    for (auto& [first, chunk] : held_->chunks) {
        if (only.empty()) asked.push_back(&chunk);
    }
    std::vector<Message> responses;
    try {
        for (ChunkOfRows* chunk : asked) {
            progress::cancellation_point();
            ShardResponse response = chunk->respond(held_->workspace.cpu, request);
            responses.push_back(encoded(response));
        }
    } catch (...) {
        held_->workspace.lloyd = nullptr;  // its sums may be half done
        throw;
    }
    return responses;
}

}  // namespace dunlin::kmeans
