// SPDX-License-Identifier: Apache-2.0
#include "device/staging.cuh"

#include <array>
#include <cstring>
#include <mutex>

#include "device/cpu.hpp"
#include "progress/cancel.hpp"

namespace dunlin::device {

namespace {

constexpr int max_workers = 8, slots = 2;
constexpr std::size_t piece = std::size_t{1} << 19;

/// Page-locked memory for one copy at a time. It is never freed, because CUDA may be shut down before the process ends.
struct StagingBuffer {
    std::mutex mutex;
    char* memory = nullptr;

    char* slot(int worker, int turn) { return memory + static_cast<std::size_t>(worker * slots + turn) * piece; }
};

StagingBuffer& staging_buffer() {
    static auto* const only = new StagingBuffer;
    return *only;
}

/// Slots of a worker, with events that tell when a slot may be reused.
class StagingWorker {
public:
    StagingWorker() {
        for (cudaEvent_t& event : sent_) cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    ~StagingWorker() {
        for (cudaEvent_t event : sent_) cudaEventDestroy(event);
    }
    StagingWorker(const StagingWorker&) = delete;
    StagingWorker& operator=(const StagingWorker&) = delete;

    /// write(memory) fills a slot, which is then copied to `to`.
    template <class Write>
    void send(int number, char* to, const Write& write, std::size_t bytes, cudaStream_t stream) {
        char* slot = staging_buffer().slot(number, turn_);
        cuda_check(cudaEventSynchronize(sent_[turn_]));
        write(slot);
        cuda_check(cudaMemcpyAsync(to, slot, bytes, cudaMemcpyHostToDevice, stream));
        cuda_check(cudaEventRecord(sent_[turn_], stream));
        turn_ = (turn_ + 1) % slots;
    }

    /// Copies from the device to a slot, and calls read(memory) for it.
    template <class Read>
    void receive(int number, const char* from, const Read& read, std::size_t bytes, cudaStream_t stream) {
        char* const slot = staging_buffer().slot(number, 0);
        cuda_check(cudaMemcpyAsync(slot, from, bytes, cudaMemcpyDeviceToHost, stream));
        cuda_check(cudaEventRecord(sent_[0], stream));
        cuda_check(cudaEventSynchronize(sent_[0]));
        read(slot);
    }

private:
    cudaEvent_t sent_[slots] = {};
    int turn_ = 0;
};

/// Calls send(worker, begin, end, number) for blocks of `step` items of [0, count); number: index of the worker.
template <class Send>
void send_all(Cuda& cuda, Offset count, Offset step, const Send& send) {
    const std::lock_guard lock(staging_buffer().mutex);
    if (staging_buffer().memory == nullptr) {
        cuda_check(cudaHostAlloc(reinterpret_cast<void**>(&staging_buffer().memory), max_workers * slots * piece,
                                 cudaHostAllocPortable));
    }
    Cpu cpu(std::min(usable_threads(cuda.run().threads), max_workers));
    std::array<StagingWorker, max_workers> workers;
    cpu.blocks(count, step, [&](Offset begin, Offset end, int worker) {
        cuda_check(cudaSetDevice(cuda.run().gpu()));
        send(workers[static_cast<std::size_t>(worker)], begin, end, worker);
    });
    cuda.wait();
}

}  // namespace

void copy_in_staged(Cuda& cuda, void* to, const void* from, std::size_t bytes) {
    send_all(cuda, static_cast<Offset>(bytes), piece, [&](StagingWorker& worker, Offset begin, Offset end, int number) {
        const auto size = static_cast<std::size_t>(end - begin);
        const auto write = [&](char* slot) { std::memcpy(slot, static_cast<const char*>(from) + begin, size); };
        worker.send(number, static_cast<char*>(to) + begin, write, size, cuda.stream());
    });
}

void copy_out_staged(Cuda& cuda, void* to, const void* from, std::size_t bytes) {
    const progress::Uncancellable whole;
    send_all(cuda, static_cast<Offset>(bytes), piece, [&](StagingWorker& worker, Offset begin, Offset end, int number) {
        const auto size = static_cast<std::size_t>(end - begin);
        const auto read = [&](const char* slot) { std::memcpy(static_cast<char*>(to) + begin, slot, size); };
        worker.receive(number, static_cast<const char*>(from) + begin, read, size, cuda.stream());
    });
}

void copy_rows_in_staged(Cuda& cuda, float* to, MatrixView<const float> from, std::span<const Index> rows) {
    const std::size_t row_bytes = static_cast<std::size_t>(from.cols) * sizeof(float);
    if (row_bytes > piece) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            cuda.copy_in(to + i * static_cast<std::size_t>(from.cols), from.row(rows[i]).data(), row_bytes);
        }
        return cuda.wait();
    }
    const auto step = static_cast<Offset>(piece / row_bytes);
    send_all(cuda, std::ssize(rows), step, [&](StagingWorker& worker, Offset begin, Offset end, int number) {
        const auto write = [&](char* slot) {
            for (Offset i = begin; i < end; ++i, slot += row_bytes) {
                std::memcpy(slot, from.row(rows[static_cast<std::size_t>(i)]).data(), row_bytes);
            }
        };
        worker.send(number, reinterpret_cast<char*>(to + begin * from.cols), write,
                    static_cast<std::size_t>(end - begin) * row_bytes, cuda.stream());
    });
}

}  // namespace dunlin::device
