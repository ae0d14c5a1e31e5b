#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include <dunlin/run.hpp>

#include "device/pool.hpp"

/// The only place loops are launched on a CPU. The words (each, blocks, sum) mean the same as on the GPU: a loop's
/// result never depends on the number of threads, because items are cut into blocks by n alone and partial sums are
/// added in the order of the blocks.
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

    /// threads: 0 takes one per core.
    explicit Cpu(int threads = 0)
        : pool_(std::make_unique<Pool>(
              threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency())))) {}
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

    /// total = sum of term(i) over [0, n), in double, in an order fixed by n.
    template <class Term>
    void sum(Offset n, const Term& term, Cell<double>& total, Offset grain = 4096) {
        partial_.assign(static_cast<std::size_t>((n + grain - 1) / grain), 0.0);
        blocks(n, grain, [&](Offset begin, Offset end, int) {
            double part = 0;
            for (Offset i = begin; i < end; ++i) part += static_cast<double>(term(i));
            partial_[static_cast<std::size_t>(begin / grain)] = part;
        });
        total.value = 0;
        for (const double part : partial_) total.value += part;
    }

    /// A cell for kernels, a cell for the host (which waits for it), a buffer for the host.
    template <class T>
    static const T* address(const Cell<T>& cell) {
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

private:
    std::unique_ptr<Pool> pool_;
    std::vector<double> partial_;
};

}  // namespace dunlin::device
