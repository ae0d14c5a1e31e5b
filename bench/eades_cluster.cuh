// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cooperative_groups.h>

#include "eades_program.cuh"

namespace dunlin::bench::eades {

// 9. The whole run in one launch: a cluster of blocks whose shared memories hold all positions and a share of the edges
// each; blocks exchange positions and energies

constexpr int cluster_blocks = 8, cluster_threads = 512, cluster_warps = cluster_threads / 32;
constexpr Index most_in_cluster = 1024;

/// Vertices of a warp: w, w + all warps, ..
__global__ void __launch_bounds__(cluster_threads)
    settle_kernel(Index n, float2* all_at, const std::uint8_t* linked, int most, double threshold, int* steps,
                  double* energy) {
    namespace cg = cooperative_groups;
    __shared__ float2 at[2][most_in_cluster];
    __shared__ double energies[2][cluster_blocks], of_warp[cluster_warps];
    extern __shared__ std::uint8_t row_of[];  // of the block's vertices, n each
    const cg::cluster_group cluster = cg::this_cluster();
    const auto block = static_cast<int>(cluster.block_rank());
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    constexpr int warps = cluster_blocks * cluster_warps, most_own = most_in_cluster / warps;
    const auto own = [&](int k) { return k * warps + block * cluster_warps + warp; };

    for (Index i = threadIdx.x; i < n; i += cluster_threads) at[0][i] = all_at[i];
    for (int k = 0; k < most_own; ++k) {
        for (Index j = lane; own(k) < n && j < n; j += 32) {
            row_of[(k * cluster_warps + warp) * n + j] = linked[Offset{own(k)} * n + j];
        }
    }
    float2 velocity[most_own] = {};
    cluster.sync();
    for (int step = 0; step < most; ++step) {
        const int now = step % 2;
        double warp_energy = 0;
        for (int k = 0; k < most_own; ++k) {
            const Index i = own(k);
            if (i >= n) break;
            float2 here = at[now][i];
            Forces forces;
            for (Index j = lane; j < n; j += 32) {
                if (j != i) bench::meet(here, at[now][j], row_of[(k * cluster_warps + warp) * n + j] != 0, forces);
            }
            math::Vec<float, 4> sum{{forces.apart.x, forces.apart.y, forces.together.x, forces.together.y}};
            for (int other = 16; other > 0; other /= 2) {
                for (float& s : sum.at) s += __shfl_xor_sync(~0U, s, other);
            }
            bench::move(Eades{}, Forces{{sum.at[0], sum.at[1]}, {sum.at[2], sum.at[3]}}, here, velocity[k]);
            if (lane < cluster_blocks) cluster.map_shared_rank(&at[0][0], lane)[(1 - now) * most_in_cluster + i] = here;
            warp_energy += static_cast<double>(bench::energy_of(velocity[k]));
        }
        if (lane == 0) of_warp[warp] = warp_energy;
        __syncthreads();
        if (warp == 0 && lane < cluster_blocks) {
            double sum = 0;
            for (const double e : of_warp) sum += e;
            cluster.map_shared_rank(&energies[0][0], lane)[now * cluster_blocks + block] = sum;
        }
        cluster.sync();
        double sum = 0;
        for (const double e : energies[now]) sum += e;
        if (sum < threshold || step + 1 == most) {
            if (block == 0) {
                for (Index i = threadIdx.x; i < n; i += cluster_threads) all_at[i] = at[1 - now][i];
                if (threadIdx.x == 0) *energy = sum, *steps = step + 1;
            }
            break;
        }
    }
    cluster.sync();  // no block exits while others may write to its shared memory
}

class OneCluster {
public:
    static constexpr const char* name = "one launch of one cluster";

    OneCluster(device::Cuda& cuda, const Input& input) : s_(cuda, input) {
        cuda.resize(steps_, 1);
        cuda.resize(sum_, 1);
        rows_ = static_cast<std::size_t>(s_.n) * ((static_cast<std::size_t>(s_.n) + 127) / 128) * cluster_warps;
        device::cuda_check(
            cudaFuncSetAttribute(settle_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(rows_)));
    }
    /// Iterates until the energy is below the threshold.
    double settle(int most, double threshold) {
        cudaLaunchAttribute shape{};
        shape.id = cudaLaunchAttributeClusterDimension;
        shape.val.clusterDim = {cluster_blocks, 1, 1};
        cudaLaunchConfig_t launch{};
        launch.gridDim = cluster_blocks;
        launch.blockDim = cluster_threads;
        launch.dynamicSmemBytes = rows_;
        launch.stream = s_.cuda.stream();
        launch.attrs = &shape;
        launch.numAttrs = 1;
        device::cuda_check(cudaLaunchKernelEx(&launch, settle_kernel, s_.n, s_.at.data(),
                                              static_cast<const std::uint8_t*>(s_.linked.data()), most, threshold,
                                              steps_.data(), sum_.data()));
        steps = s_.cuda.host(steps_)[0];
        return s_.cuda.host(sum_)[0];
    }
    std::vector<float2> positions() { return s_.cuda.host(s_.at); }
    int steps = 0;

private:
    State s_;
    CudaBuffer<int> steps_;
    CudaBuffer<double> sum_;
    std::size_t rows_ = 0;
};

}  // namespace dunlin::bench::eades
