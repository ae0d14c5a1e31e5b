#include "forces/grid_passes.hpp"

#include "device/clones.hpp"
#include "device/lanes.hpp"

namespace dunlin::forces {

namespace {

using device::fft_element;
using device::Lanes16;
using device::Lanes4;

DUNLIN_INLINE Lanes16& lanes(float* at) { return *reinterpret_cast<Lanes16*>(at); }
DUNLIN_INLINE const Lanes16& lanes(const float* at) { return *reinterpret_cast<const Lanes16*>(at); }
DUNLIN_INLINE Lanes16& re(float* block, int i) { return lanes(block + std::ptrdiff_t{i} * fft_element); }
DUNLIN_INLINE Lanes16& im(float* block, int i) { return lanes(block + std::ptrdiff_t{i} * fft_element + grid_lanes); }

/// to = from turned by exp(-i pi n / nodes), which moves odd harmonics to where even ones are.
DUNLIN_INLINE void turn_forward(const GridAxis& axis, float* from, float* to) {
    for (int n = 0; n < axis.nodes(); ++n) {
        const float c = axis.turn[2 * static_cast<std::size_t>(n)], s = axis.turn[2 * static_cast<std::size_t>(n) + 1];
        const Lanes16 a = re(from, n), b = im(from, n);
        re(to, n) = a * c - b * s;
        im(to, n) = a * s + b * c;
    }
}

/// even += odd, turned back.
DUNLIN_INLINE void turn_back(const GridAxis& axis, float* even, float* odd) {
    for (int n = 0; n < axis.nodes(); ++n) {
        const float c = axis.turn[2 * static_cast<std::size_t>(n)], s = axis.turn[2 * static_cast<std::size_t>(n) + 1];
        re(even, n) += re(odd, n) * c + im(odd, n) * s;
        im(even, n) += im(odd, n) * c - re(odd, n) * s;
    }
}

/// Two real columns were transformed as one complex one: P and Q at k and -k hold both their harmonics (doubled).
DUNLIN_INLINE void separate(float* block, int at, int mirrored, const HarmonicColumns& to, int harmonic) {
    const Lanes16 p_re = re(block, at), p_im = im(block, at);
    const Lanes16 q_re = re(block, mirrored), q_im = im(block, mirrored);
    const std::ptrdiff_t place = harmonic * to.stride;
    lanes(to.a + place) = p_re + q_re;
    lanes(to.a + place + grid_lanes) = p_im - q_im;
    if (to.b == nullptr) return;
    lanes(to.b + place) = p_im + q_im;
    lanes(to.b + place + grid_lanes) = q_re - p_re;
}

DUNLIN_INLINE void combine(const HarmonicColumns& from, int harmonic, float* block, int at, int mirrored) {
    const std::ptrdiff_t place = harmonic * from.stride;
    const Lanes16 a_re = lanes(from.a + place), a_im = lanes(from.a + place + grid_lanes);
    Lanes16 b_re{}, b_im{};
    if (from.b != nullptr) b_re = lanes(from.b + place), b_im = lanes(from.b + place + grid_lanes);
    re(block, mirrored) = a_re + b_im;
    im(block, mirrored) = b_re - a_im;
    re(block, at) = a_re - b_im;
    im(block, at) = a_im + b_re;
}

/// Calls visit(position, its mirror's position, harmonic) for every harmonic of one parity once.
template <int Parity, class Visit>
DUNLIN_INLINE void each_harmonic(const GridAxis& axis, const Visit& visit) {
    const int n = axis.nodes();
    const auto positions = axis.fft.positions();
    const int last = Parity == 0 ? n / 2 : n / 2 - 1;
    for (int j = 0; j <= last; ++j) {
        const int mirrored = Parity == 0 ? (n - j) % n : n - 1 - j;
        visit(positions[static_cast<std::size_t>(j)], positions[static_cast<std::size_t>(mirrored)], 2 * j + Parity);
    }
}

/// A 4 x 4 corner of a transposition.
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

/// A block of columns from or to elements that lie `stride` floats apart.
DUNLIN_INLINE void pick(const float* from, std::ptrdiff_t stride, int count, float* block) {
    for (int n = 0; n < count; ++n, from += stride) {
        re(block, n) = lanes(from);
        im(block, n) = lanes(from + grid_lanes);
    }
}

DUNLIN_INLINE void put(float* block, int count, float* to, std::ptrdiff_t stride) {
    for (int n = 0; n < count; ++n, to += stride) {
        lanes(to) = re(block, n);
        lanes(to + grid_lanes) = im(block, n);
    }
}

DUNLIN_INLINE float* second(const GridAxis& axis, float* scratch) { return scratch + axis.block(); }

}  // namespace

DUNLIN_CLONES void to_harmonics(const GridAxis& axis, const RealColumns& from, const HarmonicColumns& to,
                                float* scratch) {
    float *even = scratch, *odd = second(axis, scratch);
    for (int n = 0; n < axis.nodes(); ++n) {
        re(even, n) = lanes(from.a + n * from.stride);
        im(even, n) = from.b != nullptr ? lanes(from.b + n * from.stride) : Lanes16{};
    }
    turn_forward(axis, even, odd);
    axis.fft.forward(odd);
    each_harmonic<1>(axis, [&](int at, int mirrored, int harmonic)
                               __attribute__((always_inline)) { separate(odd, at, mirrored, to, harmonic); });
    axis.fft.forward(even);
    each_harmonic<0>(axis, [&](int at, int mirrored, int harmonic)
                               __attribute__((always_inline)) { separate(even, at, mirrored, to, harmonic); });
}

DUNLIN_CLONES void from_harmonics(const GridAxis& axis, const HarmonicColumns& from, const RealColumns& to,
                                  float* scratch) {
    float *even = scratch, *odd = second(axis, scratch);
    each_harmonic<1>(axis, [&](int at, int mirrored, int harmonic)
                               __attribute__((always_inline)) { combine(from, harmonic, odd, at, mirrored); });
    axis.fft.backward(odd);
    each_harmonic<0>(axis, [&](int at, int mirrored, int harmonic)
                               __attribute__((always_inline)) { combine(from, harmonic, even, at, mirrored); });
    axis.fft.backward(even);
    turn_back(axis, even, odd);
    for (int n = 0; n < axis.nodes(); ++n) {
        lanes(to.a + n * to.stride) = re(even, n);
        if (to.b != nullptr) lanes(to.b + n * to.stride) = im(even, n);
    }
}

DUNLIN_CLONES void split_parities(const GridAxis& axis, const float* values, float* even, float* odd,
                                  std::ptrdiff_t stride, float* scratch) {
    float *column = scratch, *turned = second(axis, scratch);
    pick(values, stride, axis.nodes(), column);
    turn_forward(axis, column, turned);
    axis.fft.forward(column);
    axis.fft.forward(turned);
    put(column, axis.nodes(), even, stride);
    put(turned, axis.nodes(), odd, stride);
}

DUNLIN_CLONES void join_parities(const GridAxis& axis, const float* even, const float* odd, float* values,
                                 std::ptrdiff_t stride, float* scratch) {
    float *column = scratch, *turned = second(axis, scratch);
    pick(even, stride, axis.nodes(), column);
    pick(odd, stride, axis.nodes(), turned);
    axis.fft.backward(column);
    axis.fft.backward(turned);
    turn_back(axis, column, turned);
    put(column, axis.nodes(), values, stride);
}

DUNLIN_CLONES void convolve_rows(const GridAxis& axis, float* rows, std::ptrdiff_t stride, const float* spectrum,
                                 float* scratch) {
    float *even = scratch, *odd = second(axis, scratch);
    const int vectors = (axis.nodes() + grid_lanes - 1) / grid_lanes;
    for (int v = 0; v < vectors; ++v) {
        float* to = even + std::ptrdiff_t{v} * grid_lanes * fft_element;
        transpose16(rows + v * fft_element, stride, to, fft_element);
        transpose16(rows + v * fft_element + grid_lanes, stride, to + grid_lanes, fft_element);
    }
    turn_forward(axis, even, odd);
    axis.fft.filter(odd, spectrum, axis.harmonic[1].data());
    axis.fft.filter(even, spectrum, axis.harmonic[0].data());
    turn_back(axis, even, odd);
    for (int v = 0; v < vectors; ++v) {
        const float* from = even + std::ptrdiff_t{v} * grid_lanes * fft_element;
        transpose16(from, fft_element, rows + v * fft_element, stride);
        transpose16(from + grid_lanes, fft_element, rows + v * fft_element + grid_lanes, stride);
    }
}

DUNLIN_CLONES void cosine_transform(const GridAxis& axis, float* columns, float* scratch) {
    float *even = scratch, *odd = second(axis, scratch);
    const int nodes = axis.nodes();
    for (int n = 0; n < nodes; ++n) {
        re(even, n) = re(columns, n) + re(columns, nodes - n);
        im(even, n) = im(columns, n) + im(columns, nodes - n);
        re(odd, n) = re(columns, n) - re(columns, nodes - n);
        im(odd, n) = im(columns, n) - im(columns, nodes - n);
    }
    turn_forward(axis, odd, odd);
    axis.fft.forward(even);
    axis.fft.forward(odd);
    for (int k = 0; k <= nodes; ++k) {
        float* from = k % 2 == 0 ? even : odd;
        const int at = axis.fft.positions()[static_cast<std::size_t>(k / 2)];
        re(columns, k) = re(from, at);
        im(columns, k) = im(from, at);
    }
}

}  // namespace dunlin::forces
