// SPDX-License-Identifier: Apache-2.0
#include <dunlin/neighbors.hpp>
#include <dunlin/sparse.hpp>

#include "cases/points.hpp"
#include "cases/resumed.hpp"
#include "math/at.hpp"
#include "refusal.hpp"
#include "sparse_rows.hpp"

namespace dunlin::neighbors {
namespace {

using cases::bytes_of;

std::vector<float> blobs(Index n, Index cols) {
    std::vector<float> x(at(Offset{n} * cols));
    for (Index i = 0; i < n; ++i) made::blob(i, cols, x.data() + Offset{i} * cols, 12);
    for (Index i = 0; i < n / 10; ++i)  // copies
        std::copy_n(x.begin() + Offset{i} * cols, cols, x.begin() + Offset{n - 1 - i} * cols);
    return x;
}

class ResumedSearch : public cases::Resumed {};

TEST_F(ResumedSearch, OfEveryStrategy) {
    struct Case {
        Index n, cols;
        Metric metric;
    };
    for (const auto& [n, cols, metric] :
         {Case{6000, 3, Metric::euclidean}, Case{4000, 20, Metric::euclidean}, Case{3000, 12, Metric::cosine},
          Case{3000, 12, Metric::manhattan}, Case{3000, 12, Metric::inner_product}}) {
        const auto x = blobs(n, cols);
        const Options options{.k = 7, .metric = metric, .method = Method::exact};
        SCOPED_TRACE(std::string(name_of(metric)) + std::to_string(cols));
        expect_resumed([&](const Run& run) { return bytes_of(search({x.data(), n, cols}, options, run)); });
    }
}

TEST_F(ResumedSearch, OfQueriesAndSparseRows) {
    const auto x = blobs(3000, 8), q = blobs(900, 8);
    const Options options{.k = 5, .method = Method::exact};
    expect_resumed([&](const Run& run) {
        return bytes_of(search({x.data(), 3000, 8}, MatrixView<const float>{q.data(), 900, 8}, options, run));
    });
    const SparseMatrix rows = sparse_of(word_counts(900, 50).view());
    expect_resumed([&](const Run& run) { return bytes_of(search(view_of(rows), {.k = 6}, run)); });
}

TEST_F(ResumedSearch, OfFewRows) {
    for (const Index n : {1, 2, 33}) {
        const auto x = blobs(n, 3);
        const auto find = [&](const Run& run) { return bytes_of(search({x.data(), n, 3}, {.k = 4}, run)); };
        const auto wanted = find({});
        Run run = fresh("few.ckpt", {});
        for (int again = 0; again < 3; ++again) EXPECT_TRUE(find(run) == wanted), run.resume = true;
    }
}

TEST_F(ResumedSearch, ApproximateSearchesAreRefusedByName) {
    const auto x = blobs(500, 20);
    const Run run = fresh("a.ckpt", {});
    EXPECT_NE(
        refusal(Fault::bad_input, [&] { search({x.data(), 500, 20}, {.k = 3, .method = Method::approximate}, run); })
            .find("approximate"),
        std::string::npos);
}

}  // namespace
}  // namespace dunlin::neighbors
