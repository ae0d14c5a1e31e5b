// SPDX-License-Identifier: Apache-2.0
// Scores of whole runs on real data. Figures of peers: openTSNE 1.0.4 and scikit-learn 1.9.1, perplexity 30, 250 + 500
// and 1,000 iterations, scored by an independent program (table in docs/performance.md).
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <dunlin/io.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/tsne.hpp>

#include "cases/cases.hpp"
#include "data.hpp"
#include "math/rng.hpp"

namespace dunlin {
namespace {

namespace fs = std::filesystem;

io::Points digits() {
    const char* given = std::getenv("DUNLIN_EXAMPLES");
    return io::read_points(fs::path(given != nullptr ? given : DUNLIN_EXAMPLES) / "digits.csv.gz");
}

/// tsne::embed on a CPU, or on a GPU if the environment variable DUNLIN_DEVICE is cuda.
tsne::Result place(MatrixView<const float> points, const tsne::Options& options = {}, Run run = {}) {
    const char* device = std::getenv("DUNLIN_DEVICE");
    run.device = device != nullptr && std::string_view(device) == "cuda" ? Device::cuda : Device::cpu;
    return tsne::embed(points, options, run);
}

scores::Scores judge(const io::Points& points, const tsne::Result& result) {
    return scores::evaluate(result.map, points.values.view(), {}, points.labels,
                            scores::thorough(result.options.metric));
}

/// The best scores of the peers on a data set.
struct Peers {
    double kl, trustworthiness, label_accuracy;
};

void expect_at_least(const Peers& peers, const tsne::Result& result, const scores::Scores& scores) {
    EXPECT_LE(result.kl, peers.kl + cases::kl_spread);
    EXPECT_GE(scores.trustworthiness->value, peers.trustworthiness - cases::score_spread - scores.trustworthiness->se);
    EXPECT_GE(scores.label_accuracy->value, peers.label_accuracy - cases::score_spread - 2 * scores.label_accuracy->se);
}

/// Mean scores of 41 maps whose exaggeration differs by 0.001. Any such change, or another processor, gives another map
/// of a small data set, with a label accuracy whose standard deviation is 0.5 to 0.7 percent. As for one map, two
/// standard errors are allowed.
void expect_mean_at_least(const Peers& peers, const io::Points& points) {
    constexpr int maps = 41;
    Peers mean{0, 0, 0};
    double squares = 0;  // of label accuracy
    for (int m = 0; m < maps; ++m) {
        const auto exaggeration = static_cast<float>(12 + 0.01 * (m - maps / 2));
        const auto result = place(points.values.view(), {.exaggeration = exaggeration});
        const auto scores = judge(points, result);
        mean.kl += result.kl / maps;
        mean.trustworthiness += scores.trustworthiness->value / maps;
        mean.label_accuracy += scores.label_accuracy->value / maps;
        squares += scores.label_accuracy->value * scores.label_accuracy->value / maps;
    }
    const double variance = std::max(squares - mean.label_accuracy * mean.label_accuracy, 0.0);
    const double standard_error = std::sqrt(variance / (maps - 1));
    EXPECT_LT(standard_error, 0.0015);  // a larger one would make the allowance below too wide
    EXPECT_LE(mean.kl, peers.kl + cases::kl_spread);
    EXPECT_GE(mean.trustworthiness, peers.trustworthiness - cases::score_spread);
    EXPECT_GE(mean.label_accuracy, peers.label_accuracy - cases::score_spread - 2 * standard_error);
}

// --- digits, in examples/

TEST(Digits, EveryEngineReachesThePeersInTwoDimensions) {
    const io::Points points = digits();
    ASSERT_EQ(points.values.rows(), 1797);
    ASSERT_EQ(points.values.cols(), 64);
    for (const auto repulsion : {tsne::Repulsion::exact, tsne::Repulsion::tree, tsne::Repulsion::grid}) {
        SCOPED_TRACE(name_of(repulsion));
        const auto result = place(points.values.view(), {.repulsion = repulsion});
        const auto scores = judge(points, result);
        expect_at_least({0.7557, 0.9922, 0.9872}, result, scores);
        EXPECT_GT(scores.preservation_10->value, 0.57);
    }
}

TEST(Digits, EveryEngineAgreesInThreeDimensions) {
    const io::Points points = digits();
    const tsne::Options options{.dim = 3, .iterations = 300};
    const auto with = [&options](tsne::Repulsion repulsion) {
        tsne::Options these = options;
        these.repulsion = repulsion;
        return these;
    };
    const auto exact = place(points.values.view(), with(tsne::Repulsion::exact));
    for (const auto repulsion : {tsne::Repulsion::tree, tsne::Repulsion::grid}) {
        SCOPED_TRACE(name_of(repulsion));
        const auto result = place(points.values.view(), with(repulsion));
        EXPECT_NEAR(result.kl, exact.kl, cases::kl_spread);
        EXPECT_GT(judge(points, result).label_accuracy->value, 0.975);
    }
}

TEST(Digits, EveryPresetAndSeedGivesAGoodMap) {
    const io::Points points = digits();
    for (const auto preset : {tsne::Preset::sklearn, tsne::Preset::fitsne, tsne::Preset::bhtsne}) {
        SCOPED_TRACE(name_of(preset));
        const auto result = place(points.values.view(), tsne::options_of(preset));
        EXPECT_GT(judge(points, result).trustworthiness->value, 0.98);
    }
    for (const std::uint64_t seed : {2U, 3U, 4U}) {
        const auto result = place(points.values.view(), {.start = tsne::Start::random}, {.seed = seed});
        EXPECT_LT(result.kl, 0.80) << seed;
    }
}

TEST(Digits, AnOffsetOfAMillionChangesNothing) {
    // As for a float64 array: the reader subtracts the offset before narrowing
    const io::Points points = digits();
    const auto view = points.values.view();
    const fs::path path = fs::temp_directory_path() / ("dunlin_offset_" + std::to_string(::getpid()) + ".csv");
    {
        std::FILE* file = std::fopen(path.c_str(), "w");
        ASSERT_NE(file, nullptr);
        for (Index r = 0; r < view.rows; ++r) {
            for (Index c = 0; c < view.cols; ++c) std::fprintf(file, "%s%.1f", c > 0 ? "," : "", 1e6 + view(r, c));
            std::fputc('\n', file);
        }
        std::fclose(file);
    }
    const io::Points moved = io::read_points(path);
    fs::remove(path);
    EXPECT_NEAR(place(moved.values.view()).kl, place(view).kl, cases::kl_spread);
}

TEST(Grid, AUniformGridStaysUniform) {
    // As in scikit-learn's tests: no point is far from the others or coincides with another
    std::vector<float> x;
    for (int i = 0; i < 10; ++i) {
        for (int j = 0; j < 10; ++j) x.insert(x.end(), {static_cast<float>(i) / 9, static_cast<float>(j) / 9});
    }
    tsne::Options options = tsne::options_of(tsne::Preset::sklearn);
    options.perplexity = 50.0F;
    for (const auto repulsion : {tsne::Repulsion::exact, tsne::Repulsion::tree, tsne::Repulsion::grid}) {
        options.repulsion = repulsion;
        const auto map = place({x.data(), 100, 2}, options).map;
        const auto nearest = neighbors::search(map.view(), {.k = 1}).graph.weights;
        double mean = 0, low = 1e9, high = 0;
        for (const double d : nearest) {
            mean += d / 100;
            low = std::min(low, d);
            high = std::max(high, d);
        }
        EXPECT_GT(low, 0.1) << name_of(repulsion);
        EXPECT_GT(low / mean, 0.5) << name_of(repulsion);
        EXPECT_LT(high / mean, 2.0) << name_of(repulsion);
    }
}

TEST(Random, ShapelessDataKeepTheirNeighbors) {
    std::vector<float> x(50 * 2);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(math::random_normal(11, i));
    for (const auto start : {tsne::Start::pca, tsne::Start::random}) {
        const auto result = place({x.data(), 50, 2}, {.perplexity = 10.0F, .start = start});
        EXPECT_GT(scores::trustworthiness({x.data(), 50, 2}, result.map, 1).value, 0.85);
    }
}

// --- optional data sets

/// Reads a data set, or skips the test with a message.
#define READ_OR_SKIP(points, path, options)                         \
    if (!fs::exists(path)) GTEST_SKIP() << path << " is not there"; \
    const io::Points points = io::read_points(path, options)

TEST(RealData, Coil20) {
    const fs::path folder = data_folder() / "points" / "coil20";
    READ_OR_SKIP(points, folder / "coil20-images-idx3-ubyte.gz", {.labels = folder / "coil20-labels-idx1-ubyte.gz"});
    expect_mean_at_least({0.4107, 0.9947, 0.9646}, points);
}

TEST(RealData, SingleCells) {
    READ_OR_SKIP(points, data_folder() / "points" / "pbmc68k" / "pbmc68k_reduced_pca_700x50.csv.xz", {});
    expect_mean_at_least({0.7306, 0.9475, 0.8171}, points);
}

TEST(RealData, BbcDocumentsByCosine) {
    const fs::path folder = data_folder() / "points" / "bbc";
    const auto options = io::ReadOptions{.labels = folder / "bbc.classes.xz", .ids = "", .transpose = true};
    READ_OR_SKIP(points, folder / "bbc.mtx.xz", options);
    const auto result = place(points.values.view(), {.metric = neighbors::Metric::cosine});
    expect_at_least({1.2263, 0.9485, 0.9353}, result, judge(points, result));
}

TEST(RealData, MnistTenThousand) {
    const fs::path folder = data_folder() / "points" / "mnist";
    READ_OR_SKIP(all, folder / "train-images-idx3-ubyte.gz", {.labels = folder / "train-labels-idx1-ubyte.gz"});
    const auto view = all.values.view();
    const MatrixView<const float> first{view.data, 10000, view.cols};
    Labels labels = all.labels;
    labels.of.resize(10000);
    const auto result = place(first);
    expect_at_least({1.7988, 0.9853, 0.9430}, result,
                    scores::evaluate(result.map, first, {}, labels, scores::thorough()));
}

TEST(RealData, MnistSixtyThousand) {
    const fs::path folder = data_folder() / "points" / "mnist";
    READ_OR_SKIP(points, folder / "train-images-idx3-ubyte.gz", {.labels = folder / "train-labels-idx1-ubyte.gz"});
    const auto result = place(points.values.view());
    EXPECT_GE(judge(points, result).label_accuracy->value, 0.965);
}

}  // namespace
}  // namespace dunlin
