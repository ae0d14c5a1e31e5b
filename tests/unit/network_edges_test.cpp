// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "io/network/parsed_network.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

Network read(const std::string& text, const char* name = "g.txt", const NetworkOptions& options = {}) {
    return read_network(Bytes::copy(text, name), options);
}

std::string error_of(const std::string& text, const char* name = "g.txt", const NetworkOptions& options = {}) {
    return refusal([&] { read(text, name, options); });
}

using StringInterner = std::vector<std::string>;
using Offsets = std::vector<Offset>;
using Targets = std::vector<Index>;
using Weights = std::vector<float>;

void expect_path(const Network& network, const StringInterner& ids) {
    EXPECT_EQ(network.graph.offsets, (Offsets{0, 1, 3, 4}));
    EXPECT_EQ(network.graph.targets, (Targets{1, 0, 2, 1}));
    EXPECT_EQ(network.graph.weights, (Weights{1, 1, 1, 1}));
    EXPECT_EQ(network.ids, ids);
}

TEST(NetworkEdges, EveryKindOfId) {
    expect_path(read("0 1\n1 2\n"), {});
    expect_path(read("1 2\n3 2\n"), {"1", "2", "3"});
    expect_path(read("5\t70\n900 \t 70\r\n"), {"5", "70", "900"});
    expect_path(read("9999999999 10000000000\n10000000001 10000000000\n"),
                {"9999999999", "10000000000", "10000000001"});
    expect_path(read("2000000000 2000000001\n2147483647 2000000001\n"), {"2000000000", "2000000001", "2147483647"});
    expect_path(read("9223372036854775807 9223372036854775808\n18446744073709551615 9223372036854775808\n"),
                {"9223372036854775807", "9223372036854775808", "18446744073709551615"});
    expect_path(read("anne bob\nbob carl\n"), {"anne", "bob", "carl"});
    expect_path(read("7 007\n007 -1\n"), {"7", "007", "-1"});
    expect_path(read("a,\"b, c\"\n\"b, c\",\"d \"\"e\"\"\"\n", "g.csv"), {"a", "b, c", "d \"e\""});
}

TEST(NetworkEdges, NamesOfEveryLength) {
    // Chains of names that differ from the next in the last byte only
    for (std::size_t length = 1; length < 40; ++length) {
        const std::string stem(length - 1, 'n');
        expect_path(read(stem + "a " + stem + "b\n" + stem + "b " + stem + "c"), {stem + "a", stem + "b", stem + "c"});
    }
    expect_path(read("a aa\naa aaa"), {"a", "aa", "aaa"});
}

TEST(NetworkEdges, CommentsBlanksAndEndsOfLines) {
    for (const char* text : {"# a\n% b\n0\t1\n\n# c\n1\t2", "0,1\r1,2\r", " 0 , 1 \n 1 , 2 \n", "0;1;\n1;2;\n",
                             "\xef\xbb\xbf"
                             "0 1\n1 2\n\n   \n"}) {
        expect_path(read(text), {});
    }
}

TEST(NetworkEdges, HeadersByAnyName) {
    for (const char* head : {"source,target", "Source,Target", "from,to", "id_1,id_2", "FromNodeId,ToNodeId",
                             "node_id,node_id", "\"src\",\"dst\"", "left,right"}) {
        const Network network = read(std::string(head) + "\n0,1\n1,2\n", "g.csv");
        expect_path(network, {});
        EXPECT_EQ(network.kind, "csv");
        EXPECT_FALSE(network.weighted);
    }
    expect_path(read("from to\nann bob\nbob cid\n"), {"ann", "bob", "cid"});
    for (const char* vertices : {"node1 node2\nnode2 node3\n", "id-1 id-2\nid-2 id-3"}) {
        EXPECT_EQ(read(vertices).graph.size(), 3) << "vertices that are called as others call columns";
    }
    expect_path(read("node_1,node_2\nann,bob\nbob,cid\n"), {"ann", "bob", "cid"});
    const Network network = read("kind,weight,target,source\nx,0.5,1,0\ny,2,2,1\n", "g.csv");
    EXPECT_EQ(network.graph.weights, (Weights{0.5F, 0.5F, 2, 2}));
    EXPECT_EQ(network.warnings, StringInterner{"columns that are not used: 1 'kind'"});
}

