// SPDX-License-Identifier: Apache-2.0
// Forces in maps of more than 3 dimensions on a GPU compared with a CPU.
#include "agree/agree.hpp"
#include "forces/attraction/attraction.cuh"
#include "forces/sampled/sampled.cuh"
#include "forces/width.hpp"

namespace dunlin::forces {
namespace {

/// Rows of `dim` numbers at their width.
struct PaddedRows {
    int width;
    std::vector<float> values;
    [[nodiscard]] MatrixView<const float> view() const {
        return {values.data(), static_cast<Index>(values.size() / static_cast<std::size_t>(width)), width};
    }
};
PaddedRows some_rows(device::Cpu& cpu, Index n, int dim) {
    return {width_of(dim), at_width(cpu, agree::scattered(n, dim, 4), dim)};
}

/// What work(executor, places, force) writes on each device.
template <class Work>
void expect_equal(device::Cpu& cpu, device::Cuda& cuda, const PaddedRows& y, const Work& work) {
    const MatrixView<const float> here = y.view();
    std::vector<float> expected(y.values.size(), -1.0F);
    work(cpu, here, MatrixView<float>{expected.data(), here.rows, here.cols});
    device::CudaBuffer<float> there, force;
    cuda.upload(there, y.values);
    cuda.upload(force, std::vector<float>(y.values.size(), -1.0F));
    work(cuda, MatrixView<const float>{there.data(), here.rows, here.cols},
         MatrixView<float>{force.data(), here.rows, here.cols});
    EXPECT_LT(agree::relative_error(cuda.host(force), expected), 1e-4);
}

template <class Law>
void expect_equal_repulsion(Index n, int dim) {
    SCOPED_TRACE(testing::Message() << n << " points, " << dim << "-D");
    device::Cpu cpu(2);
    device::Cuda cuda{dunlin::Run{}};
    const PaddedRows y = some_rows(cpu, n, dim);
    const Law law;
    const std::uint64_t stream = Draws::stream_of(3, 12);
    device::CudaCell<std::uint64_t> cell;
    cuda.set(cell, stream);
    expect_equal(cpu, cuda, y, [&](auto& exec, MatrixView<const float> at, MatrixView<float> force) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(exec)>, device::Cpu>) {
            repel_drawn(exec, law, {stream, n, 33}, at, force);
        } else {
            repel_drawn(exec, law, exec.address(cell), 33, at, force, {0, n});
        }
    });
    expect_equal(cpu, cuda, y, [&](auto& exec, MatrixView<const float> at, MatrixView<float> force) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(exec)>, device::Cpu>) {
            repel_all(exec, law, at, force);
        } else {
            repel_all(exec, law, at, force, {0, n});
        }
    });

    device::CudaBuffer<float> there;
    cuda.upload(there, y.values);
    std::vector<Index> rows;
    for (Index i = 0; i < n; i += 1 + n / 9) rows.push_back(i);
    device::CudaBuffer<Index> judged;
    cuda.upload(judged, rows);
    const device::CudaBuffer<double> potentials(rows.size(), cuda.stream());
    potentials_wide(cuda, law, {there.data(), n, y.width}, judged.data(), static_cast<Index>(rows.size()),
                    potentials.data());
    const std::vector<double> found = cuda.host(potentials);
    const auto own = static_cast<double>(potential_of(law, 0.0F));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const double expected = potential_of_all(law, y.view(), y.view().row(rows[r]).data()) - own;
        EXPECT_NEAR(found[r], expected, 1e-5 * n);
    }
}

TEST(WideForcesOnGpu, RepulsionIsTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {4, 5, 16, 20, 64}) {
        for (const Index n : {0, 1, 2, 31, 32, 33, 1000}) {
            expect_equal_repulsion<Fuzzy>(n, dim);
            expect_equal_repulsion<FurtherPairs>(n, dim);
        }
    }
}

template <class Law>
void expect_equal_attraction(const Graph& graph, int dim) {
    const Index n = graph.size();
    SCOPED_TRACE(testing::Message() << n << " points, " << dim << "-D");
    device::Cpu cpu(2);
    device::Cuda cuda{dunlin::Run{}};
    const PaddedRows y = some_rows(cpu, n, dim);
    const graph::DeviceGraph uploaded = graph::upload(cuda, graph);
    const Law law;
    expect_equal(cpu, cuda, y, [&](auto& exec, MatrixView<const float> at, MatrixView<float> force) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(exec)>, device::Cpu>) {
            attract(exec, law, graph, at, force, {0, n});
        } else {
            attract(exec, law, uploaded, at, force, {0, n});
        }
    });
    device::CudaBuffer<float> there;
    cuda.upload(there, y.values);
    device::Cell<double> expected;
    device::CudaCell<double> found;
    attract_cost(cpu, law, graph, y.view(), expected);
    attract_cost(cuda, law, uploaded, {there.data(), n, y.width}, found);
    EXPECT_NEAR(cuda.read(found), expected.value, 1e-5 * std::abs(expected.value) + 1e-6);
}

TEST(WideForcesOnGpu, AttractionIsTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {4, 5, 16, 20, 64}) {
        for (const Index n : {1, 2, 31, 33, 1000}) {
            expect_equal_attraction<Fuzzy>(agree::some_graph(n, 8), dim);
            expect_equal_attraction<PairLoss>(agree::some_graph(n, 8), dim);
        }
    }
    if (agree::only_small()) return;
    expect_equal_attraction<Fuzzy>(agree::star(70001), 5);
}

}  // namespace
}  // namespace dunlin::forces
