// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>

#include "io/readers.hpp"
#include "network_reading.hpp"

/// Square tables as adjacency matrices.
namespace dunlin::io {
namespace {

TEST(NetworkAdjacency, NamedTableOfZeroAndOne) {
    const std::string text = ",A,B,C\nA,0,1,0\nB,1,0,1\nC,0,1,0\n";
    const Network network = read(text, "g.csv");
    expect_path(network, {"A", "B", "C"});
    EXPECT_EQ(network.kind, "adjacency");
    EXPECT_FALSE(network.directed || network.weighted);
    EXPECT_EQ(network.multi_edges + network.self_loops, 0);
    ASSERT_EQ(network.notes.size(), 1U);
    EXPECT_TRUE(network.notes.front().what.starts_with("read as the adjacency matrix of a graph"));
    EXPECT_EQ(guess(Bytes::copy(text, "g.csv"), {}).holds, Holds::graph);
    // Columns in another order; CRLF, semicolons; a triangle of distances is none of 0 and 1
    expect_path(read(";C;B;A\r\nA;0;1;0\r\nB;1;0;1\r\nC;0;1;0\r\n", "g.csv"), {"A", "B", "C"});
    EXPECT_EQ(guess(Bytes::copy(",A,B,C\nA,0,1,2\nB,1,0,1\nC,2,1,0\n", "g.csv"), {}).holds, Holds::dissimilarities);
}

TEST(NetworkAdjacency, WeightsDirectionsLoopsAndGaps) {
    const Network network = read("0 2.5 0 0\n0 0 0.5 0\n0 0 0 NA\n1 0 0 0\n", "g.txt");
    EXPECT_EQ(network.graph.size(), 4);
    EXPECT_TRUE(network.directed && network.weighted);
    EXPECT_EQ(network.graph.weights, (Weights{2.5F, 1, 2.5F, 0.5F, 0.5F, 1}));
    EXPECT_EQ(network.warnings, (std::vector<std::string>{"missing entries, which are taken as no edges: 1"}));
    EXPECT_FALSE(read("0 2 0 0\n2 0 1 0\n0 1 0 1\n0 0 1 0\n", "g.txt", {.weights_from = "none"}).weighted);
    EXPECT_EQ(read(",a,b,c\na,1,1,0\nb,1,0,0\nc,0,0,0\n", "g.csv").self_loops, 1);
    EXPECT_EQ(read(",a,b,c\na,0,0,0\nb,0,0,0\nc,0,0,0\n", "g.csv").graph.edges(), 0);
}

TEST(NetworkAdjacency, ListsOfEdgesStayLists) {
    EXPECT_EQ(read("1 2 0.5\n2 3 0.7\n3 1 0.2\n", "g.txt").kind, "edges");
    EXPECT_EQ(read("0 1\n1 0\n", "g.txt").kind, "edges");
    EXPECT_EQ(read("1 2 1 4\n2 3 1 9\n3 4 1 1\n4 1 1 7\n", "g.txt").kind, "edges");
    EXPECT_NE(error_of("0 -1 0 1\n-1 0 0 0\n0 0 0 1\n1 0 1 0\n", "g.txt"), "");
}

}  // namespace
}  // namespace dunlin::io
