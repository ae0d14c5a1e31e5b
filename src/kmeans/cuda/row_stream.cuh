// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "kmeans/cuda/state.cuh"

namespace dunlin::kmeans {

/// Rows in host memory that come to the device piece by piece: while one is worked on, the next is copied.
class RowUploader {
public:
    /// Holds `rows` by reference.
    RowUploader(const Run& run, const Rows& rows, Index piece);
    ~RowUploader();
    RowUploader(const RowUploader&) = delete;
    RowUploader& operator=(const RowUploader&) = delete;

    [[nodiscard]] Index piece() const { return piece_; }

    /// Puts one piece after another into the state's rows, weights, first and n, and calls work, which enqueues.
    template <class Work>
    void each(device::Cuda& cuda, DeviceState& state, const Work& work) {
        const Index all = state.n;
        for (state.first = 0; state.first < all; state.first += piece_) {
            state.n = static_cast<Index>(std::min<Offset>(piece_, all - state.first));
            upload(cuda, state);
            work();
            release(cuda, state);
        }
        state.first = 0;
        state.n = all;
    }

private:
    struct Slot {
        device::CudaBuffer<float> rows, weights;
        cudaEvent_t done = nullptr;  ///< what was enqueued for its last piece
    };

    /// Waits until the slot's last piece is done, then copies; the other slot's work goes on meanwhile.
    void upload(device::Cuda& cuda, DeviceState& state);
    void release(device::Cuda& cuda, DeviceState& state);

    const Rows& rows_;
    Index piece_;
    device::Cuda copier_;
    std::array<Slot, 2> slots_;
    std::size_t slot_ = 0;
};

/// Shows a state's rows to whoever works on them: all at once where they are held, or as they come.
class RowStream {
public:
    RowStream() = default;  ///< the state holds all rows
    explicit RowStream(std::unique_ptr<RowUploader> stream) : stream_(std::move(stream)) {}

    [[nodiscard]] bool holds_all() const { return stream_ == nullptr; }

    /// The most rows that come at once.
    [[nodiscard]] Index most(const DeviceState& state) const {
        return holds_all() ? state.n : std::min(stream_->piece(), state.n);
    }
    template <class Work>
    void each(device::Cuda& cuda, DeviceState& state, const Work& work) {
        if (holds_all()) return work();
        stream_->each(cuda, state, work);
    }

private:
    std::unique_ptr<RowUploader> stream_;
};

}  // namespace dunlin::kmeans
