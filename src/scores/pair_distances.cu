// SPDX-License-Identifier: Apache-2.0
#include "scores/pair_distances.cuh"

#include <bit>

#include "device/staging.cuh"
#include "distance/cuda/difference_tiles.cuh"
#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::scores {

namespace {

using device::Cuda;
using device::CudaBuffer;
using Tile = distance::DifferenceTile;

constexpr Index chunk = 256;  ///< features whose sum is added to the distance at once, as PairDistances does
static_assert(chunk % Tile::chunk == 0);

/// Points [begin, end), of which number `first` is the first of the values, against `count` rows of features.
struct PanelTask {
    FeatureRows points;
    Index first, begin, end;
    const float* rows;
    Index count, row_tiles;
    float* out;
    Offset stride;
};

/// A thread's share of a chunk of point i.
__device__ void load_point(const PanelTask& task, Index i, Index column, Tile::Share& share) {
    const FeatureRows& points = task.points;
    const Index c = column + Tile::half();
    if (points.scales == nullptr && points.cols % 4 == 0 && i < task.end && c + Tile::chunk / 2 <= points.cols) {
        const auto* four = reinterpret_cast<const float4*>(points.values + Offset{i - task.first} * points.cols + c);
#pragma unroll
        for (int part = 0; part < Tile::chunk / 8; ++part) {
            const float4 x = four[part];
            share[4 * part] = x.x * points.common_scale;
            share[4 * part + 1] = x.y * points.common_scale;
            share[4 * part + 2] = x.z * points.common_scale;
            share[4 * part + 3] = x.w * points.common_scale;
        }
        return;
    }
#pragma unroll
    for (int s = 0; s < Tile::chunk / 2; ++s)
        share[s] = i < task.end && c + s < points.features ? points.at(i - task.first, i, c + s) : 0.0F;
}

__device__ void load_row(const PanelTask& task, Index r, Index column, Tile::Share& share) {
    const Index c = column + Tile::half();
#pragma unroll
    for (int s = 0; s < Tile::chunk / 2; ++s) {
        const bool is_there = r < task.count && c + s < task.points.features;
        share[s] = is_there ? task.rows[Offset{r} * task.points.features + c + s] : 0.0F;
    }
}

/// Writes the thread's sums, or adds them to what the chunk before wrote.
__device__ void write(const PanelTask& task, Index row, Index point, bool adds, const Tile::Sums& sums) {
#pragma unroll
    for (int j = 0; j < Tile::per_thread; ++j) {
        const Index r = row + Tile::place_of(Tile::down(), j);
        if (r >= task.count) continue;
        float* out = task.out + r * task.stride - task.begin;
#pragma unroll
        for (int part = 0; part < Tile::per_thread; part += 4) {
            const Index p = point + Tile::place_of(Tile::across(), part);
            if (p + 3 < task.end) {
                auto* to = reinterpret_cast<float4*>(out + p);
                const float4 old = adds ? *to : float4{};
                *to = {old.x + sums[part][j], old.y + sums[part + 1][j], old.z + sums[part + 2][j],
                       old.w + sums[part + 3][j]};
                continue;
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                if (p + i < task.end) out[p + i] = (adds ? out[p + i] : 0.0F) + sums[part + i][j];
            }
        }
    }
}

/// Block b: tile b % row_tiles of the rows, and tile b / row_tiles of the points.
template <class Term>
__global__ void __launch_bounds__(Tile::threads) panel_kernel(PanelTask task) {
    __shared__ alignas(16) Tile::Panel points, rows;
    const auto row = static_cast<Index>(blockIdx.x % static_cast<unsigned>(task.row_tiles)) * Tile::rows;
    const Index point =
        task.begin + static_cast<Index>(blockIdx.x / static_cast<unsigned>(task.row_tiles)) * Tile::rows;
    const Index own_point = point + Tile::row(), own_row = row + Tile::row();
    Tile::Sums sums = {};
    Tile::Share of_points, of_rows;
    load_point(task, own_point, 0, of_points);
    load_row(task, own_row, 0, of_rows);
    Index begin = 0;  // of the chunk whose features are being added
    for (Index c = 0; c < task.points.features; c += Tile::chunk) {
        if (c == begin + chunk) {
            write(task, row, point, begin > 0, sums);
#pragma unroll
            for (int i = 0; i < Tile::per_thread * Tile::per_thread; ++i) (&sums[0][0])[i] = 0;
            begin = c;
        }
        __syncthreads();
        Tile::store(of_points, points);
        Tile::store(of_rows, rows);
        __syncthreads();
        load_point(task, own_point, c + Tile::chunk, of_points);
        load_row(task, own_row, c + Tile::chunk, of_rows);
        Tile::add<Term>(points, rows, sums);
    }
    write(task, row, point, begin > 0, sums);
}

/// Pairs of a row and one of its k others.
struct PairTask {
    FeatureRows rows, others;
    const Index *row_ids, *other_ids;
    bool packed;  ///< the values of rows and others are in this order; false: by id
    bool manhattan;
    Offset k, pairs;
    float* out;
};

constexpr int warps = 4;

/// A warp reads 32 features of each of 32 pairs, and then each lane adds those of one pair in their order.
__global__ void __launch_bounds__(32 * warps) pairs_kernel(PairTask task) {
    __shared__ float x[warps][32][33], y[warps][32][33];
    const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
    const Offset first = (Offset{blockIdx.x} * warps + warp) * 32;
    const Offset pair = min(first + lane, task.pairs - 1), r = pair / task.k;
    const Index row = task.row_ids[r], other = task.other_ids[pair];
    const Index row_place = task.packed ? static_cast<Index>(r) : row;
    const Index other_place = task.packed ? static_cast<Index>(pair) : other;
    const Index features = task.rows.features;
    float sum = 0, total = 0;
    for (Index begin = 0; begin < features; begin += 32) {
        const Index c = begin + lane;
        for (int p = 0; p < 32; ++p) {
            const Index at_row = __shfl_sync(~0U, row_place, p), id = __shfl_sync(~0U, row, p);
            const Index at_other = __shfl_sync(~0U, other_place, p), other_id = __shfl_sync(~0U, other, p);
            if (c >= features) continue;
            x[warp][p][lane] = task.rows.at(at_row, id, c);
            y[warp][p][lane] = task.others.at(at_other, other_id, c);
        }
        __syncwarp();
        const int count = min(32, features - begin);
        for (int i = 0; i < count; ++i) {
            const float a = x[warp][lane][i], b = y[warp][lane][i];
            sum = task.manhattan ? distance::AddMagnitude::to(sum, a, b) : distance::AddSquare::to(sum, a, b);
        }
        if ((begin + 32) % chunk == 0 || begin + 32 >= features) {
            total += sum;
            sum = 0;
        }
        __syncwarp();
    }
    if (first + lane < task.pairs) task.out[pair] = total;
}

struct GatherFeatures {
    FeatureRows points;
    const Index* ids;
    bool packed;
    float* out;
    __device__ void operator()(Offset i) const {
        const auto r = static_cast<Index>(i / points.features), c = static_cast<Index>(i % points.features);
        out[i] = points.at(packed ? r : ids[r], ids[r], c);
    }
};

/// The largest magnitude; floats of at least 0 are ordered like their bits.
__global__ void largest_kernel(const float* values, Offset count, int* largest) {
    int most = 0;
    const Offset threads = Offset{gridDim.x} * blockDim.x;
    for (Offset i = Offset{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads)
        most = max(most, __float_as_int(fabsf(values[i])));
    for (int lanes = 16; lanes > 0; lanes /= 2) most = max(most, __shfl_xor_sync(~0U, most, lanes));
    if (threadIdx.x % 32 == 0) atomicMax(largest, most);
}

float largest_of(Cuda& cuda, const float* values, Offset count) {
    device::CudaCell<int> largest;
    cuda.set(largest, 0);
    largest_kernel<<<static_cast<unsigned>(8 * cuda.multiprocessors()), 256, 0, cuda.stream()>>>(values, count,
                                                                                                 cuda.address(largest));
    device::cuda_check(cudaGetLastError());
    const int bits = cuda.read(largest);
    return std::bit_cast<float>(bits);
}

}  // namespace

DevicePairDistances::DevicePairDistances(Cuda& cuda, device::Cpu& cpu, const device::DevicePoints& points,
                                         neighbors::Metric metric)
    : cuda_(cuda), points_(points), metric_(metric) {
    const bool alike = metric == neighbors::Metric::euclidean || metric == neighbors::Metric::manhattan;
    if (alike && points.held()) {
        features_.emplace(points.host, metric, largest_of(cuda, points.values(), points.host.size()));
    } else {
        features_.emplace(cpu, points.host, metric);
    }
    cuda.upload(shifts_, features_->shifts());
    cuda.upload(scales_, features_->scales());
}

FeatureRows DevicePairDistances::rows_of(const float* values) const {
    return {values,
            shifts_.size() > 0 ? shifts_.data() : nullptr,
            scales_.size() > 0 ? scales_.data() : nullptr,
            features_->scale(),
            features_->mark(),
            points_.host.cols,
            features_->cols()};
}

DevicePairDistances::Rows DevicePairDistances::gather(std::span<const Index> rows) {
    Rows result{{}, static_cast<Index>(rows.size())};
    CudaBuffer<Index> ids;
    cuda_.upload(ids, rows);
    CudaBuffer<float> copied;
    if (!points_.held()) {
        cuda_.resize(copied, rows.size() * at(points_.host.cols));
        device::copy_rows_in_staged(cuda_, copied.data(), points_.host, rows);
    }
    const FeatureRows from = rows_of(points_.held() ? points_.values() : copied.data());
    cuda_.resize(result.features, rows.size() * at(from.features));
    cuda_.each(std::ssize(rows) * from.features,
               GatherFeatures{from, ids.data(), !points_.held(), result.features.data()});
    return result;
}

/// Number of points to copy at a time from host memory: those of 1 GiB.
Index DevicePairDistances::points_at_once() const {
    const Offset bytes = std::max<Offset>(Offset{points_.host.cols} * static_cast<Offset>(sizeof(float)), 1);
    return static_cast<Index>(std::clamp<Offset>((Offset{1} << 30) / bytes, 1, size()));
}

void DevicePairDistances::fill_block(const Rows& rows, const FeatureRows& points, Index first, Index begin, Index end,
                                     float* out, Offset stride) {
    const Index row_tiles = (rows.count + Tile::rows - 1) / Tile::rows,
                point_tiles = (end - begin + Tile::rows - 1) / Tile::rows;
    const PanelTask task{points, first, begin, end, rows.features.data(), rows.count, row_tiles, out, stride};
    const auto kernel = manhattan() ? panel_kernel<distance::AddMagnitude> : panel_kernel<distance::AddSquare>;
    const auto blocks = static_cast<unsigned>(Offset{row_tiles} * point_tiles);
    kernel<<<blocks, Tile::threads, 0, cuda_.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

void DevicePairDistances::fill(const Rows& rows, Index begin, Index end, float* out, Offset stride) {
    if (rows.count == 0 || begin >= end) return;
    if (points_.held()) {
        // At most about 0.05 s of work between cancellation points
        const Offset terms = std::max<Offset>(Offset{rows.count} * rows_of(nullptr).features, 1);
        const auto step = static_cast<Index>(std::min<Offset>(
            std::max<Offset>((Offset{1} << 38) / terms / Tile::rows * Tile::rows, Tile::rows), end - begin));
        for (Index first = begin; first < end; first += std::min(step, end - first)) {
            progress::cancellation_point();
            fill_block(rows, rows_of(points_.values()), 0, first, first + std::min(step, end - first),
                       out + (first - begin), stride);
        }
        return;
    }
    const Index most = std::max(points_at_once() / 4 * 4, Index{4});
    cuda_.resize(block_, at(std::min(most, size())) * at(points_.host.cols));
    for (Index first = begin; first < end; first += std::min(most, end - first)) {
        progress::cancellation_point();
        const Index last = first + std::min(most, end - first);
        cuda_.copy_in(block_.data(), points_.host.data + Offset{first} * points_.host.cols,
                      at(last - first) * at(points_.host.cols) * sizeof(float));
        fill_block(rows, rows_of(block_.data()), first, first, last, out + (first - begin), stride);
    }
}

CudaBuffer<float> DevicePairDistances::to_others(std::span<const Index> rows, std::span<const Index> others) {
    CudaBuffer<float> distances(others.size(), cuda_.stream());
    if (others.empty()) return distances;
    const std::size_t k = others.size() / rows.size();
    const std::size_t together =
        points_.held() ? rows.size() : std::max<std::size_t>(1, at(points_at_once()) / std::max<std::size_t>(k, 1));
    for (std::size_t first = 0; first < rows.size(); first += together) {
        progress::cancellation_point();
        const auto some = rows.subspan(first, std::min(together, rows.size() - first));
        const auto theirs = others.subspan(first * k, some.size() * k);
        CudaBuffer<Index> ids, other_ids;
        cuda_.upload(ids, some);
        cuda_.upload(other_ids, theirs);
        CudaBuffer<float> values, other_values;
        if (!points_.held()) {
            cuda_.resize(values, some.size() * at(points_.host.cols));
            cuda_.resize(other_values, theirs.size() * at(points_.host.cols));
            device::copy_rows_in_staged(cuda_, values.data(), points_.host, some);
            device::copy_rows_in_staged(cuda_, other_values.data(), points_.host, theirs);
        }
        const bool packed = !points_.held();
        const PairTask task{rows_of(packed ? values.data() : points_.values()),
                            rows_of(packed ? other_values.data() : points_.values()),
                            ids.data(),
                            other_ids.data(),
                            packed,
                            manhattan(),
                            static_cast<Offset>(k),
                            std::ssize(theirs),
                            distances.data() + first * k};
        const auto blocks = static_cast<unsigned>((theirs.size() + 32 * warps - 1) / (32 * warps));
        pairs_kernel<<<blocks, 32 * warps, 0, cuda_.stream()>>>(task);
        device::cuda_check(cudaGetLastError());
    }
    return distances;
}

CudaBuffer<float> DevicePairDistances::table_of(std::span<const Index> rows) {
    const Rows some = gather(rows);
    const Offset stride = padded_stride(some.count);
    CudaBuffer<float> table(rows.size() * at(stride), cuda_.stream());
    // The features are those of the rows: nothing is left to scale
    const FeatureRows as_points{some.features.data(),     nullptr, nullptr, 1, 1, rows_of(nullptr).features,
                                rows_of(nullptr).features};
    fill_block(some, as_points, 0, 0, some.count, table.data(), stride);
    return table;
}

std::vector<float> DevicePairDistances::between(std::span<const Index> rows) {
    const std::vector<float> padded = cuda_.host(table_of(rows));
    const auto count = static_cast<Index>(rows.size());
    std::vector<float> distances;
    distances.reserve(rows.size() * rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto row = padded.begin() + static_cast<Offset>(r) * padded_stride(count);
        distances.insert(distances.end(), row, row + count);
    }
    return distances;
}

}  // namespace dunlin::scores
