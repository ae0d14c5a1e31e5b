// SPDX-License-Identifier: Apache-2.0
#include "forces/exact/exact.cuh"
#include "forces/exact/tiles.cuh"
#include "forces/laws.hpp"

namespace dunlin::forces {

namespace {

/// The fastest shape for n, measured with bench_repulsion_gpu; table in docs/lab/repulsion-gpu.md.
template <class Act>
void with_shape(Index n, const Act& act) {
    if (n <= 18000) {
        act(ExactShape<2, 1>{});
    } else if (n <= 45000) {
        act(ExactShape<8, 2>{});
    } else {
        act(ExactShape<12, 2>{});
    }
}

template <class Law, int D>
void repel(device::Cuda& cuda, Law law, ExactPairs pairs, MatrixView<float> force, device::CudaCell<double>& mass) {
    const dim3 blocks = pairs.blocks();
    with_shape(pairs.n, [&](auto shape) {
        using Shape = decltype(shape);
        exact_pairs_kernel<Law, D, Shape><<<blocks, Shape::threads, 0, cuda.stream()>>>(pairs, law);
    });
    device::cuda_check(cudaGetLastError());
    cuda.each(Offset{pairs.n} * D, SumExactParts<D>{pairs, force.data});
    if (has_normalizer<Law>) cuda.add_parts(static_cast<int>(blocks.x * blocks.y), pairs.masses, mass);
}

ExactPairs plan(Index n) {
    ExactPairs pairs{};
    with_shape(n, [&](auto shape) { pairs = ExactPairs::plan<decltype(shape)>(n); });
    return pairs;
}

}  // namespace

template <class Law>
bool CudaExact<Law>::prepare(device::Cuda& cuda, MatrixView<const float> y) {
    if (y.rows == rows_ && y.cols == cols_) return false;
    rows_ = y.rows;
    cols_ = y.cols;
    const ExactPairs pairs = plan(y.rows);
    cuda.resize(parts_, static_cast<std::size_t>(pairs.groups * y.size()));
    cuda.resize(masses_, static_cast<std::size_t>(pairs.groups) * static_cast<std::size_t>(pairs.groups / 2 + 1));
    return true;
}

template <class Law>
void CudaExact<Law>::repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force,
                           device::CudaCell<double>& mass, const float* charges, const float* radii) {
    if (y.rows == 0) return cuda.add_parts(0, masses_.data(), mass);
    ExactPairs pairs = plan(y.rows);
    pairs.y = y.data;
    pairs.parts = parts_.data();
    pairs.masses = masses_.data();
    pairs.charges = charges;
    pairs.radii = radii;
    if (y.cols == 2) {
        forces::repel<Law, 2>(cuda, law_, pairs, force, mass);
    } else {
        forces::repel<Law, 3>(cuda, law_, pairs, force, mass);
    }
}

#define DUNLIN_LAW(Law) template class CudaExact<Law>;
DUNLIN_LAWS(DUNLIN_LAW)
template class CudaExact<BetweenBorders>;

namespace {

constexpr int row_threads = 128, rows_a_thread = 4, columns_at_once = 512;

struct RowPotentials {
    const float* y;
    const Index* rows;
    Index n, count;
    Offset columns;  // columns that a block sums
    double* parts;   // [part][row]
};

/// Block (x, y) sums the columns of part y for 512 rows.
template <class Law, int D>
__global__ void __launch_bounds__(row_threads) row_potentials_kernel(RowPotentials job, Law law) {
    __shared__ float to[D][columns_at_once];
    const Offset first = Offset{blockIdx.x} * row_threads * rows_a_thread + threadIdx.x;
    const Offset begin = blockIdx.y * job.columns, end = min(begin + job.columns, Offset{job.n});
    float at[rows_a_thread][D];
    Offset own[rows_a_thread];
    double potential[rows_a_thread] = {};
    for (int r = 0; r < rows_a_thread; ++r) {
        own[r] = job.rows[min(first + r * row_threads, Offset{job.count} - 1)];
        for (int d = 0; d < D; ++d) at[r][d] = job.y[own[r] * D + d];
    }
    for (Offset column = begin; column < end; column += columns_at_once) {
        const auto size = static_cast<int>(min(end - column, Offset{columns_at_once}));
        __syncthreads();
        for (int i = threadIdx.x; i < size * D; i += row_threads) to[i % D][i / D] = job.y[column * D + i];
        __syncthreads();
        float sum[rows_a_thread] = {};
        for (int j = 0; j < size; ++j) {
            for (int r = 0; r < rows_a_thread; ++r) {
                float s = 0;
                for (int d = 0; d < D; ++d) s += (at[r][d] - to[d][j]) * (at[r][d] - to[d][j]);
                sum[r] += column + j == own[r] ? 0 : potential_of(law, s);
            }
        }
        for (int r = 0; r < rows_a_thread; ++r) potential[r] += sum[r];
    }
    for (int r = 0; r < rows_a_thread; ++r) {
        const Offset row = first + r * row_threads;
        if (row < job.count) job.parts[Offset{blockIdx.y} * job.count + row] = potential[r];
    }
}

struct SumRowParts {
    const double* parts;
    Index count, sum_of;
    double* potential;

    __device__ void operator()(Offset row) const {
        double sum = 0;
        for (Index p = 0; p < sum_of; ++p) sum += parts[Offset{p} * count + row];
        potential[row] = sum;
    }
};

}  // namespace

template <class Law>
void exact_potentials(device::Cuda& cuda, MatrixView<const float> y, const Index* rows, Index count,
                      double* potential_of_row, Law law) {
    if (count == 0) return;
    // Enough blocks to fill any GPU several times. Their number does not depend on the GPU, because parts are added in
    // order
    constexpr Offset rows_a_block = row_threads * rows_a_thread, wanted = 8192;
    const Offset row_blocks = (count + rows_a_block - 1) / rows_a_block;
    const Offset max_parts = std::clamp<Offset>(wanted / row_blocks, 1, 1024);
    const Offset chunks = (y.rows + columns_at_once - 1) / columns_at_once;
    const Offset columns = (chunks + max_parts - 1) / max_parts * columns_at_once;
    const Offset parts = (y.rows + columns - 1) / columns;
    const device::CudaBuffer<double> sums(static_cast<std::size_t>(parts * count), cuda.stream());
    const RowPotentials job{y.data, rows, y.rows, count, columns, sums.data()};
    const dim3 blocks(static_cast<unsigned>(row_blocks), static_cast<unsigned>(parts));
    if (y.cols == 2) {
        row_potentials_kernel<Law, 2><<<blocks, row_threads, 0, cuda.stream()>>>(job, law);
    } else {
        row_potentials_kernel<Law, 3><<<blocks, row_threads, 0, cuda.stream()>>>(job, law);
    }
    device::cuda_check(cudaGetLastError());
    cuda.each(count, SumRowParts{sums.data(), count, static_cast<Index>(parts), potential_of_row});
}

template void exact_potentials<StudentT>(device::Cuda&, MatrixView<const float>, const Index*, Index, double*,
                                         StudentT);
template void exact_potentials<GeneralStudentT>(device::Cuda&, MatrixView<const float>, const Index*, Index, double*,
                                                GeneralStudentT);
template void exact_potentials<Fuzzy>(device::Cuda&, MatrixView<const float>, const Index*, Index, double*, Fuzzy);
template void exact_potentials<FurtherPairs>(device::Cuda&, MatrixView<const float>, const Index*, Index, double*,
                                             FurtherPairs);

}  // namespace dunlin::forces
