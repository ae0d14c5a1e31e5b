// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "device/lanes.hpp"
#include "numerics/fft_stages.hpp"

namespace dunlin::numerics {

namespace {

template <class Lanes>
struct Complex {
    Lanes re, im;
};

// Elements in memory; a backward transform is a forward transform with real and imaginary parts exchanged
template <bool Forward, class Lanes>
DUNLIN_INLINE void load(Complex<Lanes>& z, const float* at) {
    z.re = *reinterpret_cast<const Lanes*>(at + (Forward ? 0 : fft_lanes));
    z.im = *reinterpret_cast<const Lanes*>(at + (Forward ? fft_lanes : 0));
}

template <bool Forward, class Lanes>
DUNLIN_INLINE void store(float* at, const Complex<Lanes>& z) {
    *reinterpret_cast<Lanes*>(at + (Forward ? 0 : fft_lanes)) = z.re;
    *reinterpret_cast<Lanes*>(at + (Forward ? fft_lanes : 0)) = z.im;
}

template <class Lanes>
DUNLIN_INLINE void turn(Complex<Lanes>& z, const float* twiddle) {
    const float c = twiddle[0], s = twiddle[1];
    const Lanes re = z.re * c - z.im * s;
    z.im = z.re * s + z.im * c;
    z.re = re;
}

// Transforms of 2, 3, 4, 8 and 5 elements
template <class Lanes>
DUNLIN_INLINE void butterfly(Complex<Lanes> (&z)[2]) {
    const Complex<Lanes> a = z[0], b = z[1];
    z[0].re = a.re + b.re, z[0].im = a.im + b.im;
    z[1].re = a.re - b.re, z[1].im = a.im - b.im;
}

template <class Lanes>
DUNLIN_INLINE void butterfly(Complex<Lanes> (&z)[3]) {
    constexpr float half_root3 = 0.866025403784438647F;
    const Lanes sum_re = z[1].re + z[2].re, sum_im = z[1].im + z[2].im;
    const Lanes dif_re = (z[1].re - z[2].re) * half_root3, dif_im = (z[1].im - z[2].im) * half_root3;
    const Lanes mid_re = z[0].re - 0.5F * sum_re, mid_im = z[0].im - 0.5F * sum_im;
    z[0].re += sum_re, z[0].im += sum_im;
    z[1].re = mid_re + dif_im, z[1].im = mid_im - dif_re;
    z[2].re = mid_re - dif_im, z[2].im = mid_im + dif_re;
}

template <class Lanes>
DUNLIN_INLINE void butterfly(Complex<Lanes> (&z)[4]) {
    const Lanes s02_re = z[0].re + z[2].re, s02_im = z[0].im + z[2].im;
    const Lanes d02_re = z[0].re - z[2].re, d02_im = z[0].im - z[2].im;
    const Lanes s13_re = z[1].re + z[3].re, s13_im = z[1].im + z[3].im;
    const Lanes d13_re = z[1].re - z[3].re, d13_im = z[1].im - z[3].im;
    z[0].re = s02_re + s13_re, z[0].im = s02_im + s13_im;
    z[1].re = d02_re + d13_im, z[1].im = d02_im - d13_re;
    z[2].re = s02_re - s13_re, z[2].im = s02_im - s13_im;
    z[3].re = d02_re - d13_im, z[3].im = d02_im + d13_re;
}

// Two transforms of length 4, of even and odd elements, with twiddle factors exp(-i pi k / 4)
template <class Lanes>
DUNLIN_INLINE void butterfly(Complex<Lanes> (&z)[8]) {
    constexpr float root_half = 0.707106781186547524F;
    Complex<Lanes> even[4] = {z[0], z[2], z[4], z[6]}, odd[4] = {z[1], z[3], z[5], z[7]};
    butterfly(even);
    butterfly(odd);
    const Complex<Lanes> one{(odd[1].re + odd[1].im) * root_half, (odd[1].im - odd[1].re) * root_half};
    const Complex<Lanes> two{odd[2].im, -odd[2].re};
    const Complex<Lanes> three{(odd[3].im - odd[3].re) * root_half, -(odd[3].re + odd[3].im) * root_half};
    z[0].re = even[0].re + odd[0].re, z[0].im = even[0].im + odd[0].im;
    z[4].re = even[0].re - odd[0].re, z[4].im = even[0].im - odd[0].im;
    z[1].re = even[1].re + one.re, z[1].im = even[1].im + one.im;
    z[5].re = even[1].re - one.re, z[5].im = even[1].im - one.im;
    z[2].re = even[2].re + two.re, z[2].im = even[2].im + two.im;
    z[6].re = even[2].re - two.re, z[6].im = even[2].im - two.im;
    z[3].re = even[3].re + three.re, z[3].im = even[3].im + three.im;
    z[7].re = even[3].re - three.re, z[7].im = even[3].im - three.im;
}

template <class Lanes>
DUNLIN_INLINE void butterfly(Complex<Lanes> (&z)[5]) {
    constexpr float c1 = 0.309016994374947424F, c2 = -0.809016994374947424F;  // cos 72, cos 144 degrees
    constexpr float s1 = 0.951056516295153572F, s2 = 0.587785252292473129F;   // sin 72, sin 144 degrees
    const Lanes p_re = z[1].re + z[4].re, p_im = z[1].im + z[4].im;
    const Lanes m_re = z[1].re - z[4].re, m_im = z[1].im - z[4].im;
    const Lanes q_re = z[2].re + z[3].re, q_im = z[2].im + z[3].im;
    const Lanes n_re = z[2].re - z[3].re, n_im = z[2].im - z[3].im;
    const Lanes a_re = z[0].re + c1 * p_re + c2 * q_re, a_im = z[0].im + c1 * p_im + c2 * q_im;
    const Lanes b_re = z[0].re + c2 * p_re + c1 * q_re, b_im = z[0].im + c2 * p_im + c1 * q_im;
    const Lanes u_re = s1 * m_re + s2 * n_re, u_im = s1 * m_im + s2 * n_im;
    const Lanes v_re = s2 * m_re - s1 * n_re, v_im = s2 * m_im - s1 * n_im;
    z[0].re += p_re + q_re, z[0].im += p_im + q_im;
    z[1].re = a_re + u_im, z[1].im = a_im - u_re;
    z[4].re = a_re - u_im, z[4].im = a_im + u_re;
    z[2].re = b_re + v_im, z[2].im = b_im - v_re;
    z[3].re = b_re - v_im, z[3].im = b_im + v_re;
}

template <int Radix, bool Forward, class Lanes>
DUNLIN_INLINE void split_lanes(float* at, std::ptrdiff_t stride, const float* twiddles, bool turned) {
    Complex<Lanes> z[Radix];
    for (int t = 0; t < Radix; ++t) load<Forward>(z[t], at + t * stride);
    if (!Forward && turned) {
        for (std::ptrdiff_t t = 1; t < Radix; ++t) turn(z[t], twiddles + 2 * (t - 1));
    }
    butterfly(z);
    if (Forward && turned) {
        for (std::ptrdiff_t t = 1; t < Radix; ++t) turn(z[t], twiddles + 2 * (t - 1));
    }
    for (int t = 0; t < Radix; ++t) store<Forward>(at + t * stride, z[t]);
}

// One block of a stage. Forward: decimation in frequency, twiddles after the butterfly; backward: its mirror image
template <int Radix, bool Forward, class Lanes>
DUNLIN_INLINE void split(float* block, int part, const float* twiddles) {
    const auto stride = static_cast<std::ptrdiff_t>(part) * fft_element;
    for (int j = 0; j < part; ++j, block += fft_element, twiddles += std::ptrdiff_t{2} * (Radix - 1)) {
        for (int lane = 0; lane < fft_lanes; lane += device::lanes_of<Lanes>) {
            split_lanes<Radix, Forward, Lanes>(block + lane, stride, twiddles, j > 0);
        }
    }
}

template <bool Forward, class Lanes>
DUNLIN_INLINE void run_stage(const FftStage& stage, const float* twiddles, float* begin, int elements) {
    const int part = stage.length / stage.radix;
    const float* own = twiddles + stage.twiddles;
    for (int at = 0; at < elements; at += stage.length, begin += stage.length * std::ptrdiff_t{fft_element}) {
        if (stage.radix == 8) split<8, Forward, Lanes>(begin, part, own);
        if (stage.radix == 4) split<4, Forward, Lanes>(begin, part, own);
        if (stage.radix == 5) split<5, Forward, Lanes>(begin, part, own);
        if (stage.radix == 3) split<3, Forward, Lanes>(begin, part, own);
        if (stage.radix == 2) split<2, Forward, Lanes>(begin, part, own);
    }
}

// The first stages pass over the whole block of columns; the remaining parts fit in the L1 cache and are processed one
// by one
constexpr int cached_elements = 256;

DUNLIN_INLINE std::size_t stages_beyond_cache(std::span<const FftStage> stages) {
    std::size_t count = 0;
    while (count + 1 < stages.size() && stages[count].length > cached_elements) ++count;
    return count;
}

template <class Lanes>
DUNLIN_INLINE void multiply(float* begin, int elements, const float* factors, const int* place) {
    for (int i = 0; i < elements; ++i, begin += fft_element) {
        const float* own = factors + static_cast<std::ptrdiff_t>(place[i]) * fft_lanes;
        for (int lane = 0; lane < fft_lanes; lane += device::lanes_of<Lanes>) {
            const auto& factor = *reinterpret_cast<const Lanes*>(own + lane);
            *reinterpret_cast<Lanes*>(begin + lane) *= factor;
            *reinterpret_cast<Lanes*>(begin + fft_lanes + lane) *= factor;
        }
    }
}

// Forward, product with the factors, backward; each of the three is optional
struct Filter {
    bool forward = false, backward = false;
    const float* factors = nullptr;
    const int* place = nullptr;
};

template <class Lanes>
DUNLIN_INLINE void run_filter_as(std::span<const FftStage> stages, const float* twiddles, float* columns,
                                 const Filter& filter) {
    const std::size_t outer = stages_beyond_cache(stages), all = stages.size();
    const int length = stages[0].length, part = stages[outer].length;
    for (std::size_t s = 0; filter.forward && s < outer; ++s) {
        run_stage<true, Lanes>(stages[s], twiddles, columns, length);
    }
    float* begin = columns;
    for (int at = 0; at < length; at += part, begin += part * std::ptrdiff_t{fft_element}) {
        for (std::size_t s = outer; filter.forward && s < all; ++s) {
            run_stage<true, Lanes>(stages[s], twiddles, begin, part);
        }
        if (filter.factors != nullptr) multiply<Lanes>(begin, part, filter.factors, filter.place + at);
        for (std::size_t s = all; filter.backward && s-- > outer;) {
            run_stage<false, Lanes>(stages[s], twiddles, begin, part);
        }
    }
    for (std::size_t s = outer; filter.backward && s-- > 0;) {
        run_stage<false, Lanes>(stages[s], twiddles, columns, length);
    }
}

DUNLIN_BY_WIDTH(run_filter,
                (std::span<const FftStage> stages, const float* twiddles, float* columns, const Filter& filter),
                (stages, twiddles, columns, filter))

}  // namespace

void fft_forward(std::span<const FftStage> stages, const float* twiddles, float* columns) {
    run_filter(stages, twiddles, columns, {.forward = true});
}

void fft_backward(std::span<const FftStage> stages, const float* twiddles, float* columns) {
    run_filter(stages, twiddles, columns, {.backward = true});
}

void fft_filter(std::span<const FftStage> stages, const float* twiddles, float* columns, const float* factors,
                const int* place) {
    run_filter(stages, twiddles, columns, {true, true, factors, place});
}

}  // namespace dunlin::numerics
