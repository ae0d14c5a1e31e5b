// SPDX-License-Identifier: Apache-2.0
#include "sequences/cuda.hpp"

#include <chrono>
#include <memory>
#include <thread>
#include <type_traits>

#include "device/cuda.cuh"
#include "device/gpus.hpp"
#include "device/points.cuh"
#include "progress/cancel.hpp"
#include "sequences/cuda/sizes.hpp"

namespace dunlin::sequences {

namespace {

__device__ inline double* launch_memory() {
    extern __shared__ double memory[];
    return memory;
}

}  // namespace

}  // namespace dunlin::sequences

#include "sequences/cuda/edit.cuh"
#include "sequences/cuda/tracks.cuh"

namespace dunlin::sequences {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Cells of a launch: some tenths of a second, between two reports of progress, where the launch fills the GPU.
constexpr double edit_cells_at_once = 2e12, track_cells_at_once = 6e10;

/// A number in GPU memory that kernels read: a long pair ends soon after a stop. Written past the kernels, by a stream
/// of its own. (In host memory, each of the millions of reads took a microsecond of the bus.) On destruction kernels
/// end.
class StopFlag {
public:
    explicit StopFlag(Cuda& cuda) : stream_(cuda.stream()) {
        cudaEvent_t event = nullptr;
        device::cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        launched_.reset(event);
        cudaStream_t past = nullptr;
        device::cuda_check(cudaStreamCreateWithFlags(&past, cudaStreamNonBlocking));
        past_.reset(past);
        cuda.set(value_, 0);
        address_ = cuda.address(value_);
        cuda.wait();  // before the other stream writes
    }
    ~StopFlag() {
        constexpr int stopped = 1;
        cudaMemcpyAsync(address_, &stopped, sizeof stopped, cudaMemcpyHostToDevice, past_.get());
        cudaStreamSynchronize(past_.get());
        cudaStreamSynchronize(stream_);
    }
    StopFlag(const StopFlag&) = delete;
    StopFlag& operator=(const StopFlag&) = delete;

    [[nodiscard]] const int* value() const { return address_; }

    /// Waits for the work that is enqueued, with cancellation points.
    void wait() {
        device::cuda_check(cudaEventRecord(launched_.get(), stream_));
        cudaError_t status = cudaEventQuery(launched_.get());
        for (; status == cudaErrorNotReady; status = cudaEventQuery(launched_.get())) {
            cudaGetLastError();  // not ready is no error
            progress::cancellation_point();
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        device::cuda_check(status);
    }

private:
    struct EndEvent {
        void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
    };
    struct EndStream {
        void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
    };

    cudaStream_t stream_;
    std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, EndEvent> launched_;
    std::unique_ptr<std::remove_pointer_t<cudaStream_t>, EndStream> past_;
    device::CudaCell<int> value_;
    int* address_ = nullptr;
};

/// A task on a GPU: blocks of rows, of which one is computed while the host takes the one before.
class PairLoop {
public:
    PairLoop(Cuda& cuda, const PairTask& task, const GpuPlan& plan, std::span<const Offset> offsets,
             double cells_at_once)
        : cuda_(cuda), task_(task), plan_(plan), offsets_(offsets), cells_at_once_(cells_at_once), stop_(cuda) {
        cuda.upload(rows_, task.rows);
        cuda.upload(columns_, task.columns);
        cuda.resize(values_, static_cast<std::size_t>(plan.rows_at_once) * task.columns.size());
        cuda.resize(workspace_, static_cast<std::size_t>(plan.blocks * plan.workspace));
        for (const Index column : task.columns) symbols_of_columns_ += static_cast<double>(length(column));
    }

    /// launch(grid, longest row) enqueues the kernel. of_lane: rows of a lane, at most.
    template <class Launch>
    void run(int of_lane, const Launch& launch) {
        const auto rows = static_cast<Index>(task_.rows.size());
        std::vector<float> values;
        const auto begin_at = [&](Index first) {
            const Index count = rows_from(first, of_lane), before = before_of(first);
            Offset longest = 0;
            for (Index r = first; r < first + count; ++r) longest = std::max(longest, length(task_.rows[at(r)]));
            launch(PairGrid{rows_.data() + first, columns_.data() + before, count, width_from(first), task_.upper,
                            lanes_for(longest, of_lane), values_.data(), workspace_.data(), plan_.workspace,
                            stop_.value()},
                   longest);
            return count;
        };
        Index count = begin_at(0);
        for (Index first = 0; first < rows;) {
            stop_.wait();
            values.resize(at(Offset{count} * width_from(first)));
            cuda_.copy_out(values.data(), values_.data(), values.size() * sizeof(float));
            const Index next = first + count, next_count = next < rows ? begin_at(next) : 0;
            task_.take({first, count, before_of(first), width_from(first), values.data()});
            first = next;
            count = next_count;
        }
    }

    /// Blocks for a grid: one for each tile, or as many as have a workspace.
    [[nodiscard]] unsigned blocks(const PairGrid& grid) const {
        const Offset most = plan_.workspace > 0 ? Offset{plan_.blocks} : Offset{1} << 30;
        return static_cast<unsigned>(std::min(most, grid.tiles()));
    }

private:
    static std::size_t at(Offset i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] Offset length(Index item) const { return offsets_[at(item) + 1] - offsets_[at(item)]; }

