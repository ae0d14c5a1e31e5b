// SPDX-License-Identifier: Apache-2.0
#include "initialization/centered.cuh"

#include <bit>

#include "initialization/unit.hpp"
#include "math/at.hpp"
#include "numerics/product.cuh"

namespace dunlin::initialization {

namespace {

constexpr Offset most_part_values = Offset{1} << 26;  ///< limit of the values of partial products, if one chunk fits
constexpr int threads = 256;
constexpr int most_shares = 512;

/// Column sums over a share of the rows, and the bits of the largest magnitude. blockIdx.x: share, blockIdx.y: tile of
/// columns. If the columns are fewer than the threads, several groups of threads share the rows.
__global__ void column_sums(const float* x, Index rows, Index cols, Index share, double* sums, unsigned* largest) {
    __shared__ double parts[threads];
    const Index width = min(cols, threads), groups = threads / width;
    const Index column = static_cast<Index>(blockIdx.y) * width + static_cast<Index>(threadIdx.x) % width;
    const Index group = static_cast<Index>(threadIdx.x) / width;
    const Index begin = static_cast<Index>(blockIdx.x) * share, end = min(rows - begin, share) + begin;
    double sum = 0;
    unsigned most = 0;  // bits of floats without a sign are ordered as the floats are
    if (column < cols && group < groups) {
        for (Index r = begin + group; r < end; r += groups) {
            const float value = x[Offset{r} * cols + column];
            sum += static_cast<double>(value);
            most = max(most, __float_as_uint(fabsf(value)));
        }
    }
    most = __reduce_max_sync(0xffffffffU, most);
    if (threadIdx.x % 32 == 0) atomicMax(largest, most);
    parts[threadIdx.x] = sum;
    __syncthreads();
    if (group > 0 || column >= cols) return;
    for (Index g = 1; g < groups; ++g) sum += parts[g * width + static_cast<Index>(threadIdx.x)];
    sums[Offset{blockIdx.x} * cols + column] = sum;
}

struct AddToMeans {
    const double* sums;
    int shares;
    Index cols;
    double inverse_rows;
    double* means;
    __device__ void operator()(Offset c) const {
        double sum = 0;
        for (int s = 0; s < shares; ++s) sum += sums[Offset{s} * cols + c];
        means[c] += sum * inverse_rows;
    }
};

struct Center {
    const float* x;
    const double* means;
    double unit;
    unsigned cols;
    float* to;
    __device__ void operator()(Offset i) const {
        const unsigned column = static_cast<unsigned>(i) % cols;  // 32 bits: a block has less than 2^32 values
        to[i] = static_cast<float>((static_cast<double>(x[i]) - means[column]) * unit);
    }
};

/// Takes products out of the unit of the centered rows.
struct InUnitOfPoints {
    float* product;
    Index width, stride;
    double unit;
    __device__ void operator()(Offset i) const {
        float& value = product[i / width * stride + i % width];
        value = static_cast<float>(static_cast<double>(value) / unit);
    }
};

struct Narrow {
    const double* from;
    float* to;
    __device__ void operator()(Offset i) const { to[i] = static_cast<float>(from[i]); }
};

struct AddParts {
    const float* parts;
    int count;
    Offset size;
    double* sum;
    __device__ void operator()(Offset i) const {
        double total = sum[i];
        for (int p = 0; p < count; ++p) total += static_cast<double>(parts[p * size + i]);
        sum[i] = total;
    }
};

/// Copies the upper triangle of a square matrix to the lower one.
struct Mirror {
    double* matrix;
    Index size;
    __device__ void operator()(Offset i) const {
        const Offset row = i / size, col = i % size;
        if (col < row) matrix[i] = matrix[col * size + row];
    }
};

Index rows_of_a_chunk(Index cols, Offset values) {
    return static_cast<Index>(std::clamp<Offset>(std::min(values, Offset{1} << 26) / cols, 64, 2048));
}

/// Rows of a block, so that it has less than 2^32 values.
Index rows_of_a_block(Index rows, Index cols, Index chunk, Offset values) {
    const Offset chunks = std::min(values, Offset{1} << 31) / (Offset{chunk} * cols);
    return static_cast<Index>(std::min<Offset>(std::max<Offset>(1, chunks) * chunk, rows));
}

}  // namespace

CenteredRows::CenteredRows(device::Cuda& cuda, const device::DevicePoints& points, Offset values)
    : cuda_(cuda),
      points_(points),
      values_(values),
      chunk_(rows_of_a_chunk(cols(), values)),
      block_rows_(rows_of_a_block(rows(), cols(), chunk_, values)) {
    cuda_.resize(block_, at(Offset{block_rows_} * cols()));
    find_means();
}

/// Calls body(first row, number of rows) for each block, in order.
template <class Body>
void CenteredRows::blocks(const Body& body) {
    for (Offset first = 0; first < rows(); first += block_rows_) {
        body(static_cast<Index>(first), static_cast<Index>(std::min<Offset>(block_rows_, rows() - first)));
    }
}

const float* CenteredRows::raw_rows(Index first, Index count) {
    if (points_.held()) return points_.values() + Offset{first} * cols();
    const auto values = at(Offset{count} * cols());
    cuda_.resize(staged_, at(Offset{block_rows_} * cols()));
    cuda_.copy_in(staged_.data(), points_.host.data + Offset{first} * cols(), values * sizeof(float));
    return staged_.data();
}

void CenteredRows::find_means() {
    cuda_.fill(means_, at(cols()), 0.0);
    device::CudaCell<unsigned> largest;
    cuda_.set(largest, 0U);
    device::CudaBuffer<double> sums(at(Offset{most_shares} * cols()), cuda_.stream());
    const auto tiles = static_cast<unsigned>((cols() + threads - 1) / threads);
    blocks([&](Index first, Index count) {
        const Index share = std::max<Index>(64, (count + most_shares - 1) / most_shares);
        const int shares = (count + share - 1) / share;
        column_sums<<<dim3(static_cast<unsigned>(shares), tiles), threads, 0, cuda_.stream()>>>(
            raw_rows(first, count), count, cols(), share, sums.data(), cuda_.address(largest));
        device::cuda_check(cudaGetLastError());
        cuda_.each(cols(), AddToMeans{sums.data(), shares, cols(), 1.0 / rows(), means_.data()});
    });
    unit_ = unit_of(static_cast<double>(std::bit_cast<float>(cuda_.read(largest))));
}

/// Fills block_ with centered rows, unless it holds these rows already.
void CenteredRows::center(Index first, Index count) {
    if (centered_first_ == first) return;
    cuda_.each(Offset{count} * cols(),
               Center{raw_rows(first, count), means_.data(), unit_, static_cast<unsigned>(cols()), block_.data()});
    centered_first_ = first;
}

void CenteredRows::narrow(const double* v, Index width) {
    cuda_.resize(narrow_, at(Offset{width} * cols()));
    cuda_.each(Offset{width} * cols(), Narrow{v, narrow_.data()});
}

void CenteredRows::block_times(Index count, Index width, float* to, Index stride) {
    numerics::multiply<float>(
        cuda_, {numerics::Left::by_rows, count, width, cols(), block_.data(), narrow_.data(), to, stride}, parts_);
}

/// product += block_^T b (b: count x width), by chunks of rows, several chunks per launch.
void CenteredRows::add_products(const float* b, Index width, Index count, double* product, bool upper_only) {
    const Offset size = Offset{cols()} * width, chunks = (Offset{block_rows_} + chunk_ - 1) / chunk_;
    const auto together = static_cast<Index>(std::clamp<Offset>(std::min(values_, most_part_values) / size, 1, chunks));
    const auto needed = at(size * together);
    if (parts_.size() < needed) cuda_.resize(parts_, needed);
    for (Index first = 0; first < count; first += together * chunk_) {
        const numerics::ChunkedProduct<float> job{numerics::Left::by_columns,
                                                  cols(),
                                                  width,
                                                  std::min(together * chunk_, count - first),
                                                  block_.data() + Offset{first} * cols(),
                                                  b + Offset{first} * width,
                                                  parts_.data(),
                                                  width,
                                                  chunk_,
                                                  upper_only};
        numerics::multiply_chunks(cuda_, job);
        cuda_.each(size, AddParts{parts_.data(), job.count(), size, product});
    }
}

void CenteredRows::square(device::CudaBuffer<double>& product) {
    const Offset size = Offset{cols()} * cols();
    cuda_.fill(product, at(size), 0.0);
    blocks([&](Index first, Index count) {
        center(first, count);
        add_products(block_.data(), cols(), count, product.data(), true);
    });
    cuda_.each(size, Mirror{product.data(), cols()});
}

void CenteredRows::square_times(const double* v, Index width, double* product) {
    narrow(v, width);
    cuda_.resize(of_rows_, at(Offset{block_rows_} * width));
    const Offset size = Offset{cols()} * width;
    device::cuda_check(cudaMemsetAsync(product, 0, at(size) * sizeof(double), cuda_.stream()));
    blocks([&](Index first, Index count) {
        center(first, count);
        block_times(count, width, of_rows_.data(), width);
        add_products(of_rows_.data(), width, count, product, false);
    });
}

void CenteredRows::times(const double* v, Index width, float* to, Index stride) {
    narrow(v, width);
    blocks([&](Index first, Index count) {
        center(first, count);
        block_times(count, width, to + Offset{first} * stride, stride);
    });
    if (unit_ != 1) cuda_.each(Offset{rows()} * width, InUnitOfPoints{to, width, stride, unit_});
}

}  // namespace dunlin::initialization
