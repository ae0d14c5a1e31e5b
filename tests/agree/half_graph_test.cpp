// SPDX-License-Identifier: Apache-2.0
// Affinities in half precision: the graph, its forces and whole maps beside single precision.
#include "graph/half_graph.cuh"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <dunlin/tsne.hpp>

#include "agree/agree.hpp"
#include "agree/lists_of_gpus.hpp"
#include "cases/points.hpp"
#include "cases/result_bytes.hpp"
#include "cases/resumed.hpp"
#include "device/cpu.hpp"
#include "forces/attraction/attraction.cuh"
#include "graph/relabel.hpp"
#include "graph/symmetrize.hpp"
#include "scores/kl.cuh"

namespace dunlin::graph {
namespace {

constexpr double scale = 0.25;

/// DUNLIN_SMALL: lists of few vertices, and ranges of several edges, since racecheck takes a tenth of a second for each
/// launch.
Index most_vertices() { return agree::only_small() ? 100 : 1400; }

/// Lists of k distinct targets with weights from 0 to 1. The first vertex is in the lists of all others if `is_star`.
Graph some_lists(Index n, Index k, bool is_star = false) {
    constexpr std::uint64_t seed = 7;
    Graph lists{{0}, {}, {}};
    std::uint64_t draw = 0;
    for (Index v = 0; v < n; ++v) {
        std::set<Index> targets;
        if (is_star && v != 0) targets.insert(0);
        // Near ones, so that many edges have a reverse
        while (static_cast<Index>(targets.size()) < k) {
            const auto step = static_cast<Index>(
                math::random_below(static_cast<std::uint64_t>(std::min(3 * k, n - 1)), seed, draw++));
            targets.insert((v + 1 + step) % n);
        }
        for (const Index target : targets) {
            lists.targets.push_back(target);
            lists.weights.push_back(static_cast<float>(math::random_uniform(seed, draw++)));
        }
        lists.offsets.push_back(static_cast<Offset>(lists.targets.size()));
    }
    if (lists.weights.size() > 2) lists.weights[1] = 0, lists.weights[2] = 1;
    return lists;
}

/// The entries of a half graph, by row, in the order of the buffers; weights as kernels take them.
struct Entries {
    std::vector<std::vector<std::pair<Index, float>>> rows;
    std::vector<Index> reverse_targets;
    std::vector<Offset> reverse_offsets;
};
Entries entries_of(device::Cuda& cuda, const HalfGraph& graph) {
    Entries found{{}, cuda.host(graph.reverse_targets), cuda.host(graph.reverse_offsets)};
    const auto targets = cuda.host(graph.list_targets);
    const auto weights = cuda.host(graph.list_weights), reverse = cuda.host(graph.reverse_weights);
    const auto weight = [&](__half w) { return std::abs(__half2float(w)) * graph.unit; };
    for (Index v = 0; v < graph.size(); ++v) {
        auto& row = found.rows.emplace_back();
        for (Index e = v * graph.degree; e < (v + 1) * graph.degree; ++e)
            row.emplace_back(targets[std::size_t(e)], weight(weights[std::size_t(e)]));
        for (Offset e = found.reverse_offsets[std::size_t(v)]; e < found.reverse_offsets[std::size_t(v) + 1]; ++e)
            row.emplace_back(found.reverse_targets[std::size_t(e)], weight(reverse[std::size_t(e)]));
    }
    return found;
}

void expect_graph(const Entries& found, const Graph& expected) {
    ASSERT_EQ(static_cast<Index>(found.rows.size()), expected.size());
    for (std::size_t v = 0; v < found.rows.size(); ++v) {
        const std::map<Index, float> row(found.rows[v].begin(), found.rows[v].end());
        ASSERT_EQ(row.size(), found.rows[v].size()) << "a target twice in row " << v;
        ASSERT_EQ(static_cast<Offset>(row.size()), expected.offsets[v + 1] - expected.offsets[v]) << "row " << v;
        for (auto e = static_cast<std::size_t>(expected.offsets[v]);
             e < static_cast<std::size_t>(expected.offsets[v + 1]); ++e) {
            ASSERT_TRUE(row.contains(expected.targets[e])) << v << ' ' << expected.targets[e];
            // Each weight is rounded, and so is their sum
            ASSERT_NEAR(row.at(expected.targets[e]), expected.weights[e], 1e-3 * expected.weights[e] + 2e-10 * scale);
        }
        ASSERT_TRUE(std::is_sorted(found.reverse_targets.begin() + found.reverse_offsets[v],
                                   found.reverse_targets.begin() + found.reverse_offsets[v + 1]));
    }
}

TEST(HalfGraphOnGpu, IsTheSymmetricGraph) {
    DUNLIN_NEEDS_GPU();
    device::Cpu cpu(2);
    for (const auto& [n, k] :
         {std::pair<Index, Index>{2, 1}, {5, 4}, {33, 31}, {33, 32}, {100, 33}, {1000, 15}, {1400, 90}}) {
        SCOPED_TRACE(testing::Message() << n << " lists of " << k);
        if (n > most_vertices()) continue;
        for (const bool is_star : {false, true}) {
            const Graph lists = some_lists(n, k, is_star);
            const Graph expected = symmetrize(cpu, lists, lists.weights, ScaledSum{scale});
            Entries first;
            for (const Offset at_once : {Offset{1}, Offset{64}, Offset{1000}, edges_reversed_at_once}) {
                if (at_once < 64 && agree::only_small()) continue;
                device::Cuda cuda{dunlin::Run{}};
                const HalfGraph half = half_symmetrize(cuda, upload(cuda, lists), scale, at_once);
                const Entries found = entries_of(cuda, half);
                expect_graph(found, expected);
                if (first.rows.empty()) first = found;
                ASSERT_EQ(found.rows, first.rows) << "by ranges of " << at_once;
            }
        }
    }
}

TEST(HalfGraphOnGpu, OfNoEdgesIsEmpty) {
    DUNLIN_NEEDS_GPU();
    device::Cuda cuda{dunlin::Run{}};
    for (const Index n : {0, 1, 3}) {
        const Graph none{std::vector<Offset>(static_cast<std::size_t>(n) + 1, 0), {}, {}};
        const HalfGraph half = half_symmetrize(cuda, upload(cuda, none), scale);
        EXPECT_EQ(half.size(), n);
        EXPECT_EQ(half.view().edges, 0);
    }
}

TEST(HalfGraphOnGpu, ARelabeledGraphHasTheSameEntries) {
    DUNLIN_NEEDS_GPU();
    device::Cpu cpu(2);
    for (const auto& [n, k] : {std::pair<Index, Index>{2, 1}, {33, 16}, {100, 17}, {1400, 90}}) {
        SCOPED_TRACE(testing::Message() << n << " lists of " << k);
        if (n > most_vertices()) continue;
        const Graph lists = some_lists(n, k);
        std::vector<Index> order(static_cast<std::size_t>(n));
        for (Index v = 0; v < n; ++v) order[std::size_t(v)] = n - 1 - v;
        std::rotate(order.begin(), order.begin() + n / 3, order.end());
        const Graph expected = relabel(cpu, symmetrize(cpu, lists, lists.weights, ScaledSum{scale}), order);
        for (const Offset at_once : {Offset{50}, edges_reversed_at_once}) {
            device::Cuda cuda{dunlin::Run{}};
            HalfGraph half = half_symmetrize(cuda, upload(cuda, lists), scale);
            device::CudaBuffer<Index> on_gpu;
            cuda.upload(on_gpu, std::span<const Index>(order));
            relabel(cuda, half, on_gpu, at_once);
            expect_graph(entries_of(cuda, half), expected);
        }
    }
}

/// The half graph in single precision: the same numbers.
Graph widened(const Entries& half) {
    Graph graph{{0}, {}, {}};
    for (const auto& row : half.rows) {
        for (const auto& [target, weight] : row) graph.targets.push_back(target), graph.weights.push_back(weight);
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    return graph;
}

TEST(HalfGraphOnGpu, ForcesAndCostAreThoseOfItsNumbers) {
    DUNLIN_NEEDS_GPU();
    struct Case {
        Index n, k;
        bool is_star;
    };
    for (const auto& [n, k, is_star] :
         {Case{2, 1, false}, Case{100, 17, true}, Case{1000, 15, true}, Case{1400, 90, false}, Case{20000, 31, true}}) {
        if (n > most_vertices() && agree::only_small()) continue;
        for (const int dim : {2, 3}) {
            SCOPED_TRACE(testing::Message() << n << " lists of " << k << ", " << dim << "-D");
            device::Cuda cuda{dunlin::Run{}};
            const HalfGraph half = half_symmetrize(cuda, upload(cuda, some_lists(n, k, is_star)), 1.0 / (2.0 * n));
            const DeviceGraph wide = upload(cuda, widened(entries_of(cuda, half)));
            device::CudaBuffer<float> at, found, expected;
            cuda.upload(at, agree::scattered(n, dim, 50));
            cuda.fill(found, at.size(), NAN);
            cuda.fill(expected, at.size(), NAN);
            const MatrixView<const float> y{at.data(), n, dim};
            const device::Slice all{0, n};
            const forces::StudentT law;
            forces::attract(cuda, law, half, y, {found.data(), n, dim}, all);
            forces::attract(cuda, law, wide, y, {expected.data(), n, dim}, all);
            EXPECT_LT(agree::relative_error(cuda.host(found), cuda.host(expected)), is_star ? 1e-3 : 2e-5);
            const auto kl = scores::kl_on_device(cuda, law, half, y), same = scores::kl_on_device(cuda, law, wide, y);
            EXPECT_NEAR(kl.value, same.value, 1e-5 * std::abs(same.value));
        }
    }
}

}  // namespace
}  // namespace dunlin::graph

namespace dunlin::tsne {
namespace {

using cases::bytes_of;

Options in(Precision precision, Index perplexity, int iterations) {
    return {.perplexity = static_cast<float>(perplexity),
            .affinity_precision = precision,
            .iterations = iterations,
            .exaggerated_iterations = iterations / 3};
}

TEST(HalfPrecisionOnGpu, MapsAreAsGood) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({60, 1500, 60000})) {  // 50,000 are put in another order
        SCOPED_TRACE(n);
        const made::Points x = made::gaussians(n, 8, 5);
        const Index perplexity = n < 100 ? 10 : 30;
        const Result half = embed(x.view(), in(Precision::half, perplexity, 400), agree::on(Device::cuda));
        const Result again = embed(x.view(), in(Precision::half, perplexity, 400), agree::on(Device::cuda));
        const Result single = embed(x.view(), in(Precision::single, perplexity, 400), agree::on(Device::cuda));
        EXPECT_EQ(half.options.affinity_precision, Precision::half);
        EXPECT_EQ(bytes_of(half), bytes_of(again));
        EXPECT_NEAR(half.kl, single.kl, 0.03 * single.kl);
    }
}

TEST(HalfPrecisionOnGpu, WeightsOfPointsAreShares) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(3000);
    const made::Points x = made::gaussians(n, 8, 5);
    std::vector<float> weights;
    for (Index i = 0; i < n; ++i) weights.push_back(static_cast<float>(0.5 + i % 7));
    const Given given{.point_weights = weights};
    const Result half = embed(x.view(), in(Precision::half, 20, 300), agree::on(Device::cuda), given);
    const Result single = embed(x.view(), in(Precision::single, 20, 300), agree::on(Device::cuda), given);
    EXPECT_NEAR(half.kl, single.kl, 0.03 * single.kl);
}

