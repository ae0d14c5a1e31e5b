// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/recall/recall_sample.cuh"

#include <algorithm>
#include <limits>
#include <numeric>

#include "math/at.hpp"

namespace dunlin::neighbors {

namespace {

/// Number of rows of an item; trivial groups have no offsets.
__device__ Index copies_of(const Offset* offsets, Index item) {
    return offsets == nullptr ? 1 : static_cast<Index>(offsets[item + 1] - offsets[item]);
}

struct FindItems {
    const Index *rows, *group_of;  ///< group_of: null: row r is item r
    const Offset* offsets;
    Index *items, *copies;
    __device__ void operator()(Offset s) const {
        items[s] = group_of == nullptr ? rows[s] : group_of[rows[s]];
        copies[s] = copies_of(offsets, items[s]);
    }
};

struct GatherNear {
    const double* keys;
    const Index *items, *which;
    const Offset* offsets;
    Index wanted;
    NearItem* near;
    __device__ void operator()(Offset k) const {
        const Offset from = Offset{which[k / wanted]} * wanted + k % wanted;
        const Index item = items[from];
        near[k] = item < 0 ? NearItem{INFINITY, item, 0} : NearItem{keys[from], item, copies_of(offsets, item)};
    }
};

}  // namespace

/// Copies a megabyte at a time, which memory plans can ignore.
std::vector<NearItem> near_items(device::Cuda& cuda, const CudaDistinctRows& groups, const NearestLists& found,
                                 const std::vector<Index>& which) {
    std::vector<NearItem> all(which.size() * at(found.wanted));
    const std::size_t at_once = std::max<std::size_t>(1, (1 << 16) / at(found.wanted));
    device::CudaBuffer<Index> rows;
    device::CudaBuffer<NearItem> near;
    for (std::size_t first = 0; first < which.size(); first += at_once) {
        const std::size_t count = std::min(at_once, which.size() - first);
        cuda.upload(rows, std::span(which).subspan(first, count));
        cuda.resize(near, count * at(found.wanted));
        cuda.each(static_cast<Offset>(near.size()), GatherNear{found.keys.data(), found.items.data(), rows.data(),
                                                               groups.offsets.data(), found.wanted, near.data()});
        cuda.copy_out(all.data() + first * at(found.wanted), near.data(), near.size() * sizeof(NearItem));
    }
    return all;
}

CudaRecallSample::CudaRecallSample(device::Cuda& cuda, const CudaDistinctRows& groups, Index rows, Index degree,
                                   const SearchParameters& parameters)
    : sample_(rows, sample_size(parameters), degree, cuda.run().seed) {
    const std::size_t count = sample_.rows().size();
    device::CudaBuffer<Index> sampled, items(count, cuda.stream()), copies(count, cuda.stream());
    cuda.upload(sampled, sample_.rows());
    cuda.each(static_cast<Offset>(count),
              FindItems{sampled.data(), groups.group_of.data(), groups.offsets.data(), items.data(), copies.data()});
    sample_.set_items(cuda.host(items), cuda.host(copies));
}

void CudaRecallSample::set_truth(device::Cuda& cuda, const CudaDistinctRows& groups, const NearestLists& found) {
    wanted_ = found.wanted;
    std::vector<Index> all(items().size());
    std::iota(all.begin(), all.end(), 0);
    truth_ = near_items(cuda, groups, found, all);
    for (std::size_t i = 0; i < items().size(); ++i) sample_.set_truth(i, truth(i));
}

void CudaRecallSample::follow(const std::vector<Index>& order) {
    std::vector<Index> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[at(order[i])] = static_cast<Index>(i);
    std::vector<NearItem> turned;
    turned.reserve(truth_.size());
    for (const std::size_t was : sample_.renumber(place)) {
        for (NearItem near : truth(was)) {
            if (near.item >= 0) near.item = place[at(near.item)];
            turned.push_back(near);
        }
    }
    truth_ = std::move(turned);
}

void CudaRecallSample::record(device::Cuda& cuda, const CudaDistinctRows& groups, Index first, Index count,
                              const NearestLists& found) {
    const auto begin = std::lower_bound(items().begin(), items().end(), first);
    const auto end = std::lower_bound(begin, items().end(), first + count);
    std::vector<std::size_t> sampled;
    std::vector<Index> rows;
    for (auto item = begin; item != end; ++item) {
        const auto i = static_cast<std::size_t>(item - items().begin());
        if (!sample_.measures(i)) continue;
        sampled.push_back(i);
        rows.push_back(*item - first);
    }
    record_rows(cuda, groups, sampled, rows, found);
}

void CudaRecallSample::record_sampled(device::Cuda& cuda, const CudaDistinctRows& groups, Index first, Index count,
                                      const NearestLists& found) {
    std::vector<std::size_t> sampled;
    std::vector<Index> rows;
    for (Index row = 0; row < count; ++row) {
        if (!sample_.measures(at(first + row))) continue;
        sampled.push_back(at(first + row));
        rows.push_back(row);
    }
    record_rows(cuda, groups, sampled, rows, found);
}

/// Records rows of `found` for items of the sample.
void CudaRecallSample::record_rows(device::Cuda& cuda, const CudaDistinctRows& groups,
                                   const std::vector<std::size_t>& sampled, const std::vector<Index>& rows,
                                   const NearestLists& found) {
    const std::vector<NearItem> near = near_items(cuda, groups, found, rows);
    for (std::size_t s = 0; s < sampled.size(); ++s) {
        sample_.record(sampled[s], std::span(near).subspan(s * at(found.wanted), at(found.wanted)));
    }
}

}  // namespace dunlin::neighbors
