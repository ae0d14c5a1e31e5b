// SPDX-License-Identifier: Apache-2.0
// Kernels of waves on one GPU: bytes against the CPU, time of a step. Stand-alone:
//   nvcc -arch=sm_90a -std=c++20 -O3 -Xcompiler -mfma,-ffp-contract=off -I include -I src bench/waves_gpu/*.cu -o
//   waves_gpu waves_gpu [check|line|small|large|heun|grid|graph|solve|implicit]...
#include "bench.cuh"

using namespace dunlin::bench;

namespace {

bool check() {
    Checks checks;
    check_line(checks);
    check_grid(checks);
    check_graph(checks);
    check_tridiagonal(checks);
    check_implicit(checks);
    std::printf("checks: %d, failed: %d\n", checks.done, checks.failed);
    std::fflush(stdout);
    return checks.failed == 0;
}

}  // namespace

int main(int count, char** arguments) {
    bool passed = true;
    for (int k = 1; k < count; ++k) {
        const std::string which = arguments[k];
        std::printf("# %s\n", which.c_str());
        if (which == "check") passed = check() && passed;
        if (which == "line" || which == "small" || which == "large" || which == "heun") time_line(which);
        if (which == "grid") time_grid();
        if (which == "graph") time_graph();
        if (which == "solve") time_tridiagonal();
        if (which == "implicit") time_implicit();
    }
    return passed ? 0 : 1;
}
