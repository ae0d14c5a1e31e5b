// SPDX-License-Identifier: Apache-2.0
// Spectral starts on a GPU compared with a CPU: the same axes up to their sign.
#include <dunlin/umap.hpp>

#include "agree/agree.hpp"
#include "initialization/initial_map.hpp"
#include "initialization/spectral.cuh"

namespace dunlin::initialization {
namespace {

/// Rows of `width` points, each joined to its neighbors in the row and to the next row.
Graph lattice(Index width, Index height) {
    Graph graph;
    for (Index y = 0; y < height; ++y) {
        for (Index x = 0; x < width; ++x) {
            const auto join = [&](bool there, Index target) {
                if (there) graph.targets.push_back(target), graph.weights.push_back(1);
            };
            join(y > 0, (y - 1) * width + x);
            join(x > 0, y * width + x - 1);
            join(x + 1 < width, y * width + x + 1);
            join(y + 1 < height, (y + 1) * width + x);
            graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
        }
    }
    return graph;
}

TEST(SpectralOnGpu, AxesAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    const Index width = agree::only_small() ? 90 : 300,
                height = agree::only_small() ? 60 : 170;  // no equal eigenvalues
    const Graph graph = lattice(width, height);
    const Index n = graph.size();
    for (const int dim : {1, 2, 3}) {
        device::Cpu cpu(2);
        device::Cuda cuda{dunlin::Run{}};
        const Map start = random_start(n, dim, 1, 3);
        const Map expected = spectral_start(cpu, graph, start, 1, cuda.run().seed);
        const Map found = spectral_start(cuda, graph::upload(cuda, graph), start, 1);
        for (int c = 0; c < std::min(dim, 2); ++c) {
            double xy = 0, xx = 0, yy = 0;
            for (Index i = 0; i < n; ++i) {
                const auto x = static_cast<double>(found.coordinates[static_cast<std::size_t>(i * dim + c)]);
                const auto y = static_cast<double>(expected.coordinates[static_cast<std::size_t>(i * dim + c)]);
                xy += x * y, xx += x * x, yy += y * y;
            }
            EXPECT_GT(std::abs(xy) / std::sqrt(xx * yy), 0.98) << dim << ", " << c;
        }
        EXPECT_EQ(found.coordinates, spectral_start(cuda, graph::upload(cuda, graph), start, 1).coordinates);
    }
}

TEST(SpectralOnGpu, DegenerateGraphs) {
    DUNLIN_NEEDS_GPU();
    device::Cuda cuda{dunlin::Run{}};
    for (const Index n : {0, 1, 3, 600}) {
        Graph empty;
        empty.offsets.assign(static_cast<std::size_t>(n) + 1, 0);
        const Map start = random_start(n, 2, 1, 3);
        EXPECT_EQ(spectral_start(cuda, graph::upload(cuda, empty), start, 1).coordinates, start.coordinates);
    }
    const Graph star = agree::star(agree::size(9000));
    for (const float y :
         spectral_start(cuda, graph::upload(cuda, star), random_start(star.size(), 2, 1, 3), 1).coordinates)
        ASSERT_TRUE(std::isfinite(y));
}

}  // namespace
}  // namespace dunlin::initialization
