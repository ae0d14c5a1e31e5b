// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cmath>
#include <memory>

#include "bench.cuh"
#include "waves/cuda/tridiagonal.cuh"

namespace dunlin::bench {

namespace {

struct Matrix {
    std::vector<double> a, b, c, d;

    /// Rows with |b| = dominance (|a| + |c|) at random.
    Matrix(int n, double dominance)
        : a(numbers(n, 31, -1, 2)), b(numbers(n, 32, 0, 1)), c(numbers(n, 33, -1, 2)), d(numbers(n, 34, -1, 2)) {
        for (int i = 0; i < n; ++i) {
            b[i] = (std::abs(a[i]) + std::abs(c[i]) + 1e-3) * (dominance + 0.1 * b[i]) * (i % 7 == 3 ? -1 : 1);
        }
        a[0] = c[n - 1] = 0;
    }
    [[nodiscard]] std::vector<double> solution() const {
        const int n = static_cast<int>(b.size());
        std::vector<long double> up(n), x(n);
        for (int i = 0; i < n; ++i) {
            const long double pivot = i > 0 ? b[i] - a[i] * up[i - 1] : b[i];
            up[i] = c[i] / pivot;
            x[i] = i > 0 ? (d[i] - a[i] * x[i - 1]) / pivot : d[i] / pivot;
        }
        for (int i = n - 2; i >= 0; --i) x[i] -= up[i] * x[i + 1];
        return {x.begin(), x.end()};
    }
    /// Largest |Ax - d| relative to |A||x| + |d|, in units of 2^-52.
    [[nodiscard]] double backward_error(const std::vector<double>& x) const {
        double largest = 0;
        const int n = static_cast<int>(b.size());
        for (int i = 0; i < n; ++i) {
            const long double l = i > 0 ? (long double)a[i] * x[i - 1] : 0,
                              r = i + 1 < n ? (long double)c[i] * x[i + 1] : 0;
            const long double here = (long double)b[i] * x[i];
            const double error = static_cast<double>(std::abs(l + here + r - d[i]) /
                                                     (std::abs(l) + std::abs(here) + std::abs(r) + std::abs(d[i])));
            if (!(error <= largest)) largest = error;
        }
        return largest / 0x1p-52;
    }
};

struct DeviceMatrix {
    Array<double> a, b, c, d;
    explicit DeviceMatrix(const Matrix& m) : a(m.a), b(m.b), c(m.c), d(m.d) {}
    [[nodiscard]] waves::Tridiagonal view() const {
        return {a.data(), b.data(), c.data(), d.data(), static_cast<int>(b.size())};
    }
};

template <class Kernel>
void allow_shared(Kernel kernel) {
    require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, waves::tile_bytes),
            "shared memory");
}

/// Partition with its memory: reduced systems, each smaller than the one before by the factor `part`.
class Partition {
public:
    explicit Partition(int n) {
        allow_shared(waves::reduce_rows);
        allow_shared(waves::expand_rows);
        allow_shared(waves::solve_block);
        for (int size = n; size > waves::tile_rows;) {
            size = waves::reduced_size(size);
            levels_.push_back(std::make_unique<Level>(size));
        }
    }
    void solve(const waves::Tridiagonal& system, double* x) {
        waves::Tridiagonal now = system;
        std::vector<waves::Tridiagonal> systems{now};
        for (const auto& level : levels_) {
            waves::reduce_rows<<<waves::reduced_tiles(now.n), waves::solve_threads, waves::tile_bytes>>>(
                now, {level->a.data(), level->b.data(), level->c.data(), level->d.data()});
            now = {level->a.data(), level->b.data(), level->c.data(), level->d.data(),
                   static_cast<int>(level->a.size())};
            systems.push_back(now);
        }
        waves::solve_block<<<1, waves::solve_threads, waves::tile_bytes>>>(
            now, levels_.empty() ? x : levels_.back()->x.data());
        for (std::size_t k = levels_.size(); k-- > 0;) {
            const waves::Tridiagonal& s = systems[k];
            waves::expand_rows<<<(s.n + waves::tile_rows - 1) / waves::tile_rows, waves::solve_threads,
                                 waves::tile_bytes>>>(s, levels_[k]->x.data(), k == 0 ? x : levels_[k - 1]->x.data());
        }
        require_launch("partition");
    }

private:
    struct Level {
        Array<double> a, b, c, d, x;
        explicit Level(int n) : a(n), b(n), c(n), d(n), x(n) {}
    };
    std::vector<std::unique_ptr<Level>> levels_;
};

void solve_by_tiles(const waves::Tridiagonal& system, int halo_parts, double* x, Array<unsigned long long>& influence) {
    allow_shared(waves::solve_tiles);
    const int written = (waves::solve_threads - 2 * halo_parts) * waves::part;
    waves::solve_tiles<<<(system.n + written - 1) / written, waves::solve_threads, waves::tile_bytes>>>(
        system, halo_parts, x, influence.data());
    require_launch("tiles");
}

