// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

#include <dunlin/network.hpp>
#include <dunlin/square.hpp>

#include "folder.hpp"
#include "io/npy.hpp"
#include "io/output.hpp"
#include "io/readers.hpp"
#include "io/zip.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

namespace fs = std::filesystem;
using Floats = std::vector<float>;

Guess guess_text(const std::string& text, const std::string& name = "t.csv", const ReadOptions& options = {}) {
    return guess(Bytes::copy(text, name), options);
}

TEST(Guess, TellsWhatATextHoldsAndWhy) {
    const auto expect = [](const std::string& text, Holds holds, const std::string& reason) {
        const Guess found = guess_text(text);
        EXPECT_EQ(found.holds, holds) << text;
        EXPECT_TRUE(found.guessed) << text;
        EXPECT_NE(found.reason.find(reason), std::string::npos) << text << ": " << found.reason;
    };
    expect("0 1\n1 2\n2 3\n", Holds::graph, "two columns of whole numbers");
    expect("1;2\n2;3\n3;1\n", Holds::graph, "two columns of whole numbers");
    expect("from,to\na,b\n", Holds::graph, "header");
    expect("0,2,3\n2,0,1\n3,1,0\n", Holds::dissimilarities, "square");
    expect("0;2,5\n2,5;0\n", Holds::dissimilarities, "square");
    expect("0,2\n2,0\n", Holds::dissimilarities, "square");
    expect("0 1\n1 2\n", Holds::graph, "two columns");
    expect("0,1\n2,0\n", Holds::dissimilarities, "square");
    expect("1 2 0.5\n2 3 0.25\n", Holds::points, "three columns");
    expect("2 0:1 3:2\n1 1:4\n0\n", Holds::documents, "LDA-C");
}

TEST(Guess, SquareTablesThatCanBeNoDissimilaritiesAreCertain) {
    for (const char* text : {"1,2\n3,4.5\n", "1,5;2,5\n3,5;4\n"}) {
        const Guess found = guess_text(text);
        EXPECT_EQ(found.holds, Holds::points) << text;
        EXPECT_FALSE(found.guessed) << text;
        EXPECT_NE(found.reason.find("neither"), std::string::npos) << text << ": " << found.reason;
    }
}

TEST(Guess, WhatTheCallerOrTheFormatSaysIsNoGuess) {
    EXPECT_FALSE(guess("any.dot").guessed);
    EXPECT_EQ(guess("any.gml.gz").holds, Holds::graph);
    const Guess said = guess("none.csv", {.holds = Holds::documents});
    EXPECT_EQ(said.holds, Holds::documents);
    EXPECT_FALSE(said.guessed);
    EXPECT_THROW(guess("none.csv"), Error);
    EXPECT_EQ(guess_text("3 1:1 2:1 3:1\n", "a.svm").holds, Holds::points);
    EXPECT_FALSE(guess_text("1 0:1\n", "a.ldac").guessed);
    EXPECT_EQ(guess_text("", "a.csv").holds, Holds::points);
}

TEST(Guess, PointsAreNotTakenForGraphsOrDissimilarities) {
    EXPECT_FALSE(guess_text("1,2\n3,4\n5.5,6\n").guessed) << "it can be nothing else";
    EXPECT_EQ(guess_text("1,2\n3,4\n5.5,6\n").holds, Holds::points);
    EXPECT_EQ(guess_text("x,y\n1,2\n").holds, Holds::points);
    EXPECT_EQ(guess_text("0,2,3\n2,0,1\n").holds, Holds::points);
    EXPECT_EQ(guess_text("1,2,3\n1,2,3\n").holds, Holds::points);
}

TEST(Lda, ReadsCountsByIds) {
    const Points points = read_points(Bytes::copy("2 0:1 3:2\n0\n1 1:4\n2 3:1 0:5\n", "bbc.dat"), {});
    EXPECT_EQ(points.kind, "lda-c");
    EXPECT_EQ(points.guess.holds, Holds::documents);
    EXPECT_TRUE(points.guess.guessed);
    const auto view = points.values.view();
    EXPECT_EQ(Floats(view.data, view.data + view.size()), (Floats{1, 0, 0, 2, 0, 0, 0, 0, 0, 4, 0, 0, 5, 0, 0, 1}));
    EXPECT_EQ(view.cols, 4);
    EXPECT_TRUE(points.labels.empty());
}