TEST(HalfPrecisionOnGpu, OfFewPoints) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : {1, 2, 3}) {
        const made::Points x = made::gaussians(n, 4, 5);
        const Options options{.affinity_precision = Precision::half, .iterations = 20};
        const auto half = embed(x.view(), options, agree::on(Device::cuda));
        EXPECT_EQ(half.map.size(), n);
        for (const float place : half.map.coordinates) EXPECT_TRUE(std::isfinite(place));
    }
}

TEST(HalfPrecisionRanksOnGpu, HaveTheBytesOfOneGpu) {
    DUNLIN_NEEDS_GPU();
    const made::Points x = made::gaussians(agree::size(60000), 8, 5);
    const Options options = in(Precision::half, 10, 120);
    const auto expected = bytes_of(embed(x.view(), options, agree::on(Device::cuda)));
    for (const auto& gpus : agree::lists_of_gpus())
        EXPECT_EQ(bytes_of(embed(x.view(), options, agree::on_gpus(gpus))), expected) << agree::name_of(gpus);
}

class ResumedHalfPrecisionOnGpu : public cases::Resumed {};

TEST_F(ResumedHalfPrecisionOnGpu, HasTheBytesOfAWholeRun) {
    DUNLIN_NEEDS_GPU();
    const made::Points x = made::gaussians(agree::size(60000), 6, 5);
    const Options options = in(Precision::half, 8, 90);
    expect_resumed([&](const Run& run) { return bytes_of(embed(x.view(), options, run)); }, agree::on(Device::cuda));
}

}  // namespace
}  // namespace dunlin::tsne
