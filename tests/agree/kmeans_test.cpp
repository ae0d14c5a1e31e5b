// SPDX-License-Identifier: Apache-2.0
#include <dunlin/kmeans.hpp>

#include <cmath>

#include <dunlin/error.hpp>

#include "agree.hpp"
#include "cases/kmeans.hpp"

namespace dunlin::kmeans {
namespace {

void expect_same(const Result& a, const Result& b, const std::string& what) {
    EXPECT_EQ(a.labels, b.labels) << what;
    EXPECT_EQ(values_of(a.centroids), values_of(b.centroids)) << what;
    EXPECT_EQ(a.counts, b.counts) << what;
    EXPECT_EQ(a.iterations, b.iterations) << what;
    EXPECT_EQ(a.stopped, b.stopped) << what;
    EXPECT_EQ(a.inertia, b.inertia) << what;  // the same bytes: both sum by the tree of math/ordered_sum.hpp
}

void expect_devices_agree(const std::vector<float>& points, Index cols, const Options& options,
                          const std::vector<float>& weights = {}) {
    const Result cpu = cluster(view(points, cols), options, {.device = Device::cpu}, {.weights = weights});
    const Result gpu = cluster(view(points, cols), options, {.device = Device::cuda}, {.weights = weights});
    EXPECT_EQ(gpu.device, Device::cuda);
    expect_same(cpu, gpu,
                std::to_string(cpu.labels.size()) + " x " + std::to_string(cols) + ", " +
                    std::to_string(options.clusters) + " clusters");
}

int few_iterations(int iterations) { return agree::only_small() ? 2 : iterations; }

TEST(CudaKmeans, FewColumnsHaveTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {1, 2, 3, 4}) {
        for (const Index n : agree::sizes({1, 2, 31, 32, 33, 1000, 70001})) {
            for (const Index k : {1, 2, 7, 128}) {
                if (k > n) continue;
                expect_devices_agree(blobs_of(n, cols, 6), cols, {.clusters = k, .iterations = few_iterations(30)});
            }
        }
    }
}

/// In data without clusters labels change for many iterations. Rows whose Hamerly bound has not expired are not read.
/// The iterations take several launches.
TEST(CudaKmeans, RowsThatAreNotReadHaveTheCpusLabels) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {1, 2, 3, 4}) {
        for (const Index k : {3, 16, 100}) {
            const Index n = agree::only_small() ? 5000 : 300001;
            expect_devices_agree(blobs_of(n, cols, 1), cols,
                                 {.clusters = k, .iterations = few_iterations(60), .stop = Rule::never});
        }
    }
    expect_devices_agree(blobs_of(10001, 2, 1), 2, {.clusters = 9, .iterations = 450, .stop = Rule::never});
}

/// Rounding of the bound: squares that underflow in float32 or are very large, and differences that cancel.
TEST(CudaKmeans, RowsOfAnyScaleThatAreNotReadHaveTheCpusLabels) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {1, 4}) {
        for (const float scale : {1e-16F, 1e-13F, 1e12F}) {
            std::vector<float> points = blobs_of(20001, cols, 1);
            for (float& value : points) value *= scale;
            expect_devices_agree(points, cols, {.clusters = 12, .iterations = few_iterations(40), .stop = Rule::never});
        }
        expect_devices_agree(blobs_of(20001, cols, 1, 1, 1e4F), cols,
                             {.clusters = 12, .iterations = few_iterations(40), .stop = Rule::never});
    }
}

/// More rows than the resident blocks process in one pass over their range.
TEST(CudaKmeans, TwentyMillionRowsHaveTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "a small case cannot show this";
    expect_devices_agree(blobs_of(20000003, 1, 3), 1,
                         {.clusters = 4, .start = Start::random, .iterations = 12, .stop = Rule::never});
}

TEST(CudaKmeans, ManyColumnsHaveTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {5, 63, 64, 65, 130, 300}) {
        for (const Index n : agree::sizes({1, 31, 32, 33, 1000, 7001})) {
            for (const Index k : {1, 2, 128, 129, 500}) {
                if (agree::only_small() && n * k > 33000) continue;
                if (k > n) continue;
                expect_devices_agree(blobs_of(n, cols, 6), cols,
                                     {.clusters = k, .start = Start::random, .iterations = few_iterations(6)});
            }
        }
    }
}

/// Several tiles of centroids, whose scores are compared with limits of rows, and blocks with several tiles of rows.
TEST(CudaKmeans, ManyClustersHaveTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {20, 100}) {
        const Index n = agree::only_small() ? 800 : 140'000 / cols * 10;
        expect_devices_agree(blobs_of(n, cols, 900), cols,
                             {.clusters = 700, .start = Start::random, .iterations = few_iterations(4)});
    }
}

