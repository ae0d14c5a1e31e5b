// SPDX-License-Identifier: Apache-2.0
// Peak rates of this machine, with which docs/ compare CPU timings (roofline).
//   bench_roofs [THREADS]
// Prints JSON, for one thread and for all: read bandwidth in bytes per second from a private buffer per thread (32 KiB,
// 1 MiB, 64 MiB, 1 GiB; sum over threads), float32 operations per second (a fused multiply-add counts as two) and, with
// AVX-512 VNNI, products of bytes per second. Best of five rounds.
#include <algorithm>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include <dunlin/threads.hpp>

#include "device/lanes.hpp"
#include "device/pieces.hpp"
#include "progress/stopwatch.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace {

using namespace dunlin;

constexpr int together = 16;  ///< independent sums that hide the latency of additions

template <class Lanes>
DUNLIN_INLINE void read_as(const float* values, std::size_t count, float* kept) {
    const auto* vectors = reinterpret_cast<const Lanes*>(values);
    Lanes sums[together] = {};
    for (std::size_t v = 0; v < count / device::lanes_of<Lanes>; v += together) {
#pragma GCC unroll 16
        for (std::size_t t = 0; t < together; ++t) sums[t] += vectors[v + t];
    }
    for (const Lanes& sum : sums) *kept += sum[0];
}
DUNLIN_BY_WIDTH(read, (const float* values, std::size_t count, float* kept), (values, count, kept))

template <class Lanes>
DUNLIN_INLINE void multiply_as(int steps, float* kept, double* operations) {
    const Lanes x = Lanes{} + 1e-3F * *kept, y = Lanes{} + 1.0F;
    Lanes sums[together];
    for (int t = 0; t < together; ++t)
        sums[t] = y * static_cast<float>(t);  // distinct values, since equal ones would be computed once
    for (int s = 0; s < steps; ++s) {
#pragma GCC unroll 16
        for (Lanes& sum : sums) sum = sum * x + y;
    }
    for (const Lanes& sum : sums) *kept += 1e-9F * sum[0];
    *operations = 2.0 * steps * together * device::lanes_of<Lanes>;
}
DUNLIN_BY_WIDTH(multiply, (int steps, float* kept, double* operations), (steps, kept, operations))

#if defined(__x86_64__) && defined(__GNUC__)
bool multiplies_bytes() { return __builtin_cpu_supports("avx512vnni") != 0; }

__attribute__((target("avx512f,avx512vnni"))) double multiply_bytes(int steps, float* kept) {
    const __m512i x = _mm512_set1_epi32(static_cast<int>(*kept));
    __m512i a = x, b = x, c = x, d = x, e = x, f = x, g = x, h = x, i = x, j = x, k = x, l = x;
    for (int s = 0; s < steps; ++s) {
        asm volatile(
            "vpdpbusd %12, %12, %0\n\t vpdpbusd %12, %12, %1\n\t vpdpbusd %12, %12, %2\n\t"
            "vpdpbusd %12, %12, %3\n\t vpdpbusd %12, %12, %4\n\t vpdpbusd %12, %12, %5\n\t"
            "vpdpbusd %12, %12, %6\n\t vpdpbusd %12, %12, %7\n\t vpdpbusd %12, %12, %8\n\t"
            "vpdpbusd %12, %12, %9\n\t vpdpbusd %12, %12, %10\n\t vpdpbusd %12, %12, %11"
            : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(g), "+v"(h), "+v"(i), "+v"(j), "+v"(k), "+v"(l)
            : "v"(x));
    }
    return 12 * 64.0 * steps;
}
#else
bool multiplies_bytes() { return false; }
double multiply_bytes(int, float*) { return 0; }
#endif

/// Work per second of `threads` threads, best of five rounds. step(thread) returns the amount of work done.
template <class Step>
double rate(int threads, const Step& step) {
    constexpr int rounds = 5;
    constexpr double enough = 0.05;
    double best = 0;
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> rates(static_cast<std::size_t>(threads));
        std::barrier ready(threads);
        const auto work = [&](int thread) {
            step(thread);
            ready.arrive_and_wait();
            progress::Stopwatch watch;
            double done = 0, passed = 0;
            for (; passed < enough; passed += watch.lap()) done += step(thread);
            rates[static_cast<std::size_t>(thread)] = done / passed;
        };
        std::vector<std::jthread> all;
        all.reserve(static_cast<std::size_t>(threads));
        for (int thread = 0; thread < threads; ++thread) all.emplace_back(work, thread);
        all.clear();  // waits
        double sum = 0;
        for (const double one : rates) sum += one;
        best = std::max(best, sum);
    }
    return best;
}

nlohmann::ordered_json measure(int threads) {
    struct alignas(64) Kept {
        float value = 0;
    };
    std::vector<Kept> kept(static_cast<std::size_t>(threads));
    const auto mine = [&](int thread) { return &kept[static_cast<std::size_t>(thread)].value; };
    nlohmann::ordered_json found;
    for (const auto& [name, bytes] : {std::pair{"read 32 KiB", std::size_t{1} << 15},
                                      {"read 1 MiB", std::size_t{1} << 20},
                                      {"read 64 MiB", std::size_t{1} << 26},
                                      {"read 1 GiB", std::size_t{1} << 30}}) {
        const std::size_t count = bytes / sizeof(float);
        const std::vector<float> all = device::in_large_pages(static_cast<std::size_t>(threads) * count + 16, 0.0F);
        const auto* begin = all.data() + (64 - reinterpret_cast<std::uintptr_t>(all.data()) % 64) % 64 / sizeof(float);
        found[name] = rate(threads, [&](int thread) {
            read(begin + static_cast<std::size_t>(thread) * count, count, mine(thread));
            return static_cast<double>(bytes);
        });
    }
    found["float32"] = rate(threads, [&](int thread) {
        double operations = 0;
        multiply(100'000, mine(thread), &operations);
        return operations;
    });
    if (multiplies_bytes()) {
        found["byte products"] = rate(threads, [&](int thread) { return multiply_bytes(100'000, mine(thread)); });
    }
    return found;
}

}  // namespace

int bench_main(int count, char** words) {
    const int cores = usable_threads();
    const int threads = count > 1 ? std::atoi(words[1]) : cores;
    if (threads < 1) return std::fputs("usage: bench_roofs [THREADS]\n", stderr), 2;
    nlohmann::ordered_json json;
    json["1"] = measure(1);
    if (threads > 1) json[std::to_string(threads)] = measure(threads);
    std::puts(json.dump(1).c_str());
    return 0;
}
