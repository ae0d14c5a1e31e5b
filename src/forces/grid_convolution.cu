#include "forces/grid_convolution.cuh"

namespace dunlin::forces {

namespace {

using device::Complex;
using device::conjugate;
using device::fft_place;
using device::FftPlan;

/// A block's columns in shared memory, each as its even and its odd harmonics.
struct Columns {
    FftPlan plan;

    __device__ int begin(int column, int parity) const { return (2 * column + parity) * plan.padded_length(); }
    __device__ Complex& at(int column, int parity, int i) const {
        return device::fft_columns[begin(column, parity) + fft_place(i)];
    }
    /// Values are stored as they are, and turned by half a harmonic.
    __device__ void set_value(int column, int i, Complex value) const {
        at(column, 0, i) = value;
        at(column, 1, i) = value * device::read(plan.roots + i);
    }
    /// Of conjugates transformed: value i, conjugated.
    __device__ Complex conjugate_value(int column, int i) const {
        return at(column, 0, i) + at(column, 1, i) * device::read(plan.roots + i);
    }
    /// The column that this thread takes part in, and the parity.
    __device__ int my_column() const { return static_cast<int>(threadIdx.x) / (2 * plan.threads()); }
    __device__ int my_parity() const { return static_cast<int>(threadIdx.x) / plan.threads() % 2; }
    __device__ int my_place() const { return static_cast<int>(threadIdx.x) % plan.threads(); }

    template <int Elements>
    __device__ void transform() const {
        __syncthreads();
        device::fft_forward<Elements>(plan, begin(my_column(), my_parity()), my_place());
    }
};

/// Where the harmonics of x lie in a row, the even ones first: the one in `slot`, and its mirror image -number.
struct XHarmonic {
    int at, mirror, number;

    __device__ XHarmonic(int slot, int nodes) {
        const int parity = slot <= nodes / 2 ? 0 : 1, half = parity == 0 ? slot : slot - nodes / 2 - 1;
        at = parity * nodes + half;
        mirror = parity == 0 ? (nodes - half) % nodes : 2 * nodes - 1 - half;
        number = 2 * half + parity;
    }
};

/// Two rows of charges, half a plane apart, to a row of harmonics. Blocks: pairs of rows, planes.
template <int Elements>
__global__ void __launch_bounds__(256, 3)
    rows_forward_kernel(FftPlan plan, int ny, GridCharge* charges, Complex* rows) {
    const Columns columns{plan};
    const int n = plan.length, pair = static_cast<int>(blockIdx.x), plane = static_cast<int>(blockIdx.y);
    GridCharge* first = charges + (Offset{plane} * ny + pair) * n;
    GridCharge* second = first + Offset{ny / 2} * n;
    constexpr float unit = 1.0F / (1 << charge_bits);
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {
        const auto a = static_cast<long long>(first[i]), b = static_cast<long long>(second[i]);
        columns.set_value(0, i, {unit * static_cast<float>(a), unit * static_cast<float>(b)});
        first[i] = second[i] = 0;
    }
    columns.transform<Elements>();
    Complex* to = rows + (Offset{plane} * (ny / 2) + pair) * 2 * n;
    for (int i = static_cast<int>(threadIdx.x); i < 2 * n; i += static_cast<int>(blockDim.x)) {
        to[i] = i < n ? columns.at(0, 0, i) : columns.at(0, 1, i - n);
    }
}

template <int Elements>
__global__ void __launch_bounds__(256, 3)
    rows_backward_kernel(FftPlan plan, int ny, const Complex* rows, float* potential) {
    const Columns columns{plan};
    const int n = plan.length, pair = static_cast<int>(blockIdx.x), plane = static_cast<int>(blockIdx.y);
    const Complex* from = rows + (Offset{plane} * (ny / 2) + pair) * 2 * n;
    for (int i = static_cast<int>(threadIdx.x); i < 2 * n; i += static_cast<int>(blockDim.x)) {
        (i < n ? columns.at(0, 0, i) : columns.at(0, 1, i - n)) = conjugate(from[i]);
    }
    columns.transform<Elements>();
    float* first = potential + (Offset{plane} * ny + pair) * n;
    float* second = first + Offset{ny / 2} * n;
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {
        const Complex both = columns.conjugate_value(0, i);
        first[i] = both.x, second[i] = -both.y;
    }
}

/// Which harmonics of x a block works on: Count of them, from `first` on; and the plane's rows.
template <int Count>
struct RowHarmonics {
    int nx, ny, first;
    Complex* rows;

