// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"

/// Discrete Fourier transform in the shared memory of a block, X_k = sum over n of x_n exp(-2 pi i k n / length), by
/// Stockham's algorithm, which returns the modes in order. The backward transform is conjugate, forward, conjugate;
/// callers conjugate where they read and write.
namespace dunlin::numerics {

struct alignas(8) Complex {
    float x, y;
};

/// Work distribution for a length: a multiple of 16, a power of 2 times 1, 3 or 5.
template <int Length>
struct FftLength {
    static constexpr int elements = Length < 1024 ? 8 : 16;  ///< elements per thread
    static constexpr int threads = Length / elements;
    static constexpr int padded = Length + Length / 16;  ///< elements of a padded column in shared memory
};

/// Radix of the next stage for the remaining factor `rest`: 8 as often as possible, one 2, 4 or 16 if needed, then 3
/// and 5.
constexpr int fft_radix(int rest) {
    int twos = 0;
    for (int half = rest; half % 2 == 0; half /= 2) ++twos;
    if (twos > 3 && twos % 3 == 1) return 16;
    if (twos > 0) return twos > 2 ? 8 : 1 << twos;
    return rest % 5 == 0 ? 5 : 3;
}

/// exp(-i pi k / length) for k below length.
void fill_roots(device::Cuda& cuda, int length, device::CudaBuffer<Complex>& roots);

__device__ inline Complex operator+(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; }
__device__ inline Complex operator-(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; }
__device__ inline Complex operator*(float s, Complex a) { return {s * a.x, s * a.y}; }
__device__ inline Complex operator*(Complex a, Complex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
__device__ inline Complex conjugate(Complex a) { return {a.x, -a.y}; }
__device__ inline Complex times_i(Complex a) { return {-a.y, a.x}; }

/// Transforms of 2, 3, 4, 5, 8 and 16 elements, in place.
__device__ inline void transform_few(Complex (&v)[2]) {
    const Complex sum = v[0] + v[1];
    v[1] = v[0] - v[1];
    v[0] = sum;
}

__device__ inline void transform_few(Complex (&v)[3]) {
    constexpr float sin60 = 0.866025403784438647F;
    const Complex sum = v[1] + v[2], turned = sin60 * times_i(v[2] - v[1]), middle = v[0] - 0.5F * sum;
    v[0] = v[0] + sum;
    v[1] = middle + turned;
    v[2] = middle - turned;
}

__device__ inline void transform_few(Complex (&v)[4]) {
    const Complex even = v[0] + v[2], odd = v[1] + v[3], across = v[0] - v[2], turned = times_i(v[3] - v[1]);
    v[0] = even + odd;
    v[1] = across + turned;
    v[2] = even - odd;
    v[3] = across - turned;
}

__device__ inline void transform_few(Complex (&v)[5]) {
    constexpr float cos72 = 0.309016994374947424F, sin72 = 0.951056516295153572F;
    constexpr float cos144 = -0.809016994374947424F, sin144 = 0.587785252292473129F;
    const Complex outer = v[1] + v[4], inner = v[2] + v[3], outer_off = v[4] - v[1], inner_off = v[3] - v[2];
    const Complex near = v[0] + cos72 * outer + cos144 * inner, far = v[0] + cos144 * outer + cos72 * inner;
    const Complex near_turned = times_i(sin72 * outer_off + sin144 * inner_off);
    const Complex far_turned = times_i(sin144 * outer_off - sin72 * inner_off);
    v[0] = v[0] + outer + inner;
    v[1] = near + near_turned;
    v[2] = far + far_turned;
    v[3] = far - far_turned;
    v[4] = near - near_turned;
}

__device__ inline void transform_few(Complex (&v)[8]) {
    constexpr float half_root = 0.707106781186547524F;
    Complex even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
    transform_few(even);
    transform_few(odd);
    odd[1] = half_root * (odd[1] - times_i(odd[1]));
    odd[2] = Complex{odd[2].y, -odd[2].x};
    odd[3] = half_root * (Complex{0, 0} - odd[3] - times_i(odd[3]));
    for (int k = 0; k < 4; ++k) {
        v[k] = even[k] + odd[k];
        v[k + 4] = even[k] - odd[k];
    }
}

__device__ inline void transform_few(Complex (&v)[16]) {
    constexpr float half_root = 0.707106781186547524F, cos22 = 0.923879532511286756F, sin22 = 0.382683432365089772F;
    constexpr Complex turn[4][4] = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}},
                                    {{1, 0}, {cos22, -sin22}, {half_root, -half_root}, {sin22, -cos22}},
                                    {{1, 0}, {half_root, -half_root}, {0, -1}, {-half_root, -half_root}},
                                    {{1, 0}, {sin22, -cos22}, {-half_root, -half_root}, {-cos22, sin22}}};
    Complex part[4][4];
