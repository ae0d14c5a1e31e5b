// SPDX-License-Identifier: Apache-2.0
#include "scores/data_ranks.cuh"

#include <algorithm>
#include <bit>

#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::scores {

namespace {

using device::Cuda;
using device::CudaBuffer;

constexpr int most_listed = 1024;  ///< others of a list, which a block has in shared memory

/// Orders points by distance, then by id.
__host__ __device__ std::uint64_t order_of(std::uint32_t distance, Index id) {
    return static_cast<std::uint64_t>(distance) << 32 | static_cast<std::uint32_t>(id);
}

/// Some others of a row of the table, in order: list[first .. first + count).
struct OrderedList {
    Index row, first, count;
};

struct CountTask {
    const OrderedList* lists;
    const std::uint64_t* ordered;
    const Index* ids;  ///< of the rows of the table
    const float* table;
    Offset stride;
    Index begin, end;  ///< the points of the table
    unsigned* counts;  ///< counts[i]: points that come before ordered[i], but not before the one ahead of it
};

/// Block (b, l): a stretch of points against list l.
__global__ void count_kernel(CountTask task) {
    constexpr Index stretch = 8192;
    __shared__ std::uint64_t ordered[most_listed];
    __shared__ unsigned counts[most_listed];
    const OrderedList list = task.lists[blockIdx.y];
    for (auto i = static_cast<Index>(threadIdx.x); i < list.count; i += static_cast<Index>(blockDim.x)) {
        ordered[i] = task.ordered[list.first + i];
        counts[i] = 0;
    }
    __syncthreads();
    const std::uint64_t last = ordered[list.count - 1];
    const float* row = task.table + list.row * task.stride - task.begin;
    const Index self = task.ids[list.row];
    const Offset begin = task.begin + Offset{blockIdx.x} * stretch, end = min(begin + stretch, Offset{task.end});
    for (Offset p = begin + threadIdx.x; p < end; p += blockDim.x) {
        const std::uint64_t own = order_of(__float_as_uint(row[p]), static_cast<Index>(p));
        if (p == self || own >= last) continue;
        Index low = 0, high = list.count - 1;  // the first of the list that comes after it
        while (low < high) {
            const Index middle = (low + high) / 2;
            if (ordered[middle] <= own) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        atomicAdd(counts + low, 1U);
    }
    __syncthreads();
    for (auto i = static_cast<Index>(threadIdx.x); i < list.count; i += static_cast<Index>(blockDim.x)) {
        if (counts[i] > 0) atomicAdd(task.counts + list.first + i, counts[i]);
    }
}

/// The others of every row in order.
struct OrderedOthers {
    std::vector<OrderedList> lists;
    std::vector<std::uint64_t> ordered;
    std::vector<std::size_t> places;  ///< of each in `others`

    OrderedOthers(std::span<const float> distances, std::span<const Index> others, std::size_t rows) {
        const std::size_t k = others.size() / rows;
        ordered.resize(others.size());
        places.resize(others.size());
        for (std::size_t r = 0; r < rows; ++r) {
            const auto mine = std::span(places).subspan(r * k, k);
            for (std::size_t j = 0; j < k; ++j) mine[j] = r * k + j;
            const auto of = [&](std::size_t i) {
                return order_of(std::bit_cast<std::uint32_t>(distances[i]), others[i]);
            };
            std::sort(mine.begin(), mine.end(), [&](std::size_t a, std::size_t b) { return of(a) < of(b); });
            for (std::size_t j = 0; j < k; ++j) ordered[r * k + j] = of(mine[j]);
            for (std::size_t j = 0; j < k; j += most_listed) {
                lists.push_back({static_cast<Index>(r), static_cast<Index>(r * k + j),
                                 static_cast<Index>(std::min<std::size_t>(most_listed, k - j))});
            }
        }
    }
};

/// Counts the points of all stretches before every other of some rows.
std::vector<unsigned> count_before(Cuda& cuda, DevicePairDistances& distances, std::span<const Index> rows,
                                   const OrderedOthers& others) {
    const DevicePairDistances::Rows own = distances.gather(rows);
    CudaBuffer<OrderedList> lists;
    CudaBuffer<std::uint64_t> ordered;
    CudaBuffer<Index> ids;
    cuda.upload(lists, others.lists);
    cuda.upload(ordered, others.ordered);
    cuda.upload(ids, rows);
    CudaBuffer<unsigned> counts;
    cuda.fill(counts, others.ordered.size(), 0U);

    const Index n = distances.size();
    const auto allowed = static_cast<Offset>(device::allowance(cuda) / 4 / sizeof(float));
    const auto step = static_cast<Index>(
        std::min<Offset>(std::max<Offset>(std::min(allowed, Offset{1} << 28) / own.count / 4 * 4, 4), n));
    CudaBuffer<float> table(at(own.count) * at(padded_stride(step)), cuda.stream());
    for (Index begin = 0; begin < n; begin += std::min(step, n - begin)) {
        progress::cancellation_point();
        const Index end = begin + std::min(step, n - begin);
        const Offset stride = padded_stride(end - begin);
        distances.fill(own, begin, end, table.data(), stride);
        const CountTask task{lists.data(), ordered.data(), ids.data(), table.data(), stride, begin, end, counts.data()};
        for (std::size_t first = 0; first < others.lists.size(); first += 32768) {
            CountTask some = task;
            some.lists += first;
            const dim3 grid(static_cast<unsigned>((end - begin - 1) / 8192 + 1),
                            static_cast<unsigned>(std::min<std::size_t>(32768, others.lists.size() - first)));
            count_kernel<<<grid, 256, 0, cuda.stream()>>>(some);
            device::cuda_check(cudaGetLastError());
        }
    }
    return cuda.host(counts);
}

}  // namespace

std::vector<Index> data_ranks(Cuda& cuda, DevicePairDistances& distances, std::span<const Index> rows,
                              std::span<const Index> others) {
    std::vector<Index> ranks(others.size());
    if (others.empty()) return ranks;
    const std::size_t k = others.size() / rows.size();
    const std::size_t together = std::clamp<std::size_t>((std::size_t{1} << 30) / k, 1, 4096);  // rows
    for (std::size_t first = 0; first < rows.size(); first += together) {
        const auto some = rows.subspan(first, std::min(together, rows.size() - first));
        const auto theirs = others.subspan(first * k, some.size() * k);
        const OrderedOthers ordered(cuda.host(distances.to_others(some, theirs)), theirs, some.size());
        const std::vector<unsigned> counts = count_before(cuda, distances, some, ordered);
        for (const OrderedList& list : ordered.lists) {
            // Each list counts all points before its first other
            Index rank = 1;
            for (Index i = list.first; i < list.first + list.count; ++i) {
                rank += static_cast<Index>(counts[at(i)]);
                ranks[first * k + ordered.places[at(i)]] = rank;
            }
        }
    }
    return ranks;
}

}  // namespace dunlin::scores
