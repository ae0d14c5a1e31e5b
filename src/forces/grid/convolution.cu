// SPDX-License-Identifier: Apache-2.0
#include "forces/grid/convolution.cuh"

#include <type_traits>
#include <utility>

#include "forces/grid/columns.cuh"

namespace dunlin::forces {

namespace {

constexpr int flat_columns = 2, deep_columns = 3;  // log2 of the columns per block: full memory sectors, many blocks

template <int Length>
constexpr int row_threads = 2 * FftLength<Length>::threads;

/// flat_columns, or as many as 1,024 threads transform.
constexpr int flat_columns_of(int threads) {
    int columns = flat_columns;
    while (threads << columns > 1024) --columns;
    return columns;
}
template <int Length>
constexpr int column_threads = row_threads<Length> << flat_columns_of(row_threads<Length>);

/// Forward transform of two rows of charges, half a plane apart, as one complex row. Blocks: (pair of rows, plane).
template <int Nx>
__global__ void __launch_bounds__(row_threads<Nx>)
    rows_forward_kernel(const Complex* roots, int ny, GridCharge* charges, Complex* rows) {
    const FftColumns<Nx> columns{roots};
    const int pair = static_cast<int>(blockIdx.x), plane = static_cast<int>(blockIdx.y);
    GridCharge* first = charges + (Offset{plane} * ny + pair) * Nx;
    GridCharge* second = first + Offset{ny / 2} * Nx;
    struct Both {
        long long first, second;
    };
    read_then<FftLength<Nx>::elements / 2>(
        [&](int i) { return Both{static_cast<long long>(first[i]), static_cast<long long>(second[i])}; },
        [&](int i, const Both& charge) {
            constexpr float unit = 1.0F / (1 << charge_bits);
            first[i] = second[i] = 0;
            columns.set_value(0, i,
                              {unit * static_cast<float>(charge.first), unit * static_cast<float>(charge.second)});
        });
    columns.transform();
    Complex* to = rows + (Offset{plane} * (ny / 2) + pair) * 2 * Nx;
    for (int i = static_cast<int>(threadIdx.x); i < 2 * Nx; i += row_threads<Nx>) to[i] = columns.at(0, i / Nx, i % Nx);
}

template <int Nx>
__global__ void __launch_bounds__(row_threads<Nx>)
    rows_backward_kernel(const Complex* roots, int ny, const Complex* rows, float* potential) {
    const FftColumns<Nx> columns{roots};
    const int pair = static_cast<int>(blockIdx.x), plane = static_cast<int>(blockIdx.y);
    const Complex* from = rows + (Offset{plane} * (ny / 2) + pair) * 2 * Nx;
    read_then<FftLength<Nx>::elements>([&](int i) { return from[i]; },
                                       [&](int i, Complex value) { columns.at(0, i / Nx, i % Nx) = conjugate(value); });
    columns.transform();
    float* first = potential + (Offset{plane} * ny + pair) * Nx;
    float* second = first + Offset{ny / 2} * Nx;
    for (int i = static_cast<int>(threadIdx.x); i < Nx; i += row_threads<Nx>) {
        const Complex both = columns.conjugate_value(0, i);
        first[i] = both.x, second[i] = -both.y;
    }
}

/// 2-D: columns forward, product with the Green's function, columns backward.
template <int Ny>
__global__ void __launch_bounds__(column_threads<Ny>, 1024 / column_threads<Ny>)
    convolve_columns_kernel(const Complex* roots, ColumnSplit split, int nx, const float* greens_function,
                            Complex* rows) {
    const FftColumns<Ny> columns{roots, split.log2};
    const RowModes<Ny> modes(nx, split, rows);
    modes.load(columns);
    columns.transform();
    const int slot = min(split.first() + columns.mine(), nx);
    columns.multiply(greens_function + Offset{XMode(slot, nx).number} * (Ny + 1));
    columns.transform();
    modes.store(columns);
}

/// 3-D: columns of a plane forward, to `out`.
template <int Ny>
__global__ void __launch_bounds__(row_threads<Ny> << deep_columns)
    columns_forward_kernel(const Complex* roots, ColumnSplit split, int nx, Complex* rows, Complex* out) {
    const FftColumns<Ny> columns{roots, split.log2};
    const RowModes<Ny> modes(nx, split, rows);
    modes.load(columns);
    columns.transform();
    Complex* to = out + Offset{blockIdx.y} * 2 * Ny * (nx + 1) + split.first();
    for (int m = 0; m < FftLength<Ny>::elements; ++m) {
        const int item = static_cast<int>(threadIdx.x) + m * static_cast<int>(blockDim.x);
        const int column = split.column(item), y = split.place(item);
        if (modes.has(item)) to[y * (nx + 1) + column] = columns.at(column, y / Ny, y % Ny);
    }
}

template <int Ny>
__global__ void __launch_bounds__(row_threads<Ny> << deep_columns)
    columns_backward_kernel(const Complex* roots, ColumnSplit split, int nx, const Complex* in, Complex* rows) {
    const FftColumns<Ny> columns{roots, split.log2};
    const RowModes<Ny> modes(nx, split, rows);
    const Complex* from = in + Offset{blockIdx.y} * 2 * Ny * (nx + 1) + split.first();
    read_then<FftLength<Ny>::elements>(
        [&](int item) { return modes.has(item) ? from[split.place(item) * (nx + 1) + split.column(item)] : Complex{}; },
        [&](int item, Complex value) {
            columns.at(split.column(item), split.place(item) / Ny, split.place(item) % Ny) = conjugate(value);
        });
    columns.transform();
    modes.store(columns);
}

/// 3-D: along z forward, product with the Green's function, backward, for all modes of x and y.
template <int Nz>
__global__ void __launch_bounds__(row_threads<Nz> << deep_columns)
    convolve_depths_kernel(const Complex* roots, ColumnSplit split, int nx, int ny, const float* greens_function,
                           Complex* values) {
    const FftColumns<Nz> columns{roots, split.log2};
    const int plane = 2 * ny * (nx + 1);
    const auto value = [&](int item) -> Complex& {
        return values[Offset{split.place(item)} * plane + split.first() + split.column(item)];
    };
    const auto has = [&](int item) { return split.first() + split.column(item) < plane; };
    read_then<FftLength<Nz>::elements / 2>(
        [&](int item) { return has(item) ? value(item) : Complex{}; },
        [&](int item, Complex z) { columns.set_value(split.column(item), split.place(item), z); });
    columns.transform();
    const int mine = min(split.first() + columns.mine(), plane - 1), row = mine / (nx + 1);
    const int mode = 2 * (row % ny) + row / ny;
    const Offset x = XMode(mine % (nx + 1), nx).number, y = min(mode, 2 * ny - mode);
    columns.multiply(greens_function + (x * (ny + 1) + y) * (Nz + 1));
    columns.transform();
    for (int m = 0; m < FftLength<Nz>::elements / 2; ++m) {
        const int item = static_cast<int>(threadIdx.x) + m * static_cast<int>(blockDim.x);
        if (has(item)) value(item) = conjugate(columns.conjugate_value(split.column(item), split.place(item)));
    }
}

template <int Length>
unsigned column_bytes(int log2_columns) {
    return static_cast<unsigned>(FftColumns<Length>::stride(log2_columns) << log2_columns) *
           static_cast<unsigned>(sizeof(Complex));
}

/// Launches a kernel whose blocks have 2^log2_columns columns of this length.
template <int Length, class... Parameters, class... Arguments>
void launch(device::Cuda& cuda, void (*kernel)(Parameters...), dim3 blocks, int log2_columns,
            const Arguments&... arguments) {
    const unsigned bytes = column_bytes<Length>(log2_columns);
    if (bytes > 48 * 1024) {
        device::cuda_check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    }
    kernel<<<blocks, static_cast<unsigned>(row_threads<Length> << log2_columns), bytes, cuda.stream()>>>(arguments...);
    device::cuda_check(cudaGetLastError());
}

/// `wished` columns (log2), or as many as fit in a block's shared memory.
template <int Length>
ColumnSplit split_of(int wished, unsigned block_bytes) {
    while (wished > 0 && column_bytes<Length>(wished) > block_bytes) --wished;
    return {wished};
}

unsigned blocks_for(Offset columns, const ColumnSplit& split) {
    return static_cast<unsigned>(((columns - 1) >> split.log2) + 1);
}

/// Calls work(length) with the length as a compile-time constant, for lengths in [Least, Most].
template <int Least, int Most, class Work>
void with_length(int length, const Work& work) {
    const auto tried = [&](auto known) {
        if constexpr (known() >= Least && known() <= Most) {
            if (known() == length) work(known);
        }
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (tried(std::integral_constant<int, cuda_lengths[I]>{}), ...);
    }(std::make_index_sequence<cuda_lengths.size()>{});
}

constexpr int fewest = cuda_lengths.front(), most = cuda_lengths.back();

}  // namespace

void CudaGridConvolution::prepare(device::Cuda& cuda, const GridShape& shape) {
    if (shape.nodes == shape_.nodes) return;
    shape_ = shape;
    int bytes = 0;
    device::cuda_check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.run().gpu()));
    block_bytes_ = static_cast<unsigned>(bytes);
    for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dim); ++a) {
        numerics::fill_roots(cuda, shape.nodes[a], roots_[a]);
    }
    const auto [nx, ny, nz] = shape.nodes;
    const auto nodes = static_cast<std::size_t>(Offset{nx} * ny * nz);
    cuda.fill(charges_, nodes, GridCharge{0});
    cuda.resize(potential_, nodes);
    cuda.resize(rows_, nodes);
    cuda.resize(columns_, shape.dim == 3 ? static_cast<std::size_t>(Offset{nx + 1} * 2 * ny * nz) : 0);
}

