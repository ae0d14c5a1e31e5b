// SPDX-License-Identifier: Apache-2.0
#include <dunlin/sparse.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "initialization/initial_map.hpp"
#include "initialization/pca.hpp"
#include "refusal.hpp"
#include "sparse_rows.hpp"

namespace dunlin::tsne {
namespace {

/// Rows of `groups` topics: a third of the words of a row are those of its topic.
Matrix topics(Index rows, Index cols, Index groups) {
    std::vector<float> values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols), 0.0F);
    for (Index r = 0; r < rows; ++r) {
        for (int word = 0; word < 12; ++word) {
            const auto draw = [&](Index below, std::uint64_t what) {
                return static_cast<Index>(math::random_below(static_cast<std::uint64_t>(below), what,
                                                             static_cast<std::uint64_t>(r),
                                                             static_cast<std::uint64_t>(word)));
            };
            const Index own = r % groups * 10 + draw(10, 1);
            values[static_cast<std::size_t>(Offset{r} * cols + (word % 3 == 0 ? draw(cols, 2) : own))] += 1;
        }
    }
    return {rows, cols, std::move(values)};
}

/// The largest difference of coordinates, relative to the largest coordinate.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
    double most = 0, largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
        largest = std::max(largest, std::abs(static_cast<double>(b[i])));
    }
    return largest > 0 ? most / largest : most;
}

TEST(TsneSparse, PrincipalCoordinatesAreThoseOfDenseRows) {
    device::Cpu cpu(2);
    for (const auto& [rows, cols] : {std::pair<Index, Index>{300, 200}, {300, 700}, {40, 1200}, {2000, 513}}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << cols);
        const Matrix points = topics(rows, cols, 4);
        const SparseMatrix sparse = sparse_of(points.view());
        const auto found = initialization::principal_coordinates(cpu, view_of(sparse), 3);
        EXPECT_LT(difference(found, initialization::principal_coordinates(cpu, points.view(), 3)), 1e-3);
    }
}

TEST(TsneSparse, PrincipalCoordinatesOfVeryFewRowsOrColumns) {
    device::Cpu cpu(2);
    for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 300}, {2, 300}, {3, 2000}, {50, 1}, {50, 2}}) {
        const Matrix points = word_counts(rows, cols);
        const SparseMatrix sparse = sparse_of(points.view());
        const auto found = initialization::principal_coordinates(cpu, view_of(sparse), 2);
        ASSERT_EQ(found.size(), static_cast<std::size_t>(rows) * 2);
        EXPECT_LT(difference(found, initialization::principal_coordinates(cpu, points.view(), 2)), 1e-3);
    }
}

TEST(TsneSparse, EmbedsAsWellAsDenseRows) {
    const Matrix points = topics(400, 600, 5);
    const SparseMatrix sparse = sparse_of(points.view());
    const Options options{.perplexity = 15.0F, .metric = neighbors::Metric::cosine, .iterations = 400};
    const dunlin::Run run{.device = Device::cpu, .threads = 2};
    const Result found = embed(view_of(sparse), options, run), dense = embed(points.view(), options, run);
    EXPECT_NEAR(found.kl, dense.kl, 0.05 * dense.kl);
    EXPECT_EQ(found.map.size(), 400);
    EXPECT_EQ(found.options.k, dense.options.k);
    EXPECT_EQ(found.options.search, neighbors::Method::exact);
    EXPECT_EQ(found.engines.front().name, "exact");
}

TEST(TsneSparse, ReducedToComponents) {
    const SparseMatrix sparse = sparse_of(topics(300, 800, 5).view());
    const Options options{.perplexity = 10.0F, .pca = 20, .iterations = 60};
    const Result found = embed(view_of(sparse), options, {.device = Device::cpu, .threads = 2});
    EXPECT_EQ(found.options.pca, 20);
    for (const float x : found.map.coordinates) ASSERT_TRUE(std::isfinite(x));
}

TEST(TsneSparse, FewAndEqualRows) {
    for (const Index rows : {1, 2, 3, 5}) {
        const SparseMatrix sparse = sparse_of(word_counts(rows, 300).view());
        const Result found = embed(view_of(sparse), {.iterations = 30}, {.device = Device::cpu});
        ASSERT_EQ(found.map.size(), rows);
        for (const float x : found.map.coordinates) ASSERT_TRUE(std::isfinite(x));
    }
    const SparseMatrix zeros{50, 300, std::vector<Offset>(51, 0), {}, {}};
    const Result found = embed(view_of(zeros), {.iterations = 30}, {.device = Device::cpu});
    for (const float x : found.map.coordinates) ASSERT_TRUE(std::isfinite(x));
}

TEST(TsneSparse, SameBytesForAnyNumberOfThreads) {
    const SparseMatrix sparse = sparse_of(topics(300, 700, 3).view());
    const Options options{.perplexity = 10.0F, .iterations = 60};
    const Result one = embed(view_of(sparse), options, {.device = Device::cpu, .threads = 1});
    const Result many = embed(view_of(sparse), options, {.device = Device::cpu, .threads = 3});
    EXPECT_EQ(one.map.coordinates, many.map.coordinates);
}

TEST(TsneSparse, WrongInputIsRefused) {
    const auto refused = [](const SparseMatrix& sparse, const char* words, const Options& options = {}) {
        const std::string sentence = refusal([&] { embed(view_of(sparse), options, {.device = Device::cpu}); });
        EXPECT_NE(sentence.find(words), std::string::npos) << words << ": " << sentence;
    };
    refused({0, 3, {0}, {}, {}}, "at least one of each");
    refused({2, 3, {0, 0, 2}, {1, 1}, {1, 2}}, "not ascending");
    const SparseMatrix good = sparse_of(word_counts(50, 300).view());
    refused(good, "use method exact", {.search = neighbors::Method::approximate});
    refused(good, "says how alike", {.metric = neighbors::Metric::inner_product});
}

}  // namespace
}  // namespace dunlin::tsne
