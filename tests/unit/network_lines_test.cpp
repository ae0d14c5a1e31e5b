// SPDX-License-Identifier: Apache-2.0
#include "io/readers.hpp"
#include "network_reading.hpp"

/// Formats with a vertex or an edge a line: SIF, TGF, LGL, adjacency lists, DIMACS, KONECT.
namespace dunlin::io {
namespace {

TEST(NetworkSif, TargetsAndLoneVertices) {
    for (const char* text : {"a pd b\nb pp c\n", "a\tpd\tb\r\nb\tpp\tc\t\r\n", "\n# made by hand\na  pd b\n\nb pp c"}) {
        const Network network = read(text, "x.sif");
        expect_path(network, {"a", "b", "c"});
        EXPECT_EQ(network.kind, "sif");
        EXPECT_FALSE(network.weighted);
        EXPECT_TRUE(warns(network, "relations, which are not used: 2"));
    }
    EXPECT_TRUE(warns(read("# c\na pd b\n", "x.sif"), "comments: 1"));
    const Network wide = read("hub pd a b c\nalone\n", "x.sif");
    EXPECT_EQ(wide.ids, (StringInterner{"hub", "a", "b", "c", "alone"}));
    EXPECT_EQ(wide.graph.edges(), 6);
    EXPECT_EQ(read("left one\tpd\tright one\n", "x.sif").ids, (StringInterner{"left one", "right one"}));
    EXPECT_EQ(read("\xC3\xA9 pd \xC3\xA9\n", "x.sif").self_loops, 1);
    EXPECT_EQ(read("a pd b\nb pd c\n", "by_its_rows.txt").kind, "sif");
    EXPECT_TRUE(error_of("a pd b\na pd\n", "x.sif").starts_with("x.sif:2: 'a pd' has a relation"));
    EXPECT_NE(error_of("a pd b\n", "x.sif", {.weights_from = "w"}), "");
    EXPECT_NE(error_of("", "x.sif"), "");
}

TEST(NetworkTgf, LabelsAndWeights) {
    const Network network = read("1 A a\n2 B\n3 C\n#\n1 2 0.5\n2 3 2\n", "x.tgf");
    expect_path(network, {"A a", "B", "C"});
    EXPECT_EQ(network.graph.weights, (Weights{0.5F, 0.5F, 2, 2}));
    expect_path(read("1\n2\n3\n#\n1 2 likes\n2 3\n", "x.tgf"), {"1", "2", "3"});
    const Network twice = read("1 A\n2 A\n3\n#\n1 2\n2 3\n", "tgf.txt");
    expect_path(twice, {"1", "2", "3"});
    EXPECT_EQ(twice.names, (StringInterner{"A", "A", "3"}));
    EXPECT_FALSE(read("1\n2\n#\n1 2 7\n", "x.tgf", {.weights_from = "none"}).weighted);
    EXPECT_TRUE(error_of("1 A\n#\n1 2\n", "x.tgf").starts_with("x.tgf:3: the end '2'"));
    EXPECT_TRUE(error_of("1 A\n1 B\n#\n", "x.tgf").starts_with("x.tgf:2: there is a second"));
}

TEST(NetworkLgl, HeadsAndNeighbors) {
    const Network network = read("# a\nb 1\n# b\nc 1.5\n", "x.lgl");
    expect_path(network, {"a", "b", "c"});
    EXPECT_EQ(network.graph.weights, (Weights{1, 1, 1.5F, 1.5F}));
    EXPECT_EQ(read("# a\nb\n# b\nc\n", "lgl.txt").kind, "lgl");
    EXPECT_TRUE(error_of("a 1\n", "x.lgl").starts_with("x.lgl:1: 'a 1' is neither"));
    EXPECT_TRUE(error_of("# a\nb 0\n", "x.lgl").starts_with("x.lgl:2: the edge to b weighs 0"));
}

TEST(NetworkAdjacency, VerticesAndNeighbors) {
    expect_path(read("# by hand\na b\nb c # both\nc\n", "x.adjlist"), {"a", "b", "c"});
    const Network network = read("a b c d\nb c\nc d\n", "words.txt");
    EXPECT_EQ(network.kind, "adjacency");
    EXPECT_EQ(network.graph.edges(), 10);
    const Network both = read("a b\nb a c\nc b\n", "x.adjlist");
    expect_path(both, {"a", "b", "c"});
    EXPECT_EQ(both.graph.weights, (Weights{1, 1, 1, 1})) << "every edge from both ends counts once";
}

TEST(NetworkDimacs, ColoringAndPaths) {
    const Network coloring = read("c a graph\np edge 3 2\ne 1 2\nE 2 3\n", "x.col");
    expect_path(coloring, {"1", "2", "3"});
    EXPECT_FALSE(coloring.weighted || coloring.directed);
    const Network paths = read("c\r\np sp 3 2\r\n\r\na 1 2 7\r\na 2 3 0.5\r\n", "x.gr");
    expect_path(paths, {"1", "2", "3"});
    EXPECT_EQ(paths.graph.weights, (Weights{7, 7, 0.5F, 0.5F}));
    EXPECT_TRUE(paths.directed);
    EXPECT_TRUE(warns(paths, "lengths (p sp)"));
    EXPECT_TRUE(read("p sp 3 2\na 1 2 7\na 2 3 1\n", "x.gr", {.lengths = true}).warnings.empty());
    EXPECT_FALSE(read("p sp 3 2\na 1 2 7\na 2 3 1\n", "x.gr", {.weights_from = "none"}).weighted);
    expect_path(read("p tw 3 2\n1 2\n2 3\n", "x.gr"), {"1", "2", "3"});
}

TEST(NetworkDimacs, WrongCounts) {
    EXPECT_TRUE(warns(read("p edge 3 5\ne 1 2\ne 2 3\n", "x.col"), "announces 5 edges, and there are 2"));
    const Network beyond = read("p edge 2 2\ne 1 2\ne 2 900\n", "x.col");
    expect_path(beyond, {"1", "2", "900"});
    EXPECT_TRUE(warns(beyond, "announces 2 vertices, and edges name 1 others"));
    const Network from_zero = read("p edge 3 2\ne 0 1\ne 1 2\n", "x.col");
    expect_path(from_zero, {});
    EXPECT_TRUE(warns(from_zero, "numbered from 0"));
    expect_path(read("e 10 20\ne 20 30\n", "x.col"), {"10", "20", "30"});
    EXPECT_EQ(read("p edge 5 1\ne 1 2\n", "x.col").graph.size(), 5) << "with isolated vertices";
    EXPECT_TRUE(error_of("p edge 3 2\ne 1\n", "x.col").starts_with("x.col:2: 'e 1' names one end"));
    EXPECT_TRUE(error_of("p edge 3 2\ne 1 b\n", "x.col").starts_with("x.col:2: 'b' is no number"));
    EXPECT_TRUE(error_of("p edge 3 2\nedge 1 2\n", "x.col").starts_with("x.col:2: 'edge 1 2' is no line"));
    EXPECT_TRUE(error_of("p sp 3 2\na 1 2 x\n", "x.gr").starts_with("x.gr:2: 'x' is no weight"));
    EXPECT_TRUE(error_of("p sp 3 2\na 1 2 -1\n", "x.gr").starts_with("x.gr:2: the edge 1 2 weighs -1"));
    EXPECT_NE(error_of("p cnf 3 2\n1 -3 0\n", "x.cnf").find("formula"), std::string::npos);
    EXPECT_NE(error_of("p edge 3 2\np edge 3 2\n", "x.col").find("second line p"), std::string::npos);
}

TEST(NetworkKonect, TwoSidesAreApart) {
    const Network network = read("% bip unweighted\n% 6 4 3\n1 1\n2 1\n3 2\n4 2\n1 3\n4 3\n", "out.bip");
    EXPECT_EQ(network.ids, (StringInterner{"1", "2", "3", "4", "5", "6", "7"}));
    EXPECT_EQ(network.graph.edges(), 12);
    EXPECT_EQ(network.self_loops, 0);
    EXPECT_TRUE(warns(network, "left side has the ids 1 to 4, its right side the ids 5 to 7"));
    const Network times = read("%bip weighted\r\n1 1 2.5 100\r\n1\t2\t0.5\t200\r\n", "out.w");
    EXPECT_EQ(times.graph.weights, (Weights{2.5F, 0.5F, 2.5F, 0.5F}));
    EXPECT_TRUE(warns(times, "not used: 4"));
    EXPECT_EQ(read("% bip unweighted\n% 1 3 2\n1 1\n", "out.x").graph.size(), 5) << "with isolated vertices";
    EXPECT_TRUE(warns(read("% bip unweighted\n% 2 1 1\n1 1\n1 2\n", "out.x"), "announces 1 and 1 vertices"));
    EXPECT_FALSE(read("% bip weighted\n1 1 0\n", "out.x", {.weights_from = "none"}).weighted);
    EXPECT_TRUE(error_of("% bip weighted\n1 1 -1\n", "out.x").starts_with("out.x:2: the edge 1 1 weighs -1"));
    EXPECT_TRUE(error_of("% bip weighted\n0 1\n", "out.x").starts_with("out.x:2: '0 1' does not begin"));
    EXPECT_NE(error_of("% bip weighted\n1 1 1\n", "out.x", {.weights_from = "4"}).find("column 3"), std::string::npos);
}

TEST(NetworkKonect, OneSide) {
    const Network network = read("% asym positive\n% 2 3 3\n1 2 3\n2 3 4\n", "out.pos");
    expect_path(network, {"1", "2", "3"});
    EXPECT_TRUE(network.directed);
    EXPECT_EQ(network.graph.weights, (Weights{3, 3, 4, 4}));
    EXPECT_FALSE(read("% sym unweighted\n1 2\n2 3\n", "out.x").directed);
    EXPECT_TRUE(warns(read("% sym unweighted\n% 5 3 3\n1 2\n2 3\n", "out.x"), "announces 5 edges"));
}

TEST(NetworkKonect, ThreeWeightedEdgesAreNoMatrix) {
    const Network network = read("% asym posweighted\n1 2 3\n2 3 1\n3 1 2\n", "out.x");
    EXPECT_EQ(network.kind, "konect");
    EXPECT_EQ(network.ids, (StringInterner{"1", "2", "3"}));
    EXPECT_TRUE(network.weighted && network.directed);
    EXPECT_EQ(read("% a b\n1 2 3\n2 3 1\n3 1 2\n", "x.txt").kind, "edges");
}

TEST(NetworkAdjacencyLists, AColonBehindEveryVertexIsNoPartOfIt) {
    expect_path(read("1: 2\r\n2: 3\r\n", "x.txt"), {"1", "2", "3"});
    expect_path(read("a: b\nb: a c\nc:\n", "x.adjlist"), {"a", "b", "c"});
    expect_path(read("a: b\nb: a, c\n", "x.txt"), {"a", "b", "c"});
    EXPECT_EQ(read("a: b\nb c\n", "x.txt").ids, (StringInterner{"a:", "b", "c"}));
}

TEST(NetworkUcinet, IsRefusedWithAWay) {
    for (const char* text : {"DL\nN=3\nFORMAT = FULLMATRIX\nDATA:\n0 1 0\n1 0 1\n0 1 0\n", "dl n=2\ndata:\n0 1\n1 0\n",
                             "dl\r\nformat = edgelist1\r\nn=2\r\ndata:\r\n1 2\r\n"}) {
        EXPECT_NE(error_of(text, "x.txt").find("keep the rows below its line DATA:"), std::string::npos) << text;
        EXPECT_EQ(guess(Bytes::copy(text, "x.txt"), {}).holds, Holds::graph) << text;
    }
    EXPECT_EQ(read("dl a\na b\n", "x.txt").ids.size(), 3U);
}

TEST(NetworkOfNetworkx, MultilineAdjacencyListsAreRefusedWithAWay) {
    const std::string text = "#x.py\n# GMT\n0 2\n1 {}\n2 {'weight': 4}\n1 0\n2 0\n";
    EXPECT_NE(error_of(text, "x.txt").find("networkx.write_weighted_edgelist"), std::string::npos);
    EXPECT_EQ(guess(Bytes::copy(text, "x.txt"), {}).holds, Holds::graph);
}

}  // namespace
}  // namespace dunlin::io
