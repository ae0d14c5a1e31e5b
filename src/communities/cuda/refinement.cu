// SPDX-License-Identifier: Apache-2.0
#include "communities/cuda/lists.cuh"
#include "communities/cuda/refinement_kernels.cuh"
#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::communities {

namespace {

constexpr int waiting = kinds, others = kinds + 1;  ///< after the lists of the kinds of those that move

struct CandidateOf {
    RefinementTask task;
    int round;
    __device__ int operator()(Index v) const {
        if (!set_candidate(task, v)) return others;
        if (!moves_in_round(task.bits[v], round)) return waiting;
        return kind_of(task.level.offsets[v + 1] - task.level.offsets[v]);
    }
};

}  // namespace

void CudaCommunityEngine::refine(const Level& level, std::uint64_t seed, const Labels& community, Labels& part) {
    using device::CudaBuffer;
    const auto n = static_cast<std::size_t>(level.size());
    const cudaStream_t stream = cuda_.stream();
    cuda_.resize(part, n);
    const CudaBuffer<Weight> masses(n, stream), cuts(n, stream);
    const CudaBuffer<std::uint16_t> bits(n, stream);
    const CudaBuffer<std::uint8_t> is_single(n, stream), grown(n, stream), joined(n, stream);
    const CudaBuffer<Index> candidates(n, stream);
    const RefinementTask task{level.view(),      aim_.objective,   seed,          community.data(),
                              sums_.data(),      part.data(),      masses.data(), cuts.data(),
                              bits.data(),       is_single.data(), grown.data(),  joined.data(),
                              candidates.data(), choices_.data()};
    each_row(cuda_, level.view(), level.rows, 0, LinkInside{level.view(), community.data()}, BeginVertex{task});
    for (int round = 0; round < star_rounds; ++round) {
        progress::cancellation_point();
        lists_.make(cuda_, level.size(), CandidateOf{task, round});
        const Offset moving = lists_.list(waiting) - lists_.list(0);
        if (moving + lists_.count(waiting) == 0) break;
        if (moving == 0) continue;
        each_kind(lists_, 0, [&](auto kind, const Index* vertices, Offset count) {
            constexpr int k = decltype(kind)::value;
            const unsigned blocks = k == hub_kind ? std::min(hub_blocks_, blocks_of<k>(count)) : blocks_of<k>(count);
            choose_parts_kernel<k><<<blocks, block_of<k>, 0, stream>>>(task, round, vertices, count, hubs_);
        });
        constexpr int threads = 256;
        join_kernel<<<static_cast<unsigned>((moving + threads - 1) / threads), threads, 0, stream>>>(
            task, round, lists_.list(0), moving);
        device::cuda_check(cudaGetLastError());
        each_row(cuda_, level.view(), lists_, 0, ClosedLink{task, round}, AddCut{task});
    }
}

}  // namespace dunlin::communities