TEST(NetworkEdges, TheFirstLineMayCount) {
    expect_path(read("3 2\n1 2\n2 3\n"), {"1", "2", "3"});
    expect_path(read("3 2\n0 1\n1 2\n"), {});
    EXPECT_EQ(read("3 2\n1 2\n2 3\n").notes.size(), 1U);
    EXPECT_EQ(read("3 2\n1 2\n2 3\n", "g.txt", {.header = Header::no}).graph.edges(), 4) << "an edge more";
    EXPECT_EQ(read("3 2\n1 2\n2 4\n").graph.edges(), 6) << "vertex 4 is beyond a count of 3: edges all";
    EXPECT_EQ(read("1 2\n0 1\n1 0\n").graph.edges(), 4);
}

TEST(NetworkEdges, LoopsAndRepeatedEdgesAreCountedOnce) {
    const Network network = read("0 1 2\n1 0 3\n1 1 5\n0 1 1\n1 2 4\n");
    EXPECT_EQ(network.graph.offsets, (Offsets{0, 1, 3, 4}));
    EXPECT_EQ(network.graph.targets, (Targets{1, 0, 2, 1}));
    EXPECT_EQ(network.graph.weights, (Weights{6, 6, 4, 4})) << "strengths add up";
    EXPECT_EQ(network.self_loops, 1);
    EXPECT_EQ(network.multi_edges, 2);
    EXPECT_TRUE(network.weighted);
    EXPECT_EQ(
        network.warnings,
        StringInterner{
            "repeated edges: 2; their weights add up, but count once where both directions of an edge have the same"});
    const Network lengths = read("0 1 2\n1 0 3\n1 1 5\n0 1 1\n1 2 4\n", "g.txt", {.lengths = true});
    EXPECT_EQ(lengths.graph.weights, (Weights{1, 1, 4, 4}));
    EXPECT_EQ(joined(network, true).weights, lengths.graph.weights);
    EXPECT_EQ(joined(lengths, false).weights, network.graph.weights);
    EXPECT_EQ(read("0 1\n0 1\n1 2\n").graph.weights, (Weights{2, 2, 1, 1})) << "each weighs 1";
}

TEST(NetworkEdges, EdgesFromBothEndsCountOnce) {
    const Network network = read("0 1 2\n1 2 4\n1 0 2\n2 1 4\n");
    EXPECT_EQ(network.graph.weights, (Weights{2, 2, 4, 4}));
    EXPECT_EQ(network.warnings, StringInterner{"every edge is listed from both of its ends, and counts once"});
    EXPECT_EQ(read("0 1\n1 2\n1 0\n2 1\n").graph.weights, (Weights{1, 1, 1, 1}));
    EXPECT_EQ(read("0 1 2\n1 2 4\n1 0 3\n2 1 4\n").graph.weights, (Weights{5, 5, 4, 4})) << "other weights";
    const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
    EXPECT_EQ(read(banner + "2 2 4\n1 2 1\n2 1 3\n1 2 2\n2 1 3\n", "g.mtx", {.lengths = true}).graph.weights,
              (Weights{3, 3}))
        << "entries of a matrix at one place add up";
}

