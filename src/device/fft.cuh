#pragma once

#include "device/cuda.cuh"
#include "device/hd.hpp"

/// The discrete Fourier transform in the shared memory of a block, X_k = sum over n of x_n exp(-2 pi i k n / length):
/// Stockham's, whose harmonics come out in order. Backward is conjugate, forward, conjugate, which callers do where
/// they read and write.
namespace dunlin::device {

struct alignas(8) Complex {
    float x, y;
};

/// How a length is taken apart, powers of two first, and the roots of unity that it takes.
struct FftPlan {
    int length = 1;
    unsigned radices = 0;            ///< of the stages, 4 bits each, the first one lowest
    const Complex* roots = nullptr;  ///< exp(-i pi k / length) for k below length: of the transform of twice as many

    /// Threads that transform one column together: each has 8 elements, or 16 where columns are long.
    DUNLIN_HD int elements() const { return length < 1024 ? 8 : 16; }
    DUNLIN_HD int threads() const { return length / elements(); }
    /// Elements of a column in shared memory.
    DUNLIN_HD int padded_length() const { return length + length / 16; }
};

/// The stages of a length, which must be a multiple of 16 and, but for one 9 or 15, of powers of 2 and a 3 or 5.
FftPlan fft_stages(int length);

/// exp(-i pi k / length) for k below length.
void fill_roots(Cuda& cuda, int length, CudaBuffer<Complex>& roots);

DUNLIN_HD inline Complex operator+(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; }
DUNLIN_HD inline Complex operator-(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; }
DUNLIN_HD inline Complex operator*(float s, Complex a) { return {s * a.x, s * a.y}; }
DUNLIN_HD inline Complex operator*(Complex a, Complex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
DUNLIN_HD inline Complex conjugate(Complex a) { return {a.x, -a.y}; }
DUNLIN_HD inline Complex times_i(Complex a) { return {-a.y, a.x}; }

/// Transforms of 2, 3, 4, 5 and 8 elements, in place.
DUNLIN_HD inline void transform_few(Complex (&v)[2]) {
    const Complex sum = v[0] + v[1];
    v[1] = v[0] - v[1];
    v[0] = sum;
}

DUNLIN_HD inline void transform_few(Complex (&v)[3]) {
    constexpr float sin60 = 0.866025403784438647F;
    const Complex sum = v[1] + v[2], turned = sin60 * times_i(v[2] - v[1]), middle = v[0] - 0.5F * sum;
    v[0] = v[0] + sum;
    v[1] = middle + turned;
    v[2] = middle - turned;
}

DUNLIN_HD inline void transform_few(Complex (&v)[4]) {
    const Complex even = v[0] + v[2], odd = v[1] + v[3], across = v[0] - v[2], turned = times_i(v[3] - v[1]);
    v[0] = even + odd;
    v[1] = across + turned;
    v[2] = even - odd;
    v[3] = across - turned;
}

DUNLIN_HD inline void transform_few(Complex (&v)[5]) {
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

DUNLIN_HD inline void transform_few(Complex (&v)[8]) {
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

#if defined(__CUDACC__)

/// For values that no kernel writes meanwhile.
__device__ inline Complex read(const Complex* from) {
    const float2 value = __ldg(reinterpret_cast<const float2*>(from));
    return {value.x, value.y};
}

/// Where element i of a column lies: rows of 16 are set apart, so that steps of 8 do not meet in one bank.
__device__ inline int fft_place(int i) { return i + i / 16; }

/// Where all columns of a block lie.
extern __shared__ Complex fft_columns[];

/// One stage: blocks of `done` harmonics become blocks of Radix * done. column: where it begins. All threads of the
/// block take part. Not inlined: the compiler would work out the addresses of all stages ahead, and run out of
/// registers.
template <int Elements, int Radix>
__device__ __noinline__ void fft_stage(int length, int done, const Complex* roots, int column, int thread) {
    constexpr int rounds = (Elements + Radix - 1) / Radix;
    const int count = length / Radix, step = length / Elements;
    const bool last = done == count;
    Complex* values = fft_columns + column;
    Complex v[rounds][Radix];
#pragma unroll
    for (int m = 0; m < rounds; ++m) {
        const int j = thread + m * step;
        if (j >= count) continue;
#pragma unroll
        for (int r = 0; r < Radix; ++r) v[m][r] = values[fft_place(j + r * count)];
    }
    __syncthreads();
#pragma unroll
    for (int m = 0; m < rounds; ++m) {
        const int j = thread + m * step;
        if (j >= count) continue;
        const int k = last ? j : j & (done - 1);
        const Complex root = read(roots + 2 * k * (count / done));
        Complex power = root;
#pragma unroll
        for (int r = 1; r < Radix; ++r) {
            v[m][r] = v[m][r] * power;
            power = power * root;
        }
        transform_few(v[m]);
        const int first = (j - k) * Radix + k;
#pragma unroll
        for (int r = 0; r < Radix; ++r) values[fft_place(first + r * done)] = v[m][r];
    }
    __syncthreads();
}

/// Transforms a column, laid out by fft_place, with the plan's threads, `thread` being one of them. Columns of a block
/// are transformed at once; what was stored must have been waited for.
template <int Elements>
__device__ void fft_forward(const FftPlan& plan, int column, int thread) {
    int done = 1;
    for (unsigned rest = plan.radices; rest != 0; rest /= 16) {
        const int radix = static_cast<int>(rest % 16);
        switch (radix) {
            case 8:
                fft_stage<Elements, 8>(plan.length, done, plan.roots, column, thread);
                break;
            case 5:
                fft_stage<Elements, 5>(plan.length, done, plan.roots, column, thread);
                break;
            case 4:
                fft_stage<Elements, 4>(plan.length, done, plan.roots, column, thread);
                break;
            case 3:
                fft_stage<Elements, 3>(plan.length, done, plan.roots, column, thread);
                break;
            default:
                fft_stage<Elements, 2>(plan.length, done, plan.roots, column, thread);
        }
        done *= radix;
    }
}

#endif

}  // namespace dunlin::device
