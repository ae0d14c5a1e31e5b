#include "device/staging.cuh"

#include <array>
#include <cstring>
#include <mutex>

#include "device/cpu.hpp"

namespace dunlin::device {

namespace {

constexpr int most_workers = 8, slots = 2;
constexpr std::size_t piece = std::size_t{1} << 19;

/// Page-locked memory, for one copy at a time. It is never given back: at the process' end CUDA may be gone before.
struct Stage {
    std::mutex mutex;
    char* memory = nullptr;

    char* slot(int worker, int turn) { return memory + static_cast<std::size_t>(worker * slots + turn) * piece; }
};

Stage& stage() {
    static auto* const only = new Stage;
    return *only;
}

/// A worker's slots and what tells that they may be filled again.
class Worker {
public:
    Worker() {
        for (cudaEvent_t& event : sent_) cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    ~Worker() {
        for (cudaEvent_t event : sent_) cudaEventDestroy(event);
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void send(int number, char* to, const char* from, std::size_t bytes, cudaStream_t stream) {
        char* slot = stage().slot(number, turn_);
        cuda_check(cudaEventSynchronize(sent_[turn_]));
        std::memcpy(slot, from, bytes);
        cuda_check(cudaMemcpyAsync(to, slot, bytes, cudaMemcpyHostToDevice, stream));
        cuda_check(cudaEventRecord(sent_[turn_], stream));
        turn_ = (turn_ + 1) % slots;
    }

private:
    cudaEvent_t sent_[slots] = {};
    int turn_ = 0;
};

}  // namespace

void copy_in_staged(Cuda& cuda, void* to, const void* from, std::size_t bytes) {
    const std::lock_guard lock(stage().mutex);
    if (stage().memory == nullptr) {
        cuda_check(cudaHostAlloc(reinterpret_cast<void**>(&stage().memory), most_workers * slots * piece,
                                 cudaHostAllocPortable));
    }
    const int threads = cuda.run().threads;
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    Cpu cpu(std::clamp(threads > 0 ? threads : cores, 1, most_workers));
    std::array<Worker, most_workers> workers;
    cpu.blocks(static_cast<Offset>(bytes), piece, [&](Offset begin, Offset end, int worker) {
        cuda_check(cudaSetDevice(cuda.run().device_index));
        workers[static_cast<std::size_t>(worker)].send(worker, static_cast<char*>(to) + begin,
                                                       static_cast<const char*>(from) + begin,
                                                       static_cast<std::size_t>(end - begin), cuda.stream());
    });
    cuda.wait();
}

}  // namespace dunlin::device
