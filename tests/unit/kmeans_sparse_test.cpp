// SPDX-License-Identifier: Apache-2.0
#include <dunlin/sparse.hpp>

#include <gtest/gtest.h>

#include <limits>

#include "cases/kmeans.hpp"
#include "refusal.hpp"
#include "sparse_rows.hpp"

namespace dunlin::kmeans {
namespace {

constexpr std::array metrics{Metric::euclidean, Metric::cosine};
constexpr std::array starts{Start::plusplus, Start::parallel, Start::random};

void expect_like_dense(const Matrix& points, const Options& options, const Given& given = {}) {
    const SparseMatrix sparse = sparse_of(points.view());
    const Result found = cluster(view_of(sparse), options, {.threads = 2}, given);
    const Result dense = cluster(points.view(), options, {.device = Device::cpu, .threads = 2}, given);
    EXPECT_EQ(found.labels, dense.labels);
    EXPECT_EQ(found.counts, dense.counts);
    EXPECT_EQ(found.iterations, dense.iterations);
    EXPECT_EQ(values_of(found.centroids), values_of(dense.centroids));
    EXPECT_NEAR(found.inertia, dense.inertia, 1e-9 * dense.inertia + 1e-12);
}

TEST(KmeansSparse, GivenCentroidsLeadToTheClustersOfDenseRows) {
    for (const Metric metric : metrics) {
        for (const Index rows : {1, 2, 65, 700}) {
            for (const Index cols : {1, 5, 300}) {
                const Index clusters = std::min<Index>(rows, 7);
                SCOPED_TRACE(testing::Message() << name_of(metric) << ", " << rows << " x " << cols);
                const Matrix points = word_counts(rows, cols);
                const Given given{{points.view().data, clusters, cols}};
                expect_like_dense(points, {.clusters = clusters, .metric = metric, .tolerance = 0}, given);
            }
        }
    }
}

TEST(KmeansSparse, WeightsCountAsCopies) {
    const Matrix points = word_counts(400, 210);
    std::vector<float> weights;
    for (Index r = 0; r < 400; ++r) weights.push_back(static_cast<float>(r % 4));
    const Given given{{points.view().data, 6, 210}, weights};
    for (const Metric metric : metrics) expect_like_dense(points, {.clusters = 6, .metric = metric}, given);
}

TEST(KmeansSparse, StartsFromWholeNumbersAreThoseOfDenseRows) {
    // Counts: all distances are exact in float32 too
    for (const Start start : starts)
        expect_like_dense(word_counts(500, 200), {.clusters = 9, .start = start, .tolerance = 0});
}

TEST(KmeansSparse, CosineStartsFindAsGoodClusters) {
    const Matrix points = word_counts(600, 250);
    const SparseMatrix sparse = sparse_of(points.view());
    for (const Start start : starts) {
        const Options options{.clusters = 8, .metric = Metric::cosine, .start = start, .restarts = 5};
        const Result found = cluster(view_of(sparse), options), dense = cluster(points.view(), options);
        EXPECT_NEAR(found.inertia, dense.inertia, 0.02 * dense.inertia);
    }
}

TEST(KmeansSparse, EqualAndEmptyRows) {
    std::vector<float> values(Offset{90} * 170, 0.0F);
    for (Index r = 0; r < 60; ++r) values[static_cast<std::size_t>(Offset{r} * 170 + r % 3 * 50)] = 2;
    const Matrix points(90, 170, values);
    for (const Index clusters : {1, 3, 4, 6}) {
        const SparseMatrix sparse = sparse_of(points.view());
        const Result found = cluster(view_of(sparse), {.clusters = clusters, .restarts = 5});
        if (clusters >= 4) {
            EXPECT_EQ(found.inertia, 0);
        }
        EXPECT_EQ(found.labels.size(), 90U);
    }
    const Matrix zeros(20, 170, std::vector<float>(Offset{20} * 170, 0.0F));
    for (const Metric metric : metrics) expect_like_dense(zeros, {.clusters = 3, .metric = metric});
}

TEST(KmeansSparse, EmptyClustersTakeTheFarthestRows) {
    const Matrix points = word_counts(80, 180);
    std::vector<float> same;
    for (int k = 0; k < 5; ++k) same.insert(same.end(), points.view().data, points.view().data + 180);
    expect_like_dense(points, {.clusters = 5, .tolerance = 0}, Given{{same.data(), 5, 180}});
}

TEST(KmeansSparse, SameBytesForAnyNumberOfThreads) {
    const SparseMatrix sparse = sparse_of(word_counts(900, 400).view());
    for (const Start start : starts) {
        for (const Metric metric : metrics) {
            const Options options{.clusters = 11, .metric = metric, .start = start, .stop = Rule::inertia};
            const Result one = cluster(view_of(sparse), options, {.threads = 1});
            const Result many = cluster(view_of(sparse), options, {.threads = 3});
            EXPECT_EQ(one.labels, many.labels);
            EXPECT_EQ(values_of(one.centroids), values_of(many.centroids));
            EXPECT_EQ(one.inertia, many.inertia);
        }
    }
}

TEST(KmeansSparse, AssignsAsDenseRowsDo) {
    const Matrix points = word_counts(300, 220), centers = word_counts(12, 220, 5);
    const SparseMatrix sparse = sparse_of(points.view());
    for (const Metric metric : metrics) {
        const Assignment found = assign(view_of(sparse), centers.view(), metric);
        const Assignment dense = assign(points.view(), centers.view(), metric, {.device = Device::cpu});
        EXPECT_EQ(found.labels, dense.labels);
        EXPECT_EQ(found.counts, dense.counts);
        EXPECT_NEAR(found.inertia, dense.inertia, 1e-9 * dense.inertia);
    }
}

TEST(KmeansSparse, WrongInputIsRefused) {
    const auto refused = [](const SparseMatrix& sparse, const char* words, const Options& options,
                            const dunlin::Run& run = {}) {
        const std::string sentence = refusal([&] { cluster(view_of(sparse), options, run); });
        EXPECT_NE(sentence.find(words), std::string::npos) << words << ": " << sentence;
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    refused({0, 3, {0}, {}, {}}, "at least one row", {.clusters = 1});
    refused({2, 3, {0, 0, 2}, {2, 1}, {1, 2}}, "not ascending", {.clusters = 1});
    for (const Metric metric : metrics) {
        for (const float bad : {nan, 2e15F, -std::numeric_limits<float>::infinity()})
            refused({2, 3, {0, 0, 1}, {1}, {bad}}, "row 1 has", {.clusters = 1, .metric = metric});
    }
    const SparseMatrix good{2, 3, {0, 0, 1}, {2}, {1}};
    refused(good, "at most that", {.clusters = 3});
    refused(good, "use method lloyd", {.clusters = 1, .method = Method::sequential});
    refused(good, "computed on the CPU only", {.clusters = 1}, {.device = Device::cuda});
}

TEST(KmeansSparse, AStopBeforeTheStartGivesNoLabels) {
    const SparseMatrix sparse = sparse_of(word_counts(300, 300).view());
    std::stop_source source;
    source.request_stop();
    const Result result = cluster(view_of(sparse), {.clusters = 5}, {.stop = source.get_token()});
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_TRUE(result.labels.empty());
}

}  // namespace
}  // namespace dunlin::kmeans
