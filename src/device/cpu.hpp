// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <dunlin/run.hpp>
#include <dunlin/threads.hpp>

#include "device/pool.hpp"

/// The executor of a CPU: all generic loops are launched here. Its parallel primitives (each, blocks, sum) have the
/// same meaning as on the GPU. Results do not depend on the number of threads, because the blocks of a loop depend on n
/// only and partial sums are added in the order of blocks.
namespace dunlin::device {

/// Device scalar: a single value in the executor's memory. Kernels access it by Exec::address, the host by Exec::read.
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

    /// threads: as Run::threads, limited by <dunlin/threads.hpp>.
    explicit Cpu(int threads = 0) : pool_(std::make_unique<Pool>(usable_threads(threads))) {}
    explicit Cpu(const Run& run) : Cpu(run.threads) {}

    [[nodiscard]] int threads() const { return pool_->size(); }

    /// Calls body(begin, end, worker) for consecutive blocks of at most `grain` items that cover [0, n). worker in [0,
    /// threads()) may index scratch memory, but results must not depend on it.
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

    /// Sets the size of a buffer. Its values are lost unless it has this size already.
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

    /// address: a scalar for kernels. read, host: a scalar, a buffer for the host, which waits for it.
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

    /// Calls body(). On a GPU its launches are recorded once and replayed until forget().
    template <class Body>
    static void replay(const Body& body) {
        body();
    }
    static void forget() {}

private:
    std::unique_ptr<Pool> pool_;
};

}  // namespace dunlin::device
