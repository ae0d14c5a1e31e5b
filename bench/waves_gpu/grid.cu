// SPDX-License-Identifier: Apache-2.0
#include "bench.cuh"
#include "waves/cuda/grid.cuh"

namespace dunlin::bench {

namespace {

template <class Law>
void step_grid_on_cpu(const waves::Coefficients& c, double dt, int width, int height, bool periodic, int steps,
                      std::vector<double>& v, std::vector<double>& w) {
    using namespace waves;
    std::vector<double> next_v(v.size()), next_w(w.size());
    for (int step = 0; step < steps; ++step) {
        for (int y = 0; y < height; ++y) {
            const std::size_t row = std::size_t(y) * width;
            const std::size_t below = std::size_t(node_before(y, height, periodic)) * width;
            const std::size_t above = std::size_t(node_after(y, height, periodic)) * width;
            for (int x = 0; x < width; ++x) {
                const Node u{v[row + x], Law::recovers ? w[row + x] : 0};
                const double laplacian =
                    laplacian_2d(u.v, v[row + node_before(x, width, periodic)], v[row + node_after(x, width, periodic)],
                                 v[below + x], v[above + x]);
                const Node rate = rates<Law>(c, u, {laplacian, 0}, 0);
                next_v[row + x] = euler(dt, rate.v, u.v);
                if (Law::recovers) next_w[row + x] = euler(dt, rate.w, u.w);
            }
        }
        v.swap(next_v);
        if (Law::recovers) w.swap(next_w);
    }
}

struct GridKernel {
    void (*kernel)(waves::GridSteps);
    int columns, steps, blocks;

    void launch(const waves::GridSteps& grid) const {
        const int width = waves::strip_width(columns, steps);
        kernel<<<dim3((grid.width + width - 1) / width, (grid.height + grid.rows - 1) / grid.rows), 32>>>(grid);
    }
};

template <int columns, int steps, int blocks>
GridKernel grid_kernel() {
    return {waves::step_grid<FitzHughNagumo, columns, steps, blocks>, columns, steps, blocks};
}

/// A scheduler holds whole warps, so 9 to 12 blocks of a warp are one kernel, and 5 to 8.
std::vector<GridKernel> grid_kernels() {
    return {grid_kernel<2, 8, 12>(), grid_kernel<2, 6, 16>(), grid_kernel<2, 10, 10>(), grid_kernel<3, 8, 8>(),
            grid_kernel<3, 6, 12>(), grid_kernel<4, 4, 12>(), grid_kernel<4, 6, 8>()};
}

}  // namespace

void check_grid(Checks& checks) {
    const int sizes[][2] = {{1, 1},     {1, 7},     {2, 3},     {31, 33}, {33, 31}, {131, 70},
                            {257, 129}, {1000, 64}, {516, 300}, {12, 5},  {400, 90}};
    for (const auto& [width, height] : sizes) {
        for (const bool periodic : {false, true}) {
            for (const GridKernel& kernel : grid_kernels()) {
                Start start(std::size_t(width) * height);
                Array<double> v(start.v), w(start.w), v_out(start.v.size()), w_out(start.v.size());
                v_out.poison();
                w_out.poison();
                waves::GridSteps grid{usual_coefficients(),
                                      0.05,
                                      v.data(),
                                      w.data(),
                                      v_out.data(),
                                      w_out.data(),
                                      width,
                                      height,
                                      29,
                                      periodic,
                                      periodic};
                kernel.launch(grid);
                require_launch("grid");
                step_grid_on_cpu<FitzHughNagumo>(grid.coefficients, grid.dt, width, height, periodic, kernel.steps,
                                                 start.v, start.w);
                const std::string what = "grid " + std::to_string(width) + " x " + std::to_string(height) +
                                         ", columns " + std::to_string(kernel.columns) + ", steps " +
                                         std::to_string(kernel.steps) + (periodic ? ", periodic" : "");
                checks.equal(what + ", v", v_out.get(), start.v);
                checks.equal(what + ", w", w_out.get(), start.w);
            }
        }
    }
}

void time_grid() {
    for (const int side : {2048, 4096, 8192}) {
        const std::size_t n = std::size_t(side) * side;
        const Start start(n);
        const Array<double> v0(start.v), w0(start.w);
        Array<double> v(n), w(n), v_out(n), w_out(n);
        for (const GridKernel& kernel : grid_kernels()) {
            int multiprocessors = 0;
            require(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "attribute");
            const int width = waves::strip_width(kernel.columns, kernel.steps);
            const int balanced =
                waves::balanced_rows(side, (side + width - 1) / width, kernel.blocks * multiprocessors, kernel.steps);
            for (const int rows : {balanced, 64, 128, 256}) {
                const int launches = 48 / kernel.steps;
                const Times times = microseconds(
                    [&] {
                        v.copy(v0);
                        w.copy(w0);
                    },
                    [&] {
                        for (int k = 0; k < launches; ++k) {
                            kernel.launch({usual_coefficients(), 0.05, v.data(), w.data(), v_out.data(), w_out.data(),
                                           side, side, rows, false, false});
                            require_launch("grid");
                            v.swap(v_out);
                            w.swap(w_out);
                        }
                    });
                report("grid " + std::to_string(side) + " columns " + std::to_string(kernel.columns) + " steps " +
                           std::to_string(kernel.steps) + " blocks " + std::to_string(kernel.blocks) + " rows " +
                           std::to_string(rows),
                       n, 12, times, 1.0 * launches * kernel.steps);
            }
        }
    }
}

}  // namespace dunlin::bench
