// SPDX-License-Identifier: Apache-2.0
#include "device/ranks.cuh"

#include <algorithm>

namespace dunlin::device {

namespace {

/// Lets the other GPUs copy from the pool of this one directly, where they are linked; other copies pass the host.
void open_pool(int gpu, std::span<const int> gpus) {
    cudaMemPool_t pool = nullptr;
    cuda_check(cudaDeviceGetDefaultMemPool(&pool, gpu));
    for (const int other : gpus) {
        int linked = 0;
        if (other != gpu) cuda_check(cudaDeviceCanAccessPeer(&linked, other, gpu));
        if (linked == 0) continue;
        cudaMemAccessDesc access{};
        access.location = {cudaMemLocationTypeDevice, other};
        access.flags = cudaMemAccessFlagsProtReadWrite;
        cuda_check(cudaMemPoolSetAccess(pool, &access, 1));
    }
}

/// What a rank needs for its exchanges.
class Transfers {
public:
    Transfers(Cuda& cuda, Rank& rank) : gpu_(cuda.run().gpu()) {
        gpus_ = rank.from_all(gpu_);
        open_pool(gpu_, gpus_);
        for (cudaEvent_t* event : {&written_, &copied_})
            cuda_check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
    ~Transfers() {
        for (cudaEvent_t event : {written_, copied_}) {
            if (event != nullptr) cudaEventDestroy(event);
        }
    }
    Transfers(const Transfers&) = delete;
    Transfers& operator=(const Transfers&) = delete;

    void exchange(Cuda& cuda, Rank& rank, const void* offered, std::span<const RemotePiece> pieces) {
        struct Offer {
            const void* memory;
            cudaEvent_t written;
        };
        cuda_check(cudaEventRecord(written_, cuda.stream()));
        const std::vector<Offer> offers = rank.from_all(Offer{offered, written_});
        for (const RemotePiece& piece : pieces) {
            const auto from = static_cast<std::size_t>(piece.from);
            const auto* source = static_cast<const std::byte*>(offers[from].memory) + piece.at;
            cuda_check(cudaStreamWaitEvent(cuda.stream(), offers[from].written));
            copy(cuda, piece.to, source, piece.bytes, gpus_[from]);
            if (piece.from != rank.index()) rank.count_received(piece.bytes);
        }
        cuda_check(cudaEventRecord(copied_, cuda.stream()));
        for (const cudaEvent_t copied : rank.from_all(copied_)) cuda_check(cudaStreamWaitEvent(cuda.stream(), copied));
    }

private:
    void copy(Cuda& cuda, void* to, const void* from, std::size_t bytes, int gpu) const {
        cuda_check(gpu == gpu_ ? cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cuda.stream())
                               : cudaMemcpyPeerAsync(to, gpu_, from, gpu, bytes, cuda.stream()));
    }

    int gpu_;
    std::vector<int> gpus_;
    cudaEvent_t written_ = nullptr, copied_ = nullptr;
};

}  // namespace

void exchange(Cuda& cuda, Rank& rank, const void* offered, std::span<const RemotePiece> pieces) {
    if (rank.resources() == nullptr) rank.resources() = std::make_shared<Transfers>(cuda, rank);
    static_cast<Transfers*>(rank.resources().get())->exchange(cuda, rank, offered, pieces);
}

}  // namespace dunlin::device
