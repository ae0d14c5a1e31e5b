// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/coder.cuh"

#include "device/product.cuh"
#include "math/at.hpp"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Rows in a frame, as project() of codes.cpp takes and gives them.
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

/// Block (b, p): part p of a row for each thread: the nearest entry of the part's book, of which as much lies in shared
/// memory as fits. rows: what they differ from their centroids by.
__global__ void code_kernel(CodedRows books, const float* rows, Index count, std::uint8_t* codes) {
    __shared__ float shared[shared_values];
    const auto part = static_cast<Index>(blockIdx.y), row = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    const Index first = books.begin(part), width = books.begin(part + 1) - first;
    const float* own = rows + Offset{min(row, count - 1)} * books.cols + first;
    const float* book = books.books + first * books.entries;
    const Index rounded = (books.entries + entries_together - 1) / entries_together * entries_together;
    const Index together = min(shared_values / width / entries_together * entries_together, rounded);
    float least = INFINITY;
    Index nearest = 0;
    for (Index from = 0; from < books.entries; from += together) {
        const Index there = min(together, books.entries - from);
        __syncthreads();
        for (auto i = static_cast<Index>(threadIdx.x); i < together * width; i += coding_threads) {
            const Index entry = i / width, c = i % width;
            shared[c * together + entry] = entry < there ? book[(from + entry) * width + c] : INFINITY;
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
    if (row < count) codes[Offset{row} * books.parts + part] = static_cast<std::uint8_t>(nearest);
}

/// consume(rows) for these items, as many at a time as are coded at once.
template <class Consume>
void each_piece(Cuda& cuda, const ItemSource& items, std::span<const Index> which, const Consume& consume) {
    const auto together = at(coded_at_once(items.cols(), 1));
    LoadedRows loaded;
    for (std::size_t begin = 0; begin < which.size(); begin += together) {
        CudaBuffer<Index> piece;
        cuda.upload(piece, which.subspan(begin, std::min(together, which.size() - begin)));
        consume(items.chosen(cuda, piece, loaded).rows);
    }
}

/// What consume(rows, out) writes of these items, one after another on the host.
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

std::vector<double> middle_of(const CodeBooks& books) {
    std::vector<double> middle(at(books.dims()), 0);
    for (std::size_t i = 0; i < books.centroids.size(); ++i) {
        middle[i % middle.size()] += static_cast<double>(books.centroids[i]) / books.cells;
    }
    return middle;
}

}  // namespace

std::vector<Index> spread_evenly(Index items, Index wanted) {
    std::vector<Index> spread;
    for (Offset i = 0; i < wanted; ++i) spread.push_back(static_cast<Index>(i * items / wanted));
    return spread;
}

Projection::Projection(Cuda& cuda, distance::HalfFrame frame, const Axes& axes)
    : cuda_(cuda), frame_(std::move(frame)), dims_(axes.count()) {
    cuda.upload(axes_, axes.values());
}

void Projection::project(const DeviceRows& rows, CudaBuffer<float>& out) {
    const Offset size = Offset{rows.count} * dims_;
    move_rows(cuda_, rows, frame_, moved_);
    cuda_.resize(out, static_cast<std::size_t>(size));
    device::multiply<float>(cuda_,
                            {.left = device::Left::by_rows,
                             .rows = rows.count,
                             .cols = dims_,
                             .inner = rows.cols,
                             .a = moved_.data(),
                             .b = axes_.data(),
                             .parts = out.data(),
                             .stride = dims_},
                            parts_);
    cuda_.each(size, Limit{out.data()});
}

Coder::Coder(Cuda& cuda, Projection projection, CodeBooks books)
    : cuda_(cuda), projection_(std::move(projection)), books_(std::move(books)), middle_(middle_of(books_)) {
    cuda.upload(entries_, books_.books);
}

CudaBuffer<Index> Coder::code(const DeviceRows& rows, std::uint8_t* codes) {
    CudaBuffer<float> along;
    projection_.project(rows, along);
    kmeans::CoarseAssignment found =
        kmeans::assign_to_nearest(cuda_, along, projection_.dims(), books_.centroids, middle_);
    cuda_.each(static_cast<Offset>(along.size()),
               Subtract{found.cell.data(), found.centroids.data(), projection_.dims(), along.data()});
    const CodedRows books{
        .books = entries_.data(), .parts = books_.parts, .entries = books_.entries, .cols = projection_.dims()};
    const dim3 blocks(static_cast<unsigned>((rows.count + coding_threads - 1) / coding_threads),
                      static_cast<unsigned>(books_.parts));
    code_kernel<<<blocks, coding_threads, 0, cuda_.stream()>>>(books, along.data(), rows.count, codes);
    device::cuda_check(cudaGetLastError());
    return std::move(found.cell);
}

SortedItems Coder::sort(ItemSource& items, CudaBuffer<Index> cell) {
    kmeans::CoarseAssignment found{std::move(cell), {}};
    cuda_.upload(found.centroids, books_.centroids);
    SortedItems sorted = sort_into_cells(cuda_, items, std::move(found), projection_.dims());
    std::vector<float> centroids;
    for (const Index centroid : sorted.centroids) {
        centroids.insert(centroids.end(), books_.centroid(centroid), books_.centroid(centroid) + books_.dims());
    }
    cuda_.upload(centroids_, centroids);
    return sorted;
}

CodedRows Coder::rows(const CudaBuffer<std::uint8_t>& codes, const CudaBuffer<Index>& cell) const {
    return {codes.data(), cell.data(),    centroids_.data(), entries_.data(),
            books_.parts, books_.entries, projection_.dims()};
}

Coder learn_coder(Cuda& cuda, const ItemSource& items, distance::HalfFrame frame, Index parts, Index cells) {
    constexpr Index enough_for_axes = 2048;
    const Index some = std::min(items.count(), enough_for_axes), wanted = sampled_for_codes(items.count(), cells);
    const std::vector<float> moved = gather(
        cuda, items, some, [&](const DeviceRows& rows, CudaBuffer<float>& out) { move_rows(cuda, rows, frame, out); });
    Axes axes = axes_for_codes({moved.data(), some, items.cols()}, parts);
    Projection projection(cuda, std::move(frame), axes);
    const std::vector<float> sample = gather(
        cuda, items, wanted, [&](const DeviceRows& rows, CudaBuffer<float>& out) { projection.project(rows, out); });
    CudaBuffer<float> rows;
    cuda.upload(rows, sample);
    const kmeans::CoarseAssignment found =
        kmeans::assign_coarsely(cuda, std::move(rows), projection.dims(), std::min(cells, wanted));
    const Run run{.device = Device::cpu, .threads = cuda.run().threads, .seed = cuda.run().seed};
    CodeBooks books = learn_codes(std::move(axes), {sample.data(), wanted, projection.dims()}, parts,
                                  cuda.host(found.centroids), run);
    return {cuda, std::move(projection), std::move(books)};
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
