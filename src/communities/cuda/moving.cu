// SPDX-License-Identifier: Apache-2.0
#include "communities/cuda/lists.cuh"
#include "communities/cuda/moving_kernels.cuh"
#include "math/at.hpp"
#include "numerics/sort.cuh"
#include "progress/cancel.hpp"

namespace dunlin::communities {

namespace {

constexpr int inactive = move_classes * kinds;  ///< after the lists of the classes and kinds
static_assert(inactive < VertexLists::most);

struct AddToCommunity {
    const Index* community;
    const Weight* masses;
    CommunitySums* sums;
    __device__ void operator()(Offset v) const {
        CommunitySums& own = sums[community[v]];
        atomicAdd(reinterpret_cast<unsigned long long*>(&own.mass), static_cast<unsigned long long>(masses[v]));
        atomicAdd(&own.size, 1);
    }
};

struct ClassAndKind {
    const Offset* offsets;
    const std::uint8_t* active;
    std::uint64_t seed;
    int round;
    __device__ int operator()(Index v) const {
        if (active[v] == 0) return inactive;
        return class_of(seed, v, round) * kinds + kind_of(offsets[v + 1] - offsets[v]);
    }
};

}  // namespace

void VertexLists::prepare(device::Cuda& cuda, Index n) {
    if (order_.size() >= at(n)) return;
    cuda.resize(keys_, at(n));
    cuda.resize(sorted_, at(n));
    cuda.resize(order_, at(n));
    numerics::count_up(cuda, n, numbers_);
}

/// Sorts the vertices by their keys, and reads how many have each.
void VertexLists::sort(device::Cuda& cuda, Index n) {
    constexpr int key_bits = 6;
    static_assert(most == 1 << key_bits);
    if (n > 0) {
        device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys_.data(), sorted_.data(), numbers_.data(),
                                                   order_.data(), Offset{n}, 0, key_bits, cuda.stream());
        });
    }
    const std::vector<unsigned> counts = cuda.host(counts_);
    for (int k = 0; k < most; ++k) begins_[k + 1] = begins_[k] + Offset{counts[at(k)]};
}

/// Room for the tables of hubs: as many as work at a time, in a limited part of the memory.
void CudaCommunityEngine::make_hub_tables(const Level& level) {
    constexpr Offset most_bytes = Offset{1} << 30, blocks_each = 2;
    if (level.hubs == 0) return;
    const Offset slots = slots_of(level.most_degree), bytes = slots * (sizeof(Index) + sizeof(Weight));
    const Offset blocks = std::clamp<Offset>(std::min(level.hubs, Offset{cuda_.multiprocessors()} * blocks_each), 1,
                                             std::max<Offset>(1, most_bytes / bytes));
    cuda_.resize(hub_keys_, at(blocks * slots));
    cuda_.resize(hub_sums_, at(blocks * slots));
    hubs_ = {hub_keys_.data(), hub_sums_.data(), slots};
    hub_blocks_ = static_cast<unsigned>(blocks);
}

void CudaCommunityEngine::move_class(const MovingTask& task, int class_number) {
    const int first = class_number * kinds;
    Offset count = 0;
    for (int kind = 0; kind < kinds; ++kind) count += lists_.count(first + kind);
    if (count == 0) return;
    each_kind(lists_, first, [&](auto kind, const Index* vertices, Offset of_kind) {
        constexpr int k = decltype(kind)::value;
        const unsigned blocks = k == hub_kind ? std::min(hub_blocks_, blocks_of<k>(of_kind)) : blocks_of<k>(of_kind);
        choose_moves_kernel<k><<<blocks, block_of<k>, 0, cuda_.stream()>>>(task, vertices, of_kind, hubs_);
    });
    give_own_communities_kernel<<<1, order_threads, 0, cuda_.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
    constexpr int threads = 256;
    move_kernel<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, cuda_.stream()>>>(
        task, lists_.list(first), count);
    device::cuda_check(cudaGetLastError());
    each_kind(lists_, first, [&](auto kind, const Index* vertices, Offset of_kind) {
        constexpr int k = decltype(kind)::value;
        activate_kernel<k><<<blocks_of<k>(of_kind), block_of<k>, 0, cuda_.stream()>>>(task, vertices, of_kind);
    });
}

void CudaCommunityEngine::move(const Level& level, std::uint64_t seed, Labels& community) {
    const auto n = static_cast<std::size_t>(level.size());
    cuda_.fill(sums_, n, CommunitySums{});
    cuda_.each(level.size(), AddToCommunity{community.data(), level.masses.data(), sums_.data()});
    cuda_.fill(active_, n, std::uint8_t{1});
    cuda_.resize(choices_, n);
    cuda_.resize(alone_, n);
    cuda_.fill(is_alone_, (n + 31) / 32, 0U);
    cuda_.set(state_, MovingState{});
    make_hub_tables(level);
    const MovingTask task{level.view(),    aim_.objective,   community.data(), sums_.data(),         active_.data(),
                          choices_.data(), is_alone_.data(), alone_.data(),    cuda_.address(state_)};
    for (int round = 0; round < most_move_rounds; ++round) {
        progress::cancellation_point();
        lists_.make(cuda_, level.size(), ClassAndKind{level.offsets.data(), active_.data(), seed, round});
        MovingState state = cuda_.read(state_);
        if (round > 0 && state.moved == 0) break;
        state.moved = 0;
        cuda_.set(state_, state);
        for (int c = 0; c < move_classes; ++c) move_class(task, c);
    }
}

void CudaCommunityEngine::polish(std::uint64_t seed, Labels& community) {
    if (!on_cpu_) on_cpu_ = std::make_unique<OnCpu>(graph_, options_, cuda_.run());
    std::vector<Index> labels = cuda_.host(community);
    on_cpu_->engine.polish(seed, labels);
    cuda_.upload(community, labels);
}

}  // namespace dunlin::communities
