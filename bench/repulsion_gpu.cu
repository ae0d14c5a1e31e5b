// SPDX-License-Identifier: Apache-2.0
// Repulsion on a GPU: time, error, and a comparison of block shapes. Device time by events, median of 9 after a
// warm-up.
//   bench_repulsion_gpu exact|shapes|tree|once N      (once: a single call of the tree, for profiling with ncu)
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "cases/maps.hpp"
#include "cases/repulsion.hpp"
#include "device_timer.cuh"
#include "forces/exact/exact.cuh"
#include "forces/exact/tiles.cuh"
#include "forces/tree/nodes.cuh"
#include "forces/tree/tree.cuh"
#include "timing.hpp"

using namespace dunlin;
using forces::StudentT;

namespace {

/// Milliseconds of a call, median of 9.
double milliseconds(device::Cuda& cuda, const std::function<void()>& call) {
    cuda.replay(call);
    std::vector<double> times(9);
    bench::DeviceTimer timer(cuda);
    for (double& time : times) {
        cuda.wait();
        timer.start();
        for (int i = 0; i < 4; ++i) cuda.replay(call);
        time = timer.lap() / 4;
    }
    cuda.forget();
    return bench::median(times);
}

struct Field {
    device::CudaBuffer<float> y, force;
    device::CudaCell<double> mass;
    Index n;
    int dim;

