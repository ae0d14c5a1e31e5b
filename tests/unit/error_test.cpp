// SPDX-License-Identifier: Apache-2.0
#include <dunlin/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <dunlin/io.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/network.hpp>
#include <dunlin/tsne.hpp>

#include "folder.hpp"
#include "refusal.hpp"

namespace dunlin {
namespace {

/// The location of the Error that a call throws.
ErrorLocation place_of(const auto& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.place();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(Error, HasNoPlaceUnlessItIsGiven) {
    const Error error(Fault::bad_input, "something is wrong");
    EXPECT_EQ(error.place().option, "");
    EXPECT_EQ(error.place().file, "");
    EXPECT_EQ(error.place().line, -1);
    EXPECT_EQ(error.place().row, -1);
    EXPECT_EQ(error.place().column, -1);
    static_assert(std::is_nothrow_copy_constructible_v<Error>);
    const Error copy = error;
    EXPECT_STREQ(copy.what(), "something is wrong");
}

using ErrorOfAFile = InFolder;

TEST_F(ErrorOfAFile, TellsFileLineRowAndColumnOfACell) {
    const auto file = put("points.csv", "a,b\n1,2\n3,duck\n");
    const ErrorLocation place = place_of([&] { io::read_points(file); });
    EXPECT_EQ(place.file, file.string());
    EXPECT_EQ(place.line, 3);
    EXPECT_EQ(place.row, 1);
    EXPECT_EQ(place.column, 1);
    EXPECT_EQ(place.option, "");
}

TEST_F(ErrorOfAFile, TellsTheLineOfARaggedRowAndOfAnEdge) {
    EXPECT_EQ(place_of([&] { io::read_points(put("ragged.csv", "a,b\n1,2\n3\n4,5\n")); }).line, 3);
    const ErrorLocation edge = place_of([&] { io::read_network(put("negative.edges", "0 1 1\n1 2 -3\n")); });
    EXPECT_EQ(edge.line, 2);
    EXPECT_EQ(edge.file, path("negative.edges").string());
    EXPECT_EQ(place_of([&] { io::read_network(put("arrow.dot", "graph {\n a -> b\n}\n")); }).line, 2);
}

TEST_F(ErrorOfAFile, HasNoLineWhereTheWholeFileIsAtFault) {
    const ErrorLocation place = place_of([&] { io::read_points(put("empty.csv", "")); });
    EXPECT_EQ(place.file, path("empty.csv").string());
    EXPECT_EQ(place.line, -1);
    EXPECT_EQ(place_of([&] { io::read_points(path("missing.csv")); }).file, path("missing.csv").string());
}

TEST_F(ErrorOfAFile, TellsTheOptionThatDoesNotFitIt) {
    const ErrorLocation place =
        place_of([&] { io::read_network(put("some.edges", "0 1\n1 2\n"), {.weights_from = "strength"}); });
    EXPECT_EQ(place.option, "weights-from");
    EXPECT_EQ(place.file, path("some.edges").string());
    const ErrorLocation negative = place_of([&] { io::read_network(put("negative.edges", "0 1 1\n1 2 -3\n")); });
    EXPECT_EQ(negative.option, "weights-from");
    EXPECT_EQ(negative.line, 2);
}

TEST(Error, OfTheDataTellsRowAndColumnFromZero) {
    const std::vector<float> points = {0, 1, 2, 3, 4, nan, 6, 7};
    const MatrixView<const float> view{points.data(), 4, 2};
    EXPECT_EQ(place_of([&] { neighbors::search(view, {.k = 1}, {.device = Device::cpu}); }).row, 2);
    const ErrorLocation of_kmeans = place_of([&] { kmeans::cluster(view, {.clusters = 2}, {.device = Device::cpu}); });
    EXPECT_EQ(of_kmeans.row, 2);
    EXPECT_EQ(of_kmeans.column, 1);
    const std::string sentence = refusal([&] { kmeans::cluster(view, {.clusters = 2}, {.device = Device::cpu}); });
    EXPECT_NE(sentence.find("row 2 has nan in column 1 (both counting from 0)"), std::string::npos) << sentence;
    EXPECT_EQ(place_of([&] { mds::Dissimilarities::of_points(Matrix(4, 2, points)); }).row, 2);
    const std::vector<float> lopsided = {0, 1, 2, 0};
    const ErrorLocation entry = place_of([&] { mds::Dissimilarities::of_matrix(Matrix(2, 2, lopsided)); });
    EXPECT_EQ(entry.row + entry.column, 1);
}

TEST(Error, OfAnOptionTellsItsNameAndSpeaksTheLibrarysLanguage) {
    const std::vector<float> points = {0, 1, 2, 3};
    const MatrixView<const float> view{points.data(), 4, 1};
    EXPECT_EQ(place_of([&] { neighbors::search(view, {.k = 0}, {.device = Device::cpu}); }).option, "k");
    EXPECT_EQ(place_of([&] { kmeans::cluster(view, {.clusters = 2}, {.threads = -1}); }).option, "threads");
    EXPECT_EQ(place_of([&] { tsne::embed(view, {.perplexity = 40}, {.device = Device::cpu}); }).option, "perplexity");
    const ErrorLocation memory =
        place_of([&] { kmeans::cluster(view, {.clusters = 2}, {.device = Device::cpu, .memory = 1}); });
    EXPECT_EQ(memory.option, "memory");
    try {
        kmeans::cluster(view, {.clusters = 2, .method = kmeans::Method::sequential}, {.device = Device::cuda});
        ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find("--"), std::string::npos) << error.what();
        EXPECT_EQ(error.place().option, "device");
    }
}

}  // namespace
}  // namespace dunlin