    __device__ RowHarmonics(int nodes_x, int nodes_y, Complex* all_rows)
        : nx(nodes_x),
          ny(nodes_y),
          first(static_cast<int>(blockIdx.x) * Count),
          rows(all_rows + Offset{blockIdx.y} * nodes_y * nodes_x) {}

    /// The rows come apart here: with z = a + i b, the harmonics of a and of b are found from z's and its mirror image.
    __device__ void load(const Columns& columns) const {
        for (int item = static_cast<int>(threadIdx.x); item < Count * ny / 2; item += static_cast<int>(blockDim.x)) {
            const int column = item % Count, pair = item / Count;
            Complex a{}, b{};
            if (first + column <= nx) {
                const XHarmonic x(first + column, nx);
                const Complex there = rows[Offset{pair} * 2 * nx + x.at],
                              mirror = rows[Offset{pair} * 2 * nx + x.mirror];
                a = 0.5F * (there + conjugate(mirror));
                b = -0.5F * device::times_i(there - conjugate(mirror));
            }
            columns.set_value(column, pair, a);
            columns.set_value(column, pair + ny / 2, b);
        }
    }

    /// And here they are put together again.
    __device__ void store(const Columns& columns) const {
        for (int item = static_cast<int>(threadIdx.x); item < Count * ny / 2; item += static_cast<int>(blockDim.x)) {
            const int column = item % Count, pair = item / Count;
            if (first + column > nx) continue;
            const XHarmonic x(first + column, nx);
            const Complex a = columns.conjugate_value(column, pair), b = columns.conjugate_value(column, pair + ny / 2);
            rows[Offset{pair} * 2 * nx + x.at] = conjugate(a) + device::times_i(conjugate(b));
            if (x.mirror != x.at) rows[Offset{pair} * 2 * nx + x.mirror] = a + device::times_i(b);
        }
    }
};

/// Harmonics times the spectrum, conjugated. factors: of this thread's column, for harmonics 0..length.
__device__ void multiply(const Columns& columns, const float* factors) {
    const int n = columns.plan.length, parity = columns.my_parity();
    for (int i = columns.my_place(); i < n; i += columns.plan.threads()) {
        const int harmonic = 2 * i + parity;
        Complex& value = columns.at(columns.my_column(), parity, i);
        value = __ldg(factors + min(harmonic, 2 * n - harmonic)) * conjugate(value);
    }
}

/// 2-D: columns forward, times the spectrum, and back.
template <int Elements, int Count>
__global__ void __launch_bounds__(1024, 1)
    convolve_columns_kernel(FftPlan plan, int nx, const float* spectrum, Complex* rows) {
    const Columns columns{plan};
    const RowHarmonics<Count> harmonics(nx, plan.length, rows);
    harmonics.load(columns);
    columns.transform<Elements>();
    const int slot = min(harmonics.first + columns.my_column(), nx);
    multiply(columns, spectrum + Offset{XHarmonic(slot, nx).number} * (plan.length + 1));
    columns.transform<Elements>();
    harmonics.store(columns);
}

/// 3-D: a plane's columns forward, to `out`.
template <int Elements, int Count>
__global__ void __launch_bounds__(1024, 1) columns_forward_kernel(FftPlan plan, int nx, Complex* rows, Complex* out) {
    const Columns columns{plan};
    const RowHarmonics<Count> harmonics(nx, plan.length, rows);
    harmonics.load(columns);
    columns.transform<Elements>();
    const int n = plan.length;
    Complex* to = out + Offset{blockIdx.y} * 2 * n * (nx + 1) + harmonics.first;
    for (int item = static_cast<int>(threadIdx.x); item < Count * 2 * n; item += static_cast<int>(blockDim.x)) {
        const int column = item % Count, y = item / Count;
        if (harmonics.first + column > nx) continue;
        to[Offset{y} * (nx + 1) + column] = columns.at(column, y / n, y % n);
    }
}

template <int Elements, int Count>
__global__ void __launch_bounds__(1024, 1)
    columns_backward_kernel(FftPlan plan, int nx, const Complex* in, Complex* rows) {
    const Columns columns{plan};
    const RowHarmonics<Count> harmonics(nx, plan.length, rows);
    const int n = plan.length;
    const Complex* from = in + Offset{blockIdx.y} * 2 * n * (nx + 1) + harmonics.first;
    for (int item = static_cast<int>(threadIdx.x); item < Count * 2 * n; item += static_cast<int>(blockDim.x)) {
        const int column = item % Count, y = item / Count;
        const bool there = harmonics.first + column <= nx;
        columns.at(column, y / n, y % n) = there ? conjugate(from[Offset{y} * (nx + 1) + column]) : Complex{};
    }
    columns.transform<Elements>();
    harmonics.store(columns);
}

/// 3-D: along z, forward, times the spectrum, and back, for all harmonics of x and y.
template <int Elements, int Count>
__global__ void __launch_bounds__(1024, 1)
    convolve_depths_kernel(FftPlan plan, int nx, int ny, const float* spectrum, Complex* values) {
    const Columns columns{plan};
    const int plane = 2 * ny * (nx + 1), first = static_cast<int>(blockIdx.x) * Count;
    for (int item = static_cast<int>(threadIdx.x); item < Count * plan.length; item += static_cast<int>(blockDim.x)) {
        const int column = item % Count, z = item / Count;
        columns.set_value(column, z, first + column < plane ? values[Offset{z} * plane + first + column] : Complex{});
    }
    columns.transform<Elements>();
    const int mine = min(first + columns.my_column(), plane - 1);
    const int row = mine / (nx + 1), harmonic = 2 * (row % ny) + row / ny;
    const Offset x = XHarmonic(mine % (nx + 1), nx).number, y = min(harmonic, 2 * ny - harmonic);
    multiply(columns, spectrum + (x * (ny + 1) + y) * (plan.length + 1));
    columns.transform<Elements>();
    for (int item = static_cast<int>(threadIdx.x); item < Count * plan.length; item += static_cast<int>(blockDim.x)) {
        const int column = item % Count, z = item / Count;
        if (first + column < plane) {
            values[Offset{z} * plane + first + column] = conjugate(columns.conjugate_value(column, z));
        }
    }
}

unsigned shared_bytes(const FftPlan& plan, int columns) {
    return static_cast<unsigned>(2 * columns * plan.padded_length()) * static_cast<unsigned>(sizeof(Complex));
}

unsigned block_threads(const FftPlan& plan, int columns) { return static_cast<unsigned>(2 * columns * plan.threads()); }

unsigned whole_parts(Offset size, int part) { return static_cast<unsigned>((size + part - 1) / part); }

/// Launches a kernel for blocks of Count columns.
template <class... Parameters, class... Arguments>
void launch(device::Cuda& cuda, void (*kernel)(Parameters...), dim3 blocks, const FftPlan& plan, int columns,
            const Arguments&... arguments) {
    const unsigned bytes = shared_bytes(plan, columns);
    if (bytes > 48 * 1024) {
        device::cuda_check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    }
    kernel<<<blocks, block_threads(plan, columns), bytes, cuda.stream()>>>(plan, arguments...);
    device::cuda_check(cudaGetLastError());
}

/// The most columns, of those given, whose block a multiprocessor holds; calls work with them as a constant.
template <int Count, class Work>
void with_columns(unsigned most_bytes, const FftPlan& plan, const Work& work) {
    if constexpr (Count > 1) {
        if (shared_bytes(plan, Count) > most_bytes || block_threads(plan, Count) > 1024) {
            return with_columns<Count / 2>(most_bytes, plan, work);
        }
    }
    work(std::integral_constant<int, Count>{});
}

constexpr int flat_columns = 4;  // 2-D: enough for whole sectors of memory, few enough for a block per multiprocessor
constexpr int deep_columns = 8;

}  // namespace

void CudaGridConvolution::prepare(device::Cuda& cuda, const GridShape& shape) {
    if (shape.nodes == shape_.nodes) return;
    shape_ = shape;
    int bytes = 0;
    device::cuda_check(
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.run().device_index));
    block_bytes_ = static_cast<unsigned>(bytes);
    for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dim); ++a) {
        plans_[a] = device::fft_stages(shape.nodes[a]);
        device::fill_roots(cuda, shape.nodes[a], roots_[a]);
        plans_[a].roots = roots_[a].data();
    }
    const auto [nx, ny, nz] = shape.nodes;
    const auto nodes = static_cast<std::size_t>(Offset{nx} * ny * nz);
    cuda.fill(charges_, nodes, GridCharge{0});
    cuda.resize(potential_, nodes);
    cuda.resize(rows_, nodes);
    cuda.resize(columns_, shape.dim == 3 ? static_cast<std::size_t>(Offset{nx + 1} * 2 * ny * nz) : 0);
}

