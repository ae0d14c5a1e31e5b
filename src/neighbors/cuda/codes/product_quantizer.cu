// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/codes/product_quantizer.cuh"

#include <algorithm>
#include <limits>

#include "math/at.hpp"
#include "numerics/product.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Centers, scales and clamps rows, as project() in neighbors/codes/product_quantizer.cpp does.
struct MoveRows {
    DeviceRows rows;
    const double* middle;
    double scale;
    float* out;
    __device__ void operator()(Offset i) const {
        const auto row = static_cast<Index>(i / rows.cols), c = static_cast<Index>(i % rows.cols);
        const double moved = (rows.value(row, c) - middle[c]) * scale, limit = static_cast<double>(farthest_coordinate);
        out[i] = static_cast<float>(fmin(fmax(moved, -limit), limit));
    }
};

struct Limit {
    float* values;
    __device__ void operator()(Offset i) const {
        values[i] = fminf(fmaxf(values[i], -farthest_coordinate), farthest_coordinate);
    }
};

void move_rows(Cuda& cuda, const DeviceRows& rows, const distance::HalfFrame& frame, CudaBuffer<float>& out) {
    const Offset size = Offset{rows.count} * rows.cols;
    cuda.resize(out, static_cast<std::size_t>(size));
    cuda.each(size, MoveRows{rows, frame.middle.data(), frame.scale, out.data()});
}

struct Subtract {
    const Index* cell;
    const float* centroids;
    Index cols;
    float* rows;
    __device__ void operator()(Offset i) const { rows[i] -= centroids[Offset{cell[i / cols]} * cols + i % cols]; }
};

constexpr int coding_threads = 128, entries_together = 8, shared_values = 8192;

/// Block (b, p): each thread encodes part p of a row as the nearest entry of the codebook, which passes through shared
/// memory in pieces. rows: residuals.
__global__ void encode_kernel(CodedRows quantizer, const float* rows, Index count, std::uint8_t* codes) {
    __shared__ float shared[shared_values];
    const auto part = static_cast<Index>(blockIdx.y), row = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    const Index first = quantizer.begin(part), width = quantizer.begin(part + 1) - first;
    const float* own = rows + Offset{min(row, count - 1)} * quantizer.cols + first;
    const float* codebook = quantizer.codebooks + first * quantizer.entries;
    const Index rounded = (quantizer.entries + entries_together - 1) / entries_together * entries_together;
    const Index together = min(shared_values / width / entries_together * entries_together, rounded);
    float least = INFINITY;
    Index nearest = 0;
    for (Index from = 0; from < quantizer.entries; from += together) {
        const Index there = min(together, quantizer.entries - from);
        __syncthreads();
        for (auto i = static_cast<Index>(threadIdx.x); i < together * width; i += coding_threads) {
            const Index entry = i / width, c = i % width;
            shared[c * together + entry] = entry < there ? codebook[(from + entry) * width + c] : INFINITY;
        }
        __syncthreads();
        for (Index entry = 0; entry < there; entry += entries_together) {
            float sums[entries_together] = {};
            for (Index c = 0; c < width; ++c) {
#pragma unroll
                for (int e = 0; e < entries_together; ++e) {
                    const float differs = own[c] - shared[c * together + entry + e];
                    sums[e] += differs * differs;
                }
            }
#pragma unroll
            for (int e = 0; e < entries_together; ++e) {
                if (!(sums[e] < least)) continue;
                least = sums[e];
                nearest = from + entry + e;
            }
        }
    }
    if (row < count) codes[Offset{row} * quantizer.parts + part] = static_cast<std::uint8_t>(nearest);
}

/// Calls consume(rows) for these items, a fixed number at a time.
template <class Consume>
void each_piece(Cuda& cuda, const ItemSource& items, std::span<const Index> which, const Consume& consume) {
    const auto together = at(coded_at_once(items.cols(), 1));
    LoadedRows loaded;
    for (std::size_t begin = 0; begin < which.size(); begin += together) {
        CudaBuffer<Index> piece;
        cuda.upload(piece, which.subspan(begin, std::min(together, which.size() - begin)));
        consume(items.gather(cuda, piece, loaded).rows);
    }
}

/// Concatenates on the host what consume(rows, out) writes for items at equal steps through all.
template <class Consume>
std::vector<float> gather(Cuda& cuda, const ItemSource& items, Index wanted, const Consume& consume) {
    std::vector<float> all;
    each_piece(cuda, items, spread_evenly(items.count(), wanted), [&](const DeviceRows& rows) {
        CudaBuffer<float> out;
        consume(rows, out);
        const std::vector<float> values = cuda.host(out);
        all.insert(all.end(), values.begin(), values.end());
    });
    return all;
}

std::vector<double> middle_of(const ProductQuantizer& quantizer) {
    std::vector<double> middle(at(quantizer.dims()), 0);
    for (std::size_t i = 0; i < quantizer.centroids.size(); ++i) {
        middle[i % middle.size()] += static_cast<double>(quantizer.centroids[i]) / quantizer.cells;
    }
    return middle;
}

}  // namespace

std::vector<Index> spread_evenly(Index items, Index wanted) {
    std::vector<Index> spread;
    for (Offset i = 0; i < wanted; ++i) spread.push_back(static_cast<Index>(i * items / wanted));
    return spread;
}

Projection::Projection(Cuda& cuda, distance::HalfFrame frame, const PrincipalAxes& axes)
    : cuda_(cuda), frame_(std::move(frame)), dims_(axes.count()) {
    cuda.upload(axes_, axes.values());
}

