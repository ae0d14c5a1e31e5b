#include "forces/tree_nodes.cuh"

#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "math/morton.hpp"

namespace dunlin::forces {

template <int Lanes, int D>
__device__ Extent<D> from_further(Extent<D> box, int lanes) {
    for (int d = 0; d < D; ++d) {
        box.low[d] = __shfl_down_sync(~0U, box.low[d], lanes, Lanes);
        box.high[d] = __shfl_down_sync(~0U, box.high[d], lanes, Lanes);
    }
    box.holds_something = __shfl_down_sync(~0U, box.holds_something, lanes, Lanes);
    return box;
}

namespace {

template <int D>
__device__ Place<D> place_of(const float* y, Offset i) {
    Place<D> place;
    for (int d = 0; d < D; ++d) place.at[d] = fminf(fmaxf(y[i * D + d], -farthest), farthest);
    return place;
}

template <int D>
struct PointBox {
    const float* y;

    __device__ Extent<D> operator()(Offset i) const {
        Extent<D> box;
        box.holds_something = true;
        const Place<D> place = place_of<D>(y, i);
        for (int d = 0; d < D; ++d) box.low[d] = box.high[d] = place.at[d];
        return box;
    }
};

template <int D>
struct Encode {
    const float* y;
    const Extent<D>* box;
    std::uint32_t* codes;
    Index* items;

    __device__ void operator()(Offset i) const {
        const Place<D> place = place_of<D>(y, i);
        float side = 0;
        for (int d = 0; d < D; ++d) side = fmaxf(side, box->high[d] - box->low[d]);
        const float scale = static_cast<float>(1 << math::morton_bits<D>) / side;
        std::uint32_t cell[D];
        for (int d = 0; d < D; ++d) cell[d] = math::morton_cell<D>(place.at[d], box->low[d], scale);
        codes[i] = math::morton<D>(cell);
        items[i] = static_cast<Index>(i);
    }
};

constexpr std::uint8_t leaf_start = 1, group_start = 2;

/// Whether bit `Start` is set of a point's entry.
template <std::uint8_t Start>
struct Starts {
    const std::uint8_t* starts;
    __device__ bool operator()(Index i) const { return (starts[i] & Start) != 0; }
};

constexpr int cut_threads = 256;

/// The codes around a block's points.
template <int Reach>
struct CodeWindow {
    std::uint32_t codes[cut_threads + 2 * Reach];
    Offset begin;  // the point of codes[0]
    Index n;

    __device__ void load(Index size, const std::uint32_t* from) {
        begin = Offset{blockIdx.x} * cut_threads - Reach;
        n = size;
        for (int i = threadIdx.x; i < cut_threads + 2 * Reach; i += cut_threads) {
            codes[i] = begin + i >= 0 && begin + i < n ? from[begin + i] : 0;
        }
    }
    /// How the code of point i differs from the one before.
    __device__ std::uint32_t difference(Offset i) const { return codes[i - begin] ^ codes[i - 1 - begin]; }

