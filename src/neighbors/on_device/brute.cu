#include <cub/device/device_segmented_radix_sort.cuh>

#include <limits>

#include "device/scratch.cuh"
#include "neighbors/on_device/brute.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// What is known comes first, so that a sort that keeps the order of equals keeps it by id.
struct MeasureAll {
    ItemRows queries, base;
    const Index* which;
    Index known;
    const double* nearest_keys;
    const Index* nearest_items;
    Offset stride;
    double* keys;
    Index* items;

    __device__ void operator()(Offset pair) const {
        const Index query = which[pair / stride];
        const auto place = static_cast<Index>(pair % stride);
        if (place < known) {
            if (threadIdx.x % 32 != 0) return;
            keys[pair] = nearest_keys[Offset{query} * known + place];
            items[pair] = nearest_items[Offset{query} * known + place];
            return;
        }
        const Index item = base.item(place - known);
        const bool self = item == queries.item(query);
        const double key = self ? INFINITY : warp_key(queries.rows, query, base.rows, place - known);
        if (threadIdx.x % 32 != 0) return;
        keys[pair] = key;
        items[pair] = self ? std::numeric_limits<Index>::max() : item;
    }
};

struct Keep {
    const Index* which;
    Index wanted;
    Offset stride;
    const double* keys;
    const Index* items;
    double* nearest_keys;
    Index* nearest_items;

    __device__ void operator()(Offset i) const {
        const Offset from = i / wanted * stride + i % wanted, to = Offset{which[i / wanted]} * wanted + i % wanted;
        nearest_keys[to] = keys[from];
        nearest_items[to] = items[from];
    }
};

/// Both sides of a sort.
struct Pairs {
    CudaBuffer<double> keys[2];
    CudaBuffer<Index> items[2];
};

void sort_rows(Cuda& cuda, Offset rows, Offset stride, const CudaBuffer<Offset>& ends, Pairs& pairs) {
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSegmentedRadixSort::SortPairs(scratch, bytes, pairs.keys[0].data(), pairs.keys[1].data(),
                                                        pairs.items[0].data(), pairs.items[1].data(), rows * stride,
                                                        rows, ends.data(), ends.data() + 1, 0, 64, cuda.stream());
    });
}

}  // namespace

std::uint64_t sorting_bytes(Index base_rows, Index wanted) {
    return (static_cast<std::uint64_t>(base_rows) + static_cast<std::uint64_t>(wanted)) * 36 + 4096;
}

void rank_by_sorting(Cuda& cuda, const ItemRows& queries, std::span<const Index> which, const ItemRows& base,
                     bool merge, std::uint64_t memory, Nearest& nearest) {
    const Index wanted = nearest.wanted, known = merge ? wanted : 0;
    const Offset stride = Offset{base.rows.count} + known, all = std::ssize(which);
    const Offset fit = static_cast<Offset>(memory / sorting_bytes(base.rows.count, known));
    const Offset batch = std::clamp<Offset>(std::min(fit, (Offset{1} << 25) / stride), 1, std::max<Offset>(all, 1));
    Pairs pairs;
    for (int side = 0; side < 2; ++side) {
        cuda.resize(pairs.keys[side], static_cast<std::size_t>(batch * stride));
        cuda.resize(pairs.items[side], static_cast<std::size_t>(batch * stride));
    }
    std::vector<Offset> offsets;
    for (Offset row = 0; row <= batch; ++row) offsets.push_back(row * stride);
    CudaBuffer<Offset> ends;
    cuda.upload(ends, offsets);
    for (Offset begin = 0; begin < all && !cuda.run().stop.stop_requested(); begin += batch) {
        const Offset rows = std::min(batch, all - begin);
        CudaBuffer<Index> chosen;
        cuda.upload(chosen, which.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(rows)));
        each_warp(cuda, rows * stride,
                  MeasureAll{queries, base, chosen.data(), known, nearest.keys.data(), nearest.items.data(), stride,
                             pairs.keys[0].data(), pairs.items[0].data()});
        sort_rows(cuda, rows, stride, ends, pairs);
        cuda.each(rows * wanted, Keep{chosen.data(), wanted, stride, pairs.keys[1].data(), pairs.items[1].data(),
                                      nearest.keys.data(), nearest.items.data()});
        cuda.wait();  // so that a stop is heard
    }
}

}  // namespace dunlin::neighbors
