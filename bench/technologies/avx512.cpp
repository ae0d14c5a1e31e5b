// SPDX-License-Identifier: Apache-2.0
// AVX-512 by intrinsics, one thread: 16 rows, 8 nodes, or 8 parts of the system in a register.
#include <immintrin.h>

#include <algorithm>
#include <array>

#include "workloads.hpp"

#define AVX512 __attribute__((target("avx512f")))

static void need_avx512() {
    if (!__builtin_cpu_supports("avx512f")) missing("this processor has no AVX-512");
}

// begin kmeans
AVX512 static void assign(const float* points, const float* centroids, std::size_t clusters, std::int32_t* labels) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512 first = _mm512_loadu_ps(points), second = _mm512_loadu_ps(points + 16);
    const __m512 x = _mm512_permutex2var_ps(first, even, second);
    const __m512 y = _mm512_permutex2var_ps(first, _mm512_add_epi32(even, _mm512_set1_epi32(1)), second);
    __m512 best = _mm512_set1_ps(3e38F);
    __m512i label = _mm512_setzero_si512();
    for (std::size_t c = 0; c < clusters; ++c) {
        const __m512 dx = _mm512_sub_ps(x, _mm512_set1_ps(centroids[2 * c]));
        const __m512 dy = _mm512_sub_ps(y, _mm512_set1_ps(centroids[2 * c + 1]));
        const __m512 squared = _mm512_fmadd_ps(dx, dx, _mm512_mul_ps(dy, dy));
        const __mmask16 less = _mm512_cmp_ps_mask(squared, best, _CMP_LT_OQ);
        best = _mm512_mask_mov_ps(best, less, squared);
        label = _mm512_mask_mov_epi32(label, less, _mm512_set1_epi32(static_cast<int>(c)));
    }
    _mm512_storeu_si512(labels, label);
}

void run(Means& m) {
    need_avx512();
    for (std::size_t iteration = 0; iteration < m.iterations; ++iteration) {
        std::vector<double> sums(3 * m.clusters);
        for (std::size_t begin = 0; begin < m.n; begin += 16) {
            const std::size_t rows = std::min<std::size_t>(16, m.n - begin);
            if (rows == 16) {
                assign(&m.points[2 * begin], m.centroids.data(), m.clusters, &m.labels[begin]);
            } else {
                std::array<float, 32> padded{};
                std::array<std::int32_t, 16> labels;
                std::copy_n(&m.points[2 * begin], 2 * rows, padded.begin());
                assign(padded.data(), m.centroids.data(), m.clusters, labels.data());
                std::copy_n(labels.begin(), rows, &m.labels[begin]);
            }
            for (std::size_t i = begin; i < begin + rows; ++i) {
                double* sum = &sums[3 * static_cast<std::size_t>(m.labels[i])];
                sum[0] += static_cast<double>(m.points[2 * i]);
                sum[1] += static_cast<double>(m.points[2 * i + 1]);
                sum[2] += 1;
            }
        }
        for (std::size_t c = 0; c < m.clusters; ++c) {
            m.centroids[2 * c] = static_cast<float>(sums[3 * c] / sums[3 * c + 2]);
            m.centroids[2 * c + 1] = static_cast<float>(sums[3 * c + 1] / sums[3 * c + 2]);
        }
    }
}
// end kmeans

// begin waves
/// Nodes begin .. begin + 7
AVX512 static void move(const Wave& u, std::size_t begin, double* next_v, double* next_w) {
    const __m512d a = _mm512_set1_pd(Wave::a), gamma = _mm512_set1_pd(Wave::gamma), dt = _mm512_set1_pd(Wave::dt);
    const __m512d r = _mm512_set1_pd(Wave::r), k = _mm512_set1_pd(Wave::k), one = _mm512_set1_pd(1);
    const __m512d v = _mm512_loadu_pd(&u.v[begin]), w = _mm512_loadu_pd(&u.w[begin]);
    const __m512d left = _mm512_loadu_pd(&u.v[begin - 1]), right = _mm512_loadu_pd(&u.v[begin + 1]);
    const __m512d spread = r * ((left - (v + v)) + right), reaction = v * (one - v) * (v - a) - w;
    _mm512_storeu_pd(next_v + begin, v + (spread + dt * reaction));
    _mm512_storeu_pd(next_w + begin, w + k * (v - gamma * w));
}

static void move_one(const Wave& u, std::size_t i, double* next_v, double* next_w) {
    const double v = u.v[i], w = u.w[i], left = u.v[i == 0 ? 1 : i - 1], right = u.v[i + 1 == u.n ? i - 1 : i + 1];
    next_v[i] = v + (Wave::r * ((left - 2 * v) + right) + Wave::dt * (v * (1 - v) * (v - Wave::a) - w));
    next_w[i] = w + Wave::k * (v - Wave::gamma * w);
}

AVX512 static void step(const Wave& u, double* next_v, double* next_w) {
    move_one(u, 0, next_v, next_w);
    std::size_t i = 1;
    for (; i + 8 < u.n; i += 8) move(u, i, next_v, next_w);
    for (; i < u.n; ++i) move_one(u, i, next_v, next_w);
}