CudaGridStrides CudaGridConvolution::strides() const { return {shape_.nodes[0], shape_.nodes[0] * shape_.nodes[1]}; }

void CudaGridConvolution::transform_rows(device::Cuda& cuda, bool forward) {
    const int ny = shape_.nodes[1];
    const dim3 blocks(static_cast<unsigned>(ny / 2), static_cast<unsigned>(shape_.nodes[2]));
    const Complex* roots = roots_[0].data();
    with_length<fewest, most>(shape_.nodes[0], [&](auto nx) {
        if (forward) {
            launch<nx()>(cuda, rows_forward_kernel<nx()>, blocks, 0, roots, ny, charges_.data(), rows_.data());
        } else {
            launch<nx()>(cuda, rows_backward_kernel<nx()>, blocks, 0, roots, ny, rows_.data(), potential_.data());
        }
    });
}

void CudaGridConvolution::convolve_columns(device::Cuda& cuda, const float* greens_function) {
    const int nx = shape_.nodes[0];
    with_length<cuda_fewest_nodes(2), most>(shape_.nodes[1], [&](auto ny) {
        const ColumnSplit split = split_of<ny()>(flat_columns_of(row_threads<ny()>), block_bytes_);
        launch<ny()>(cuda, convolve_columns_kernel<ny()>, blocks_for(nx + 1, split), split.log2, roots_[1].data(),
                     split, nx, greens_function, rows_.data());
    });
}

