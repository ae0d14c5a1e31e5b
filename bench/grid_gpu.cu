// SPDX-License-Identifier: Apache-2.0
// Repulsion on a grid on a GPU: the time of each step, of a whole call and of a new shape, by points and span. Device
// time by events, median of 9 after a warm-up.
//   bench_grid_gpu [N SPAN DIM]...
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "cases/maps.hpp"
#include "device_timer.cuh"
#include "forces/grid/convolution.cuh"
#include "forces/grid/greens_function.cuh"
#include "forces/grid/grid.cuh"
#include "forces/grid/grid.hpp"
#include "forces/grid/points.cuh"
#include "math/morton.hpp"
#include "math/rng.hpp"
#include "timing.hpp"

using namespace dunlin;
using forces::StudentT;

namespace {

/// Points in Morton order, as the optimizer keeps them, then moved by about `drift`.
Map in_order(const Map& map, double span, double drift) {
    std::vector<std::uint32_t> code;
    for (Index i = 0; i < map.size(); ++i) {
        std::uint32_t cell[3] = {};
        const double cells = map.dim == 2 ? 65535 : 1023;
        for (int d = 0; d < map.dim; ++d) {
            const double at = static_cast<double>(map.view()(i, d)) / span;
            cell[d] = static_cast<std::uint32_t>(std::clamp(at, 0.0, 1.0) * cells);
        }
        code.push_back(map.dim == 2 ? math::morton<2>(cell) : math::morton<3>(cell));
    }
    std::vector<Index> order(code.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return code[static_cast<std::size_t>(a)] < code[static_cast<std::size_t>(b)]; });
    Map sorted{map.dim, {}};
    for (const Index i : order) {
        for (int d = 0; d < map.dim; ++d) {
            const double off =
                drift * math::random_normal(7, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(d));
            sorted.coordinates.push_back(static_cast<float>(static_cast<double>(map.view()(i, d)) + off));
        }
    }
    return sorted;
}

/// Microseconds of a call, median of 9.
double microseconds(device::Cuda& cuda, const std::function<void()>& call) {
    constexpr int repeats = 10;
    cuda.replay([&] {
        for (int i = 0; i < repeats; ++i) call();
    });
    std::vector<double> times(9);
    bench::DeviceTimer timer(cuda);
    for (double& time : times) {
        cuda.wait();
        timer.start();
        cuda.replay(call);
        time = timer.lap();
    }
    cuda.forget();
    return bench::median(times) * 1e3 / repeats;
}

double wall_microseconds(const std::function<void()>& call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

struct Steps {
    device::CudaBuffer<float> y, force;
    device::CudaCell<double> mass;
    device::CudaCell<forces::GridField> field;
    forces::CudaGreensFunction spectrum;
    forces::CudaGridConvolution convolution;
    forces::GatherScratch scratch;
};

/// Times of spreading, convolving, gathering; then of a whole call, of prepare() as it is and with a new shape.
void row(device::Cuda& cuda, const Map& map, const char* order, double span) {
    Steps s;
    cuda.upload(s.y, map.coordinates);
    cuda.fill(s.force, map.coordinates.size(), 0.0F);
    const MatrixView<const float> y{s.y.data(), map.size(), map.dim};
    const MatrixView<float> force{s.force.data(), map.size(), map.dim};
    cuda.address(s.mass);

    forces::CudaGrid<StudentT> grid;
    const double first = wall_microseconds([&] { grid.prepare(cuda, y), cuda.wait(); });
    const double again = wall_microseconds([&] { grid.prepare(cuda, y), cuda.wait(); });
    const double whole = microseconds(cuda, [&] { grid.repel(cuda, y, force, s.mass); });

    const auto nodes = grid.nodes();
    const forces::GridShape shape{map.dim, nodes, grid.spacing()};
    device::CudaCell<forces::GridSurvey> survey;
    cuda.set(survey, forces::GridSurvey());
    forces::find_box(cuda, y, cuda.address(survey));
    cuda.set(s.field, forces::field_around(cuda.read(survey), shape));
    forces::make_greens_function<StudentT>(cuda, shape, s.spectrum, {});
    s.convolution.prepare(cuda, shape);
    s.scratch.resize(cuda, map.size());
    auto* field = cuda.address(s.field);
    auto& c = s.convolution;
    const double spread =
        microseconds(cuda, [&] { forces::spread(cuda, y, field, c.strides(), c.charges(), cuda.address(survey)); });
    const double convolve = microseconds(cuda, [&] { c.run(cuda, s.spectrum.values.data()); });
    const device::RowShare all = device::row_share(map.size());
    const double gather = microseconds(cuda, [&] {
        forces::gather(cuda, y, all, {field, c.strides(), c.potential(), cuda.address(s.spectrum.self)}, s.scratch,
                       force, cuda.address(s.mass));
    });
    std::printf("%9d %d %6.4g %5d %5d %4d  %-8s %8.1f %8.1f %8.1f %8.1f %9.0f %8.0f\n", map.size(), map.dim, span,
                nodes[0], nodes[1], nodes[2], order, spread, convolve, gather, whole, first, again);
    std::fflush(stdout);
}

void rows(device::Cuda& cuda, Index n, double span, int dim) {
    const Map map = made::discs(n, dim, span, made::sixty_discs);
    row(cuda, map, "random", span);
    row(cuda, in_order(map, span, 0), "morton", span);
    row(cuda, in_order(map, span, 0.01 * span), "drifted", span);
}

}  // namespace

int bench_main(int argc, char** argv) {
    device::Cuda cuda{Run{}};
    std::printf(
        "   points D   span        nodes    order       spread convolve   gather    whole     first    again us\n");
    if (argc > 3) {
        for (int i = 1; i + 2 < argc; i += 3)
            rows(cuda, std::atoi(argv[i]), std::atof(argv[i + 1]), std::atoi(argv[i + 2]));
        return 0;
    }
    rows(cuda, 60000, 0.5, 2);
    rows(cuda, 60000, 130, 2);
    rows(cuda, 1000000, 5, 2);
    rows(cuda, 1000000, 250, 2);
    rows(cuda, 60000, 20, 3);
    rows(cuda, 1000000, 40, 3);
    rows(cuda, 10000000, 400, 2);
    rows(cuda, 10000000, 10, 2);
    return 0;
}