TEST(Lda, IsToldFromSvmlightByItsCounts) {
    EXPECT_TRUE(is_lda(Bytes::copy("3 1:1 2:1 3:1\n1 7:2", "a.txt")));
    EXPECT_FALSE(is_lda(Bytes::copy("1 1:1 2:1 3:1\n1 7:2\n", "a.txt")));
    EXPECT_FALSE(is_lda(Bytes::copy("2 1:1 2:x\n", "a.txt")));
    EXPECT_FALSE(is_lda(Bytes::copy("0\n0\n", "a.txt"))) << "no pair says what the numbers are";
    EXPECT_FALSE(is_lda(Bytes::copy("", "a.txt")));
    EXPECT_FALSE(is_lda(Bytes::copy("-1 1:1\n", "a.txt")));
    // As points, the first numbers are svmlight's labels; as documents, the numbers of pairs
    const Points labeled = read_points(Bytes::copy("1 2:1.5\n1 3:1\n", "a.txt"), {.holds = Holds::points});
    EXPECT_EQ(labeled.kind, "svmlight");
    EXPECT_EQ(labeled.labels.names.size(), 1U);
    EXPECT_EQ(read_points(Bytes::copy("1 2:1\n", "a.svm"), {.holds = Holds::documents}).kind, "lda-c");
}

TEST(Lda, SaysWhichLineIsWrong) {
    std::string text;
    for (int line = 0; line < 40; ++line) text += "1 0:1\n";
    const auto said = [&](const std::string& last) {
        return refusal(Fault::bad_file, [&] { read_points(Bytes::copy(text + last, "d.txt"), {}); });
    };
    EXPECT_NE(said("2 0:1\n").find("d.txt:41: the line announces 2 pairs and has 1"), std::string::npos);
    EXPECT_NE(said("1 0:one\n").find("'0:one' is no id:count"), std::string::npos);
    EXPECT_NE(said("1 0:1e99\n").find("d.txt:41"), std::string::npos);
    EXPECT_NE(said("x 0:1\n").find("'x' is no number of pairs"), std::string::npos);
    EXPECT_NE(said("1 4000000000:1\n").find("beyond"), std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [] { read_points(Bytes::copy("1 0:1\n", "d.ldac"), {.transpose = true}); }),
              "");
}

TEST(ReadPoints, RefusesWhatIsSaidToBeSomethingElse) {
    for (const Holds holds : {Holds::graph, Holds::dissimilarities}) {
        EXPECT_NE(refusal(Fault::bad_input, [&] { read_points(Bytes::copy("1,2\n", "a.csv"), {.holds = holds}); }), "");
    }
    EXPECT_NE(refusal(Fault::bad_input, [] { read_points(Bytes::copy("1,2\n", "a.csv"), {.array = "X"}); }), "");
}