CudaGridStrides CudaGridConvolution::strides() const { return {shape_.nodes[0], shape_.nodes[0] * shape_.nodes[1]}; }

template <int Elements>
void CudaGridConvolution::transform_rows(device::Cuda& cuda, bool forward) {
    const int ny = shape_.nodes[1];
    const dim3 blocks(static_cast<unsigned>(ny / 2), static_cast<unsigned>(shape_.nodes[2]));
    if (forward) {
        launch(cuda, rows_forward_kernel<Elements>, blocks, plans_[0], 1, ny, charges_.data(), rows_.data());
    } else {
        const Complex* rows = rows_.data();
        launch(cuda, rows_backward_kernel<Elements>, blocks, plans_[0], 1, ny, rows, potential_.data());
    }
}

template <int Elements>
void CudaGridConvolution::convolve_columns(device::Cuda& cuda, const float* spectrum) {
    const int nx = shape_.nodes[0];
    with_columns<flat_columns>(block_bytes_, plans_[1], [&](auto count) {
        launch(cuda, convolve_columns_kernel<Elements, count()>, whole_parts(nx + 1, count()), plans_[1], count(), nx,
               spectrum, rows_.data());
    });
}

template <int Elements>
void CudaGridConvolution::transform_columns(device::Cuda& cuda, bool forward) {
    const int nx = shape_.nodes[0];
    with_columns<deep_columns>(block_bytes_, plans_[1], [&](auto count) {
        const dim3 blocks(whole_parts(nx + 1, count()), static_cast<unsigned>(shape_.nodes[2]));
        if (forward) {
            launch(cuda, columns_forward_kernel<Elements, count()>, blocks, plans_[1], count(), nx, rows_.data(),
                   columns_.data());
        } else {
            const Complex* columns = columns_.data();
            launch(cuda, columns_backward_kernel<Elements, count()>, blocks, plans_[1], count(), nx, columns,
                   rows_.data());
        }
    });
}

