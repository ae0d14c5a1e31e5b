// SPDX-License-Identifier: Apache-2.0
#include "device/ranks.cuh"
#include "forces/grid/cells.cuh"

namespace dunlin::forces {

namespace {

constexpr int threads = 256;

/// Spline through the nodes at a point: value, and derivatives per cell.
template <int D>
struct Spline {
    float value = 0, slope[D] = {};
};

__device__ void add_plane(const float* nodes, int row, const float (&x)[grid_order], const float (&dx)[grid_order],
                          const float (&y)[grid_order], const float (&dy)[grid_order], Spline<2>& sum) {
#pragma unroll
    for (int r = 0; r < grid_order; ++r) {
        float value = 0, slope = 0;
#pragma unroll
        for (int c = 0; c < grid_order; ++c) {
            const float node = __ldg(nodes + r * row + c);
            value += node * x[c], slope += node * dx[c];
        }
        sum.value += value * y[r], sum.slope[0] += slope * y[r], sum.slope[1] += value * dy[r];
    }
}

template <int D>
__device__ Spline<D> spline_at(const CellPosition<D>& place, const float* potential, const CudaGridStrides& strides) {
    float weight[D][grid_order], slope[D][grid_order];
#pragma unroll
    for (int d = 0; d < D; ++d) {
        math::bspline_weights<grid_order>(place.into[d], weight[d]);
        math::bspline_slopes<grid_order>(place.into[d], slope[d]);
    }
    const float* nodes = potential + node_at<D>(place.cell, strides);
    if constexpr (D == 2) {
        Spline<2> sum;
        add_plane(nodes, strides.row, weight[0], slope[0], weight[1], slope[1], sum);
        return sum;
    } else {
        Spline<3> sum;
#pragma unroll
        for (int p = 0; p < grid_order; ++p) {
            Spline<2> plane;
            add_plane(nodes + p * strides.plane, strides.row, weight[0], slope[0], weight[1], slope[1], plane);
            sum.value += plane.value * weight[2][p];
            sum.slope[0] += plane.slope[0] * weight[2][p], sum.slope[1] += plane.slope[1] * weight[2][p];
            sum.slope[2] += plane.value * slope[2][p];
        }
        return sum;
    }
}

/// The mass from the partial sums of all runs, by one block.
__device__ void add_parts(const math::Runs& runs, const GatheredGrid& grid, const double* parts, double* mass) {
    double total = 0;
    for (auto p = static_cast<Offset>(threadIdx.x); p < runs.count(); p += threads) total += parts[p];
    total = device::block_sum<threads>(total);
    const auto count = static_cast<double>(runs.rows);
    const GridField& field = *grid.field;
    if (threadIdx.x == 0) {
        *mass = field.mass_scale * (total - count * *grid.self) + field.mass_floor * count * (count - 1);
    }
}

__global__ void __launch_bounds__(threads)
    add_parts_kernel(math::Runs runs, GatheredGrid grid, const double* parts, double* mass) {
    add_parts(runs, grid, parts, mass);
}

/// One block per run of points, from run `first` on, so that the mass does not depend on how runs are distributed to
/// GPUs. done: null if other ranks have other runs.
template <int D>
__global__ void __launch_bounds__(threads)
    gather_kernel(math::Runs runs, Offset first, const float* y, GatheredGrid grid, double* parts, unsigned* done,
                  float* force, double* mass) {
    double value = 0;
    const GridField* field = grid.field;
    const Offset run = first + blockIdx.x, end = runs.end(run);
    for (Offset i = runs.begin(run) + threadIdx.x; i < end; i += threads) {
        const auto spline =
            spline_at<D>(position_of<D>(*field, y, static_cast<Index>(i)), grid.potential, grid.strides);
#pragma unroll
        for (int d = 0; d < D; ++d) force[i * D + d] = field->force_scale * spline.slope[d];
        value += static_cast<double>(spline.value);
    }
    value = device::block_sum<threads>(value);
    if (threadIdx.x == 0) parts[run] = value;
    if (done == nullptr || !device::is_last_block(done)) return;
    add_parts(runs, grid, parts, mass);
}

unsigned gather_blocks(Index points) { return static_cast<unsigned>(math::runs_of(points).count()); }

}  // namespace

void GatherScratch::resize(device::Cuda& cuda, Index points) {
    cuda.resize(parts, gather_blocks(points));
    if (done.size() == 0) cuda.fill(done, 1, 0U);
}

void gather(device::Cuda& cuda, MatrixView<const float> y, const device::RowShare& share, const GatheredGrid& grid,
            GatherScratch& scratch, MatrixView<float> force, double* mass) {
    if (share.runs.size() == 0) return;
    auto* kernel = y.cols == 2 ? gather_kernel<2> : gather_kernel<3>;
    unsigned* const done = share.rank == nullptr ? scratch.done.data() : nullptr;
    kernel<<<static_cast<unsigned>(share.runs.size()), threads, 0, cuda.stream()>>>(
        math::runs_of(y.rows), share.runs.begin, y.data, grid, scratch.parts.data(), done, force.data, mass);
    device::cuda_check(cudaGetLastError());
}

void join_mass(device::Cuda& cuda, Index points, const device::RowShare& share, const GatheredGrid& grid,
               GatherScratch& scratch, double* mass) {
    device::all_gather(cuda, *share.rank, scratch.parts.data(), share.run_borders);
    add_parts_kernel<<<1, threads, 0, cuda.stream()>>>(math::runs_of(points), grid, scratch.parts.data(), mass);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::forces