void run(Wave& u) {
    need_avx512();
    for (std::size_t s = 0; s < u.steps; ++s) {
        step(u, u.next_v.data(), u.next_w.data());
        u.v.swap(u.next_v);
        u.w.swap(u.next_w);
    }
}
// end waves

// begin solve
/// Rows of eight parts, one in each lane: begin + lane * stride
struct Parts {
    std::size_t begin, rows;
    __m512i places;

    AVX512 __m512d get(const std::vector<double>& values, std::size_t i) const {
        return _mm512_i64gather_pd(places, &values[begin + i], 8);
    }
    AVX512 void set(std::vector<double>& values, std::size_t i, __m512d value) const {
        _mm512_i64scatter_pd(&values[begin + i], places, value, 8);
    }
};

/// The partition method: equations of the first and the last unknown of each part
AVX512 static void eliminate(const System& s, const Parts& parts, double* lower, double* diagonal, double* upper,
                             double* known) {
    const std::size_t m = parts.rows;
    __m512d outer = parts.get(s.lower, 1), pivot = parts.get(s.diagonal, 1), right = parts.get(s.right, 1);
    for (std::size_t i = 2; i < m; ++i) {
        const __m512d ratio = parts.get(s.lower, i) / pivot;
        outer = -(ratio * outer);
        pivot = parts.get(s.diagonal, i) - ratio * parts.get(s.upper, i - 1);
        right = parts.get(s.right, i) - ratio * right;
    }
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), even = odd - _mm512_set1_epi64(1);
    _mm512_i64scatter_pd(lower, odd, outer, 8);
    _mm512_i64scatter_pd(diagonal, odd, pivot, 8);
    _mm512_i64scatter_pd(upper, odd, parts.get(s.upper, m - 1), 8);
    _mm512_i64scatter_pd(known, odd, right, 8);
    outer = parts.get(s.upper, m - 2), pivot = parts.get(s.diagonal, m - 2), right = parts.get(s.right, m - 2);
    for (std::size_t i = m - 2; i-- > 0;) {
        const __m512d ratio = parts.get(s.upper, i) / pivot;
        outer = -(ratio * outer);
        pivot = parts.get(s.diagonal, i) - ratio * parts.get(s.lower, i + 1);
        right = parts.get(s.right, i) - ratio * right;
    }
    _mm512_i64scatter_pd(lower, even, parts.get(s.lower, 0), 8);
    _mm512_i64scatter_pd(diagonal, even, pivot, 8);
    _mm512_i64scatter_pd(upper, even, outer, 8);
    _mm512_i64scatter_pd(known, even, right, 8);
}

/// Thomas' algorithm between the two
AVX512 static void fill(System& s, const Parts& parts, __m512d first, __m512d last) {
    parts.set(s.x, 0, first);
    parts.set(s.x, parts.rows - 1, last);
    __m512d x = first, ratio = _mm512_setzero_pd();
    for (std::size_t i = 1; i < parts.rows - 1; ++i) {
        const __m512d pivot = _mm512_set1_pd(1) / (parts.get(s.diagonal, i) - parts.get(s.lower, i) * ratio);
        ratio = parts.get(s.upper, i) * pivot;
        x = (parts.get(s.right, i) - parts.get(s.lower, i) * x) * pivot;
        parts.set(s.scratch, i, ratio);
        parts.set(s.x, i, x);
    }
    for (std::size_t i = parts.rows - 1; i-- > 1;) {
        last = parts.get(s.x, i) - parts.get(s.scratch, i) * last;
        parts.set(s.x, i, last);
    }
}

/// Parts of an eighth would lie at the same places of the caches, so they are shorter, and the rest is a ninth part,
/// which all lanes compute
AVX512 static void solve(System& s) {
    const std::size_t m = s.n / 8 - 9, rest = s.n - 8 * m;
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i places =
        _mm512_cvtepi32_epi64(_mm256_mullo_epi32(_mm512_cvtepi64_epi32(lanes), _mm256_set1_epi32(static_cast<int>(m))));
    const Parts eight{0, m, places}, ninth{8 * m, rest, _mm512_setzero_si512()};
    Interface z(16);  // room for 32 values, of which 18 are used
    eliminate(s, ninth, &z.lower[16], &z.diagonal[16], &z.upper[16], &z.right[16]);
    eliminate(s, eight, z.lower.data(), z.diagonal.data(), z.upper.data(), z.right.data());
    for (auto* values : {&z.lower, &z.diagonal, &z.upper, &z.right}) values->resize(18);
    z.solve();
    fill(s, eight, _mm512_i64gather_pd(lanes + lanes, &z.right[0], 8),
         _mm512_i64gather_pd(lanes + lanes, &z.right[1], 8));
    fill(s, ninth, _mm512_set1_pd(z.right[16]), _mm512_set1_pd(z.right[17]));
}

void run(System& s) {
    need_avx512();
    if (s.n < 128) missing("too few rows for eight parts");
    solve(s);
}
// end solve