double influence_of(const Array<unsigned long long>& influence) {
    const unsigned long long bits = influence.get()[0];
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

/// cuSPARSE, if it can be loaded.
class Cusparse {
public:
    Cusparse() {
        for (const char* name : {"libcusparse.so.12", "libcusparse.so", "/usr/local/cuda/lib64/libcusparse.so.12"})
            if (library_ == nullptr) library_ = dlopen(name, RTLD_NOW);
        if (library_ == nullptr) {
            std::printf("cuSPARSE is not here: %s\n", dlerror());
            return;
        }
        int (*create)(void**) = nullptr;
        find("cusparseCreate", create);
        find("cusparseDgtsv2_bufferSizeExt", size_);
        find("cusparseDgtsv2", solve_);
        find("cusparseDgtsv2_nopivot_bufferSizeExt", size_nopivot_);
        find("cusparseDgtsv2_nopivot", solve_nopivot_);
        if (create == nullptr || create(&handle_) != 0) library_ = nullptr;
    }
    [[nodiscard]] bool is_here() const { return library_ != nullptr; }
    [[nodiscard]] std::size_t bytes(bool pivots, const waves::Tridiagonal& s, double* x) const {
        std::size_t size = 0;
        const int status = (pivots ? size_ : size_nopivot_)(handle_, s.n, 1, s.a, s.b, s.c, x, s.n, &size);
        if (status != 0) std::printf("cuSPARSE buffer size: status %d\n", status);
        return size;
    }
    void solve(bool pivots, const waves::Tridiagonal& s, double* x, void* buffer) const {
        const int status = (pivots ? solve_ : solve_nopivot_)(handle_, s.n, 1, s.a, s.b, s.c, x, s.n, buffer);
        if (status != 0) std::printf("cuSPARSE solve: status %d\n", status);
    }

private:
    using Size = int (*)(void*, int, int, const double*, const double*, const double*, const double*, int,
                         std::size_t*);
    using Solve = int (*)(void*, int, int, const double*, const double*, const double*, double*, int, void*);
    template <class F>
    void find(const char* name, F& function) {
        function = reinterpret_cast<F>(dlsym(library_, name));
        if (function == nullptr) std::printf("cuSPARSE has no %s\n", name);
    }
    void *library_ = nullptr, *handle_ = nullptr;
    Size size_ = nullptr, size_nopivot_ = nullptr;
    Solve solve_ = nullptr, solve_nopivot_ = nullptr;
};

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
    double largest = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!(std::abs(x[i] - y[i]) <= largest)) largest = std::abs(x[i] - y[i]);
        size = std::max(size, std::abs(y[i]));
    }
    return largest / size;
}

void report_solver(const std::string& what, const Times& times, int n) {
    std::printf("%-40s %9d rows %10.1f us (%.1f..%.1f)  %.2f TB/s of 5 arrays\n", what.c_str(), n, times.median,
                times.shortest, times.longest, 40e-6 * n / times.median);
    std::fflush(stdout);
}

}  // namespace

void check_tridiagonal(Checks& checks) {
    for (const int n :
         {1, 2, 3, 14, 15, 16, 31, 32, 33, 1000, 1905, 1919, 1920, 1921, 4095, 4097, 70001, 500000, 1 << 20}) {
        for (const double dominance : {1.0, 1.5, 3.0}) {
            const Matrix matrix(n, dominance);
            const DeviceMatrix device(matrix);
            const std::vector<double> expected = matrix.solution();
            const std::string what = " n " + std::to_string(n) + " dominance " + std::to_string(dominance);
            Array<double> x(n);
            x.poison();
            Partition(n).solve(device.view(), x.data());
            checks.at_most("partition, error" + what, largest_difference(x.get(), expected),
                           dominance > 1.2 ? 1e-14 : 1e-12);
            checks.at_most("partition, backward error" + what, matrix.backward_error(x.get()), 8);
            if (dominance < 1.2) continue;
            x.poison();
            Array<unsigned long long> influence(std::vector<unsigned long long>{0});
            solve_by_tiles(device.view(), dominance > 2 ? 4 : 10, x.data(), influence);
            checks.at_most("tiles, error" + what, largest_difference(x.get(), expected), 1e-14);
            checks.at_most("tiles, influence" + what, influence_of(influence), 1e-17);
        }
    }
}

void time_tridiagonal() {
    const Cusparse cusparse;
    for (const int log_size : {20, 24, 25}) {
        const int n = 1 << log_size;
        const Matrix matrix(n, 2);
        const DeviceMatrix device(matrix);
        Array<double> x(n);
        const auto nothing = [] {};
        Partition partition(n);
        report_solver("partition", microseconds(nothing, [&] { partition.solve(device.view(), x.data()); }), n);
        const std::vector<double> expected = x.get();
        for (const int halo_parts : {4, 6, 8}) {
            Array<unsigned long long> influence(std::vector<unsigned long long>{0});
            const Times times =
                microseconds(nothing, [&] { solve_by_tiles(device.view(), halo_parts, x.data(), influence); });
            report_solver("tiles, halo " + std::to_string(halo_parts * waves::part), times, n);
            std::printf("  influence %.2g, difference from partition %.2g\n", influence_of(influence),
                        largest_difference(x.get(), expected));
        }
        const Times copy = microseconds(
            nothing, [&] { cudaMemcpyAsync(x.data(), device.d.data(), sizeof(double) * n, cudaMemcpyDeviceToDevice); });
        std::printf("  copy of one array: %.1f us, %.2f TB/s\n", copy.median, 16e-6 * n / copy.median);
        for (const bool pivots : {false, true}) {
            if (!cusparse.is_here()) continue;
            const Array<char> buffer(cusparse.bytes(pivots, device.view(), x.data()));
            const Times times = microseconds([&] { x.copy(device.d); },
                                             [&] { cusparse.solve(pivots, device.view(), x.data(), buffer.data()); });
            report_solver(pivots ? "cusparse gtsv2" : "cusparse gtsv2_nopivot", times, n);
            std::printf("  difference from partition %.2g\n", largest_difference(x.get(), expected));
        }
    }
}

}  // namespace dunlin::bench
