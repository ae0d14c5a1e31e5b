// SPDX-License-Identifier: Apache-2.0
#include "network_reading.hpp"

namespace dunlin::io {
namespace {

TEST(NetworkPajek, VerticesAndEdges) {
    const Network network = read(
        "% made by hand\n*Network n\n*Vertices 3\n1 \"a b\" 0.1 0.2 0.5 ellipse ic Red\n2 \"b\" 0.5 0.25 0.5\n"
        "3 c 0.75 1 0.5\n*Edges\n1 2 1.5 c Blue\n*Arcs\n2 3\n",
        "x.net");
    expect_path(network, {"a b", "b", "c"});
    EXPECT_EQ(network.kind, "pajek");
    EXPECT_TRUE(network.directed);
    EXPECT_EQ(network.graph.weights, (Weights{1.5F, 1.5F, 1, 1}));
    EXPECT_TRUE(warns(network, "without a weight, which weigh 1: 1"));
    EXPECT_EQ(network.start.dim, 2) << "all have one z";
    EXPECT_EQ(network.start.coordinates, (Weights{0.1F, 0.2F, 0.5F, 0.25F, 0.75F, 1}));
    EXPECT_FALSE(read("*Vertices 2\n1 a\n2 b\n*Edges\n1 2 7\n", "x.net", {.weights_from = "none"}).weighted);
}

TEST(NetworkPajek, WaysOfWriting) {
    for (const char* text : {
             "*Vertices 3\n*Edges 2\n1 2\n2 3\n",
             "*vertices   3\r\n1 \"1\"\r\n2 \"2\"\r\n3 \"3\"\r\n*EDGES :1 \"r\"\r\n1 2\r\n2 3\r\n",
             "*Network\n*Vertices 3\n\n% none\n*Arcslist\n1 2\n2 3\n",
             "*Vertices 3\n*Edgeslist\n2 1 3\n",
             "*Vertices 3\n*Matrix\n0 1 0\n1 0 1\n0 1 0\n",
             "*Edges\n1 2\n2 3\n",
             "*Matrix\n0 1 0\n1 0 1\n0 1 0\n",
             "*Vertices 3\n*Edges\n1 2\n2 3\n*Partition p\n*Vertices 3\n1\n2\n2\n",
             "*Vector v\n*Vertices 3\n0.5\n0.5\n1\n*Network n\n*Vertices 3\n*Edges\n1 2\n2 3\n",
         }) {
        expect_path(read(text, "pajek.txt"), {"1", "2", "3"});
    }
    EXPECT_TRUE(warns(read("*Edges\n1 2\n2 3\n", "x.net"), "no *Vertices"));
    EXPECT_TRUE(
        warns(read("*Vertices 2\n*Edges\n1 2\n*Partition\n*Vertices 2\n1\n1\n", "x.paj"), "left out: *partition"));
    EXPECT_TRUE(warns(read("*Vertices 2\n*Arcs :1\n1 2\n*Arcs :2\n1 2\n", "x.net"), "relations"));
    EXPECT_TRUE(warns(read("*Vertices 2\n1 a [1-3]\n*Edges\n1 2 1 [2]\n", "x.net"), "times"));
    EXPECT_EQ(read("*Vertices 4\n*Edges\n1 2\n", "x.net").graph.size(), 4) << "with isolated vertices";
    EXPECT_EQ(read("*Vertices 0\n", "x.net").graph.size(), 0);
}

TEST(NetworkPajek, Names) {
    const Network twice = read("*Vertices 3\n1 \"a\"\n2 \"a\"\n3 \"c\"\n*Edges\n1 2\n2 3\n", "x.net");
    expect_path(twice, {"1", "2", "3"});
    EXPECT_EQ(twice.names, (StringInterner{"a", "a", "c"}));
    EXPECT_TRUE(warns(twice, "labels"));
    const Network quotes = read("*Vertices 3\n1 \"a\"b\"c\"\n2 \"&#233;\"\n3 \xC3\xA8\n*Edges\n1 2\n2 3\n", "x.net");
    expect_path(quotes, {"a\"b\"c", "\xC3\xA9", "\xC3\xA8"});
    const Network from_zero = read("*Vertices 3\n0 a\n1 b\n2 c\n*Edges\n0 1\n1 2\n", "x.net");
    expect_path(from_zero, {"a", "b", "c"});
    EXPECT_TRUE(warns(from_zero, "numbered from 0"));
    expect_path(read("*Vertices 3\n*Edges\n0 1\n1 2\n", "x.net"), {});
    const Network networkx = read(
        "*network n\n*vertices 3\n1 a 0.0 0.0 ellipse\n2 b 0.0 0.0 ellipse\n3 c 0.0 0.0 ellipse\n*edges\n1 2 "
        "1.0\n2 3 1.0\n",
        "x.net");
    EXPECT_TRUE(networkx.start.coordinates.empty()) << "all at one place";
}

TEST(NetworkPajek, TwoModes) {
    const Network edges = read("*Vertices 5 2\n*Edges\n1 3\n1 4\n2 5\n", "x.net");
    const Network matrix = read("*Vertices 5 2\n*Matrix\n1 1 0\n0 0 1\n", "x.net");
    EXPECT_EQ(edges.graph.targets, matrix.graph.targets);
    EXPECT_TRUE(warns(edges, "two-mode network: the first 2 vertices"));
    EXPECT_NE(error_of("*Vertices 2 5\n", "x.net").find("two-mode"), std::string::npos);
}

TEST(NetworkPajek, Errors) {
    const auto error = [](const char* text) { return error_of(text, "x.net"); };
    EXPECT_TRUE(error("*Vertices 2\n*Edges\n1 7\n").starts_with("x.net:3: the vertex 7 is none of the 2"));
    EXPECT_TRUE(error("*Vertices 2\n*Edges\n0 2\n").starts_with("x.net:3: the vertex 0 is none of the 2"));
    EXPECT_TRUE(error("*Vertices 2\n3 c\n").starts_with("x.net:2: the vertex 3"));
    EXPECT_TRUE(error("*Vertices 2\n*Edges\n1\n").starts_with("x.net:3: '1' names one end"));
    EXPECT_TRUE(error("*Vertices 2\n*Edges\na b\n").starts_with("x.net:3: 'a' is no number of a vertex"));
    EXPECT_TRUE(error("*Vertices 2\n*Edges\n1 2 heavy\n").starts_with("x.net:3: 'heavy' is no weight"));
    EXPECT_TRUE(error("*Vertices 2\n*Edges\n1 2 0\n").starts_with("x.net:3: the edge 1 2 weighs 0"));
    EXPECT_TRUE(error("*Vertices two\n").starts_with("x.net:1: 'two' is no number of vertices"));
    EXPECT_TRUE(error("*Vertices 2\n*Edges\n1 2\n*Network b\n").starts_with("x.net:4: there is a second network"));
    EXPECT_TRUE(error("*Vertices 2\n*Edges\n1 2\n*Vertices 2\n").starts_with("x.net:4: there is a second network"));
    EXPECT_TRUE(error("*Vertices 2\n*Foo\n").starts_with("x.net:2: '*foo' is no section"));
    EXPECT_TRUE(error("*Vertices 2\n*Matrix\n0 1\n1\n").starts_with("x.net:3: the matrix has 3 entries"));
    EXPECT_TRUE(error("*Vertices 2\n*Matrix\n0 1\n1 0\n1 0\n").starts_with("x.net:5: the matrix has more"));
    EXPECT_NE(error_of("*Vertices 2\n", "x.net", {.weights_from = "w"}), "");
}

}  // namespace
}  // namespace dunlin::io
