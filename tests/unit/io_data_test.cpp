// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <dunlin/io.hpp>

#include "data.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

/// Real files, if present, whose sizes, sums and labels are known.
class IoData : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = data_folder() / "points";
        if (!std::filesystem::exists(folder_)) GTEST_SKIP() << folder_ << " is not there; set DUNLIN_DATA";
    }

    Points read(const char* name, const ReadOptions& options = {}) { return read_points(folder_ / name, options); }

    std::filesystem::path folder_;
};

void expect(const Points& points, Index rows, Index cols, double sum, std::size_t labels) {
    EXPECT_EQ(points.values.rows(), rows);
    EXPECT_EQ(points.values.cols(), cols);
    double total = 0;
    const auto view = points.values.view();
    for (Offset i = 0; i < view.size(); ++i) total += static_cast<double>(view.data[i]);
    EXPECT_NEAR(total, sum, 1e-6 * std::abs(sum));
    EXPECT_EQ(points.labels.names.size(), labels);
    EXPECT_TRUE(points.shift.empty());
}

TEST_F(IoData, Tables) {
    expect(read("sklearn/iris.csv"), 150, 4, 2078.7, 3);
    EXPECT_EQ(read("sklearn/iris.csv").labels.names[0], "setosa");
    expect(read("sklearn/digits.csv.gz", {.labels = "65"}), 1797, 64, 561718, 10);
    expect(read("pbmc68k/pbmc68k_reduced_pca_700x50.csv.xz"), 700, 50, 0.0018205521701, 10);
    expect(read("mammoth/mammoth_data.csv.xz"), 10000, 3, 4744858.28, 0);
    expect(read("shuttle/shuttle_test_14500x9.csv.xz"), 14500, 9, 3963356, 7);
    expect(read("breast-cancer/breast_cancer_original_683x9.csv"), 683, 9, 19353, 2);
    const Points glove = read("glove/glove.6B.50d.first2445.txt.xz");
    EXPECT_EQ(glove.ids[2], ".");
    expect(glove, 2445, 50, 77.509781, 0);
}

TEST_F(IoData, AMissingValueIsNamed) {
    const auto said = refusal([&] { read("breast-cancer/breast_cancer_original_699_with_missing.csv"); });
    EXPECT_NE(said.find(":25: row 24, column 7 'Bare.nuclei': the cell is empty"), std::string::npos) << said;
}

TEST_F(IoData, ArraysAndSparse) {
    expect(read("coil20/coil20-images-idx3-ubyte.gz", {.labels = folder_ / "coil20/coil20-labels-idx1-ubyte.gz"}), 1440,
           1024, 113592839, 20);
    expect(read("mnist/t10k-images-idx3-ubyte.gz", {.labels = folder_ / "mnist/t10k-labels-idx1-ubyte.gz"}), 10000, 784,
           264923200, 10);
    expect(read("bbc/bbc.mtx.xz", {.labels = folder_ / "bbc/bbc.classes.xz", .transpose = true}), 2225, 9635, 425832,
           5);
    expect(read("20news/20news_18846x100_counts.mtx.xz"), 18846, 100, 376787, 0);
}

}  // namespace
}  // namespace dunlin::io
