// SPDX-License-Identifier: Apache-2.0
// Surfaces on a GPU: the time of the sizes (count) and of the mesh (emit), field and mesh in device memory. Device time
// by events around the whole call with its host's part, median of 15 after a warm-up.
//   bench_surface_gpu [NODES]...    default: 128 256 512
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <dunlin/device.hpp>

#include "cases/maps.hpp"
#include "device/resident.hpp"
#include "device_timer.cuh"
#include "progress/stopwatch.hpp"
#include "surface/cuda/marching.cuh"
#include "timing.hpp"

using namespace dunlin;

namespace {

/// Values of fields that fill a grid: a ball of radius 0.35 of the side; a gyroid, whose surface is everywhere.
struct FillField {
    surface::Shape shape;
    bool is_ball;
    float* values;

    __device__ void operator()(Offset node) const {
        const auto n = static_cast<float>(shape.nz - 1);
        const auto x = static_cast<float>(node / shape.nz / shape.ny) / n,
                   y = static_cast<float>(node / shape.nz % shape.ny) / n, z = static_cast<float>(node % shape.nz) / n;
        if (is_ball) {
            values[node] = 0.35F - sqrtf((x - 0.5F) * (x - 0.5F) + (y - 0.5F) * (y - 0.5F) + (z - 0.5F) * (z - 0.5F));
        } else {
            constexpr float turns = 25.13F;
            values[node] = sinf(turns * x) * cosf(turns * y) + sinf(turns * y) * cosf(turns * z) +
                           sinf(turns * z) * cosf(turns * x);
        }
    }
};

void time_field(device::Cuda& cuda, Index n, bool is_ball, bool is_open) {
    surface::GridView<float> grid;
    grid.shape = surface::Shape(n, n, n);
    device::CudaBuffer<float> values(static_cast<std::size_t>(n) * n * n, cuda.stream());
    cuda.each(static_cast<Offset>(values.size()), FillField{grid.shape, is_ball, values.data()});
    grid.values = values.data();
    std::vector<double> counts, emits;
    surface::MeshSizes sizes;
    for (int run = 0; run < 16; ++run) {
        cuda.wait();
        bench::DeviceTimer timer(cuda);
        surface::CudaMarching<float> marching(cuda, grid, is_open);
        sizes = marching.count();
        const double count = timer.lap();
        const surface::CudaMesh mesh = marching.emit();
        const double emit = timer.lap();
        if (run > 0) counts.push_back(count), emits.push_back(emit);
    }
    std::vector<double> wholes;
    for (std::size_t i = 0; i < counts.size(); ++i) wholes.push_back(counts[i] + emits[i]);
    const double bytes = 4.0 * static_cast<double>(values.size());
    std::printf(
        "%-7s %-6s %4d^3: %9lld vertices %9lld triangles  count %.4f ms  emit %.4f ms  whole %.4f ms (%.4f..%.4f)"
        "  one read of the field at 4.26 TB/s %.4f ms\n",
        is_ball ? "ball" : "gyroid", is_open ? "open" : "closed", n, static_cast<long long>(sizes.all_vertices()),
        static_cast<long long>(sizes.all_triangles()), bench::median(counts), bench::median(emits),
        bench::median(wholes), *std::min_element(wholes.begin(), wholes.end()),
        *std::max_element(wholes.begin(), wholes.end()), bytes / 4.26e9);
}

/// Public calls, from a map in GPU memory to a density and its surface there: a million points in sixty balls.
void time_density(Index n) {
    const Map map = made::discs(1'000'000, 3, 100, made::sixty_discs);
    const auto points = device::matrix_on_gpu(std::span<const float>(map.coordinates), map.size(), 3, 0);
    std::vector<double> densities, surfaces;
    surface::Measures measures;
    for (int run = 0; run < 16; ++run) {
        progress::Stopwatch watch;
        const density::DeviceResult density = density::estimate(points.view(), {.nodes = n, .bands = "90"});
        const double first = 1e3 * watch.lap();
        const surface::DeviceResult found =
            surface::extract(surface::field_of(density), {.level = density.bands[0].level});
        const double second = 1e3 * watch.lap();
        measures = found.measures;
        if (run > 0) densities.push_back(first), surfaces.push_back(second);
    }
    std::printf(
        "density, its field and mesh staying there, %4d nodes: %9lld triangles  density %.3f ms  surface %.3f ms\n", n,
        static_cast<long long>(measures.triangles), bench::median(densities), bench::median(surfaces));
}

}  // namespace

int bench_main(int count, char** words) {
    std::vector<Index> sides;
    for (int i = 1; i < count; ++i) sides.push_back(std::atoi(words[i]));
    if (sides.empty()) sides = {128, 256, 512};
    device::Cuda cuda(Run{});
    for (const Index n : sides) {
        for (const bool is_ball : {true, false}) {
            for (const bool is_open : {false, true}) time_field(cuda, n, is_ball, is_open);
        }
        time_density(n);
    }
    return 0;
}
