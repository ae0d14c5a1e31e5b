// SPDX-License-Identifier: Apache-2.0
#include "mds/forces/partners.cuh"

#include <bit>

#include "math/search.hpp"
#include "numerics/sort.cuh"

namespace dunlin::mds {

namespace {

using device::Cuda;

constexpr int threads = 256;

/// Index of random slot r; slots count from item `first`.
struct RandomSlot {
    Offset item, slot;
    __device__ static RandomSlot of(const SpringView& view, Offset first, Offset r) {
        const Offset random = view.slots - view.near, item = first + r / random;
        return {item, item * view.slots + view.near + r % random};
    }
};

/// `Lanes` lanes compare the two rows of one slot.
template <int Lanes>
__global__ void measure_points(Items items, SpringView view, Offset first, Offset count) {
    const Offset r = (Offset{blockIdx.x} * threads + threadIdx.x) / Lanes;
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    const RandomSlot at = RandomSlot::of(view, first, r < count ? r : 0);
    const float4 *a = items.quads(view.item[at.item]), *b = items.quads(view.item[view.partner[at.slot]]);
    float part = 0;
    for (Index q = lane; q < items.stride / 4; q += Lanes)
        part = items.kind == DissimilarityKind::sum ? apart<true>(a[q], b[q], part) : apart<false>(a[q], b[q], part);
    const auto sum = static_cast<float>(device::group_sum<Lanes>(static_cast<double>(part)));
    if (lane == 0 && r < count) view.delta[at.slot] = dissimilarity(sum, items.kind, items.unit);
}

struct ReadMatrix {
    Items items;
    SpringView view;
    Offset first;
    __device__ void operator()(Offset r) const {
        const RandomSlot at = RandomSlot::of(view, first, r);
        view.delta[at.slot] = items(view.item[at.item], view.item[view.partner[at.slot]]);
    }
};

/// Sort keys: the partner in each slot; `empty`, which is above all partners, for empty slots.
struct KeySlots {
    const Index* partner;
    std::uint32_t empty;
    std::uint32_t* key;
    Offset* slot;
    __device__ void operator()(Offset s) const {
        key[s] = partner[s] < 0 ? empty : static_cast<std::uint32_t>(partner[s]);
        slot[s] = s;
    }
};

/// begin[p] = number of keys below p.
struct FindBegin {
    const std::uint32_t* key;
    Offset count;
    Offset* begin;
    __device__ void operator()(Offset p) const {
        begin[p] = math::first_at_least(key, count, static_cast<std::uint32_t>(p));
    }
};

}  // namespace

void measure(Cuda& cuda, const DeviceSource& source, const SpringView& view, Index first, Index size) {
    const Items& items = source.items();
    const Offset count = Offset{size - first} * (view.slots - view.near);
    if (count == 0) return;
    if (items.kind == DissimilarityKind::given) return cuda.each(count, ReadMatrix{items, view, first});
    const auto with_lanes = [&]<int Lanes>() {
        const auto blocks = static_cast<unsigned>((count * Lanes + threads - 1) / threads);
        measure_points<Lanes><<<blocks, threads, 0, cuda.stream()>>>(items, view, first, count);
        device::cuda_check(cudaGetLastError());
    };
    if (items.stride <= 16) return with_lanes.operator()<1>();
    items.stride <= 128 ? with_lanes.operator()<4>() : with_lanes.operator()<16>();
}

ReversePartners reverse_of(Cuda& cuda, SpringState<Cuda>& springs, Index size) {
    const Offset count = Offset{size} * springs.slots;
    const auto empty = static_cast<std::uint32_t>(size);
    device::CudaBuffer<std::uint32_t> key(static_cast<std::size_t>(count), cuda.stream());
    cuda.resize(springs.reverse_slot, static_cast<std::size_t>(count));
    cuda.resize(springs.reverse_begin, static_cast<std::size_t>(size) + 1);
    cuda.each(count, KeySlots{springs.partner.data(), empty, key.data(), springs.reverse_slot.data()});
    numerics::sort_pairs(cuda, key, springs.reverse_slot, 0, std::bit_width(empty));
    cuda.each(Offset{size} + 1, FindBegin{key.data(), count, springs.reverse_begin.data()});
    return {springs.reverse_begin.data(), springs.reverse_slot.data()};
}

}  // namespace dunlin::mds
