// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "waves/formulas.hpp"

/// Parts of the stand-alone benchmark of the kernels of waves: memory, times, input, comparison of bytes.
namespace dunlin::bench {

using FitzHughNagumo = waves::Law<waves::Model::fitzhugh_nagumo, false, false>;
using Nagumo = waves::Law<waves::Model::nagumo, false, false>;

inline void require(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::printf("error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(2);
}
inline void require_launch(const char* what) { require(cudaGetLastError(), what); }

/// An array in device memory.
template <class T>
class Array {
public:
    explicit Array(std::size_t size) : size_(size) {
        require(cudaMalloc(&data_, std::max<std::size_t>(size, 1) * sizeof(T)), "cudaMalloc");
    }
    explicit Array(const std::vector<T>& values) : Array(values.size()) { put(values); }
    ~Array() { cudaFree(data_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    void put(const std::vector<T>& values) {
        require(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "upload");
    }
    void copy(const Array& other) {
        require(cudaMemcpy(data_, other.data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice), "copy");
    }
    /// Bytes that no step writes, so that a missing write is seen.
    void poison() { require(cudaMemset(data_, 0xFF, size_ * sizeof(T)), "poison"); }
    [[nodiscard]] std::vector<T> get() const {
        std::vector<T> values(size_);
        require(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "download");
        return values;
    }
    void swap(Array& other) { std::swap(data_, other.data_); }

private:
    T* data_ = nullptr;
    std::size_t size_;
};

struct Times {
    double median, shortest, longest;
};

/// Microseconds of body(), median of 9 after a warm-up; reset() runs before each, outside of the time.
inline Times microseconds(const std::function<void()>& reset, const std::function<void()>& body) {
    cudaEvent_t begin, end;
    require(cudaEventCreate(&begin), "event");
    require(cudaEventCreate(&end), "event");
    std::vector<double> times;
    for (int run = 0; run < 10; ++run) {
        reset();
        require(cudaDeviceSynchronize(), "reset");
        require(cudaEventRecord(begin), "event");
        body();
        require(cudaEventRecord(end), "event");
        require(cudaEventSynchronize(end), "run");
        float milliseconds = 0;
        require(cudaEventElapsedTime(&milliseconds, begin, end), "time");
        if (run > 0) times.push_back(1e3 * milliseconds);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times.front(), times.back()};
}

/// A line of the table: microseconds a step, share of the floor, operations of the fp64 unit a second.
inline void report(const std::string& what, double nodes, double operations, const Times& times, double steps) {
    const double step = times.median / steps, floor = nodes * operations / 16.73e6;
    std::printf("%-44s %9.0f nodes %10.3f us/step (%.3f..%.3f)  %6.4f ns/node  floor %.2f us, share %.2f\n",
                what.c_str(), nodes, step, times.shortest / steps, times.longest / steps, 1e3 * step / nodes, floor,
                floor / step);
    std::fflush(stdout);
}

/// Uniform numbers in [low, low + range).
inline std::vector<double> numbers(std::size_t n, std::uint64_t seed, double low, double range) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15ULL + seed * 0xD1B54A32D192ED03ULL;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
        values[i] = low + range * static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
    }
    return values;
}

/// Counts of the comparison with the CPU.
struct Checks {
    int done = 0, failed = 0;

    void equal(const std::string& what, const std::vector<double>& got, const std::vector<double>& expected) {
        ++done;
        if (got.size() == expected.size() && std::memcmp(got.data(), expected.data(), got.size() * sizeof(double)) == 0)
            return;
        ++failed;
        std::size_t i = 0, wrong = 0;
        for (std::size_t k = got.size(); k-- > 0;)
            if (std::memcmp(&got[k], &expected[k], sizeof(double)) != 0) i = k, ++wrong;
        std::printf("DIFFERENT %s: %zu of %zu, first %zu: %.17g, expected %.17g\n", what.c_str(), wrong, got.size(), i,
                    got[i], expected[i]);
    }
    void at_most(const std::string& what, double value, double bound) {
        ++done;
        if (value <= bound) return;
        ++failed;
        std::printf("TOO LARGE %s: %.3g, bound %.3g\n", what.c_str(), value, bound);
    }
};

/// Constants of Lewellen's study of the model: a .01, gamma 2, epsilon .01, spacing .5, step .1.
inline waves::Coefficients usual_coefficients() {
    waves::Coefficients c;
    c.diffusion = 4;
    return c;
}
constexpr double usual_step = 0.1;

/// A start that stays active for hundreds of steps: excited nodes at random.
struct Start {
    std::vector<double> v, w;
    explicit Start(std::size_t n) : v(numbers(n, 1, -0.2, 1.2)), w(numbers(n, 2, 0, 0.1)) {}
};

void check_line(Checks& checks);
void time_line(const std::string& which);
void check_grid(Checks& checks);
void time_grid();
void check_graph(Checks& checks);
void time_graph();
void check_tridiagonal(Checks& checks);
void time_tridiagonal();
void check_implicit(Checks& checks);
void time_implicit();

}  // namespace dunlin::bench
