// SPDX-License-Identifier: Apache-2.0
#include "mds/forces/partners.cuh"

#include <bit>

#include "device/sort.cuh"
#include "math/search.hpp"

namespace dunlin::mds {

namespace {

using device::Cuda;

constexpr int threads = 256;

/// The r-th random slot, counted from that of item `first` on.
struct RandomSlot {
    Offset item, slot;
    __device__ static RandomSlot of(const Bonds& bonds, Offset first, Offset r) {
        const Offset random = bonds.slots - bonds.near, item = first + r / random;
        return {item, item * bonds.slots + bonds.near + r % random};
    }
};

/// So many lanes side by side along the rows of a slot's two items.
template <int Lanes>
__global__ void measure_points(Items items, Bonds bonds, Offset first, Offset count) {
    const Offset r = (Offset{blockIdx.x} * threads + threadIdx.x) / Lanes;
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    const RandomSlot at = RandomSlot::of(bonds, first, r < count ? r : 0);
    const float4 *a = items.quads(bonds.item[at.item]), *b = items.quads(bonds.item[bonds.partner[at.slot]]);
    float part = 0;
    for (Index q = lane; q < items.stride / 4; q += Lanes)
        part = items.kind == DissimilarityKind::sum ? apart<true>(a[q], b[q], part) : apart<false>(a[q], b[q], part);
    const auto sum = static_cast<float>(device::group_sum<Lanes>(static_cast<double>(part)));
    if (lane == 0 && r < count) bonds.delta[at.slot] = dissimilarity(sum, items.kind, items.unit);
}

struct ReadMatrix {
    Items items;
    Bonds bonds;
    Offset first;
    __device__ void operator()(Offset r) const {
        const RandomSlot at = RandomSlot::of(bonds, first, r);
        bonds.delta[at.slot] = items(bonds.item[at.item], bonds.item[bonds.partner[at.slot]]);
    }
};

/// Slots by the partner in them; empty ones by `nobody`, which is above all partners.
struct KeySlots {
    const Index* partner;
    std::uint32_t nobody;
    std::uint32_t* key;
    Offset* slot;
    __device__ void operator()(Offset s) const {
        key[s] = partner[s] < 0 ? nobody : static_cast<std::uint32_t>(partner[s]);
        slot[s] = s;
    }
};

/// begin[p] = how many keys are below p.
struct FindBegin {
    const std::uint32_t* key;
    Offset count;
    Offset* begin;
    __device__ void operator()(Offset p) const {
        begin[p] = math::first_at_least(key, count, static_cast<std::uint32_t>(p));
    }
};

}  // namespace

void measure(Cuda& cuda, const DeviceSource& source, const Bonds& bonds, Index first, Index size) {
    const Items& items = source.items();
    const Offset count = Offset{size - first} * (bonds.slots - bonds.near);
    if (count == 0) return;
    if (items.kind == DissimilarityKind::given) return cuda.each(count, ReadMatrix{items, bonds, first});
    const auto with_lanes = [&]<int Lanes>() {
        const auto blocks = static_cast<unsigned>((count * Lanes + threads - 1) / threads);
        measure_points<Lanes><<<blocks, threads, 0, cuda.stream()>>>(items, bonds, first, count);
        device::cuda_check(cudaGetLastError());
    };
    if (items.stride <= 16) return with_lanes.operator()<1>();
    items.stride <= 128 ? with_lanes.operator()<4>() : with_lanes.operator()<16>();
}

Reverse reverse_of(Cuda& cuda, Springs<Cuda>& springs, Index size) {
    const Offset count = Offset{size} * springs.slots;
    const auto nobody = static_cast<std::uint32_t>(size);
    device::CudaBuffer<std::uint32_t> key(static_cast<std::size_t>(count), cuda.stream());
    cuda.resize(springs.reverse_slot, static_cast<std::size_t>(count));
    cuda.resize(springs.reverse_begin, static_cast<std::size_t>(size) + 1);
    cuda.each(count, KeySlots{springs.partner.data(), nobody, key.data(), springs.reverse_slot.data()});
    device::sort_pairs(cuda, key, springs.reverse_slot, 0, std::bit_width(nobody));
    cuda.each(Offset{size} + 1, FindBegin{key.data(), count, springs.reverse_begin.data()});
    return {springs.reverse_begin.data(), springs.reverse_slot.data()};
}

}  // namespace dunlin::mds