/// Archives of arrays in the form of NumPy and SciPy.
class NpzTest : public InFolder {
protected:
    template <class T>
    void add(const std::string& name, const std::string& descr, const std::vector<T>& values,
             const std::vector<std::uint64_t>& shape) {
        std::string body(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
        members_.push_back({name + ".npy", npy_header(descr, shape), std::move(body)});
    }
    void add_csr(std::int64_t rows, std::int64_t cols) {
        members_.push_back({"format.npy", npy_header("|S3", {}), "csr"});
        add<std::int64_t>("shape", "<i8", {rows, cols}, {2});
        add<std::int32_t>("indptr", "<i4", {0, 1, 3}, {3});
        add<std::int32_t>("indices", "<i4", {1, 0, 1}, {3});
        add<float>("data", "<f4", {5, 6, 7}, {3});
    }
    fs::path write() {
        Output out(path("a.npz"));
        ZipOutput zip(out);
        for (const auto& [name, head, body] : members_) zip.add(name, head, body);
        zip.finish();
        out.commit();
        return path("a.npz");
    }
    struct Member {
        std::string name, head, body;
    };
    std::vector<Member> members_;
};

Floats values(const Points& points) {
    const auto view = points.values.view();
    return {view.data, view.data + view.size()};
}

TEST_F(NpzTest, ADenseArrayIsPoints) {
    add<float>("arr_0", "<f4", {1, 2, 3, 4, 5, 6}, {3, 2});
    const fs::path path = write();
    EXPECT_EQ(guess(path).holds, Holds::points);
    EXPECT_FALSE(guess(path).guessed);
    const Points points = read_points(path);
    EXPECT_EQ(points.kind, "npz");
    EXPECT_EQ(values(points), (Floats{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(values(read_points(path, {.transpose = true})), (Floats{1, 3, 5, 2, 4, 6}));
    EXPECT_THROW(read_network(path), Error);
}

TEST_F(NpzTest, AnArrayOfNamesNamesTheRows) {
    add<float>("D", "<f4", {0, 3, 3, 0}, {2, 2});
    members_.push_back({"names.npy", npy_header("|S3", {2}), std::string("K\xc3\xb6") + std::string("b\0\0", 3)});
    EXPECT_EQ(guess(write()).holds, Holds::dissimilarities);
    EXPECT_EQ(read_square(write()).ids, (std::vector<std::string>{"K\xc3\xb6", "b"}));
    EXPECT_EQ(read_points(write(), {.holds = Holds::points}).ids, read_square(write()).ids);
    EXPECT_TRUE(read_points(write(), {.transpose = true, .holds = Holds::points}).ids.empty());

    members_.pop_back();
    add<std::int64_t>("ids", "<i8", {7, -80}, {2});
    EXPECT_EQ(read_square(write(), {.array = "D"}).ids, (std::vector<std::string>{"7", "-80"}));
}

TEST_F(NpzTest, NamesOfAnotherNumberAreRefusedAndObjectsAreSaid) {
    add<float>("D", "<f4", {0, 3, 3, 0}, {2, 2});
    add<std::int64_t>("ids", "<i8", {7, 8, 9}, {3});
    EXPECT_THROW(read_square(write()), Error);
    members_.pop_back();
    add<std::int64_t>("ids", "<i8", {7, 9007199254740995}, {2});  // double has its neighbors alone
    EXPECT_THROW(read_square(write()), Error);
    members_.back() = {"ids.npy", npy_header("|O", {2}), "pickled"};
    const Square square = read_square(write());
    EXPECT_TRUE(square.ids.empty());
    ASSERT_EQ(square.notes.size(), 1U);
    EXPECT_NE(square.notes[0].what.find("ids.astype(str)"), std::string::npos);
}

TEST_F(NpzTest, OfSeveralArraysTheCallerNamesOne) {
    add<double>("X", "<f8", {1, 2, 3, 4}, {2, 2});
    add<std::int32_t>("y", "<i4", {7, 8}, {2});
    const fs::path path = write();
    const std::string said = refusal(Fault::bad_input, [&] { read_points(path); });
    EXPECT_NE(said.find("'X', 'y'"), std::string::npos) << said;
    EXPECT_NE(said.find("array: "), std::string::npos) << said;
    EXPECT_NE(refusal(Fault::bad_input, [&] { read_points(path, {.array = "Z"}); }), "");
    const Points points = read_points(path, {.labels = "y", .array = "X"});
    EXPECT_EQ(values(points), (Floats{1, 2, 3, 4}));
    EXPECT_EQ(points.labels.names, (std::vector<std::string>{"7", "8"}));
    EXPECT_EQ(read_square(path, {.array = "X"}).values.rows(), 2);
}

TEST_F(NpzTest, ASquareSparseMatrixIsAGraph) {
    add_csr(2, 2);
    const fs::path path = write();
    const Guess found = guess(path);
    EXPECT_EQ(found.holds, Holds::graph);
    EXPECT_TRUE(found.guessed);
    EXPECT_EQ(read_network(path).graph.size(), 2);
    EXPECT_NE(refusal(Fault::bad_input, [&] { read_points(path); }).find("holds: documents"), std::string::npos);
    EXPECT_EQ(values(read_points(path, {.holds = Holds::documents})), (Floats{0, 5, 6, 7}));
}

TEST_F(NpzTest, AnotherSparseMatrixIsDocuments) {
    add_csr(2, 3);
    const fs::path path = write();
    EXPECT_EQ(guess(path).holds, Holds::documents);
    const Points points = read_points(path);
    EXPECT_EQ(points.guess.holds, Holds::documents);
    EXPECT_EQ(values(points), (Floats{0, 5, 0, 6, 7, 0}));
    EXPECT_EQ(values(read_points(path, {.transpose = true})), (Floats{0, 6, 5, 7, 0, 0}));
    EXPECT_THROW(read_network(path), Error);
}

using ReadersRun = InFolder;

TEST_F(ReadersRun, AStopLeavesNothing) {
    std::string text;
    for (int i = 0; i < 50000; ++i) text += "1.5,2.5\n";
    const fs::path file = put("p.csv", text);
    std::stop_source stop;
    const dunlin::Run run{.stop = stop.get_token()};
    EXPECT_EQ(read_points(file, {}, run).values.rows(), 50000);
    stop.request_stop();
    EXPECT_EQ(read_points(file, {}, run).values.rows(), 0);
    EXPECT_EQ(read_map(file, run).map.size(), 0);
    EXPECT_EQ(read_square(file, {}, run).values.rows(), 0);
    EXPECT_EQ(read_network(file, {}, run).graph.size(), 0);
    EXPECT_EQ(guess(file, {}, run).holds, Holds::automatic);
}

TEST_F(ReadersRun, ThreadsChangeNoByteOfAGraph) {
    std::string text;
    for (int i = 0; i < 60000; ++i) text += fmt::format("{} {}\n", i, i * 7919LL % 60000);
    const fs::path file = put("e.txt", text);
    const Network one = read_network(file, {}, {.threads = 1});
    for (const int threads : {2, 3, 8}) {
        const Network more = read_network(file, {}, {.threads = threads});
        EXPECT_EQ(one.graph.offsets, more.graph.offsets);
        EXPECT_EQ(one.graph.targets, more.graph.targets);
    }
}

TEST(Guess, AnyTextIsLookedAtWhateverItsExtension) {
    for (const char* name : {"x.txt", "x.adjm", "x.data", "x"}) {
        EXPECT_EQ(guess_text("0 1\n0 2\n", name).holds, Holds::graph) << name;
        EXPECT_TRUE(guess_text("0 1\n0 2\n", name).guessed) << name;
        EXPECT_EQ(guess_text("0 1 0\n1 0 1\n0 1 0\n", name).holds, Holds::dissimilarities) << name;
        EXPECT_EQ(guess_text("1.5 2\n0 2\n3 4\n", name).holds, Holds::points) << name;
    }
    EXPECT_EQ(guess("x.ncol").holds, Holds::graph);
    EXPECT_EQ(guess("x.wedgelist").holds, Holds::graph);
}

TEST(Guess, TextsOfNetworkxAreGraphs) {
    const auto reason = [](const std::string& text) {
        const Guess found = guess_text(text, "x.txt");
        EXPECT_EQ(found.holds, Holds::graph) << text;
        EXPECT_TRUE(found.guessed) << text;
        return found.reason;
    };
    EXPECT_EQ(reason("0 1 {'weight': 4}\n1 2 {}\n"), "ends of edges and their attributes");
    EXPECT_EQ(reason("#x.py\n# GMT\n#\n0 1 2 3\n1 2\n2 3\n3\n"), "rows of a vertex and its neighbors");
    EXPECT_EQ(reason("1: 2 3\n2: 3 4\n"), "rows of a vertex with a colon and its neighbors");
    EXPECT_EQ(guess_text("0\n2 0\n3 1 0\n", "x.txt").holds, Holds::dissimilarities) << "a triangle";
    EXPECT_NE(guess_text("the cat sat on the mat\na dog\n", "x.txt").holds, Holds::graph);
}

}  // namespace
}  // namespace dunlin::io