TEST(NetworkEdges, HeadersByTypesOfColumns) {
    const auto vertices = [](const char* text, Header header = Header::automatic) {
        return read(text, "g.csv", {.header = header}).graph.size();
    };
    EXPECT_EQ(vertices("u,v,w\na,b,2\nb,c,3\n"), 3);
    EXPECT_EQ(vertices("u,v,at\na,b,2020-01-01\nb,c,2020-01-02\n"), 3);
    EXPECT_EQ(vertices("protein1 protein2 combined_score\np7 p8 155\np8 p9 900\n"), 3);
    EXPECT_EQ(vertices("a b 2\nb c 3\n"), 3) << "no header";
    EXPECT_EQ(vertices("u,v\na,b\nb,c\n"), 5);
    EXPECT_EQ(vertices("u,v\na,b\nb,c\n", Header::yes), 3);
    EXPECT_EQ(read("u,v,w\na,b,2\nb,c,3\n", "g.csv", {.weights_from = "none", .header = Header::no}).graph.size(), 5);
    EXPECT_NE(error_of("a b x\nb c 1\n").find("'x' is no weight"), std::string::npos) << "b is a vertex";
    EXPECT_EQ(read("u,v\na,b\nb,c\n").notes.size(), 1U) << "it could be either";
    EXPECT_EQ(read("u,v\na,b\nb,u\n").notes.size(), 0U) << "u is a vertex";
    EXPECT_EQ(read("gene1 gene2\nTP53 MDM2\n").notes.size(), 1U);
    const Network score = read("u,v,combined_score\na,b,2\nb,c,3\n", "g.csv");
    EXPECT_EQ(score.graph.weights, (Weights{2, 2, 3, 3}));
    EXPECT_EQ(score.notes.at(0).what, "read with column 3 'combined_score' as the weights");
    EXPECT_FALSE(read("u,v,time\na,b,2\nb,c,3\n", "g.csv").weighted);
    EXPECT_FALSE(read("u,v,length\na,b,2\nb,c,3\n", "g.csv").weighted);
    EXPECT_TRUE(read("u,v,length\na,b,2\nb,c,3\n", "g.csv", {.lengths = true}).weighted);
    expect_path(read("# key Source Target\n7 a b\n8 b c\n"), {"a", "b", "c"});
}

TEST(NetworkEdges, WeightsByChoice) {
    const std::string text = "0 1 -2 7\n1 2 -3 8\n";
    EXPECT_EQ(read(text, "g.txt", {.weights_from = "4"}).graph.weights, (Weights{7, 7, 8, 8}));
    EXPECT_FALSE(read(text, "g.txt", {.weights_from = "none"}).weighted);
    EXPECT_EQ(read("u,to,from,len\n1,0,1,3\n", "g.csv", {.weights_from = "len"}).graph.weights, (Weights{3, 3}));
    for (const char* wrong : {"5", "0", "1", "speed"}) EXPECT_NE(error_of(text, "g.txt", {.weights_from = wrong}), "");
    EXPECT_EQ(read("a b {}\nb c {}\n").graph.edges(), 4) << "a third column of words is left out";
}

TEST(NetworkEdges, BadWeightsNameTheirEdge) {
    for (const char* weight : {"-1", "0", "nan", "1e999", "1e-60", "x"}) {
        const std::string error = error_of(std::string("0 1 1\n# c\n1 2 ") + weight + "\n");
        EXPECT_TRUE(error.starts_with("g.txt:3: ")) << error;
        EXPECT_NE(error.find("1 2 "), std::string::npos) << error;
    }
    for (const char* weight : {"nan", "-inf"}) {
        const std::string error = error_of(std::string("1 2 ") + weight + "\n2 3 1\n");
        EXPECT_TRUE(error.starts_with(std::string("g.txt:1: '") + weight + "' is no weight of the edge '1 2 "))
            << error;
    }
}

TEST(NetworkEdges, OtherFormatsAreRefusedByName) {
    const auto refused = [](const std::string& text, const char* word, const char* name = "g.txt") {
        EXPECT_NE(error_of(text, name).find(word), std::string::npos) << text;
    };
    refused("dl n=2\nformat=edgelist1\ndata:\n1 2\n", "UCINET");
    refused("*node data\nid x\n1 2\n*tie data\nfrom to\n1 2\n", "VNA");
    refused(">>graph6<<A_\n", "graph6");
    expect_path(read("# a\n0 1\n# c\n1 2\n"), {});
    expect_path(read("0 1\n#\n1 2\n"), {});
    expect_path(read("a b x\nb c y\n"), {"a", "b", "c"});
}