    Field(device::Cuda& cuda, Index size, int axes, double span) : n(size), dim(axes) {
        cuda.upload(y, made::discs(n, dim, span, made::twelve_discs).coordinates);
        cuda.fill(force, y.size(), 0.0F);
        cuda.address(mass);
    }
    [[nodiscard]] MatrixView<const float> at() const { return {y.data(), n, dim}; }
    [[nodiscard]] MatrixView<float> forces() const { return {force.data(), n, dim}; }
};

/// Lower bound of the time: instructions per pair, each evaluated once, at 4 warps per clock and multiprocessor.
double exact_floor(Index n, int dim) {
    const double instructions = dim == 2 ? 11 : 15;
    return 0.5 * n * double(n) * instructions / (132 * 128 * 1.98e9) * 1e3;
}

void exact_by_n(device::Cuda& cuda) {
    std::printf("exact: dim n ms floor_ms Gpairs/s\n");
    for (const int dim : {2, 3}) {
        for (const Index n : {1000, 2000, 4000, 5000, 10000, 20000, 30000, 60000, 250000}) {
            Field field(cuda, n, dim, 150);
            forces::CudaExact<StudentT> exact;
            exact.prepare(cuda, field.at());
            const double ms = milliseconds(cuda, [&] { exact.repel(cuda, field.at(), field.forces(), field.mass); });
            std::printf("%d %7d %8.4f %8.4f %7.1f\n", dim, n, ms, exact_floor(n, dim), 1e-6 * n * double(n) / ms);
        }
    }
}

template <int D, class Shape>
double shape_ms(device::Cuda& cuda, Field& field) {
    auto pairs = forces::ExactPairs::plan<Shape>(field.n);
    const dim3 blocks = pairs.blocks();
    device::CudaBuffer<float> parts(static_cast<std::size_t>(pairs.groups) * field.y.size(), cuda.stream());
    device::CudaBuffer<double> masses(blocks.x * blocks.y, cuda.stream());
    pairs.y = field.y.data();
    pairs.parts = parts.data();
    pairs.masses = masses.data();
    return milliseconds(cuda, [&] {
        forces::exact_pairs_kernel<StudentT, D, Shape><<<blocks, Shape::threads, 0, cuda.stream()>>>(pairs, {});
        cuda.each(Offset{pairs.n} * D, forces::SumExactParts<D>{pairs, field.force.data()});
        cuda.add_parts(static_cast<int>(blocks.x * blocks.y), pairs.masses, field.mass);
    });
}

template <int D, int Rows, int Warps>
void shape_row(device::Cuda& cuda) {
    std::printf("%d  %2d x %d ", D, Rows, Warps);
    for (const Index n : {1000, 2000, 4000, 8000, 16000, 30000, 60000, 120000}) {
        Field field(cuda, n, D, 150);
        std::printf(" %8.4f", shape_ms<D, forces::ExactShape<Rows, Warps>>(cuda, field));
    }
    std::printf("\n");
}

/// The shapes of exact/tiles.cuh, each at several n.
template <int D>
void shapes(device::Cuda& cuda) {
    std::printf("dim rows x warps: ms at 1000 2000 4000 8000 16000 30000 60000 120000\n");
    shape_row<D, 1, 1>(cuda);
    shape_row<D, 2, 1>(cuda);
    shape_row<D, 2, 2>(cuda);
    shape_row<D, 4, 1>(cuda);
    shape_row<D, 4, 2>(cuda);
    shape_row<D, 4, 4>(cuda);
    shape_row<D, 8, 2>(cuda);
    shape_row<D, 8, 4>(cuda);
    shape_row<D, 12, 2>(cuda);
    shape_row<D, 12, 4>(cuda);
    shape_row<D, 16, 2>(cuda);
    shape_row<D, 16, 4>(cuda);
}

/// Errors relative to the right force at up to a thousand points, ascending.
std::vector<double> errors(device::Cuda& cuda, const Field& field) {
    device::Cpu cpu;
    const std::vector<float> y = cuda.host(field.y), force = cuda.host(field.force);
    return repulsion::sampled_errors(cpu, {y.data(), field.n, field.dim}, force, 1000);
}

template <int D>
double build_ms(device::Cuda& cuda, const Field& field, float theta) {
    forces::CudaTreeNodes<D, false> nodes;
    nodes.prepare(cuda, field.n);
    return milliseconds(cuda, [&] { nodes.build(cuda, field.at(), theta); });
}

void tree_by_n(device::Cuda& cuda) {
    std::printf("tree: dim n span theta ms of_which_build error_median error_p99\n");
    for (const int dim : {2, 3}) {
        for (const auto& [n, span] : {std::pair{1000, 60.0},
                                      {10000, 150.0},
                                      {60000, 100.0},
                                      {60000, 200.0},
                                      {70000, 240.0},
                                      {1000000, 500.0},
                                      {10000000, 1500.0}}) {
            const double wide = dim == 2 ? span : span / 4;
            Field field(cuda, n, dim, wide);
            for (const float theta : {0.3F, 0.5F, 0.7F}) {
                if (theta != 0.5F && n != 60000) continue;
                forces::CudaTree<StudentT> tree(theta);
                tree.prepare(cuda, field.at());
                const double ms = milliseconds(cuda, [&] { tree.repel(cuda, field.at(), field.forces(), field.mass); });
                const double build = dim == 2 ? build_ms<2>(cuda, field, theta) : build_ms<3>(cuda, field, theta);
                const std::vector<double> off = errors(cuda, field);
                std::printf("%d %9d %6g %4.2g %8.4f %8.4f %8.1e %8.1e\n", dim, n, wide, double(theta), ms, build,
                            repulsion::quantile(off, 0.5), repulsion::quantile(off, 0.99));
            }
        }
    }
}

void tree_once(device::Cuda& cuda, Index n) {
    Field field(cuda, n, 2, n <= 100000 ? 150 : 500);
    forces::CudaTree<StudentT> tree(0.5F);
    tree.prepare(cuda, field.at());
    tree.repel(cuda, field.at(), field.forces(), field.mass);
    cuda.wait();
}

}  // namespace

int bench_main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    device::Cuda cuda{Run{}};
    if (what == "exact") {
        exact_by_n(cuda);
    } else if (what == "shapes") {
        shapes<2>(cuda);
        shapes<3>(cuda);
    } else if (what == "tree") {
        tree_by_n(cuda);
    } else if (what == "once" && argc > 2) {
        tree_once(cuda, std::atoi(argv[2]));
    } else {
        std::fprintf(stderr, "usage: bench_repulsion_gpu exact|shapes|tree|once N\n");
        return 2;
    }
    return 0;
}
