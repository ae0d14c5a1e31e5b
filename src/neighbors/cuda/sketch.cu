// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "math/rng.hpp"
#include "neighbors/cuda/sketch.cuh"
#include "neighbors/cuda/sorting.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;

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

/// A row of the frame.
template <class Rows>
struct Moved {
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

struct Lengths {
    Moved<DeviceRows> moved;
    double* lengths;
    __device__ void operator()(Offset r) const {
        const double length = moved.length(static_cast<Index>(r));
        if (threadIdx.x % 32 == 0) lengths[r] = length;
    }
};

/// A power of two: nine of ten become no longer than the frame's radius over `room`, and more than half of that.
double scale_for(std::vector<double> lengths, double room) {
    std::sort(lengths.begin(), lengths.end());
    const double usual = lengths[lengths.size() * 9 / 10], longest = lengths.back();
    if (longest == 0) return 1;
    const double wanted = usual > 0 ? frame_radius / room / usual : frame_radius / longest;
    return std::exp2(std::clamp(std::floor(std::log2(wanted)), -500.0, 500.0));
}

/// A bijection of [0, count) that looks random: a Feistel network on the least even number of bits, walked until it
/// is back in the range.
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

struct View {
    __half* values;
    float *errors, *squares, *most;
    const Index* items;
    Index count, width;
    double slack;
};
View view_of(const HalfRows& sketch) {
    return {sketch.values.data(), sketch.errors.data(), sketch.squares.data(), sketch.most.data(),
            sketch.items,         sketch.count,         sketch.width,          sketch.slack};
}

/// Rounds the moved row to halves; by the whole warp. Returns |x|^2 and the error.
struct Rounded {
    double square, error;
};
template <class Rows>
__device__ Rounded round_row(const Moved<Rows>& moved, Index r, __half* out) {
    const double length = moved.length(r), shrink = length > frame_radius ? frame_radius / length : 1.0;
    double lost = 0;
    const double square = warp_sum(moved.rows.cols, [&](Index c) {
        const double value = moved(r, c) * shrink;
        const __half rounded = __double2half(value);
        out[c] = rounded;
        const double kept = static_cast<double>(__half2float(rounded));
        lost += (value - kept) * (value - kept);
        return kept * kept;
    });
    for (int lanes = 16; lanes > 0; lanes /= 2) lost += __shfl_xor_sync(~0U, lost, lanes);
    return {square, sqrt(lost) * (1 + 1e-6) + 1e-9};  // beside the rounding of the sums in double
}

__device__ void raise(float* most, float value) {  // not negative, so that its bits are ordered as it is
    if (value <= *static_cast<volatile float*>(most)) return;
    atomicMax(reinterpret_cast<int*>(most), __float_as_int(value));
}

template <bool Query, class Rows>
struct Round {
    Moved<Rows> moved;
    View out;

    __device__ void operator()(Offset place) const {
        __half* row = out.values + place * out.width;
        const Index cols = moved.rows.cols;
        for (auto c = static_cast<Index>(threadIdx.x % 32); c < out.width; c += 32) row[c] = __half{};
        __syncwarp();
        const Index r = place >= out.count ? -1 : out.items == nullptr ? static_cast<Index>(place) : out.items[place];
        const bool padding = r < 0;
        const Rounded rounded = padding ? Rounded{0, 0} : round_row(moved, r, row);
        if (threadIdx.x % 32 == 0) write_tail(static_cast<Index>(place), padding, rounded, row + cols);
    }

    __device__ void write_tail(Index place, bool padding, Rounded rounded, __half* tail) const {
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
        out.errors[place] = error;
        out.squares[place] = square;
        if (padding) return;
        raise(out.most, error);
        raise(out.most + 1, square);
    }
};

/// What a step of this GPU's tensor cores may lose.
double step_of(const Cuda& cuda) {
    int major = 0;
    device::cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, cuda.run().gpu()));
    return major == 9 ? hopper_step : any_step;
}

void resize(Cuda& cuda, HalfRows& sketch, Index count, Index tile, Index cols) {
    sketch.count = count;
    sketch.padded = (count + tile - 1) / tile * tile;
    sketch.cols = cols;
    sketch.width = sketch_width(cols);
    sketch.slack = sketch_slack(sketch.width, step_of(cuda));
    const auto rows = static_cast<std::size_t>(sketch.padded);
    cuda.resize(sketch.values, rows * static_cast<std::size_t>(sketch.width));
    cuda.resize(sketch.errors, rows);
    cuda.resize(sketch.squares, rows);
    cuda.fill(sketch.most, 2, 0.0F);
}

template <class Rows>
void sketch_rows_of_base(Cuda& cuda, const Rows& rows, const device::CudaBuffer<Index>& order, const DeviceFrame& frame,
                         HalfRows& sketch) {
    sketch.items = order.data();
    resize(cuda, sketch, static_cast<Index>(order.size()), base_tile, rows.cols);
    each_warp(cuda, sketch.padded, Round<false, Rows>{{rows, frame.middle.data(), frame.scale}, view_of(sketch)});
}

}  // namespace

DeviceFrame find_frame(Cuda& cuda, const DeviceRows& sample, double room) {
    DeviceFrame frame;
    cuda.resize(frame.middle, static_cast<std::size_t>(sample.cols));
    middle_kernel<<<static_cast<unsigned>(sample.cols), 256, 0, cuda.stream()>>>(sample, frame.middle.data());
    device::cuda_check(cudaGetLastError());
    device::CudaBuffer<double> lengths(static_cast<std::size_t>(sample.count), cuda.stream());
    each_warp(cuda, sample.count, Lengths{{sample, frame.middle.data(), 1.0}, lengths.data()});
    frame.scale = scale_for(cuda.host(lengths), room);
    return frame;
}

std::uint64_t sketch_bytes(Index cols) { return 2 * static_cast<std::uint64_t>(sketch_width(cols)) + 12; }

void order_base(Cuda& cuda, Index count, device::CudaBuffer<Index>& order) {
    const Index padded = tiles_of(count) * base_tile;
    cuda.resize(order, static_cast<std::size_t>(padded));
    cuda.each(padded, SetOrder{shuffle_of(count), order.data()});
}

void sketch_base(Cuda& cuda, const DeviceRows& rows, const device::CudaBuffer<Index>& order, const DeviceFrame& frame,
                 HalfRows& sketch) {
    sketch_rows_of_base(cuda, rows, order, frame, sketch);
}

void sketch_base(Cuda& cuda, const CodedRows& rows, const device::CudaBuffer<Index>& order, const DeviceFrame& frame,
                 HalfRows& sketch) {
    sketch_rows_of_base(cuda, rows, order, frame, sketch);
}

void sketch_queries(Cuda& cuda, const DeviceRows& rows, const Index* which, Index count, const DeviceFrame& frame,
                    HalfRows& sketch) {
    sketch.items = which;
    resize(cuda, sketch, count, query_tile, rows.cols);
    each_warp(cuda, sketch.padded, Round<true, DeviceRows>{{rows, frame.middle.data(), frame.scale}, view_of(sketch)});
}

}  // namespace dunlin::neighbors
