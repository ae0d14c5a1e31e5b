// SPDX-License-Identifier: Apache-2.0
// Density clusters on the GPU: the same bytes as on the CPU.
#include <dunlin/clusters.hpp>

#include <cmath>
#include <limits>

#include "agree/agree.hpp"
#include "cases/maps.hpp"
#include "refusal.hpp"

namespace dunlin::clusters {
namespace {

constexpr dunlin::Device cpu = Device::cpu, gpu = Device::cuda;

/// Equal bits, or both NaN.
void expect_equal(const std::vector<double>& found, const std::vector<double>& expected, const char* what) {
    ASSERT_EQ(found.size(), expected.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i]))) continue;
        FAIL() << what << " of point " << i << ": " << found[i] << " on the GPU, " << expected[i] << " on the CPU";
    }
}

void expect_same(MatrixView<const float> points, const Options& options) {
    const Result expected = cluster(points, options, {.device = cpu});
    const Result found = cluster(points, options, {.device = gpu});
    EXPECT_EQ(found.device, gpu);
    EXPECT_EQ(found.exact, expected.exact);
    EXPECT_EQ(found.clusters, expected.clusters);
    EXPECT_EQ(found.labels, expected.labels);
    EXPECT_EQ(found.tree.home, expected.tree.home);
    EXPECT_EQ(found.tree.layers, expected.tree.layers);
    expect_equal(found.core, expected.core, "core distance");
    expect_equal(found.strengths, expected.strengths, "strength");
    expect_equal(found.outlier_scores, expected.outlier_scores, "outlier score");
    expect_equal(found.tree.leaves_at, expected.tree.leaves_at, "level");
    ASSERT_EQ(found.tree.groups.size(), expected.tree.groups.size());
    for (std::size_t g = 0; g < found.tree.groups.size(); ++g) {
        EXPECT_EQ(found.tree.groups[g].size, expected.tree.groups[g].size);
        EXPECT_EQ(found.tree.groups[g].stability, expected.tree.groups[g].stability);
    }
    ASSERT_EQ(found.linkage.size(), expected.linkage.size());
    for (std::size_t m = 0; m < found.linkage.size(); ++m) {
        const Merge &a = found.linkage[m], &b = expected.linkage[m];
        const bool equal = a.first == b.first && a.second == b.second && a.level == b.level && a.size == b.size;
        ASSERT_TRUE(equal) << "merge " << m;
    }
}

void expect_same(const std::vector<float>& values, int dim, const Options& options) {
    expect_same({values.data(), static_cast<Index>(values.size()) / dim, dim}, options);
}

TEST(CudaClusters, AreThoseOfTheCpuAtAllSizes) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {1, 2, 3, 4}) {
        for (const Index n : agree::sizes({1, 2, 3, 11, 12, 31, 32, 33, 257, 1000, 1500, 70001})) {
            SCOPED_TRACE(testing::Message() << n << " x " << dim);
            const std::vector<float> values = made::clusters(n, dim);
            expect_same(values, dim, {});
            for (const Index k : {1, 2, 11, 17, 40, 129}) {
                if (k <= n) expect_same(values, dim, {.min_size = 5, .min_samples = k});
            }
            if (n > 1500) continue;
            expect_same(values, dim, {.metric = neighbors::Metric::manhattan, .alpha = 0.7});
            expect_same(agree::scattered(n, dim, 10), dim, {.min_size = 2, .select = Selection::leaf});
        }
    }
}

TEST(CudaClusters, OfGridsWithTies) {
    DUNLIN_NEEDS_GPU();
    const int side = agree::only_small() ? 30 : 300;
    std::vector<float> grid, coarse = made::clusters(agree::size(50000), 3);
    for (int x = 0; x < side; ++x) {
        for (int y = 0; y < side; ++y) grid.insert(grid.end(), {static_cast<float>(x), static_cast<float>(y)});
    }
    expect_same(grid, 2, {});
    expect_same(grid, 2, {.min_samples = 1});
    for (float& x : coarse) x = std::round(x * 4) / 4;
    expect_same(coarse, 3, {});
}

TEST(CudaClusters, OfCopiesOutliersAndLines) {
    DUNLIN_NEEDS_GPU();
    expect_same(std::vector<float>(2 * static_cast<std::size_t>(agree::size(100000)), -3.25F), 2, {});
    expect_same(std::vector<float>(2 * static_cast<std::size_t>(agree::size(100000)), 1), 2, {.single = true});
    expect_same(made::copies_of_places(2, 50), 2, {});
    expect_same(made::cloud_of_copies(), 2, {});
    expect_same(made::with_outlier(2, 1e30F), 2, {});
    expect_same(made::with_outlier(3, 1e12F), 3, {});
    expect_same(made::line(), 2, {});
    expect_same(made::star_map(), 2, {});
    expect_same(made::dust(), 2, {});
}

TEST(CudaClusters, RowsThatAreNotFiniteTakeNoPart) {
    DUNLIN_NEEDS_GPU();
    std::vector<float> values = made::clusters(1000, 2);
    values[7] = std::numeric_limits<float>::quiet_NaN();
    values[900] = std::numeric_limits<float>::infinity();
    expect_same(values, 2, {});
    expect_same(std::vector<float>(20, std::numeric_limits<float>::infinity()), 2, {});
}

TEST(CudaClusters, OfAMillionPoints) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "large";
    const Map map = made::discs(1'000'000, 2, 100, made::sixty_discs);
    expect_same(map.view(), {.min_size = 50, .min_samples = 10});
}

TEST(CudaClusters, AStopGivesNoLabels) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> values = made::clusters(1000, 2);
    std::stop_source stop;
    dunlin::Run run = agree::on(gpu);
    run.stop = stop.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "spanning") stop.request_stop();
    };
    const Result result = cluster({values.data(), 1000, 2}, {}, run);
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_TRUE(result.labels.empty());
}

TEST(CudaClusters, RefusesWhatItCannotDo) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> values = made::clusters(1000, 4);
    const MatrixView<const float> few{values.data(), 1000, 4}, many{values.data(), 400, 10};
    EXPECT_NE(refusal(Fault::no_device, [&] { cluster(many, {}, agree::on(gpu)); }), "");
    EXPECT_NE(refusal(Fault::no_device, [&] { cluster(few, {.method = Method::graph}, agree::on(gpu)); }), "");
    EXPECT_NE(refusal(Fault::no_device, [&] { cluster(few, {.min_samples = 130}, agree::on(gpu)); }), "");
    dunlin::Run small = agree::on(gpu);
    small.memory = 10'000;
    EXPECT_NE(refusal(Fault::out_of_memory, [&] { cluster(few, {}, small); }), "");
}

}  // namespace
}  // namespace dunlin::clusters