#pragma unroll
    for (int n = 0; n < 4; ++n) {
        for (int m = 0; m < 4; ++m) part[n][m] = v[4 * m + n];
        transform_few(part[n]);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        Complex across[4];
        for (int n = 0; n < 4; ++n) across[n] = part[n][k] * turn[n][k];
        transform_few(across);
        for (int m = 0; m < 4; ++m) v[k + 4 * m] = across[m];
    }
}

/// Loads a value through the read-only cache; no kernel may write it at the same time.
__device__ inline Complex read(const Complex* from) {
    const float2 value = __ldg(reinterpret_cast<const float2*>(from));
    return {value.x, value.y};
}

/// Shared memory of all columns of a block.
extern __shared__ Complex fft_columns[];

/// Position of element i of a column. Padding after every 16 elements avoids bank conflicts of strides of 8.
__device__ inline int fft_place(int i) { return i + (i >> 4); }

/// Position of element i + r * Step.
template <int Step>
__device__ int fft_place(int i, int r) {
    if constexpr (Step % 16 == 0) return fft_place(i) + r * (Step + Step / 16);
    return fft_place(i + r * Step);
}

/// v[r] *= root^r. Powers are products of few factors, so that errors do not accumulate.
template <int Radix>
__device__ void turn_by_powers(Complex (&v)[Radix], Complex root) {
    const Complex two = root * root, four = two * two, small[4] = {{1, 0}, root, two, two * root};
    Complex large{1, 0};
#pragma unroll
    for (int r = 0; r < Radix; ++r) {
        if (r > 0 && r % 4 == 0) large = r == 4 ? four : large * four;
        if (r % 4 > 0) v[r] = v[r] * small[r % 4];
        if (r > 3) v[r] = v[r] * large;
    }
}

/// One stage: combines blocks of Done modes into blocks of Radix * Done. All threads of the block must call it.
template <int Length, int Done, int Radix>
__device__ void fft_stage(const Complex* roots, Complex* column, int thread) {
    constexpr int count = Length / Radix, threads = FftLength<Length>::threads;
    constexpr int rounds = (count + threads - 1) / threads;
    Complex v[rounds][Radix];
#pragma unroll
    for (int m = 0; m < rounds; ++m) {
        const int j = thread + m * threads;
        if (count % threads != 0 && j >= count) break;
#pragma unroll
        for (int r = 0; r < Radix; ++r) v[m][r] = column[fft_place<count>(j, r)];
    }
    __syncthreads();
#pragma unroll
    for (int m = 0; m < rounds; ++m) {
        const int j = thread + m * threads;
        if (count % threads != 0 && j >= count) break;
        const int k = Done == count ? j : j % Done;
        if constexpr (Done > 1) turn_by_powers(v[m], read(roots + 2 * k * (count / Done)));
        transform_few(v[m]);
        const int first = (j - k) * Radix + k;
#pragma unroll
        for (int r = 0; r < Radix; ++r) column[fft_place<Done>(first, r)] = v[m][r];
    }
    __syncthreads();
}

/// Transforms a column in shared memory, laid out by fft_place, with FftLength::threads threads; `thread`: index among
/// them. All columns of a block are transformed at once. Synchronize the block after writing the column.
template <int Length, int Done = 1>
__device__ void fft_forward(const Complex* roots, Complex* column, int thread) {
    if constexpr (Done < Length) {
        constexpr int radix = fft_radix(Length / Done);
        fft_stage<Length, Done, radix>(roots, column, thread);
        fft_forward<Length, Done * radix>(roots, column, thread);
    }
}

}  // namespace dunlin::numerics
