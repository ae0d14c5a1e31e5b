// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/row_stream.cuh"

#include "kmeans/cuda/unit.cuh"

namespace dunlin::kmeans {

RowUploader::RowUploader(const Run& run, const Rows& rows, Index piece) : rows_(rows), piece_(piece), copier_(run) {
    const auto values = static_cast<std::size_t>(piece) * static_cast<std::size_t>(rows.cols());
    for (Slot& slot : slots_) {
        device::cuda_check(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
        copier_.resize(slot.rows, values);
        if (!rows.weights.empty()) copier_.resize(slot.weights, static_cast<std::size_t>(piece));
    }
    copier_.wait();
}

RowUploader::~RowUploader() {
    for (const Slot& slot : slots_) {
        if (slot.done == nullptr) continue;
        cudaEventSynchronize(slot.done);
        cudaEventDestroy(slot.done);
    }
}

void RowUploader::upload(device::Cuda& cuda, DeviceState& state) {
    Slot& slot = slots_[slot_];
    device::cuda_check(cudaEventSynchronize(slot.done));
    const auto count = static_cast<std::size_t>(state.n), cols = static_cast<std::size_t>(state.cols);
    copier_.copy_in(slot.rows.data(), rows_.points.data + state.first * state.cols, count * cols * sizeof(float));
    if (!rows_.weights.empty()) {
        copier_.copy_in(slot.weights.data(), rows_.weights.data() + state.first, count * sizeof(float));
    }
    copier_.wait();
    state.rows.swap(slot.rows);
    state.weights.swap(slot.weights);
    if (state.metric == Metric::cosine) cuda.each(state.n, ToUnit{state.rows.data(), state.cols});
}

void RowUploader::release(device::Cuda& cuda, DeviceState& state) {
    Slot& slot = slots_[slot_];
    state.rows.swap(slot.rows);
    state.weights.swap(slot.weights);
    device::cuda_check(cudaEventRecord(slot.done, cuda.stream()));
    slot_ = 1 - slot_;
}

}  // namespace dunlin::kmeans
