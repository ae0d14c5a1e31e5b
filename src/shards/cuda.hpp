// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "shards/engine.hpp"

namespace dunlin::kmeans {

/// A GPU that computes for the chunks of a shard. Its functions and those of its chunks may be called from any thread,
/// one at a time.
class ShardGpu {
public:
    ShardGpu() = default;
    virtual ~ShardGpu() = default;
    ShardGpu(const ShardGpu&) = delete;
    ShardGpu& operator=(const ShardGpu&) = delete;
    ShardGpu(ShardGpu&&) = delete;
    ShardGpu& operator=(ShardGpu&&) = delete;

    /// Copies the rows to the GPU. The chunk keeps a reference to this and to `cpu`, and reads the host's rows, too.
    /// Throws Error{out_of_memory} if the memory does not suffice for them and their labels.
    virtual std::unique_ptr<ChunkEngine> chunk(device::Cpu& cpu, const Rows& rows) = 0;
};

/// Memory in bytes on a GPU: of rows, their halves, labels, bounds and distances; and of what a shard's chunks share.
std::uint64_t gpu_bytes_of_rows(Offset rows, Index cols, bool weighted);
std::uint64_t gpu_bytes_of_workspace(Offset chunk_rows, Index cols, Index clusters);

/// Throws Error{out_of_memory}: these rows need so many bytes of a GPU, of which so many are left, of all that may be
/// used.
[[noreturn]] void fail_for_chunk_memory(const Rows& rows, std::uint64_t needed, std::uint64_t left, std::uint64_t all);

/// run.gpu(), and run.memory: of the GPU. Throws Error{no_device} without the CUDA backend or a GPU.
std::unique_ptr<ShardGpu> shard_on_gpu(const Run& run);

/// Implementation in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(kmeans::shard_on_gpu) shard_on_gpu;
}  // namespace backend

}  // namespace dunlin::kmeans
