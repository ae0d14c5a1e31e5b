// SPDX-License-Identifier: Apache-2.0
#include "forces/grid/passes.hpp"

#include "device/lanes.hpp"

namespace dunlin::forces {

namespace {

using device::Lanes4;
using device::lanes_of;
using numerics::fft_element;

template <class Lanes>
DUNLIN_INLINE Lanes& lanes(float* at) {
    return *reinterpret_cast<Lanes*>(at);
}
template <class Lanes>
DUNLIN_INLINE const Lanes& lanes(const float* at) {
    return *reinterpret_cast<const Lanes*>(at);
}

/// Lanes of an element of a block of columns: real and imaginary parts.
template <class Lanes>
DUNLIN_INLINE Lanes& re(float* block, int i, int lane) {
    return lanes<Lanes>(block + std::ptrdiff_t{i} * fft_element + lane);
}
template <class Lanes>
DUNLIN_INLINE Lanes& im(float* block, int i, int lane) {
    return lanes<Lanes>(block + std::ptrdiff_t{i} * fft_element + grid_lanes + lane);
}

struct Twiddle {
    float c, s;
};

DUNLIN_INLINE Twiddle twiddle_at(const GridAxis& axis, int n) {
    return {axis.twiddle[2 * static_cast<std::size_t>(n)], axis.twiddle[2 * static_cast<std::size_t>(n) + 1]};
}

/// to = from * exp(-i pi n / nodes), which shifts odd modes to the positions of even ones.
template <class Lanes>
DUNLIN_INLINE void twiddle_forward(const GridAxis& axis, float* from, float* to) {
    for (int n = 0; n < axis.nodes(); ++n) {
        const Twiddle t = twiddle_at(axis, n);
        for (int lane = 0; lane < grid_lanes; lane += lanes_of<Lanes>) {
            const Lanes a = re<Lanes>(from, n, lane), b = im<Lanes>(from, n, lane);
            re<Lanes>(to, n, lane) = a * t.c - b * t.s;
            im<Lanes>(to, n, lane) = a * t.s + b * t.c;
        }
    }
}

/// even += odd * exp(i pi n / nodes).
template <class Lanes>
DUNLIN_INLINE void twiddle_back(const GridAxis& axis, float* even, float* odd) {
    for (int n = 0; n < axis.nodes(); ++n) {
        const Twiddle t = twiddle_at(axis, n);
        for (int lane = 0; lane < grid_lanes; lane += lanes_of<Lanes>) {
            const Lanes a = re<Lanes>(odd, n, lane), b = im<Lanes>(odd, n, lane);
            re<Lanes>(even, n, lane) += a * t.c + b * t.s;
            im<Lanes>(even, n, lane) += b * t.c - a * t.s;
        }
    }
}

/// Separates the modes of two real columns that were transformed as one complex column, from P and Q at k and -k. The
/// results are doubled.
template <class Lanes>
DUNLIN_INLINE void separate(float* block, int at, int mirrored, const ModeColumns& to, int mode) {
    const std::ptrdiff_t place = mode * to.stride;
    for (int lane = 0; lane < grid_lanes; lane += lanes_of<Lanes>) {
        const Lanes p_re = re<Lanes>(block, at, lane), p_im = im<Lanes>(block, at, lane);
        const Lanes q_re = re<Lanes>(block, mirrored, lane), q_im = im<Lanes>(block, mirrored, lane);
        lanes<Lanes>(to.a + place + lane) = p_re + q_re;
        lanes<Lanes>(to.a + place + grid_lanes + lane) = p_im - q_im;
        if (to.b == nullptr) continue;
        lanes<Lanes>(to.b + place + lane) = p_im + q_im;
        lanes<Lanes>(to.b + place + grid_lanes + lane) = q_re - p_re;
    }
}

template <class Lanes>
DUNLIN_INLINE void combine(const ModeColumns& from, int mode, float* block, int at, int mirrored) {
    const std::ptrdiff_t place = mode * from.stride;
    for (int lane = 0; lane < grid_lanes; lane += lanes_of<Lanes>) {
        const Lanes a_re = lanes<Lanes>(from.a + place + lane), a_im = lanes<Lanes>(from.a + place + grid_lanes + lane);
        Lanes b_re{}, b_im{};
        if (from.b != nullptr) {
            b_re = lanes<Lanes>(from.b + place + lane);
            b_im = lanes<Lanes>(from.b + place + grid_lanes + lane);
        }
        re<Lanes>(block, mirrored, lane) = a_re + b_im;
        im<Lanes>(block, mirrored, lane) = b_re - a_im;
        re<Lanes>(block, at, lane) = a_re - b_im;
        im<Lanes>(block, at, lane) = a_im + b_re;
    }
}

/// Calls visit(position, position of the mirrored mode, mode) once for every mode of one parity.
template <int Parity, class Visit>
DUNLIN_INLINE void each_mode(const GridAxis& axis, const Visit& visit) {
    const int n = axis.nodes();
    const auto positions = axis.fft.positions();
    const int last = Parity == 0 ? n / 2 : n / 2 - 1;
    for (int j = 0; j <= last; ++j) {
        const int mirrored = Parity == 0 ? (n - j) % n : n - 1 - j;
        visit(positions[static_cast<std::size_t>(j)], positions[static_cast<std::size_t>(mirrored)], 2 * j + Parity);
    }
}

/// Transposes a 4 x 4 block.
DUNLIN_INLINE void transpose4(const float* from, std::ptrdiff_t from_stride, float* to, std::ptrdiff_t to_stride) {
    Lanes4 r[4];
    for (int i = 0; i < 4; ++i) r[i] = *reinterpret_cast<const Lanes4*>(from + i * from_stride);
    const Lanes4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5),
                 b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    const Lanes4 c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7),
                 d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    *reinterpret_cast<Lanes4*>(to) = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    *reinterpret_cast<Lanes4*>(to + to_stride) = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    *reinterpret_cast<Lanes4*>(to + 2 * to_stride) = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    *reinterpret_cast<Lanes4*>(to + 3 * to_stride) = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

DUNLIN_INLINE void transpose16(const float* from, std::ptrdiff_t from_stride, float* to, std::ptrdiff_t to_stride) {
    for (int i = 0; i < grid_lanes; i += 4) {
        for (int j = 0; j < grid_lanes; j += 4) {
            transpose4(from + i * from_stride + j, from_stride, to + j * to_stride + i, to_stride);
        }
    }
}

DUNLIN_INLINE float* second(const GridAxis& axis, float* scratch) { return scratch + axis.block(); }

/// Copies elements of 16 real and 16 imaginary parts that are `stride` floats apart. If imaginary is null the imaginary
/// parts are 0.
template <class Lanes>
DUNLIN_INLINE void pick(const float* real, const float* imaginary, std::ptrdiff_t stride, int count, float* block) {
    for (int n = 0; n < count; ++n) {
        for (int lane = 0; lane < grid_lanes; lane += lanes_of<Lanes>) {
            re<Lanes>(block, n, lane) = lanes<Lanes>(real + n * stride + lane);
            im<Lanes>(block, n, lane) = imaginary == nullptr ? Lanes{} : lanes<Lanes>(imaginary + n * stride + lane);
        }
    }
}

template <class Lanes>
DUNLIN_INLINE void put(float* block, int count, float* real, float* imaginary, std::ptrdiff_t stride) {
    for (int n = 0; n < count; ++n) {
        for (int lane = 0; lane < grid_lanes; lane += lanes_of<Lanes>) {
            lanes<Lanes>(real + n * stride + lane) = re<Lanes>(block, n, lane);
            if (imaginary != nullptr) lanes<Lanes>(imaginary + n * stride + lane) = im<Lanes>(block, n, lane);
        }
    }
}

template <class Lanes>
DUNLIN_INLINE void to_modes_as(const GridAxis& axis, const RealColumns& from, const ModeColumns& to, float* scratch) {
    float *even = scratch, *odd = second(axis, scratch);
    pick<Lanes>(from.a, from.b, from.stride, axis.nodes(), even);
    twiddle_forward<Lanes>(axis, even, odd);
    axis.fft.forward(odd);
    each_mode<1>(axis, [&](int at, int mirrored, int mode)
                           __attribute__((always_inline)) { separate<Lanes>(odd, at, mirrored, to, mode); });
    axis.fft.forward(even);
    each_mode<0>(axis, [&](int at, int mirrored, int mode)
                           __attribute__((always_inline)) { separate<Lanes>(even, at, mirrored, to, mode); });
}

template <class Lanes>
DUNLIN_INLINE void from_modes_as(const GridAxis& axis, const ModeColumns& from, const RealColumns& to, float* scratch) {
    float *even = scratch, *odd = second(axis, scratch);
    each_mode<1>(axis, [&](int at, int mirrored, int mode)
                           __attribute__((always_inline)) { combine<Lanes>(from, mode, odd, at, mirrored); });
    axis.fft.backward(odd);
    each_mode<0>(axis, [&](int at, int mirrored, int mode)
                           __attribute__((always_inline)) { combine<Lanes>(from, mode, even, at, mirrored); });
    axis.fft.backward(even);
    twiddle_back<Lanes>(axis, even, odd);
    put<Lanes>(even, axis.nodes(), to.a, to.b, to.stride);
}

template <class Lanes>
DUNLIN_INLINE void split_parities_as(const GridAxis& axis, const float* values, float* even, float* odd,
                                     std::ptrdiff_t stride, float* scratch) {
    float *column = scratch, *turned = second(axis, scratch);
    pick<Lanes>(values, values + grid_lanes, stride, axis.nodes(), column);
    twiddle_forward<Lanes>(axis, column, turned);
    axis.fft.forward(column);
    axis.fft.forward(turned);
    put<Lanes>(column, axis.nodes(), even, even + grid_lanes, stride);
    put<Lanes>(turned, axis.nodes(), odd, odd + grid_lanes, stride);
}

template <class Lanes>
DUNLIN_INLINE void join_parities_as(const GridAxis& axis, const float* even, const float* odd, float* values,
                                    std::ptrdiff_t stride, float* scratch) {
    float *column = scratch, *turned = second(axis, scratch);
    pick<Lanes>(even, even + grid_lanes, stride, axis.nodes(), column);
    pick<Lanes>(odd, odd + grid_lanes, stride, axis.nodes(), turned);
    axis.fft.backward(column);
    axis.fft.backward(turned);
    twiddle_back<Lanes>(axis, column, turned);
    put<Lanes>(column, axis.nodes(), values, values + grid_lanes, stride);
}

template <class Lanes>
DUNLIN_INLINE void convolve_rows_as(const GridAxis& axis, float* rows, std::ptrdiff_t stride,
                                    const float* greens_function, float* scratch) {
    float *even = scratch, *odd = second(axis, scratch);
    const int vectors = (axis.nodes() + grid_lanes - 1) / grid_lanes;
    for (std::ptrdiff_t v = 0; v < vectors; ++v) {
        float* to = even + v * grid_lanes * fft_element;
        transpose16(rows + v * fft_element, stride, to, fft_element);
        transpose16(rows + v * fft_element + grid_lanes, stride, to + grid_lanes, fft_element);
    }
    twiddle_forward<Lanes>(axis, even, odd);
    axis.fft.filter(odd, greens_function, axis.mode[1].data());
    axis.fft.filter(even, greens_function, axis.mode[0].data());
    twiddle_back<Lanes>(axis, even, odd);
    for (std::ptrdiff_t v = 0; v < vectors; ++v) {
        const float* from = even + v * grid_lanes * fft_element;
        transpose16(from, fft_element, rows + v * fft_element, stride);
        transpose16(from + grid_lanes, fft_element, rows + v * fft_element + grid_lanes, stride);
    }
}

template <class Lanes>
DUNLIN_INLINE void cosine_transform_as(const GridAxis& axis, float* columns, float* scratch) {
    float *even = scratch, *odd = second(axis, scratch);
    const int nodes = axis.nodes();
    for (int n = 0; n < nodes; ++n) {
        for (int lane = 0; lane < fft_element; lane += lanes_of<Lanes>) {
            const Lanes a = re<Lanes>(columns, n, lane), b = re<Lanes>(columns, nodes - n, lane);
            re<Lanes>(even, n, lane) = a + b;
            re<Lanes>(odd, n, lane) = a - b;
        }
    }
    twiddle_forward<Lanes>(axis, odd, odd);
    axis.fft.forward(even);
    axis.fft.forward(odd);
    for (int k = 0; k <= nodes; ++k) {
        float* from = k % 2 == 0 ? even : odd;
        const std::ptrdiff_t at = axis.fft.positions()[static_cast<std::size_t>(k / 2)];
        pick<Lanes>(from + at * fft_element, from + at * fft_element + grid_lanes, 0, 1,
                    columns + std::ptrdiff_t{k} * fft_element);
    }
}

}  // namespace

DUNLIN_BY_WIDTH(to_modes, (const GridAxis& axis, const RealColumns& from, const ModeColumns& to, float* scratch),
                (axis, from, to, scratch))
DUNLIN_BY_WIDTH(from_modes, (const GridAxis& axis, const ModeColumns& from, const RealColumns& to, float* scratch),
                (axis, from, to, scratch))
DUNLIN_BY_WIDTH(split_parities,
                (const GridAxis& axis, const float* values, float* even, float* odd, std::ptrdiff_t stride,
                 float* scratch),
                (axis, values, even, odd, stride, scratch))
DUNLIN_BY_WIDTH(join_parities,
                (const GridAxis& axis, const float* even, const float* odd, float* values, std::ptrdiff_t stride,
                 float* scratch),
                (axis, even, odd, values, stride, scratch))
DUNLIN_BY_WIDTH(convolve_rows,
                (const GridAxis& axis, float* rows, std::ptrdiff_t stride, const float* greens_function,
                 float* scratch),
                (axis, rows, stride, greens_function, scratch))
DUNLIN_BY_WIDTH(cosine_transform, (const GridAxis& axis, float* columns, float* scratch), (axis, columns, scratch))

}  // namespace dunlin::forces