    /// Columns that the rows from one on do not need.
    [[nodiscard]] Index before_of(Index first) const { return task_.upper ? first : 0; }
    [[nodiscard]] Index width_from(Index first) const {
        return static_cast<Index>(task_.columns.size()) - before_of(first);
    }

    /// Number of rows of the block that begins at a row: rows for teams of one size, until they have enough cells, and
    /// tiles enough to fill the GPU.
    [[nodiscard]] Index rows_from(Index first, int of_lane) const {
        const Index most = std::min(plan_.rows_at_once, static_cast<Index>(task_.rows.size()) - first);
        const auto lanes = [&](Index row) { return lanes_for(length(task_.rows[at(row)]), of_lane); };
        const Offset columns = tile_columns(lanes(first)), tiles_of_row = (width_from(first) + columns - 1) / columns;
        double cells = 0;
        Index count = 0;
        const Offset enough_tiles = Offset{4} * cuda_.multiprocessors();
        const auto has_enough = [&] { return cells >= cells_at_once_ && count * tiles_of_row >= enough_tiles; };
        while (count < most && !has_enough() && (count == 0 || lanes(first + count) == lanes(first))) {
            cells += static_cast<double>(length(task_.rows[at(first + count)]) + 1) * symbols_of_columns_;
            ++count;
        }
        return count;
    }

    Cuda& cuda_;
    const PairTask& task_;
    const GpuPlan& plan_;
    std::span<const Offset> offsets_;
    CudaBuffer<Index> rows_, columns_;
    CudaBuffer<float> values_;
    CudaBuffer<unsigned char> workspace_;
    double symbols_of_columns_ = 0, cells_at_once_;
    StopFlag stop_;  // last member, so that kernels end before their memory is freed
};

/// Starts a kernel for the number of coordinates of positions.
template <class Kind>
void launch_tracks(Cuda& cuda, unsigned blocks, const TrackTask& task) {
    const auto start = [&](auto kernel) { kernel<<<blocks, block_threads, 0, cuda.stream()>>>(task); };
    if (task.dim == 1) {
        start(track_kernel<Kind, 1>);
    } else if (task.dim == 2) {
        start(track_kernel<Kind, 2>);
    } else if (task.dim == 3) {
        start(track_kernel<Kind, 3>);
    } else {
        start(track_kernel<Kind, 0>);
    }
    device::cuda_check(cudaGetLastError());
}

bool is_empty(const PairTask& task) { return task.rows.empty() || task.columns.empty(); }

/// A memory error that names the sequences, before anything is taken.
void require_memory(Cuda& cuda, const GpuPlan& plan) {
    device::require_gpu_memory(plan.bytes, device::allowance(cuda), "computing distances of these sequences");
}

}  // namespace

void backend::compute_strings_on_cuda(const StringArrays& items, const PairTask& task, const Run& run) {
    if (is_empty(task)) return;
    Cuda cuda(run);
    const GpuPlan plan = gpu_plan(items, static_cast<Index>(task.columns.size()));
    require_memory(cuda, plan);
    CudaBuffer<std::uint32_t> symbols;
    CudaBuffer<std::uint16_t> slots;
    CudaBuffer<Offset> offsets;
    cuda.upload(symbols, items.symbols);
    cuda.upload(slots, slots_of(items));
    cuda.upload(offsets, items.offsets);
    PairLoop loop(cuda, task, plan, items.offsets, edit_cells_at_once);
    loop.run(bits_of_lane, [&](const PairGrid& grid, Offset longest) {
        const EditTask kernel{grid,
                              symbols.data(),
                              slots.data(),
                              offsets.data(),
                              items.alphabet,
                              edit_table(longest, items.alphabet),
                              bytes_between_strips(longest_of(items.offsets), edit_strip, 1)};
        edit_kernel<<<loop.blocks(grid), block_threads, kernel.table.in_shared_memory(), cuda.stream()>>>(kernel);
        device::cuda_check(cudaGetLastError());
    });
}

void backend::compute_tracks_on_cuda(const TrackArrays& items, const PairTask& task, const Run& run) {
    if (is_empty(task)) return;
    Cuda cuda(run);
    const GpuPlan plan = gpu_plan(items, static_cast<Index>(task.columns.size()));
    require_memory(cuda, plan);
    CudaBuffer<double> positions, extremes;
    CudaBuffer<Offset> offsets;
    cuda.upload(positions, items.positions);
    cuda.upload(extremes, items.extremes);
    cuda.upload(offsets, items.offsets);
    PairLoop loop(cuda, task, plan, items.offsets, track_cells_at_once);
    loop.run(positions_of_lane, [&](const PairGrid& grid, Offset longest) {
        const TrackTask kernel{grid,
                               positions.data(),
                               items.offsets.back(),
                               extremes.data(),
                               extremes.data() + items.extremes.size() / 2,
                               offsets.data(),
                               items.dim,
                               items.squared,
                               items.geographic,
                               items.band,
                               items.band < longest_of(items.offsets),
                               rows_of_lane(longest, grid.lanes),
                               plan.workspace / teams_of_strips};
        const unsigned blocks = loop.blocks(grid);
        if (items.metric == Metric::hausdorff) {
            launch_tracks<Hausdorff>(cuda, blocks, kernel);
        } else if (items.metric == Metric::dtw) {
            launch_tracks<Warping>(cuda, blocks, kernel);
        } else {
            launch_tracks<Frechet>(cuda, blocks, kernel);
        }
    });
}

}  // namespace dunlin::sequences