template <int Elements>
void CudaGridConvolution::convolve_depths(device::Cuda& cuda, const float* spectrum) {
    const auto [nx, ny, nz] = shape_.nodes;
    const Offset columns = Offset{nx + 1} * 2 * ny;
    with_columns<deep_columns>(block_bytes_, plans_[2], [&](auto count) {
        launch(cuda, convolve_depths_kernel<Elements, count()>, whole_parts(columns, count()), plans_[2], count(),
               shape_.nodes[0], shape_.nodes[1], spectrum, columns_.data());
    });
}

void CudaGridConvolution::run(device::Cuda& cuda, const float* spectrum) {
    // As many elements a thread as the plan says, known to the compiler
    const auto along = [&](int axis, const auto& work) {
        if (plans_[static_cast<std::size_t>(axis)].elements() == 8)
            work(std::integral_constant<int, 8>{});
        else
            work(std::integral_constant<int, 16>{});
    };
    along(0, [&](auto elements) { transform_rows<elements()>(cuda, true); });
    if (shape_.dim == 2) {
        along(1, [&](auto elements) { convolve_columns<elements()>(cuda, spectrum); });
    } else {
        transform_columns<8>(cuda, true);
        convolve_depths<8>(cuda, spectrum);
        transform_columns<8>(cuda, false);
    }
    along(0, [&](auto elements) { transform_rows<elements()>(cuda, false); });
}

}  // namespace dunlin::forces