void CudaGridConvolution::transform_columns(device::Cuda& cuda, bool forward) {
    const int nx = shape_.nodes[0];
    with_length<fewest, cuda_max_nodes(3)>(shape_.nodes[1], [&](auto ny) {
        const ColumnSplit split = split_of<ny()>(deep_columns, block_bytes_);
        const dim3 blocks(blocks_for(nx + 1, split), static_cast<unsigned>(shape_.nodes[2]));
        if (forward) {
            launch<ny()>(cuda, columns_forward_kernel<ny()>, blocks, split.log2, roots_[1].data(), split, nx,
                         rows_.data(), columns_.data());
        } else {
            launch<ny()>(cuda, columns_backward_kernel<ny()>, blocks, split.log2, roots_[1].data(), split, nx,
                         columns_.data(), rows_.data());
        }
    });
}

void CudaGridConvolution::convolve_depths(device::Cuda& cuda, const float* greens_function) {
    const int nx = shape_.nodes[0], ny = shape_.nodes[1];
    with_length<fewest, cuda_max_nodes(3)>(shape_.nodes[2], [&](auto nz) {
        const ColumnSplit split = split_of<nz()>(deep_columns, block_bytes_);
        launch<nz()>(cuda, convolve_depths_kernel<nz()>, blocks_for(Offset{nx + 1} * 2 * ny, split), split.log2,
                     roots_[2].data(), split, nx, ny, greens_function, columns_.data());
    });
}

void CudaGridConvolution::run(device::Cuda& cuda, const float* greens_function) {
    transform_rows(cuda, true);
    if (shape_.dim == 2) {
        convolve_columns(cuda, greens_function);
    } else {
        transform_columns(cuda, true);
        convolve_depths(cuda, greens_function);
        transform_columns(cuda, false);
    }
    transform_rows(cuda, false);
}

}  // namespace dunlin::forces
