// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <dunlin/gpu_use.hpp>
#include <dunlin/run.hpp>

#include "device/cpu.hpp"
#include "device/slice.hpp"
#include "math/hd.hpp"

/// Runs one call on several GPUs of one host (docs/lab/several-gpus.md). Each GPU has a rank: a thread with its own
/// executor. Collectives copy between the memories of ranks. All ranks run the same code on the same input. Code that
/// divides work asks for the rank (Rank::current). All ranks make the same decisions, because a decision depends only
/// on values that every rank has or that a collective has given to all.
namespace dunlin::device {

class Team;

/// Exception that ends a rank which would otherwise wait for a rank that has failed.
struct Abandoned {};

/// Bytes of the memory of a GPU that its rank may take.
struct GpuAllowance {
    int gpu = 0;
    std::uint64_t bytes = 0;
};

/// One of the ranks of a call, used by its own thread only. Members that talk to the others must be called by all
/// ranks, in the same order; they throw Abandoned if one has failed.
class Rank {
public:
    /// The rank of this thread. Null in a call that runs on one device.
    static Rank* current();

    [[nodiscard]] int index() const { return index_; }
    [[nodiscard]] int count() const { return count_; }
    /// The share of rank r, or of this one, of n items: consecutive, as equal as possible.
    [[nodiscard]] Slice slice_of(int r, Offset n) const { return device::slice_of(r, count_, n); }
    [[nodiscard]] Slice slice(Offset n) const { return slice_of(index_, n); }

    /// Collective: returns the argument of every rank, in the order of ranks.
    template <class T>
    std::vector<T> from_all(const T& own) {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(Post));
        const std::span<const Post> posts = exchange_posts(std::as_bytes(std::span(&own, 1)));
        std::vector<T> all(posts.size());
        for (std::size_t r = 0; r < posts.size(); ++r) std::copy_n(posts[r].data(), sizeof(T), bytes_of(all[r]));
        return all;
    }
    /// Collective: whether `own` is true on any rank. For a stop, which ranks notice at different times.
    bool any(bool own);
    /// Returns when all ranks have called it.
    void wait_for_all() { exchange_posts({}); }

    /// The least of the bytes that the ranks may take of the memory of their GPUs.
    std::uint64_t least_allowance(std::uint64_t own);
    /// The bytes that each rank passed to the last call of least_allowance, in the order of ranks. Empty before that
    /// call. For error messages, which name the GPUs that have too little memory.
    [[nodiscard]] std::span<const GpuAllowance> allowances() const { return allowances_; }

    /// Counts bytes copied from the memory of other ranks.
    void count_received(std::size_t bytes) { use_.received += bytes; }

    /// Resources of the collectives of the executor (device/ranks.cuh).
    [[nodiscard]] std::shared_ptr<void>& resources() { return resources_; }

private:
    friend class Team;
    friend void run_on_ranks(const Run& run, const std::function<void(const Run&)>& work);

    using Post = std::array<std::byte, 64>;

    Rank(Team& team, int index, int count, int gpu) : team_(team), index_(index), count_(count) { use_.gpu = gpu; }

    template <class T>
    static std::byte* bytes_of(T& value) {
        return reinterpret_cast<std::byte*>(&value);
    }
    /// Collective: the posts of all ranks. The result stays valid until the next call but one.
    std::span<const Post> exchange_posts(std::span<const std::byte> own);

    Team& team_;
    int index_, count_;
    GpuUse use_;
    std::vector<GpuAllowance> allowances_;
    std::shared_ptr<void> resources_;
};

/// Calls work(run of the rank) on one thread for each of run.gpus, for rank 0 on the calling thread. Records
/// last_gpu_use(). The run of a rank has its GPU only, a share of the threads, and the stop of `run`; only rank 0
/// reports progress. If a rank throws, stops the others and rethrows the first exception when all have ended. Errors of
/// a device and of memory name the GPU.
void run_on_ranks(const Run& run, const std::function<void(const Run&)>& work);

/// Sets what last_gpu_use() returns. Called by run_on_ranks.
void keep_gpu_use(std::vector<GpuUse> uses);

/// Throws the present exception again, with the number of the GPU if it is an error of the device or of memory that
/// does not name GPUs itself.
[[noreturn]] void rethrow_naming(int gpu);

/// Whether `run` names several GPUs.
[[nodiscard]] inline bool names_several(const Run& run) { return run.gpus.size() > 1; }

/// Whether a stop was requested; with several ranks, on any of them. Collective: all ranks get the same answer.
[[nodiscard]] bool stops(const Run& run);

/// A copy of the bytes [at, at + bytes) of the memory that rank `from` offers to the address `to`.
struct RemotePiece {
    int from = 0;
    std::size_t at = 0, bytes = 0;
    void* to = nullptr;
};

/// The transfer of which all collectives consist: every rank offers memory and copies pieces of the memory of others.
/// On return, or in stream order on a GPU (device/ranks.cuh), the pieces are copied and the offered memory may be
/// changed.
void exchange(Cpu& cpu, Rank& rank, const void* offered, std::span<const RemotePiece> pieces);