/// multiply: calls numerics::multiply or multiply_chunks.
template <class Multiply>
void Projection::project_by(const Multiply& multiply, const DeviceRows& rows, CudaBuffer<float>& out) {
    const Offset size = Offset{rows.count} * dims_;
    move_rows(cuda_, rows, frame_, moved_);
    cuda_.resize(out, static_cast<std::size_t>(size));
    multiply(numerics::ChunkedProduct<float>{.left = numerics::Left::by_rows,
                                             .rows = rows.count,
                                             .cols = dims_,
                                             .inner = rows.cols,
                                             .a = moved_.data(),
                                             .b = axes_.data(),
                                             .parts = out.data(),
                                             .stride = dims_,
                                             .chunk = rows.cols});
    cuda_.each(size, Limit{out.data()});
}

void Projection::project(const DeviceRows& rows, CudaBuffer<float>& out) {
    project_by([this](const auto& product) { numerics::multiply<float>(cuda_, product, parts_); }, rows, out);
}

/// In one chunk: the number of chunks would depend on that of the rows, and with it the rounding.
void Projection::project_each(const DeviceRows& rows, CudaBuffer<float>& out) {
    project_by([this](const auto& product) { numerics::multiply_chunks(cuda_, product); }, rows, out);
}

CudaProductQuantizer::CudaProductQuantizer(Cuda& cuda, Projection projection, ProductQuantizer quantizer)
    : cuda_(cuda),
      projection_(std::move(projection)),
      quantizer_(std::move(quantizer)),
      middle_(middle_of(quantizer_)) {
    coarse_frame_.scale = std::numeric_limits<double>::infinity();
    cuda.upload(entries_, quantizer_.codebooks);
}

CudaBuffer<Index> CudaProductQuantizer::code(const DeviceRows& rows, std::uint8_t* codes) {
    CudaBuffer<float> along;
    projection_.project(rows, along);
    kmeans::CoarseAssignment found =
        kmeans::assign_to_nearest(cuda_, along, projection_.dims(), quantizer_.centroids, middle_);
    coarse_frame_ = {std::move(found.frame.middle), std::min(coarse_frame_.scale, found.frame.scale)};
    cuda_.each(static_cast<Offset>(along.size()),
               Subtract{found.cell.data(), found.centroids.data(), projection_.dims(), along.data()});
    const CodedRows view{.codebooks = entries_.data(),
                         .parts = quantizer_.parts,
                         .entries = quantizer_.entries,
                         .cols = projection_.dims()};
    const dim3 blocks(static_cast<unsigned>((rows.count + coding_threads - 1) / coding_threads),
                      static_cast<unsigned>(quantizer_.parts));
    encode_kernel<<<blocks, coding_threads, 0, cuda_.stream()>>>(view, along.data(), rows.count, codes);
    device::cuda_check(cudaGetLastError());
    return std::move(found.cell);
}

SortedItems CudaProductQuantizer::sort(ItemSource& items, CudaBuffer<Index> cell) {
    kmeans::CoarseAssignment found{std::move(cell), {}, std::move(coarse_frame_)};
    cuda_.upload(found.centroids, quantizer_.centroids);
    SortedItems sorted = sort_into_cells(cuda_, items, std::move(found), projection_.dims());
    std::vector<float> centroids;
    for (const Index centroid : sorted.centroids) {
        centroids.insert(centroids.end(), quantizer_.centroid(centroid),
                         quantizer_.centroid(centroid) + quantizer_.dims());
    }
    cuda_.upload(centroids_, centroids);
    return sorted;
}

CodedRows CudaProductQuantizer::rows(const CudaBuffer<std::uint8_t>& codes, const CudaBuffer<Index>& cell) const {
    return {codes.data(),     cell.data(),        centroids_.data(), entries_.data(),
            quantizer_.parts, quantizer_.entries, projection_.dims()};
}

CudaProductQuantizer train_product_quantizer(Cuda& cuda, const ItemSource& items, distance::HalfFrame frame,
                                             Index parts, Index cells) {
    constexpr Index enough_for_axes = 2048;
    const Index some = std::min(items.count(), enough_for_axes), wanted = training_rows(items.count(), cells);
    const std::vector<float> moved = gather(
        cuda, items, some, [&](const DeviceRows& rows, CudaBuffer<float>& out) { move_rows(cuda, rows, frame, out); });
    PrincipalAxes axes = coding_axes({moved.data(), some, items.cols()}, parts);
    Projection projection(cuda, std::move(frame), axes);
    const std::vector<float> sample = gather(
        cuda, items, wanted, [&](const DeviceRows& rows, CudaBuffer<float>& out) { projection.project(rows, out); });
    CudaBuffer<float> rows;
    cuda.upload(rows, sample);
    const kmeans::CoarseAssignment found =
        kmeans::assign_coarsely(cuda, std::move(rows), projection.dims(), std::min(cells, wanted));
    const Run run{.device = Device::cpu, .threads = cuda.run().threads, .seed = cuda.run().seed};
    ProductQuantizer quantizer = train_product_quantizer(std::move(axes), {sample.data(), wanted, projection.dims()},
                                                         parts, cuda.host(found.centroids), run);
    return {cuda, std::move(projection), std::move(quantizer)};
}

Index coded_at_once(Index cols, Index least) {
    constexpr Index values = 1 << 24;
    return std::max(values / cols, least);
}

std::uint64_t coding_bytes(Index rows, Index cols, Index dims, Index cells) {
    const auto n = static_cast<std::uint64_t>(rows);
    return n * 4 * (2 * static_cast<std::uint64_t>(cols) + 3 * static_cast<std::uint64_t>(dims)) +
           kmeans::coarse_assignment_bytes(rows, dims, cells);
}

}  // namespace dunlin::neighbors
