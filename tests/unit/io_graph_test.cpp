// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include <dunlin/error.hpp>

#include "folder.hpp"
#include "io/readers.hpp"

namespace dunlin::io {
namespace {

class IoGraph : public InFolder {};

/// Rows with unsorted targets (nearest first), an isolated vertex, and a weight of zero.
Graph example() { return {{0, 2, 2, 4, 5}, {3, 1, 0, 1, 2}, {0.0F, 0.1F, 1e-30F, 2.5F, 1.0F / 3}}; }

void expect_equal(const Graph& a, const Graph& b, const std::string& what) {
    EXPECT_EQ(a.offsets, b.offsets) << what;
    EXPECT_EQ(a.targets, b.targets) << what;
    EXPECT_EQ(a.weights, b.weights) << what;
}

TEST_F(IoGraph, ComesBackFromEveryFormat) {
    for (const char* name : {"g.npz", "g.mtx", "g.csv", "g.tsv"}) {
        write_graph(folder_ / name, example());
        expect_equal(read_graph(folder_ / name), example(), name);
    }
    Graph empty;
    empty.offsets = {0, 0, 0};
    write_graph(folder_ / "e.npz", empty);
    expect_equal(read_graph(folder_ / "e.npz"), empty, "no edges");
}

TEST_F(IoGraph, ReadsOthersEdges) {
    const Graph graph = read_graph(Bytes::copy("0 1\n1 2\n", "g.txt"));
    expect_equal(graph, {{0, 1, 2, 2}, {1, 2}, {1, 1}}, "no weights");
    expect_equal(read_graph(Bytes::copy("weight,target,source\n0.5,1,0\n0.25,0,1\n", "g.csv")),
                 {{0, 1, 2}, {1, 0}, {0.5F, 0.25F}}, "named");
    const std::string mtx = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n";
    expect_equal(read_graph(Bytes::copy(mtx, "g.mtx")), {{0, 1, 2, 3}, {1, 0, 2}, {1, 1, 1}}, "symmetric");
}

TEST_F(IoGraph, WrongGraphsAreRefused) {
    for (const char* text :
         {"", "0,1\n-1,2\n", "0,1\n0.5,2\n", "0,1,nan\n1,2,3\n", "0,1\n1,2147483647\n", "0,1,2,3\n1,2,3,4\n"}) {
        EXPECT_THROW(read_graph(Bytes::copy(text, "g.csv")), Error) << text;
    }
    EXPECT_THROW(read_graph(Bytes::copy("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n", "g.mtx")),
                 Error);
    Graph wrong = example();
    wrong.weights.pop_back();
    EXPECT_THROW(write_graph(folder_ / "g.npz", wrong), Error);
    wrong = example();
    wrong.weights[2] = std::numeric_limits<float>::infinity();
    EXPECT_THROW(write_graph(folder_ / "g.npz", wrong), Error);
    EXPECT_THROW(write_graph(folder_ / "g.dat", example()), Error);
}

TEST_F(IoGraph, NeighborsOfQueriesAreNoSquare) {
    for (const char* name : {"g.npz", "g.mtx"}) {
        write_graph(folder_ / name, example(), 9);
        try {
            read_graph(folder_ / name);
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("4 x 9"), std::string::npos) << error.what();
        }
    }
}

TEST_F(IoGraph, EveryDamageToAnArchiveIsSeen) {
    write_graph(folder_ / "g.npz", example());
    std::ifstream file(folder_ / "g.npz", std::ios::binary);
    const std::string good{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t size = 0; size < good.size(); ++size) {
        EXPECT_THROW(read_graph(Bytes::copy(good.substr(0, size), "g.npz")), Error) << size;
    }
    // A changed byte is an error, or in a field that does not affect the graph
    for (std::size_t at = 0; at < good.size(); ++at) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        try {
            expect_equal(read_graph(Bytes::copy(bad, "g.npz")), example(), std::to_string(at));
        } catch (const Error&) {
        }
    }
}

}  // namespace
}  // namespace dunlin::io