/// Collective: rank r has computed values [borders[r], borders[r + 1]). On return every rank has all values.
template <class Exec, class T>
void all_gather(Exec& exec, Rank& rank, T* values, std::span<const Offset> borders) {
    std::vector<RemotePiece> pieces;
    for (int step = 1; step < rank.count(); ++step) {  // not all from the same rank at once
        const auto r = static_cast<std::size_t>((rank.index() + step) % rank.count());
        const std::size_t at = static_cast<std::size_t>(borders[r]) * sizeof(T),
                          bytes = static_cast<std::size_t>(borders[r + 1] - borders[r]) * sizeof(T);
        if (bytes > 0) pieces.push_back({static_cast<int>(r), at, bytes, values + borders[r]});
    }
    exchange(exec, rank, values, pieces);
}

/// Collective: copies the values of the first rank to all ranks, since GPUs of different kinds may compute other last
/// bits. Does nothing without ranks.
template <class Exec, class T>
void broadcast(Exec& exec, T* values, std::size_t count) {
    Rank* const rank = Rank::current();
    if (rank == nullptr) return;
    std::vector<Offset> of_first(static_cast<std::size_t>(rank->count()) + 1, static_cast<Offset>(count));
    of_first.front() = 0;
    all_gather(exec, *rank, values, of_first);
}

/// The borders of equal slices of n items of `width` values each.
[[nodiscard]] inline std::vector<Offset> slice_borders(const Rank& rank, Offset n, Offset width = 1) {
    std::vector<Offset> borders{0};
    for (int r = 0; r < rank.count(); ++r) borders.push_back(rank.slice_of(r, n).end * width);
    return borders;
}

/// Division of rows among the ranks. Shares are whole runs (math::runs_of), so that sums over runs equal those of one
/// device. Without ranks, all rows are one share.
struct RowShare {
    Rank* rank = nullptr;
    std::vector<Offset> run_borders, borders;  ///< of the shares, in runs and in rows
    Slice runs, rows;                          ///< its own
};
[[nodiscard]] RowShare row_share(Offset n);

/// Collective: gives every rank the rows of all ranks. A row has `width` values. Does nothing without ranks.
template <class Exec, class T>
void gather_rows(Exec& exec, const RowShare& share, T* values, Offset width) {
    if (share.rank == nullptr) return;
    std::vector<Offset> borders = share.borders;
    for (Offset& border : borders) border *= width;
    all_gather(exec, *share.rank, values, borders);
}

/// Adds the values of all ranks in the order of ranks: own[i] and others[r * stride + i] for the other ranks r.
template <class T>
struct AddInOrder {
    T* own;
    const T* others;
    Offset stride;
    int index, count;
    DUNLIN_HD void operator()(Offset i) const {
        T sum{};
        for (int r = 0; r < count; ++r) {
            const T value = r == index ? own[i] : others[(r < index ? r : r - 1) * stride + i];
            sum = r == 0 ? value : sum + value;
        }
        own[i] = sum;
    }
};

/// Collective: sets `values` to the sum over all ranks, in the order of ranks. The result does not depend on the number
/// of ranks if T is an integer, or if only one rank has a value other than 0.
template <class Exec, class T>
void all_reduce(Exec& exec, Rank& rank, T* values, Offset n) {
    constexpr Offset at_once = Offset{1} << 25;  // bounds the memory of the others' values
    typename Exec::template Buffer<T> others;
    for (Offset first = 0; first < n; first += at_once) {
        const Offset part = std::min(at_once, n - first);
        const std::vector<Offset> borders = slice_borders(rank, part);
        const Slice own = rank.slice(part);
        exec.resize(others, static_cast<std::size_t>(own.size() * (rank.count() - 1)));
        std::vector<RemotePiece> pieces;
        for (int r = 0; r < rank.count(); ++r) {
            if (r == rank.index() || own.size() == 0) continue;
            pieces.push_back({r, static_cast<std::size_t>(own.begin) * sizeof(T),
                              static_cast<std::size_t>(own.size()) * sizeof(T),
                              others.data() + (r < rank.index() ? r : r - 1) * own.size()});
        }
        exchange(exec, rank, values + first, pieces);
        exec.each(own.size(),
                  AddInOrder<T>{values + first + own.begin, others.data(), own.size(), rank.index(), rank.count()});
        all_gather(exec, rank, values + first, borders);
    }
}

/// Collective: rank s sends counts[s][r] values to rank r. counts: the same on all ranks. sent: the values for rank 0,
/// 1,
/// ... one after another. received: gets the values from rank 0, 1, ...
template <class Exec, class T>
void all_to_all(Exec& exec, Rank& rank, const T* sent, T* received, const std::vector<std::vector<Offset>>& counts) {
    const auto own = static_cast<std::size_t>(rank.index());
    std::vector<RemotePiece> pieces;
    Offset to = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        Offset at = 0;
        for (std::size_t r = 0; r < own; ++r) at += counts[s][r];
        const Offset count = counts[s][own];
        if (count > 0) {
            pieces.push_back({static_cast<int>(s), static_cast<std::size_t>(at) * sizeof(T),
                              static_cast<std::size_t>(count) * sizeof(T), received + to});
        }
        to += count;
    }
    exchange(exec, rank, sent, pieces);
}

}  // namespace dunlin::device
