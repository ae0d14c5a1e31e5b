// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "kmeans/cuda/state.cuh"

namespace dunlin::kmeans {

/// Double-buffered copy of rows from the host in pieces: a piece is copied while the device works on the one before.
class RowUploader {
public:
    /// Keeps a reference to `rows`.
    RowUploader(const Run& run, const Rows& rows, Index piece);
    ~RowUploader();
    RowUploader(const RowUploader&) = delete;
    RowUploader& operator=(const RowUploader&) = delete;

    [[nodiscard]] Index piece() const { return piece_; }

    /// For each piece: sets the state's rows, weights, first and n, and calls work(), which enqueues.
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
        cudaEvent_t done = nullptr;  ///< after the work on its last piece
    };

    /// Waits for the work on the slot's last piece, then copies; the work on the other slot continues meanwhile.
    void upload(device::Cuda& cuda, DeviceState& state);
    void release(device::Cuda& cuda, DeviceState& state);

    const Rows& rows_;
    Index piece_;
    device::Cuda copier_;
    std::array<Slot, 2> slots_;
    std::size_t slot_ = 0;
};

/// The rows of a state: all at once if they are in device memory, or piece by piece from the host.
class RowStream {
public:
    RowStream() = default;  ///< all rows are in device memory
    explicit RowStream(std::unique_ptr<RowUploader> stream) : stream_(std::move(stream)) {}

    [[nodiscard]] bool holds_all() const { return stream_ == nullptr; }

    /// Largest number of rows at once.
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
