// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "math/rng.hpp"
#include "neighbors/cuda/filter_rows.cuh"
#include "neighbors/cuda/sorting.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using distance::HalfFrame;

/// Block c: the mean of the middle half of column c.
__global__ void middle_kernel(DeviceRows sample, double* middle) {
    __shared__ float values[most_sampled];
    const auto column = static_cast<Index>(blockIdx.x);
    for (auto i = static_cast<Index>(threadIdx.x); i < most_sampled; i += static_cast<Index>(blockDim.x)) {
        values[i] = i < sample.count ? static_cast<float>(sample.value(i, column)) : INFINITY;
    }
    __syncthreads();
    sort_block(values, most_sampled);
    if (threadIdx.x >= 32) return;
    const Index begin = sample.count / 4, end = sample.count - begin;
    const double sum = warp_sum(end - begin, [&](Index i) { return static_cast<double>(values[begin + i]); });
    if (threadIdx.x == 0) middle[column] = sum / (end - begin);
}

/// Rows in the frame. Not a HalfFrame::View: with one nvcc (13.0) no longer specializes the loops over columns for rows
/// without mean and scale.
template <class Rows>
struct FramedRows {
    Rows rows;
    const double* middle;
    double scale;

    [[nodiscard]] __device__ double operator()(Index r, Index c) const {
        return (rows.value(r, c) - middle[c]) * scale;
    }
    [[nodiscard]] __device__ double length(Index r) const {
        return sqrt(warp_sum(rows.cols, [&](Index c) {
            const double value = (*this)(r, c);
            return value * value;
        }));
    }
};

struct MeasureLengths {
    FramedRows<DeviceRows> framed;
    double* lengths;
    __device__ void operator()(Offset r) const {
        const double length = framed.length(static_cast<Index>(r));
        if (threadIdx.x % 32 == 0) lengths[r] = length;
    }
};

/// The power of two by which the 90th percentile becomes at most the frame's radius over `room`, and more than half of
/// that.
double scale_for(std::vector<double> lengths, double room) {
    std::sort(lengths.begin(), lengths.end());
    const double usual = lengths[lengths.size() * 9 / 10], longest = lengths.back();
    if (longest == 0) return 1;
    const double wanted = usual > 0 ? frame_radius / room / usual : frame_radius / longest;
    return std::exp2(std::clamp(std::floor(std::log2(wanted)), -500.0, 500.0));
}

/// A pseudorandom bijection of [0, count): a Feistel network on the smallest even number of bits, applied until the
/// result is in the range.
struct Shuffle {
    std::uint32_t count;
    std::uint64_t seed;
    int half_bits;

    [[nodiscard]] __device__ std::uint32_t operator()(std::uint32_t i) const {
        const std::uint32_t mask = (1U << half_bits) - 1;
        do {
            std::uint32_t left = i >> half_bits, right = i & mask;
            for (std::uint64_t round = 0; round < 4; ++round) {
                const auto mixed = static_cast<std::uint32_t>(math::mix(seed + (round << 32) + right)) & mask;
                const std::uint32_t next = left ^ mixed;
                left = right;
                right = next;
            }
            i = left << half_bits | right;
        } while (i >= count);
        return i;
    }
};

Shuffle shuffle_of(Index count) {
    int bits = 0;
    while ((Offset{1} << bits) < count) ++bits;
    return {static_cast<std::uint32_t>(count), 0x6b4e4e2074696c65ULL, std::max(1, (bits + 1) / 2)};
}

struct SetOrder {
    Shuffle shuffle;
    Index* order;
    __device__ void operator()(Offset place) const {
        order[place] = place < shuffle.count ? static_cast<Index>(shuffle(static_cast<std::uint32_t>(place))) : -1;
    }
};

struct FilterRowsView {
    __half* values;
    float *errors, *squares, *most;
    const Index* items;
    Index count, width;
    double slack;
};
FilterRowsView view_of(const FilterRows& rows) {
    return {rows.values.data(), rows.errors.data(), rows.squares.data(), rows.most.data(),
            rows.items,         rows.count,         rows.width,          rows.slack};
}

/// |x|^2 of a row's halves, and the error of rounding.
struct RoundedRow {
    double square, error;
};

/// Rounds a framed row, by the whole warp; zeros in the columns beside its own.
template <class Rows>
__device__ RoundedRow round_row(const FramedRows<Rows>& rows, Index r, __half* out, Index width) {
    const double length = rows.length(r), shrink = length > frame_radius ? frame_radius / length : 1.0;
    const Index cols = rows.rows.cols;
    const distance::RoundedSquares sum =
        distance::round_columns([&](Index c) { return c < cols ? rows(r, c) * shrink : 0.0; }, out, width,
                                static_cast<Index>(threadIdx.x % 32), 32);
    const double error = sqrt(distance::sum_of_lanes(sum.error)) * (1 + 1e-6) + 1e-9;  // the sums' rounding included
    return {distance::sum_of_lanes(sum.halves), error};
}

