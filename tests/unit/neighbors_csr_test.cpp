// SPDX-License-Identifier: Apache-2.0
#include <dunlin/sparse.hpp>

#include <gtest/gtest.h>

#include <limits>

#include "cases/neighbors.hpp"
#include "refusal.hpp"
#include "sparse_rows.hpp"

namespace dunlin::neighbors {
namespace {

constexpr std::array metrics{Metric::euclidean, Metric::cosine, Metric::manhattan, Metric::correlation,
                             Metric::inner_product};

/// Signed numbers, more of them in the first columns.
Data signed_words(Index rows, Index cols) {
    return make(rows, cols, [&](Index r, Index c) {
        const auto draw = math::random_below(static_cast<std::uint64_t>(c / 3 + 2), 21, static_cast<std::uint64_t>(r),
                                             static_cast<std::uint64_t>(c));
        return draw == 0 ? normal(22, r, c) : 0.0F;
    });
}

void expect_exact_lists(const Data& data, Metric metric, Index k, bool ids_must_agree = false) {
    const SparseMatrix sparse = sparse_of(data.view());
    const Result found = search(view_of(sparse), {.k = k, .metric = metric});
    std::vector<Index> rows(static_cast<std::size_t>(data.rows));
    std::iota(rows.begin(), rows.end(), 0);
    expect_exact(data, metric, rows, found.graph, k, ids_must_agree);
    EXPECT_EQ(found.options.method, Method::exact);
    EXPECT_EQ(found.device, Device::cpu);
    EXPECT_EQ(found.recall, 1);
}

TEST(NeighborsCsr, EveryNumberOfRowsAgreesWithTheDefinition) {
    for (const Metric metric : metrics) {
        for (const Index rows : {1, 2, 3, 33, 300, 2049}) {
            SCOPED_TRACE(testing::Message() << name_of(metric) << ", " << rows << " rows");
            expect_exact_lists(signed_words(rows, rows > 1000 ? 60 : 500), metric, 10);
        }
    }
}

TEST(NeighborsCsr, FewColumnsAndDenseRows) {
    for (const Metric metric : metrics) {
        for (const Index cols : {1, 2, 5}) {
            SCOPED_TRACE(testing::Message() << name_of(metric) << ", " << cols << " columns");
            expect_exact_lists(gaussian(200, cols), metric, 7);
        }
    }
}

TEST(NeighborsCsr, RowsWithoutEntriesAndEqualRows) {
    Data data = signed_words(300, 500);
    for (const Index row : {3, 30, 31}) std::fill_n(data.values.begin() + Offset{500} * row, 500, 0.0F);
    for (const Index row : {7, 70})
        std::copy_n(data.values.begin() + Offset{500} * 200, 500, data.values.begin() + Offset{500} * row);
    for (const Metric metric : metrics) expect_exact_lists(data, metric, 299);
}

TEST(NeighborsCsr, AllRowsEqualOrEmpty) {
    for (const Metric metric : metrics) {
        expect_exact_lists(make(40, 300, [](Index, Index c) { return c % 50 == 0 ? 2.0F : 0.0F; }), metric, 5, true);
        expect_exact_lists(make(40, 300, [](Index, Index) { return 0.0F; }), metric, 5, true);
    }
}

TEST(NeighborsCsr, TheDenseSearchFindsTheSame) {
    const Matrix points = word_counts(700, 400);
    const SparseMatrix sparse = sparse_of(points.view());
    for (const Metric metric : {Metric::euclidean, Metric::manhattan, Metric::inner_product}) {
        const Graph dense = search(points.view(), {.k = 20, .metric = metric}).graph;
        const Graph found = search(view_of(sparse), {.k = 20, .metric = metric}).graph;
        EXPECT_EQ(found.targets, dense.targets) << name_of(metric);
        EXPECT_EQ(found.weights, dense.weights) << name_of(metric);  // counts: all keys are exact
    }
}

TEST(NeighborsCsr, StoredZerosChangeNothing) {
    const Matrix points = word_counts(120, 200);
    SparseMatrix all{120, 200, {0}, {}, {}};
    for (Index r = 0; r < 120; ++r) {
        for (Index c = 0; c < 200; ++c) {
            all.columns.push_back(c);
            all.values.push_back(points.view()(r, c) == 0 && c % 2 == 0 ? -0.0F : points.view()(r, c));
        }
        all.offsets.push_back(static_cast<Offset>(all.columns.size()));
    }
    std::copy_n(all.values.begin(), 200, all.values.begin() + 200);  // a copy of row 0
    const Matrix with_zeros = dense(view_of(all));
    const SparseMatrix some = sparse_of(with_zeros.view());
    for (const Metric metric : metrics) {
        const Graph a = search(view_of(all), {.k = 9, .metric = metric}).graph;
        const Graph b = search(view_of(some), {.k = 9, .metric = metric}).graph;
        EXPECT_EQ(a.targets, b.targets) << name_of(metric);
    }
}

TEST(NeighborsCsr, SameBytesForAnyNumberOfThreads) {
    const SparseMatrix sparse = sparse_of(signed_words(900, 700).view());
    for (const Metric metric : metrics) {
        const Graph one = search(view_of(sparse), {.k = 20, .metric = metric}, {.threads = 1}).graph;
        const Graph many = search(view_of(sparse), {.k = 20, .metric = metric}, {.threads = 3}).graph;
        EXPECT_EQ(one.targets, many.targets);
        EXPECT_EQ(one.weights, many.weights);
    }
}

TEST(NeighborsCsr, MalformedRowsAndWrongOptionsAreRefused) {
    const auto refused = [](const SparseMatrix& sparse, const char* words, const Options& options = {},
                            const dunlin::Run& run = {}) {
        const std::string sentence = refusal([&] { search(view_of(sparse), options, run); });
        EXPECT_NE(sentence.find(words), std::string::npos) << words << ": " << sentence;
    };
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    refused({0, 3, {0}, {}, {}}, "no rows");
    refused({2, 3, {0, 1}, {0}, {1}}, "need 3 offsets");
    refused({2, 3, {0, 1, 2}, {0}, {1}}, "ascend from 0");
    refused({2, 3, {0, 2, 1}, {0}, {1}}, "ascend from 0");
    refused({2, 3, {0, 1, 1}, {0}, {1, 2}}, "each value needs a column");
    refused({2, 3, {0, 0, 2}, {2, 1}, {1, 2}}, "sparse row 1 (counting from 0) are not ascending");
    refused({2, 3, {0, 0, 2}, {1, 1}, {1, 2}}, "add up duplicates");
    refused({2, 3, {0, 0, 1}, {3}, {1}}, "there are 3 columns");
    refused({2, 3, {0, 0, 1}, {-1}, {1}}, "column -1");
    for (const float bad : {nan, infinity, -infinity}) {
        for (const Metric metric : metrics) refused({2, 3, {0, 0, 1}, {1}, {bad}}, "row 1", {.metric = metric});
    }
    refused({2, 3, {0, 1, 2}, {1, 2}, {3e38F, 3e38F}}, "overflow float32");
    const SparseMatrix good{2, 3, {0, 0, 1}, {2}, {1}};
    refused(good, "use method exact", {.method = Method::approximate});
    refused(good, "k is 0", {.k = 0});
    refused(good, "computed on the CPU only", {}, {.device = Device::cuda});
    EXPECT_EQ(search(view_of(good), {.k = 5}).graph.edges(), 2);
}

TEST(NeighborsCsr, AStopGivesAnEmptyGraph) {
    const SparseMatrix sparse = sparse_of(word_counts(300, 300).view());
    std::stop_source source;
    source.request_stop();
    const Result result = search(view_of(sparse), {.k = 5}, {.stop = source.get_token()});
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_EQ(result.graph.size(), 0);
}

TEST(SparseRows, MostlyZero) {
    EXPECT_FALSE(mostly_zero(view_of(SparseMatrix{2, 160, {0, 0, 0}, {}, {}})));
    EXPECT_TRUE(mostly_zero(view_of(SparseMatrix{2, 161, {0, 0, 0}, {}, {}})));
    EXPECT_FALSE(mostly_zero(view_of(sparse_of(gaussian(3, 200).view()))));
}

TEST(SparseRows, DenseRowsAndTheirMemory) {
    const Data data = signed_words(17, 230);
    const SparseMatrix sparse = sparse_of(data.view());
    const Matrix again = dense(view_of(sparse));
    EXPECT_TRUE(std::equal(data.values.begin(), data.values.end(), again.view().data));
    EXPECT_THROW(static_cast<void>(dense(view_of(sparse), {.memory = 1000})), Error);
}

}  // namespace
}  // namespace dunlin::neighbors
