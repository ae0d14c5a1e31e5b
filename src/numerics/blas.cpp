// SPDX-License-Identifier: Apache-2.0
#include "numerics/blas.hpp"

#include <dunlin/threads.hpp>

#include <fmt/format.h>
#include <sys/mman.h>

#include <mutex>
#include <vector>

#include <dunlin/error.hpp>

#include "device/address_space.hpp"

// OpenBLAS's own list of buffers; other libraries have none
extern "C" {
[[gnu::weak]] void* blas_memory_alloc(int);
[[gnu::weak]] void blas_memory_free(void*);
}

namespace dunlin::numerics {

namespace {

bool is_mappable(std::size_t bytes) {
    void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) return false;
    munmap(place, bytes);
    return true;
}

/// Where the address space is limited, BLAS takes the buffers of all threads now, while there is room for them: later
/// data may have taken it, and BLAS then tries for ever.
void take_buffers() {
    static std::mutex mutex;
    static int taken = 0;
    if (!device::limits_address_space() || blas_memory_alloc == nullptr || blas_memory_free == nullptr) return;
    const int threads = usable_threads();
    const std::lock_guard lock(mutex);
    if (taken >= threads) return;
    const std::size_t needed = static_cast<std::size_t>(threads - taken) * device::blas_buffer;
    if (!is_mappable(needed)) {
        throw Error(Fault::out_of_memory,
                    fmt::format("linear algebra needs {} MB of address space, which are not left; raise the limit "
                                "(ulimit -v)",
                                needed / 1'000'000));
    }
    std::vector<void*> buffers;
    buffers.reserve(static_cast<std::size_t>(threads));
    for (int i = 0; i < threads; ++i) buffers.push_back(blas_memory_alloc(0));
    for (void* buffer : buffers) blas_memory_free(buffer);
    taken = threads;
}

}  // namespace

void hold_blas_to_one_thread() {
    openblas_set_num_threads(1);
    take_buffers();
}

}  // namespace dunlin::numerics