    /// The number of points of the cell that is cut before point i, if at most `most`; else anything above.
    __device__ Index size_of_cell(Offset i, Index most) const {
        const std::uint32_t here = difference(i);
        Offset left = i, right = i;
        do --left;
        while (left > 0 && i - left <= most && difference(left) <= here);
        do ++right;
        while (right < n && right - left <= most && difference(right) <= here);
        return static_cast<Index>(right - left);
    }
};

/// Puts the points in order, marks where leaves and groups begin, and clears what is needed later.
template <int D>
__global__ void __launch_bounds__(cut_threads)
    cut_kernel(Index n, const float* y, const std::uint32_t* codes, const Index* items, Place<D>* places,
               std::uint8_t* starts, Index* meeting) {
    using Nodes = CudaTreeNodes<D>;
    __shared__ CodeWindow<Nodes::group_size + 2> window;
    window.load(n, codes);
    __syncthreads();
    const Offset i = Offset{blockIdx.x} * cut_threads + threadIdx.x;
    if (i >= n) return;
    places[i] = place_of<D>(y, items[i]);
    meeting[i] = -1;
    std::uint8_t start = 0;
    if (i == 0) {
        start = leaf_start | group_start;
    } else if (window.difference(i) == 0) {
        start = i % Nodes::group_size == 0 ? group_start : 0;  // many points of one code are shared out
    } else {
        const Index size = window.size_of_cell(i, Nodes::group_size);
        start = (size > Nodes::leaf_size ? leaf_start : 0) | (size > Nodes::group_size ? group_start : 0);
    }
    starts[i] = start;
}

/// Of a warp's lanes, for all of them.
__device__ double sum_of_all(double value) {
    for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(~0U, value, lanes);
    return value;
}
__device__ float least_of_all(float value) {
    for (int lanes = 16; lanes > 0; lanes /= 2) value = fminf(value, __shfl_xor_sync(~0U, value, lanes));
    return value;
}

/// What a leaf holds, by a warp.
template <int D>
__device__ CellContent<D> measure(const Place<D>* places, Index first, Index count) {
    const int lane = threadIdx.x % 32;
    CellContent<D> content;
    content.count = count;
    for (int d = 0; d < D; ++d) {
        float low = INFINITY, high = -INFINITY;
        double sum = 0;
        for (Index i = lane; i < count; i += 32) {
            const float x = places[first + i].at[d];
            low = fminf(low, x);
            high = fmaxf(high, x);
            sum += x;
        }
        content.centre[d] = sum_of_all(sum) / count;
        content.low[d] = least_of_all(low);
        content.high[d] = -least_of_all(-high);
    }
    for (Index i = lane; i < count; i += 32) {
        std::array<double, D> delta;
        for (int d = 0; d < D; ++d) delta[d] = places[first + i].at[d] - content.centre[d];
        add_moments(content.moments, delta, 1);
    }
    for (double& moment : content.moments) moment = sum_of_all(moment);
    return content;
}

/// What another block wrote in this launch.
template <class T>
__device__ T load_fresh(const T* from) {
    static_assert(sizeof(T) % sizeof(uint4) == 0);
    T value;
    for (std::size_t i = 0; i < sizeof(T) / sizeof(uint4); ++i) {
        reinterpret_cast<uint4*>(&value)[i] = __ldcg(reinterpret_cast<const uint4*>(from) + i);
    }
    return value;
}

/// The tree above the leaves, from below: of two siblings the one that comes second makes the parent (Apetrei 2014).
/// Inner node p is cut before leaf p.
template <int D>
struct Climb {
    const std::uint32_t* codes;
    const Index* leaves;
    Index leaf_count;
    float theta;
    Index* meeting;
    CellContent<D>* contents;
    TreeRecord<D>* records;

    __device__ std::uint32_t difference(Index leaf) const { return codes[leaves[leaf]] ^ codes[leaves[leaf] - 1]; }
    __device__ TreeRecord<D> record(const CellContent<D>& content, Index link) const {
        TreeRecord<D> record;
        for (int d = 0; d < D; ++d) record.at[d] = static_cast<float>(content.centre[d]);
        record.reach2 = reach2(content, theta);
        for (int m = 0; m < moments_of<D>; ++m) record.moments[m] = static_cast<float>(content.moments[m]);
        record.count = content.count;
        record.link = link;
        return record;
    }