template <bool Query, class Rows>
struct RoundRows {
    FramedRows<Rows> framed;
    FilterRowsView out;

    __device__ void operator()(Offset position) const {
        __half* row = out.values + position * out.width;
        const auto i = static_cast<Index>(position);
        const Index r = position >= out.count ? -1 : out.items == nullptr ? i : out.items[position];
        const bool padding = r < 0;
        if (padding) {
            for (auto c = static_cast<Index>(threadIdx.x % 32); c < out.width; c += 32) row[c] = __half{};
        }
        const RoundedRow rounded = padding ? RoundedRow{0, 0} : round_row(framed, r, row, out.width);
        __syncwarp();
        if (threadIdx.x % 32 == 0) write_tail(i, padding, rounded, row + framed.rows.cols);
    }

    __device__ void write_tail(Index position, bool padding, RoundedRow rounded, __half* tail) const {
        const __half unit = __float2half(tail_unit);
        const float square = __double2float_ru(rounded.square);
        for (int i = 0; i < 3; ++i) tail[Query ? i : 4 + i] = unit;
        float error = __double2float_ru(rounded.error);
        if (Query) {
            if (padding) split_in_three(never, tail + 4);
            if (!padding) set_reach(tail, 0, rounded.square, out.slack);
        } else {
            tail[3] = __float2half_ru(error);
            error = __half2float(tail[3]);
            const double e = static_cast<double>(error);
            split_in_three(padding ? never : e * e * (0.5 + out.slack) - rounded.square * (0.5 - out.slack), tail);
        }
        out.errors[position] = error;
        out.squares[position] = square;
        if (padding) return;
        distance::raise(out.most, error);
        distance::raise(out.most + 1, square);
    }
};

/// Relative rounding error of a step of this GPU's tensor cores.
double step_of(const Cuda& cuda) {
    int major = 0;
    device::cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, cuda.run().gpu()));
    return major == 9 ? hopper_step : any_step;
}

void resize(Cuda& cuda, FilterRows& rows, Index count, Index tile, Index cols) {
    rows.count = count;
    rows.padded = static_cast<Index>(distance::padded_to(count, tile));
    rows.cols = cols;
    rows.resize(cuda, rows.padded, cols + tail_columns);
    rows.slack = product_slack(rows.width, step_of(cuda));
    cuda.resize(rows.squares, static_cast<std::size_t>(rows.padded));
    cuda.fill(rows.most, 2, 0.0F);
}

template <bool Query, class Rows>
void round_all(Cuda& cuda, const Rows& rows, const HalfFrame& frame, FilterRows& out) {
    each_warp(cuda, out.padded, RoundRows<Query, Rows>{{rows, frame.middle.data(), frame.scale}, view_of(out)});
}

}  // namespace

HalfFrame find_frame(Cuda& cuda, const DeviceRows& sample, double room) {
    HalfFrame frame;
    cuda.resize(frame.middle, static_cast<std::size_t>(sample.cols));
    middle_kernel<<<static_cast<unsigned>(sample.cols), 256, 0, cuda.stream()>>>(sample, frame.middle.data());
    device::cuda_check(cudaGetLastError());
    device::CudaBuffer<double> lengths(static_cast<std::size_t>(sample.count), cuda.stream());
    each_warp(cuda, sample.count, MeasureLengths{{sample, frame.middle.data(), 1.0}, lengths.data()});
    frame.scale = scale_for(cuda.host(lengths), room);
    return frame;
}

std::uint64_t filter_row_bytes(Index cols) { return 2 * static_cast<std::uint64_t>(filter_width(cols)) + 12; }

void order_base(Cuda& cuda, Index count, device::CudaBuffer<Index>& order) {
    const Index padded = tiles_of(count) * base_tile;
    cuda.resize(order, static_cast<std::size_t>(padded));
    cuda.each(padded, SetOrder{shuffle_of(count), order.data()});
}

template <class Rows>
void round_base(Cuda& cuda, const Rows& rows, const device::CudaBuffer<Index>& order, const HalfFrame& frame,
                FilterRows& base) {
    base.items = order.data();
    resize(cuda, base, static_cast<Index>(order.size()), base_tile, rows.cols);
    round_all<false>(cuda, rows, frame, base);
}
template void round_base(Cuda&, const DeviceRows&, const device::CudaBuffer<Index>&, const HalfFrame&, FilterRows&);
template void round_base(Cuda&, const CodedRows&, const device::CudaBuffer<Index>&, const HalfFrame&, FilterRows&);

void round_queries(Cuda& cuda, const DeviceRows& rows, const Index* which, Index count, const HalfFrame& frame,
                   FilterRows& queries) {
    queries.items = which;
    resize(cuda, queries, count, query_tile, rows.cols);
    round_all<true>(cuda, rows, frame, queries);
}

}  // namespace dunlin::neighbors