TEST(CudaKmeans, ManyColumnsFarFromZeroAndWithOutliers) {
    DUNLIN_NEEDS_GPU();
    auto points = blobs_of(20000, 20, 30);
    for (float& value : points) value += 10000;
    const Options options{.clusters = 150, .start = Start::random, .iterations = 6};
    expect_devices_agree(points, 20, options);
    points[77] = 1e9F;
    points[20 * 1000 + 3] = -1e7F;
    expect_devices_agree(points, 20, options);
}

TEST(CudaKmeans, ManyCoincidentRows) {
    DUNLIN_NEEDS_GPU();
    auto points = blobs_of(300, 10, 30);
    const auto once = points;
    for (int i = 1; i < (agree::only_small() ? 3 : 21); ++i) points.insert(points.end(), once.begin(), once.end());
    expect_devices_agree(points, 10, {.clusters = 200, .start = Start::random, .iterations = few_iterations(10)});
}

/// More columns than the Hopper kernel takes, rows that half precision cannot distinguish, one distant row.
TEST(CudaKmeans, ThousandsOfColumns) {
    DUNLIN_NEEDS_GPU();
    const Index cols = 3000;
    auto points = blobs_of(500, cols, 1);
    for (Index c = 0; c < cols; ++c) points[static_cast<std::size_t>(7 * cols + c)] += 50;
    expect_devices_agree(points, cols, {.clusters = 40, .start = Start::random, .iterations = few_iterations(6)});
}

/// Scores of distant centroids overflow in half precision.
TEST(CudaKmeans, CentroidsFarOutsideTheData) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {5, 20, 300}) {
        for (const Index far : {1, 3, 30}) {
            for (const float times : {100.0F, 1e12F}) {
                const auto points = blobs_of(384, cols, 7);
                auto centroids = blobs_of(40, cols, 7, 3);
                for (Index i = 0; i < far * cols; ++i) centroids[static_cast<std::size_t>(i)] *= times;
                const auto assigned = [&](Device device) {
                    return assign(view(points, cols), view(centroids, cols), Metric::euclidean, {.device = device});
                };
                const Assignment cpu = assigned(Device::cpu), gpu = assigned(Device::cuda);
                EXPECT_EQ(cpu.labels, gpu.labels) << cols << " columns, " << far << " of them " << times;
            }
        }
    }
}

class CudaKmeansRules : public testing::TestWithParam<Index> {};

TEST_P(CudaKmeansRules, MetricsAndWeights) {
    DUNLIN_NEEDS_GPU();
    const Index cols = GetParam();
    const Index rows = agree::only_small() ? 1011 : 20011;
    const auto points = blobs_of(rows, cols, 9);
    std::vector<float> weights;
    for (Index r = 0; r < rows; ++r) weights.push_back(static_cast<float>(r % 5) * 0.3F);
    for (const Rule rule : {Rule::shift, Rule::inertia, Rule::never}) {
        for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
            const Options options{.clusters = 9, .metric = metric, .iterations = few_iterations(25), .stop = rule};
            expect_devices_agree(points, cols, options);
            expect_devices_agree(points, cols, options, weights);
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Columns, CudaKmeansRules, testing::Values(3, 40));

TEST(CudaKmeans, EmptyClustersAreFilled) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {2, 6}) {
        const auto points = blobs_of(agree::size(5000), cols, 4);
        std::vector<float> from(points.begin(), points.begin() + cols * 6);
        for (std::size_t i = static_cast<std::size_t>(2 * cols); i < from.size(); ++i) {
            from[i] = 1000.0F + static_cast<float>(i);
        }
        const Given given{.centroids = view(from, cols)};
        const Options options{.clusters = 6, .iterations = few_iterations(100)};
        const Result cpu = cluster(view(points, cols), options, {.device = Device::cpu}, given);
        const Result gpu = cluster(view(points, cols), options, {.device = Device::cuda}, given);
        expect_same(cpu, gpu, std::to_string(cols) + " columns");
        for (const Offset count : gpu.counts) EXPECT_GT(count, 0);
    }
}

TEST(CudaKmeans, CoincidentPoints) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> points(2000, 3.0F);
    expect_devices_agree(points, 2, {.clusters = 3});
}

TEST(CudaKmeans, ManyPointsInOneClusterAreAddedExactly) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> points(40'000'000, 0.3F);
    const Result gpu = cluster(view(points, 1), {.clusters = 1}, {.device = Device::cuda});
    EXPECT_EQ(values_of(gpu.centroids), std::vector<float>{0.3F});
    EXPECT_EQ(gpu.counts, std::vector<Offset>{40'000'000});
}

/// Memory for an eighth of 40,000 x 20 points, and for a third of 3,000 points.
constexpr std::uint64_t little = 6'000'000, least = 1'000'000;

