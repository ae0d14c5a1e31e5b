// SPDX-License-Identifier: Apache-2.0
// What every C++ and CUDA program of this folder shares: inputs, clock, output, main.
//   PROGRAM kmeans|waves|solve FOLDER RUNS SECONDS
// FOLDER is made by inputs.py. Prints `seconds S` for each run (RUNS, or as many as take SECONDS, but two), `threads
// T`, `note TEXT`, or `missing REASON`, and writes the results of the last run to FOLDER/out-*. Memory is allocated
// before the clock starts.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

/// Lloyd's iteration on n points of two columns, row by row. labels: of the last assignment; centroids: their means.
struct Means {
    std::size_t n, clusters, iterations;
    std::vector<float> points, centroids;
    std::vector<std::int32_t> labels;
};

/// FitzHugh-Nagumo on a line, forward Euler; the node beyond an end has the value of the node before it.
/// v' = v + r (left - 2 v + right) + dt (v (1 - v) (v - a) - w), w' = w + k (v - gamma w). The operations are done in
/// this order and not contracted, so that all technologies can give the same bytes.
struct Wave {
    std::size_t n, steps;
    std::vector<double> v, w, next_v, next_w;
    static constexpr double a = 0.01, gamma = 2, epsilon = 0.01, dx = 0.5, dt = 0.1;
    static constexpr double r = dt / (dx * dx), k = dt * epsilon;
};

/// lower[i] x[i-1] + diagonal[i] x[i] + upper[i] x[i+1] = right[i], diagonally dominant; no pivots are needed.
struct System {
    std::size_t n;
    std::vector<double> lower, diagonal, upper, right, x, scratch;
};

// Each program defines these three; they change centroids and labels, v and w, x
void run(Means& means);
void run(Wave& wave);
void run(System& system);

// A device with its own memory (DEVICE_MEMORY) takes the input before the clock starts and gives the result after it
#ifdef DEVICE_MEMORY
void load(Means& means);
void load(Wave& wave);
void load(System& system);
void store(Means& means);
void store(Wave& wave);
void store(System& system);
#else
template <class Work>
void load(Work&) {}
template <class Work>
void store(Work&) {}
#endif

/// The partition method (Wang 1981) divides a system into parts; two sweeps through a part, which store nothing, give
/// one equation for its first and one for its last unknown. These equations are a tridiagonal system of two unknowns a
/// part, solved here.
struct Interface {
    std::vector<double> lower, diagonal, upper, right;

    explicit Interface(std::size_t parts) : lower(2 * parts), diagonal(2 * parts), upper(2 * parts), right(2 * parts) {}

    /// In `right`: the first and the last unknown of each part
    void solve() {
        for (std::size_t i = 1; i < right.size(); ++i) {
            const double ratio = lower[i] / diagonal[i - 1];
            diagonal[i] -= ratio * upper[i - 1];
            right[i] -= ratio * right[i - 1];
        }
        right.back() /= diagonal.back();
        for (std::size_t i = right.size() - 1; i-- > 0;) right[i] = (right[i] - upper[i] * right[i + 1]) / diagonal[i];
    }
};

/// Ends the program: this technology is not at hand, or has no form of the workload.
[[noreturn]] inline void missing(const std::string& reason) {
    std::printf("missing %s\n", reason.c_str());
    std::exit(0);
}

inline void tell_threads(int threads) { std::printf("threads %d\n", threads); }

namespace harness {

template <class T>
std::vector<T> read(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::vector<T> values(static_cast<std::size_t>(file.tellg()) / sizeof(T));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
    return values;
}

template <class T>
void write(const std::string& path, const std::vector<T>& values) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
    if (!file) throw std::runtime_error("cannot write " + path);
}

struct Limits {
    int runs;
    double seconds;
};

/// Times run(work); `reset` restores the input before each run, beside the clock. The first run, which may compile or
/// touch memory for the first time, is printed but not counted.
template <class Work, class Reset>
void measure(Work& work, const Limits& limits, const Reset& reset) {
    double total = 0;
    for (int done = 0; done < limits.runs && (done < 2 || total < limits.seconds); ++done) {
        reset();
        load(work);
        const auto begin = std::chrono::steady_clock::now();
        run(work);
        const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        std::printf("seconds %.9f\n", passed);
        if (done > 0) total += passed;
        store(work);
    }
}

inline void kmeans(const std::string& folder, std::size_t n, std::size_t clusters, std::size_t iterations,
                   const Limits& limits) {
    Means means{n, clusters, iterations, read<float>(folder + "/points.f32"), {}, std::vector<std::int32_t>(n)};
    const std::vector<float> start = read<float>(folder + "/start.f32");
    measure(means, limits, [&] { means.centroids = start; });
    write(folder + "/out-labels.i32", means.labels);
    write(folder + "/out-centroids.f64", std::vector<double>(means.centroids.begin(), means.centroids.end()));
}

inline void waves(const std::string& folder, std::size_t n, std::size_t steps, const Limits& limits) {
    const auto v = read<double>(folder + "/v.f64"), w = read<double>(folder + "/w.f64");
    Wave wave{n, steps, v, w, v, w};
    measure(wave, limits, [&] { wave.v = v, wave.w = w; });
    write(folder + "/out-v.f64", wave.v);
    write(folder + "/out-w.f64", wave.w);
}

inline void solve(const std::string& folder, std::size_t n, const Limits& limits) {
    System system{n,
                  read<double>(folder + "/lower.f64"),
                  read<double>(folder + "/diagonal.f64"),
                  read<double>(folder + "/upper.f64"),
                  read<double>(folder + "/right.f64"),
                  std::vector<double>(n),
                  std::vector<double>(n)};
    const auto lower = system.lower, diagonal = system.diagonal, upper = system.upper, right = system.right;
    measure(system, limits, [&] {  // LAPACK overwrites its input
        system.lower = lower, system.diagonal = diagonal, system.upper = upper, system.right = right;
    });
    write(folder + "/out-x.f64", system.x);
}

}  // namespace harness

int main(int count, char** words) try {
    if (count != 5) return std::fputs("usage: PROGRAM kmeans|waves|solve FOLDER RUNS SECONDS\n", stderr), 2;
    const std::string workload = words[1], folder = words[2];
    const harness::Limits limits{std::atoi(words[3]), std::atof(words[4])};
    std::size_t n = 0, clusters = 0, steps = 0;
    if (!(std::ifstream(folder + "/sizes") >> n >> clusters >> steps))
        throw std::runtime_error("no sizes in " + folder);
    if (workload == "kmeans") harness::kmeans(folder, n, clusters, steps, limits);
    if (workload == "waves") harness::waves(folder, n, steps, limits);
    if (workload == "solve") harness::solve(folder, n, limits);
    return 0;
} catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
