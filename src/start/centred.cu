#include "start/centred.cuh"

namespace dunlin::start {

namespace {

constexpr Offset block_values = Offset{1} << 26;  ///< of a block of rows, unless one chunk is larger
constexpr Offset part_values = Offset{1} << 26;   ///< of the products of some chunks, unless one is larger
constexpr int threads = 256;
constexpr int most_shares = 512;

std::size_t at(Offset i) { return static_cast<std::size_t>(i); }

/// Sums of columns over a share of the rows: blockIdx.x counts shares, blockIdx.y tiles of columns. Where there are few
/// columns, several groups of threads go through the rows in turn.
__global__ void column_sums(const float* x, Index rows, Index cols, Index share, double* sums) {
    __shared__ double parts[threads];
    const Index width = min(cols, threads), groups = threads / width;
    const Index column = static_cast<Index>(blockIdx.y) * width + static_cast<Index>(threadIdx.x) % width;
    const Index group = static_cast<Index>(threadIdx.x) / width;
    const Index begin = static_cast<Index>(blockIdx.x) * share, end = min(rows - begin, share) + begin;
    double sum = 0;
    if (column < cols && group < groups) {
        for (Index r = begin + group; r < end; r += groups) sum += static_cast<double>(x[Offset{r} * cols + column]);
    }
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

/// Centred values; rows beyond the last are zero.
struct Centre {
    const float* x;
    const double* means;
    unsigned cols;
    Offset values;
    float* to;
    __device__ void operator()(Offset i) const {
        const unsigned column = static_cast<unsigned>(i) % cols;  // a block has less than 2^32 values
        to[i] = i < values ? static_cast<float>(static_cast<double>(x[i]) - means[column]) : 0.0F;
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

Index rows_of_a_chunk(Index cols) { return static_cast<Index>(std::clamp<Offset>(block_values / cols, 64, 2048)); }

Index rows_of_a_block(Index rows, Index cols, Index chunk) {
    const Offset chunks = std::max<Offset>(1, block_values / (Offset{chunk} * cols));
    return static_cast<Index>(std::min<Offset>(chunks * chunk, (Offset{rows} + chunk - 1) / chunk * chunk));
}

}  // namespace

CentredRows::CentredRows(device::Cuda& cuda, const device::CudaBlas& blas, const device::DevicePoints& points)
    : cuda_(cuda),
      blas_(blas),
      points_(points),
      chunk_(rows_of_a_chunk(cols())),
      block_rows_(rows_of_a_block(rows(), cols(), chunk_)) {
    cuda_.resize(block_, at(Offset{block_rows_} * cols()));
    find_means();
}

/// Calls body(first row, number of rows) for block after block.
template <class Body>
void CentredRows::blocks(const Body& body) {
    for (Offset first = 0; first < rows(); first += block_rows_) {
        body(static_cast<Index>(first), static_cast<Index>(std::min<Offset>(block_rows_, rows() - first)));
    }
}

const float* CentredRows::raw_rows(Index first, Index count) {
    if (points_.held()) return points_.rows.data() + Offset{first} * cols();
    const auto values = at(Offset{count} * cols());
    cuda_.resize(staged_, at(Offset{block_rows_} * cols()));
    cuda_.copy_in(staged_.data(), points_.host.data + Offset{first} * cols(), values * sizeof(float));
    return staged_.data();
}

void CentredRows::find_means() {
    cuda_.fill(means_, at(cols()), 0.0);
    device::CudaBuffer<double> sums(at(Offset{most_shares} * cols()), cuda_.stream());
    const auto tiles = static_cast<unsigned>((cols() + threads - 1) / threads);
    blocks([&](Index first, Index count) {
        const Index share = std::max<Index>(64, (count + most_shares - 1) / most_shares);
        const int shares = (count + share - 1) / share;
        column_sums<<<dim3(static_cast<unsigned>(shares), tiles), threads, 0, cuda_.stream()>>>(
            raw_rows(first, count), count, cols(), share, sums.data());
        device::cuda_check(cudaGetLastError());
        cuda_.each(cols(), AddToMeans{sums.data(), shares, cols(), 1.0 / rows(), means_.data()});
    });
}

/// Fills block_, unless it holds these rows already.
void CentredRows::centre(Index first, Index count) {
    if (centred_first_ == first) return;
    const Offset padded = Offset{count + chunk_ - 1} / chunk_ * chunk_;
    cuda_.each(padded * cols(), Centre{raw_rows(first, count), means_.data(), static_cast<unsigned>(cols()),
                                       Offset{count} * cols(), block_.data()});
    centred_first_ = first;
}

void CentredRows::narrow(const double* v, Index width) {
    cuda_.resize(narrow_, at(Offset{width} * cols()));
    cuda_.each(Offset{width} * cols(), Narrow{v, narrow_.data()});
}

void CentredRows::block_times(Index count, Index width, float* to, Index stride) {
    const float one = 1, zero = 0;
    device::cublas_check(cublasSgemm(blas_.handle(), CUBLAS_OP_T, CUBLAS_OP_N, width, count, cols(), &one,
                                     narrow_.data(), cols(), block_.data(), cols(), &zero, to, stride));
}

/// Adds the products of block_ with b (count x width, rows beyond the last zero), chunk by chunk, some chunks at a
/// time.
void CentredRows::add_products(const float* b, Index width, Index count, double* product) {
    const float one = 1, zero = 0;
    const Offset size = Offset{cols()} * width;
    const int chunks = (count + chunk_ - 1) / chunk_;
    const int together = static_cast<int>(std::clamp<Offset>(part_values / size, 1, chunks));
    cuda_.resize(parts_, at(size * together));
    for (int c = 0; c < chunks; c += together) {
        const int some = std::min(together, chunks - c);
        const Offset first = Offset{c} * chunk_;
        device::cublas_check(cublasSgemmStridedBatched(
            blas_.handle(), CUBLAS_OP_N, CUBLAS_OP_T, cols(), width, chunk_, &one, block_.data() + first * cols(),
            cols(), Offset{chunk_} * cols(), b + first * width, width, Offset{chunk_} * width, &zero, parts_.data(),
            cols(), size, some));
        cuda_.each(size, AddParts{parts_.data(), some, size, product});
    }
}

void CentredRows::square(device::CudaBuffer<double>& product) {
    cuda_.fill(product, at(Offset{cols()} * cols()), 0.0);
    blocks([&](Index first, Index count) {
        centre(first, count);
        add_products(block_.data(), cols(), count, product.data());
    });
}

void CentredRows::square_times(const double* v, Index width, double* product) {
    narrow(v, width);
    cuda_.resize(of_rows_, at(Offset{block_rows_} * width));
    const Offset size = Offset{cols()} * width;
    device::cuda_check(cudaMemsetAsync(product, 0, at(size) * sizeof(double), cuda_.stream()));
    blocks([&](Index first, Index count) {
        centre(first, count);
        const Index padded = (count + chunk_ - 1) / chunk_ * chunk_;
        block_times(padded, width, of_rows_.data(), width);
        add_products(of_rows_.data(), width, count, product);
    });
}

void CentredRows::times(const double* v, Index width, float* to, Index stride) {
    narrow(v, width);
    blocks([&](Index first, Index count) {
        centre(first, count);
        block_times(count, width, to + Offset{first} * stride, stride);
    });
}

}  // namespace dunlin::start
