// SPDX-License-Identifier: Apache-2.0
#include "forces/tree/nodes.cuh"

#include <cub/device/device_radix_sort.cuh>

#include "forces/tree/bottom_up.cuh"
#include "math/morton.hpp"

namespace dunlin::forces {

namespace {

template <int D>
__device__ TreePoint<D, false> place_of(const float* y, Offset i) {
    TreePoint<D, false> place;
    for (int d = 0; d < D; ++d) place.at[d] = fminf(fmaxf(y[i * D + d], -farthest), farthest);
    return place;
}

template <int D>
struct Encode {
    const float* y;
    const DeviceBox<D>* box;
    std::uint32_t* codes;
    Index *items, *group_count;

    __device__ void operator()(Offset i) const {
        if (i == 0) *group_count = 0;
        float side = 0, most[D];
        for (int d = 0; d < D; ++d) side = fmaxf(side, box->most[d] - box->least[d]);
        for (int d = 0; d < D; ++d) most[d] = box->least[d] + side;  // makes cells square
        codes[i] = math::MortonBox<D>(box->least, most).code(place_of<D>(y, i).at);
        items[i] = static_cast<Index>(i);
    }
};

constexpr int cut_threads = 256;

/// Codes of a block's points and of Reach points on either side.
template <int Reach>
struct CodeWindow {
    static constexpr int size = cut_threads + 2 * Reach;

    std::uint32_t* codes;  // shared
    Index n;
    const Offset begin = Offset{blockIdx.x} * cut_threads - Reach;  // the point of codes[0]

    __device__ void load(const std::uint32_t* from) {
        for (int i = threadIdx.x; i < size; i += cut_threads) {
            codes[i] = begin + i >= 0 && begin + i < n ? from[begin + i] : 0;
        }
        __syncthreads();
    }
    __device__ std::uint64_t difference(Offset i) const {
        return ordinal(codes[i - begin], i) ^ ordinal(codes[i - 1 - begin], i - 1);
    }

    /// Number of points of the cell that is split before point i if that is at most `most`, else any number above.
    __device__ Index size_of_cell(Offset i, Index most) const {
        const std::uint64_t here = difference(i);
        Offset left = i, right = i;
        do --left;
        while (left > 0 && i - left <= most && difference(left) <= here);
        do ++right;
        while (right < n && right - left <= most && difference(right) <= here);
        return static_cast<Index>(right - left);
    }
};

template <int D>
__device__ void place(TreePoint<D, false>& at, const float* y, const float* /*charges*/, Offset item) {
    at = place_of<D>(y, item);
}
template <int D>
__device__ void place(TreePoint<D, true>& at, const float* y, const float* charges, Offset item) {
    const TreePoint<D, false> position = place_of<D>(y, item);
    for (int d = 0; d < D; ++d) at.at[d] = position.at[d];
    at.charge = charges[item];
}

/// Gathers the points in sorted order and marks the first points of leaves and groups.
template <int D, bool Charged>
__global__ void __launch_bounds__(cut_threads)
    cut_kernel(Index n, const float* y, const float* charges, const std::uint32_t* codes, const Index* items,
               TreePoint<D, Charged>* places, std::uint8_t* starts) {
    using Nodes = CudaTreeNodes<D, Charged>;
    using Window = CodeWindow<Nodes::largest_group + 2>;
    __shared__ std::uint32_t shared[Window::size];
    Window window{shared, n};
    window.load(codes);
    const Offset i = Offset{blockIdx.x} * cut_threads + threadIdx.x;
    if (i >= n) return;
    place(places[i], y, charges, items[i]);
    const Index most = Nodes::group_size(n), size = i == 0 ? n : window.size_of_cell(i, most);
    const bool group = i == 0 || size > most, leaf = i == 0 || size > Nodes::leaf_size;
    starts[i] = static_cast<std::uint8_t>((leaf ? leaf_start : 0) | (group ? group_start : 0));
}

/// With scratch = null returns the bytes of scratch memory needed; else sorts.
template <int D>
std::size_t sort_pairs(char* scratch, std::size_t bytes, const std::uint32_t* codes, std::uint32_t* sorted_codes,
                       const Index* items, Index* sorted_items, Index n, cudaStream_t stream) {
    device::cuda_check(cub::DeviceRadixSort::SortPairs(scratch, bytes, codes, sorted_codes, items, sorted_items, n, 0,
                                                       D * math::morton_bits<D>, stream));
    return bytes;
}

}  // namespace

template <int D, bool Charged>
bool CudaTreeNodes<D, Charged>::prepare(device::Cuda& cuda, Index n) {
    if (n == n_) return false;
    n_ = n;
    const auto size = static_cast<std::size_t>(n);
    cuda.address(box_);
    for (auto* codes : {&unsorted_codes_, &codes_}) cuda.resize(*codes, size);
    for (auto* places : {&unsorted_items_, &items_, &groups_}) cuda.resize(*places, size);
    cuda.resize(scratch_, sort_pairs<D>(nullptr, 0, nullptr, nullptr, nullptr, nullptr, n, cuda.stream()));
    cuda.resize(places_, size);
    cuda.resize(starts_, size);
    cuda.resize(group_count_, 1);
    cuda.fill(meeting_, size, Index{-1});
    cuda.resize(contents_, 2 * size);
    cuda.resize(records_, 2 * size);
    return true;
}

template <int D, bool Charged>
void CudaTreeNodes<D, Charged>::build(device::Cuda& cuda, MatrixView<const float> y, float theta,
                                      const float* charges) {
    sort(cuda, y);
    const auto blocks_of = [this](int size) { return static_cast<unsigned>((Offset{n_} + size - 1) / size); };
    cut_kernel<D, Charged><<<blocks_of(cut_threads), cut_threads, 0, cuda.stream()>>>(
        n_, y.data, charges, codes_.data(), items_.data(), places_.data(), starts_.data());
    device::cuda_check(cudaGetLastError());
    const BuildInput<D, Charged> input{n_,    codes_.data(),  places_.data(),      starts_.data(),   meeting_.data(),
                                       theta, groups_.data(), group_count_.data(), contents_.data(), records_.data()};
    build_kernel<D, Charged><<<blocks_of(build_points), build_threads, 0, cuda.stream()>>>(input);
    device::cuda_check(cudaGetLastError());
}

template <int D, bool Charged>
void CudaTreeNodes<D, Charged>::sort(device::Cuda& cuda, MatrixView<const float> y) {
    box_of<D>(cuda, y.data, n_, box_, farthest);
    cuda.each(
        n_, Encode<D>{y.data, cuda.address(box_), unsorted_codes_.data(), unsorted_items_.data(), group_count_.data()});
    sort_pairs<D>(scratch_.data(), scratch_.size(), unsorted_codes_.data(), codes_.data(), unsorted_items_.data(),
                  items_.data(), n_, cuda.stream());
}

template <int D, bool Charged>
TreeView<D, Charged> CudaTreeNodes<D, Charged>::view() const {
    return {n_, records_.data(), places_.data(), items_.data(), starts_.data(), groups_.data(), group_count_.data()};
}

template class CudaTreeNodes<2, false>;
template class CudaTreeNodes<3, false>;
template class CudaTreeNodes<2, true>;
template class CudaTreeNodes<3, true>;

}  // namespace dunlin::forces