TEST(NetworkEdges, WhatIsNoEdgeIsNamed) {
    EXPECT_NE(error_of("").find("empty"), std::string::npos);
    EXPECT_NE(error_of("# only\n% comments\n").find("holds no edges"), std::string::npos);
    EXPECT_NE(error_of("from,to\n").find("holds no edges"), std::string::npos);
    EXPECT_NE(error_of("3 0\n").find("holds no edges"), std::string::npos);
    EXPECT_TRUE(error_of("0\n1\n").starts_with("g.txt:1: '0' is no edge"));
    EXPECT_TRUE(error_of("0 1\n\n2\n").starts_with("g.txt:3: '2' has 1 columns")) << error_of("0 1\n\n2\n");
    EXPECT_TRUE(error_of("0 1\n2 3 4\n").starts_with("g.txt:2: '2 3 4' has 3 columns"));
    EXPECT_TRUE(error_of("a,b\n,c\n").starts_with("g.txt:2: ',c' has no name of a vertex in column 1"));
    EXPECT_NE(error_of("0 1\n", "g.txt", {.graph = 2}), "");
    EXPECT_NE(error_of(std::string("0 1\n\0", 5)), "");
}

TEST(NetworkEdges, SmallGraphs) {
    EXPECT_EQ(read("0 0\n").graph.size(), 1);
    EXPECT_EQ(read("0 0\n").graph.edges(), 0);
    EXPECT_EQ(read("x y").graph.edges(), 2);
}

const std::string banner = "%%MatrixMarket matrix coordinate ";

TEST(NetworkMtx, IsAGraph) {
    const Network network = read(banner + "real symmetric\n3 3 4\n1 1 5\n2 1 0.5\n3 2 2\n3 3 1\n", "g.mtx");
    EXPECT_EQ(network.graph.targets, (Targets{1, 0, 2, 1}));
    EXPECT_EQ(network.graph.weights, (Weights{0.5F, 0.5F, 2, 2}));
    EXPECT_EQ(network.self_loops, 2);
    EXPECT_EQ(network.ids, (StringInterner{"1", "2", "3"}));
    EXPECT_FALSE(network.directed);
    const Network both = read(banner + "pattern general\n2 2 2\n2 1\n1 2\n", "g.mtx");
    EXPECT_TRUE(both.directed);
    EXPECT_FALSE(both.weighted);
    EXPECT_EQ(both.multi_edges, 1);
    EXPECT_EQ(read(banner + "pattern general\n3 3 0\n", "g.mtx").graph.size(), 3) << "no edges";
}

TEST(NetworkMtx, CountedFromZeroIsSaid) {
    const Network network = read(banner + "pattern symmetric\n3 3 2\n1 0\n2 1\n", "g.mtx");
    expect_path(network, {});
    ASSERT_EQ(network.warnings.size(), 1U);
    EXPECT_NE(network.warnings.front().find("from 0"), std::string::npos);
    const std::string both = error_of(banner + "pattern symmetric\n3 3 2\n1 0\n3 1\n", "g.mtx");
    EXPECT_EQ(both, "g.mtx:4: '3' is not a row from 0 to 2; correct the entry");
}

TEST(NetworkMtx, ValuesBesideAPatternAreLeftOut) {
    const Network network = read(banner + "pattern symmetric\n3 3 2\n1 0 7\n2 1 1\n", "g.mtx");
    expect_path(network, {});
    EXPECT_FALSE(network.weighted);
    ASSERT_EQ(network.warnings.size(), 2U);
    EXPECT_NE(network.warnings.front().find("pattern"), std::string::npos);
    EXPECT_EQ(error_of(banner + "pattern symmetric\n3 3 2\n2 1 7\n3 2\n", "g.mtx"),
              "g.mtx:4: '' is not a finite number; correct the entry")
        << "some lines only";
}

TEST(NetworkMtx, WhatIsNoGraph) {
    EXPECT_NE(error_of(banner + "real general\n2 3 1\n1 3 1\n", "g.mtx").find("square"), std::string::npos);
    const std::string error = error_of(banner + "real symmetric\n2 2 2\n1 1 1\n2 1 -1\n", "g.mtx");
    EXPECT_TRUE(error.starts_with("g.mtx:4: the edge 2 1 weighs -1")) << error;
    EXPECT_EQ(read(banner + "real symmetric\n2 2 1\n2 1 -1\n", "g.mtx", {.weights_from = "none"}).graph.edges(), 2);
    EXPECT_NE(error_of(banner + "pattern general\n2 2 1\n2 1\n", "g.mtx", {.weights_from = "len"}), "");
}

}  // namespace
}  // namespace dunlin::io
