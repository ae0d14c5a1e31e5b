// SPDX-License-Identifier: Apache-2.0
// The roof: bytes a second that all threads move in a[i] = b[i] + 3 c[i], 24 bytes an element, best of ten.
//   roof ELEMENTS
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

int main(int count, char** words) {
    const long n = count > 1 ? std::atol(words[1]) : 1L << 25;
    const auto fresh = [&] { return std::unique_ptr<double[]>(new double[static_cast<std::size_t>(n)]); };
    const auto owned_a = fresh(), owned_b = fresh(), owned_c = fresh();
    double *a = owned_a.get(), *b = owned_b.get(), *c = owned_c.get();
#pragma omp parallel for
    for (long i = 0; i < n; ++i) a[i] = 0, b[i] = 1, c[i] = 2;
    double best = 1e30;
    for (int run = 0; run < 10; ++run) {
        const double begin = omp_get_wtime();
#pragma omp parallel for simd
        for (long i = 0; i < n; ++i) a[i] = b[i] + 3 * c[i];
        const double passed = omp_get_wtime() - begin;
        best = passed < best ? passed : best;
    }
    std::printf("rate %.6g\n", 24.0 * static_cast<double>(n) / best);
    std::printf("threads %d\n", omp_get_max_threads());
    return a[n / 2] == 7 ? 0 : 1;
}
