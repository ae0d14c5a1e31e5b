// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/codes/coded_items.cuh"

#include "math/at.hpp"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

struct PickCodes {
    const std::uint8_t* from;
    const Index* order;
    Index bytes;
    std::uint8_t* to;
    __device__ void operator()(Offset i) const { to[i] = from[Offset{order[i / bytes]} * bytes + i % bytes]; }
};

}  // namespace

CodedItems::CodedItems(Cuda& cuda, ItemSource& items, const SearchParameters& parameters, Index at_once,
                       BlockSearch& exact, CudaRecallSample& sample)
    : cuda_(cuda),
      quantizer_(train_product_quantizer(cuda, items, find_frame(cuda, items.sample(cuda, 0, items.count())),
                                         parameters.codes, cell_count(items.count(), parameters))),
      codes_(at(items.count()) * at(quantizer_.parts()), cuda.stream()) {
    CudaBuffer<Index> cell(at(items.count()), cuda.stream()), sampled;
    cuda.upload(sampled, sample.items());
    LoadedRows loaded, loaded_sample;
    const ItemRows queries = items.gather(cuda, sampled, loaded_sample);
    for (Index first = 0; first < items.count(); first += at_once) {
        if (cuda.run().stop.stop_requested()) return;
        const ItemRows rows = items.load(cuda, first, std::min(at_once, items.count() - first), loaded);
        const CudaBuffer<Index> own = quantizer_.code(rows.rows, codes_.data() + at(first) * at(quantizer_.parts()));
        device::cuda_check(cudaMemcpyAsync(cell.data() + first, own.data(), own.size() * sizeof(Index),
                                           cudaMemcpyDeviceToDevice, cuda.stream()));
        exact.set_base(rows);
        exact.search(queries, first > 0);
    }
    if (cuda.run().stop.stop_requested()) return;
    sample.set_truth(cuda, items.groups(), exact.nearest());
    sort(items, std::move(cell), sample);
}

void CodedItems::sort(ItemSource& items, CudaBuffer<Index> cell, CudaRecallSample& sample) {
    sorted_ = quantizer_.sort(items, std::move(cell));
    sample.follow(cuda_.host(sorted_.order));
    CudaBuffer<std::uint8_t> codes(codes_.size(), cuda_.stream());
    cuda_.each(static_cast<Offset>(codes.size()),
               PickCodes{codes_.data(), sorted_.order.data(), quantizer_.parts(), codes.data()});
    codes_ = std::move(codes);
    sorted_.order = {};
}

}  // namespace dunlin::neighbors