TEST(CudaKmeans, PiecesHaveTheBitsOfTheWhole) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {2, 20}) {
        const Index rows = agree::only_small() ? 3000 : cols == 2 ? 70'000 : 40'000;
        const std::uint64_t memory = agree::only_small() ? least : little;
        const auto points = blobs_of(rows, cols, 30);
        std::vector<float> weights;
        for (Index r = 0; r < rows; ++r) weights.push_back(static_cast<float>(r % 5) * 0.3F);
        for (const Rule rule : {Rule::shift, Rule::inertia}) {
            for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
                const Options options{.clusters = 40,
                                      .metric = metric,
                                      .start = Start::random,
                                      .iterations = few_iterations(6),
                                      .stop = rule};
                const dunlin::Run whole{.device = Device::cuda}, pieces{.device = Device::cuda, .memory = memory};
                const Given given{.weights = weights};
                const Result a = cluster(view(points, cols), options, whole, given);
                const Result b = cluster(view(points, cols), options, pieces, given);
                expect_same(a, b, "pieces of " + std::to_string(cols) + " columns");
                EXPECT_EQ(a.inertia, b.inertia);
                EXPECT_LE(b.gpu_memory, memory);
            }
        }
    }
}

/// k-means|| draws more candidates than there are clusters.
TEST(CudaKmeans, AStartKeepsToItsMemory) {
    DUNLIN_NEEDS_GPU();
    const auto points = blobs_of(2000, 1024, 30);
    const Options options{.clusters = 500, .start = Start::parallel, .iterations = 1};
    for (const std::uint64_t memory : std::initializer_list<std::uint64_t>{36'000'000, 48'000'000, 80'000'000}) {
        const Result result = cluster(view(points, 1024), options, {.device = Device::cuda, .memory = memory});
        EXPECT_LE(result.gpu_memory, memory);
    }
}

TEST(CudaKmeans, TooLittleMemoryIsAnError) {
    DUNLIN_NEEDS_GPU();
    const auto points = blobs_of(40'000, 20, 30);
    try {
        cluster(view(points, 20), {.clusters = 40}, {.device = Device::cuda, .memory = 100'000});
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::out_of_memory);
    }
}

TEST(CudaKmeans, AssignsNewPoints) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {2, 20}) {
        for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
            const auto points = blobs_of(40'001, cols, 30), centroids = blobs_of(50, cols, 30, 7);
            const auto assigned = [&](const dunlin::Run& run) {
                return assign(view(points, cols), view(centroids, cols), metric, run);
            };
            const Assignment cpu = assigned({.device = Device::cpu});
            for (const std::uint64_t memory : {std::uint64_t{0}, little}) {
                const Assignment gpu = assigned({.device = Device::cuda, .memory = memory});
                EXPECT_EQ(cpu.labels, gpu.labels);
                EXPECT_EQ(cpu.counts, gpu.counts);
                EXPECT_EQ(cpu.inertia, gpu.inertia);
            }
        }
    }
}

TEST(CudaKmeans, RestartsHaveTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {2, 20}) {
        expect_devices_agree(blobs_of(5000, cols, 9), cols, {.clusters = 9, .start = Start::random, .restarts = 4});
    }
}

TEST(CudaKmeans, StartsHaveTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {2, 33, 130}) {
        for (const Index n : agree::sizes({1, 2, 33, 1000, 1025, 20011})) {
            const auto points = blobs_of(n, cols, 7);
            std::vector<float> weights;
            for (Index r = 0; r < n; ++r) weights.push_back(static_cast<float>(1 + r % 5) * 0.3F);
            for (const Start start : {Start::plusplus, Start::parallel, Start::random}) {
                for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
                    const Options options{
                        .clusters = std::min<Index>(n, 60), .metric = metric, .start = start, .iterations = 0};
                    expect_devices_agree(points, cols, options);
                    expect_devices_agree(points, cols, options, weights);
                }
            }
        }
    }
}

TEST(CudaKmeans, StartsAmongCoincidentRows) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> points(6000, 3.0F);
    for (const Start start : {Start::plusplus, Start::parallel}) {
        expect_devices_agree(points, 6, {.clusters = 4, .start = start, .iterations = 0});
    }
}

TEST(CudaKmeans, ARunOnTheCpuReportsNoGpuMemoryAfterOneOnAGpu) {
    DUNLIN_NEEDS_GPU();
    const auto points = blobs_of(5000, 3, 5);
    const Options options{.clusters = 5, .iterations = 3};
    EXPECT_GT(cluster(view(points, 3), options, {.device = Device::cuda}).gpu_memory, 0U);
    EXPECT_EQ(cluster(view(points, 3), options, {.device = Device::cpu}).gpu_memory, 0U);
}

TEST(CudaKmeans, SameBytesTwice) {
    DUNLIN_NEEDS_GPU();
    const auto points = blobs_of(70001, 2, 12);
    const Options options{.clusters = 12, .iterations = 40, .stop = Rule::inertia, .tolerance = 0.0};
    const Result a = cluster(view(points, 2), options, {.device = Device::cuda});
    const Result b = cluster(view(points, 2), options, {.device = Device::cuda});
    expect_same(a, b, "twice");
    EXPECT_EQ(a.inertia, b.inertia);
}

}  // namespace
}  // namespace dunlin::kmeans