    __device__ void from(Index leaf, CellContent<D> content) const {
        Index left = leaf, right = leaf + 1, link = ~leaves[leaf];
        while (left > 0 || right < leaf_count) {
            const bool is_left = left == 0 || (right < leaf_count && difference(right) < difference(left));
            const Index parent = is_left ? right : left;
            const Offset slot = 2 * Offset{parent} + (is_left ? 0 : 1);
            records[slot] = record(content, link);
            contents[slot] = content;
            __threadfence();
            const Index end = atomicExch(meeting + parent, is_left ? left : right);
            if (end < 0) return;
            __threadfence();
            const CellContent<D> sibling = load_fresh(contents + (slot ^ 1));
            const CellContent<D> parts[2] = {is_left ? content : sibling, is_left ? sibling : content};
            content = merge(parts, 2);
            (is_left ? right : left) = end;
            link = parent;
        }
        records[0] = record(content, link);
    }
};

constexpr int sum_up_threads = 128;

template <int D>
__global__ void __launch_bounds__(sum_up_threads)
    sum_up_kernel(Index n, const Place<D>* places, Climb<D> climb, const Index* leaf_count) {
    climb.leaf_count = *leaf_count;
    const Index stride = gridDim.x * (sum_up_threads / 32);
    for (Index leaf = (blockIdx.x * sum_up_threads + threadIdx.x) / 32; leaf < climb.leaf_count; leaf += stride) {
        const Index first = climb.leaves[leaf];
        const Index last = leaf + 1 < climb.leaf_count ? climb.leaves[leaf + 1] : n;
        const CellContent<D> content = measure<D>(places, first, last - first);
        if (threadIdx.x % 32 == 0) climb.from(leaf, content);
    }
}

template <std::uint8_t Start>
std::size_t select(std::byte* scratch, std::size_t bytes, Index n, const std::uint8_t* starts, Index* found,
                   Index* count, cudaStream_t stream) {
    const thrust::counting_iterator<Index> all(0);
    device::cuda_check(cub::DeviceSelect::If(scratch, bytes, all, found, count, n, Starts<Start>{starts}, stream));
    return bytes;
}

template <int D>
std::size_t sort_pairs(std::byte* scratch, std::size_t bytes, const std::uint32_t* codes, std::uint32_t* sorted_codes,
                       const Index* items, Index* sorted_items, Index n, cudaStream_t stream) {
    device::cuda_check(cub::DeviceRadixSort::SortPairs(scratch, bytes, codes, sorted_codes, items, sorted_items, n, 0,
                                                       D * math::morton_bits<D>, stream));
    return bytes;
}

}  // namespace

template <int D>
bool CudaTreeNodes<D>::prepare(device::Cuda& cuda, Index n) {
    if (n == n_) return false;
    n_ = n;
    const auto size = static_cast<std::size_t>(n);
    cuda.address(box_);
    for (auto* codes : {&codes_, &sorted_codes_}) cuda.resize(*codes, size);
    for (auto* places : {&unsorted_items_, &items_, &leaves_, &groups_, &meeting_}) cuda.resize(*places, size);
    cuda.resize(places_, size);
    cuda.resize(starts_, size);
    cuda.resize(sizes_, 2);
    cuda.resize(contents_, 2 * size);
    cuda.resize(records_, 2 * size);
    const std::size_t to_sort = sort_pairs<D>(nullptr, 0, nullptr, nullptr, nullptr, nullptr, n, cuda.stream());
    const std::size_t to_select = select<leaf_start>(nullptr, 0, n, nullptr, nullptr, nullptr, cuda.stream());
    cuda.resize(scratch_, std::max(to_sort, to_select));
    return true;
}

template <int D>
void CudaTreeNodes<D>::build(device::Cuda& cuda, MatrixView<const float> y, float theta) {
    sort(cuda, y);
    cut(cuda, y);
    sum_up(cuda, theta);
}

template <int D>
void CudaTreeNodes<D>::sort(device::Cuda& cuda, MatrixView<const float> y) {
    cuda.sum(n_, PointBox<D>{y.data}, box_);
    cuda.each(n_, Encode<D>{y.data, cuda.address(box_), codes_.data(), unsorted_items_.data()});
    sort_pairs<D>(scratch_.data(), scratch_.size(), codes_.data(), sorted_codes_.data(), unsorted_items_.data(),
                  items_.data(), n_, cuda.stream());
}

template <int D>
void CudaTreeNodes<D>::cut(device::Cuda& cuda, MatrixView<const float> y) {
    const auto blocks = static_cast<unsigned>((Offset{n_} + cut_threads - 1) / cut_threads);
    cut_kernel<D><<<blocks, cut_threads, 0, cuda.stream()>>>(n_, y.data, sorted_codes_.data(), items_.data(),
                                                             places_.data(), starts_.data(), meeting_.data());
    device::cuda_check(cudaGetLastError());
    select<leaf_start>(scratch_.data(), scratch_.size(), n_, starts_.data(), leaves_.data(), sizes_.data(),
                       cuda.stream());
    select<group_start>(scratch_.data(), scratch_.size(), n_, starts_.data(), groups_.data(), sizes_.data() + 1,
                        cuda.stream());
}

template <int D>
void CudaTreeNodes<D>::sum_up(device::Cuda& cuda, float theta) {
    const Climb<D> climb{sorted_codes_.data(), leaves_.data(), 0, theta, meeting_.data(),
                         contents_.data(),     records_.data()};
    const auto blocks = std::clamp<Offset>(n_ / 32, 1, Offset{cuda.multiprocessors()} * 16);
    sum_up_kernel<D>
        <<<static_cast<unsigned>(blocks), sum_up_threads, 0, cuda.stream()>>>(n_, places_.data(), climb, sizes_.data());
    device::cuda_check(cudaGetLastError());
}

template <int D>
TreeView<D> CudaTreeNodes<D>::view() const {
    return {n_, records_.data(), places_.data(), items_.data(), groups_.data(), sizes_.data() + 1};
}

template class CudaTreeNodes<2>;
template class CudaTreeNodes<3>;

}  // namespace dunlin::forces
