// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <dunlin/run.hpp>
#include <dunlin/threads.hpp>

#include "device/pool.hpp"

/// The only place generic loops are launched on a CPU. The primitives (each, blocks, sum) mean the same as on the GPU:
/// a loop's result never depends on the number of threads, because items are cut into blocks by n alone and partial
/// sums are added in the order of the blocks.
namespace dunlin::device {

/// A single value that lives where the data live: kernels read it through Exec::address, the host through Exec::read.
template <class T>
struct Cell {
    T value{};
};

class Cpu {
public:
    template <class T>
    using Buffer = std::vector<T>;
    template <class T>
    using Cell = device::Cell<T>;

    /// threads: as Run::threads; at most as many as <dunlin/threads.hpp> allows.
    explicit Cpu(int threads = 0) : pool_(std::make_unique<Pool>(usable_threads(threads))) {}
    explicit Cpu(const Run& run) : Cpu(run.threads) {}

    [[nodiscard]] int threads() const { return pool_->size(); }

    /// Calls body(begin, end, worker) for consecutive blocks of at most `grain` items that cover [0, n).
    /// worker is in [0, threads()): a slot for scratch memory, never for results.
    template <class Body>
    void blocks(Offset n, Offset grain, const Body& body) {
        struct Loop {
            const Body& body;
            Offset n, grain;
        } loop{body, n, grain};
        pool_->run((n + grain - 1) / grain,
                   [](void* context, Offset block, int worker) {
                       const auto& l = *static_cast<const Loop*>(context);
                       l.body(block * l.grain, std::min(l.n, (block + 1) * l.grain), worker);
                   },
                   &loop);
    }

    /// Calls step(i) for every i in [0, n).
    template <class Step>
    void each(Offset n, const Step& step, Offset grain = 4096) {
        blocks(n, grain, [&step](Offset begin, Offset end, int) {
            for (Offset i = begin; i < end; ++i) step(i);
        });
    }

    /// total = sum of term(i) over [0, n), added as T (double, math::Vec) in an order fixed by n.
    template <class Term, class T>
    void sum(Offset n, const Term& term, Cell<T>& total, Offset grain = 4096) {
        std::vector<T> parts(static_cast<std::size_t>((n + grain - 1) / grain));
        blocks(n, grain, [&](Offset begin, Offset end, int) {
            T part{};
            for (Offset i = begin; i < end; ++i) part += static_cast<T>(term(i));
            parts[static_cast<std::size_t>(begin / grain)] = part;
        });
        total.value = T{};
        for (const T& part : parts) total.value += part;
    }

    /// Gives the buffer this size; what it held is lost unless it had this size already.
    template <class T>
    static void resize(Buffer<T>& buffer, std::size_t size) {
        buffer.resize(size);
    }
    template <class T>
    static void fill(Buffer<T>& buffer, std::size_t size, T value) {
        buffer.assign(size, value);
    }
    template <class T>
    static void upload(Buffer<T>& buffer, std::span<const T> values) {
        buffer.assign(values.begin(), values.end());
    }
    template <class T>
    static void set(Cell<T>& cell, const T& value) {
        cell.value = value;
    }

    /// A cell for kernels, a cell for the host (which waits for it), a buffer for the host.
    template <class T>
    static T* address(Cell<T>& cell) {
        return &cell.value;
    }
    template <class T>
    static T read(const Cell<T>& cell) {
        return cell.value;
    }
    template <class T>
    static const Buffer<T>& host(const Buffer<T>& buffer) {
        return buffer;
    }

    /// Does body's work; on a GPU it is recorded once and replayed until forget().
    template <class Body>
    static void replay(const Body& body) {
        body();
    }
    static void forget() {}

private:
    std::unique_ptr<Pool> pool_;
};

}  // namespace dunlin::device
