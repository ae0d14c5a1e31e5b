// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include <dunlin/error.hpp>
#include <dunlin/io.hpp>

#include "data.hpp"
#include "network_reading.hpp"

namespace dunlin::io {
namespace {

TEST(NetworkMetis, LinesAreVertices) {
    const Network network = read("% a path\n3 2\n2\n1 3\n% and\n2\n", "g.graph");
    expect_path(network, {"1", "2", "3"});
    EXPECT_EQ(network.kind, "metis");
    EXPECT_EQ(network.multi_edges, 0) << "each edge is listed by both its ends";
    EXPECT_FALSE(network.weighted);
    EXPECT_TRUE(network.warnings.empty());
    expect_path(read("3 2 0\n 2 \n1 3\n2", "g.metis"), {"1", "2", "3"});
    EXPECT_EQ(read("2 0\n\n\n", "g.graph").graph.size(), 2) << "empty lines are vertices";
    EXPECT_EQ(read("0 0\n", "g.graph").graph.size(), 0);
}

TEST(NetworkMetis, EdgesThatRepeatWithoutWeightsWeighTheirNumber) {
    const Network network = read("3 2\n2\n1 1\n2\n", "g.graph");
    EXPECT_EQ(network.multi_edges, 2);
    EXPECT_FALSE(network.weighted);
    EXPECT_EQ(network.graph.weights, (Weights{3, 3, 1, 1}));  // 1 from vertex 1, 2 from vertex 2: they differ
    EXPECT_EQ(read("3 2\n2\n1 3\n2\n", "g.graph").graph.weights, (Weights{1, 1, 1, 1}));
}

TEST(NetworkMetis, SizesAndWeights) {
    // Form 111 with 2 weights per vertex: size, 2 weights, then pairs of neighbor and weight
    const std::string text = "3 2 111 2\n9 8 7 2 5\n9 8 7 1 5 3 0.5\n9 8 7 2 0.5\n";
    EXPECT_EQ(read(text, "g.graph").graph.weights, (Weights{5, 5, 0.5F, 0.5F}));
    EXPECT_FALSE(read(text, "g.graph", {.weights_from = "none"}).weighted);
    EXPECT_EQ(read("2 1 10\n4 2\n3 1\n", "g.graph").graph.targets, (Targets{1, 0}));
    EXPECT_TRUE(error_of("2 1 1\n2 1\n1 -1\n", "g.graph").starts_with("g.graph:3: the edge 2 1 weighs -1"));
}

TEST(NetworkMetis, OneDirectionAloneIsReadAndSaid) {
    const Network network = read("3 2\n2\n3\n\n", "g.graph");
    expect_path(network, {"1", "2", "3"});
    EXPECT_EQ(read("3 5\n2\n1 3\n2\n", "g.graph").warnings.size(), 1U);
    expect_path(read("3 2\n2\n\n2\n", "g.graph"),
                {"1", "2", "3"});  // equally many in both directions, but different edges
}

TEST(NetworkMetis, DamageIsNamed) {
    EXPECT_TRUE(error_of("3 2\n2\n1 4\n2\n", "g.graph").starts_with("g.graph:3: '4' is no neighbor"));
    EXPECT_TRUE(error_of("3 2\n2\n1 x\n2\n", "g.graph").starts_with("g.graph:3: 'x' is no neighbor"));
    EXPECT_NE(error_of("3 2\n2\n1 3\n", "g.graph").find("ends after 2 of 3"), std::string::npos);
    EXPECT_NE(error_of("2 1\n2\n1\n1\n", "g.graph").find("more lines than the 2 vertices"), std::string::npos);
    EXPECT_NE(error_of("900000000 1\n2\n1\n", "g.graph").find("cannot be in"), std::string::npos);
    for (const char* head :
         {"", "% only\n", "x 2\n", "3\n1\n", "3 2 7\n", "3 2 1 1 1\n", "99999999999 2\n", "-3 2\n"}) {
        EXPECT_NE(error_of(head, "g.graph"), "") << head;
    }
    EXPECT_NE(error_of("2 1 1\n2\n1 1\n", "g.graph").find("no weight"), std::string::npos);
}

const std::string gml = R"(Creator "x"
# a comment
graph [
  directed 1
  edge [ source 7 target 90 value 2 extra [ a 1 b [ c "]" ] ] ]
  node [ id 90 label "B &amp; &#233;" graphics [ x 1 y -2.5 w 10 h 20 ] kind "k" ]
  node [ id 7 label "A" kind "l" ]
  node [ id -3 label "C" kind "k" ]
  edge [ source 90 target -3 ]
])";

TEST(NetworkGml, PairsInAnyOrder) {
    const Network network = read(gml, "g.gml", {.labels = "kind"});
    EXPECT_EQ(network.ids, (StringInterner{"B & \xc3\xa9", "A", "C"}));
    EXPECT_EQ(network.graph.targets, (Targets{1, 2, 0, 0}));
    EXPECT_EQ(network.graph.weights, (Weights{2, 1, 2, 1}));
    EXPECT_TRUE(network.directed);
    EXPECT_EQ(network.labels.names, (StringInterner{"k", "l"}));
    EXPECT_EQ(network.start.coordinates[1], -2.5F);
    EXPECT_TRUE(std::isnan(network.start.coordinates[2]));
    EXPECT_EQ(network.sizes[0].width, 10);
    EXPECT_EQ(network.sizes[1].width, 10) << "the mean of the others: a unit of the file";
    EXPECT_EQ(network.warnings, (StringInterner{"edges without a weight, which weigh 1: 1",
                                                "vertices without a size, which have the mean of the others: 2"}));
    EXPECT_TRUE(network.pinned.empty());
    expect_path(read("graph[node[id 0]node[id 1]node[id 2]edge[source 0 target 1]edge[source 1 target 2]]", "g.gml"),
                {"0", "1", "2"});
    EXPECT_EQ(read("graph [ node [ id 1 label \"a\" ] node [ id 2 label \"a\" ] ]", "g.gml").ids,
              (StringInterner{"1", "2"}));
    EXPECT_EQ(read("graph [ ]", "g.gml").graph.size(), 0);
}

TEST(NetworkGml, DamageIsNamed) {
    const auto error = [](const char* text) { return error_of(text, "g.gml"); };
    EXPECT_TRUE(error("graph [\nnode [ id 1 ]\nedge [ source 1 target 2 ] ]").starts_with("g.gml:3: the target '2'"));
    EXPECT_TRUE(error("graph [\nnode [ id 1 ]\nedge [ source 1 ] ]").starts_with("g.gml:3: an edge has no target"));
    EXPECT_TRUE(error("graph [\nnode [ id 1 ]\nnode [ id 1 ] ]").starts_with("g.gml:3: there is a second node"));
    EXPECT_TRUE(error("graph [\nnode [ label 1 ]\n]").starts_with("g.gml:2: a node has no id"));
    EXPECT_TRUE(error("graph [ node [ id 1 ]\n").starts_with("g.gml:2: the file ends within a list"));
    EXPECT_TRUE(error("graph [ node [ id \"1 ]\n ]").starts_with("g.gml:1: a text is opened"));
    EXPECT_TRUE(error("graph [ node [ id x ] ]").starts_with("g.gml:1: the id 'x' is neither"));
    EXPECT_TRUE(error("graph [\nnode [ id 1 label \"a\"b\" ]\n]").starts_with("g.gml:2: a text ends at its second"));
    EXPECT_EQ(read("Creator Gephi\ngraph [ Creator Gephi node [ id 1 ] ]", "g.gml").graph.size(), 1);
    EXPECT_TRUE(error("graph [ ] graph [ ]").starts_with("g.gml:1: there is a second graph"));
    EXPECT_NE(error("Version 1").find("no graph"), std::string::npos);
    EXPECT_NE(error("]"), "");
    for (const char* weight : {"0", "-2", "NAN", "\"3\"", "[ ]"}) {
        const std::string text =
            std::string("graph [ node [ id 1 ] node [ id 2 ]\nedge [ source 1 target 2 weight ") + weight + " ] ]";
        EXPECT_TRUE(error(text.c_str()).starts_with("g.gml:2: ")) << error(text.c_str());
        EXPECT_NE(error(text.c_str()).find("the edge 1 2"), std::string::npos) << error(text.c_str());
    }
    EXPECT_NE(error_of(gml, "g.gml", {.weights_from = "speed"}).find("'speed'"), std::string::npos);
}

TEST(NetworkWeights, AreFoundUnderTheSameNamesInEveryFormat) {
    const auto weight = [](const std::string& text, const char* name, const NetworkOptions& options = {}) {
        const Network network = read(text, name, options);
        return network.weighted ? network.graph.weights.at(0) : 0;
    };
    for (const char* name : {"weight", "Weight", "WEIGHTS", "w", "Value"}) {
        EXPECT_EQ(weight(fmt::format("source,target,{}\na,b,7\n", name), "g.csv"), 7) << name;
        EXPECT_EQ(
            weight(fmt::format("graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 {} 7 ] ]", name), "g.gml"),
            7)
            << name;
        for (const char* kind : {"edge", "node", "all"}) {
            const std::string keyed = fmt::format(
                "<graphml><key id='d' for='{}' attr.name='{}'/><graph><node id='1'/><node id='2'/>"
                "<edge source='1' target='2'><data key='d'>7</data></edge></graph></graphml>",
                kind, name);
            EXPECT_EQ(weight(keyed, "g.graphml"), 7) << keyed;
            EXPECT_EQ(weight(keyed, "g.graphml", {.weights_from = "none"}), 0);
        }
    }
    const std::string of_nodes =
        "<graphml><key id='d' for='node' attr.name='weight'/><graph><node id='1'><data key='d'>7</data></node>"
        "<node id='2'/><edge source='1' target='2'/></graph></graphml>";
    EXPECT_EQ(weight(of_nodes, "g.graphml"), 0) << "no edge has it";
    EXPECT_EQ(
        weight("graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 len 7 ] ]", "g.gml", {.lengths = true}),
        7);
}

TEST_F(NetworkWriting, OtherFormatsBecomeGraphml) {
    const Network network = read("a&b,<\"c\">,2\na&b,a&b,3\n<\"c\">,a&b,1\n", "g.csv");
    const Network again = read(written(network, "out.graphml"), "g.graphml");
    EXPECT_EQ(again.ids, network.ids);
    EXPECT_EQ(again.graph.weights, network.graph.weights);
    EXPECT_EQ(again.self_loops, 1);
    EXPECT_EQ(again.multi_edges, 1);
    const Network twice = read("graph { a -- b } graph { a }", "g.dot");
    EXPECT_EQ(read(written(twice, "out.graphml"), "g.graphml").ids, (StringInterner{"0", "1", "2"}));
}

TEST_F(NetworkWriting, JsonIsAMapWithEdges) {
    const Network network = read("a b 0.5\nb b 1\n", "g.txt");
    const auto json = nlohmann::json::parse(written(network, "out.json", 3));
    EXPECT_EQ(json["edges"], nlohmann::json::parse("[[0,1],[1,1]]"));
    EXPECT_EQ(json["weights"], nlohmann::json::parse("[0.5,1]"));
    EXPECT_EQ(json["directed"], false);
    const MapFile map = read_map(folder_ / "out.json");
    EXPECT_EQ(map.ids, (StringInterner{"a", "b"}));
    EXPECT_EQ(map.map.coordinates, (Weights{0, 0, 0, 1, -1, 1}));
    EXPECT_NO_THROW(nlohmann::json::parse(written(read("graph {}", "g.dot"), "empty.json")));
    EXPECT_THROW(written(network, "out.gml"), Error);
}

TEST_F(NetworkWriting, GraphsFromNoFileAreWritten) {
    Network network;
    network.graph = {{0, 1, 3, 4}, {1, 0, 2, 1}, {2, 2, 3, 3}};
    network.weighted = true;
    for (const char* name : {"made.dot", "made.graphml"}) {
        const Network again = read(written(network, name), name);
        expect_path(again, {"0", "1", "2"});
        EXPECT_EQ(again.graph.weights, network.graph.weights) << name;
        EXPECT_EQ(again.multi_edges, 0) << name;
    }
}

TEST_F(NetworkWriting, ClassesComeFromAFileByIdOrInOrder) {
    const auto labels = [&](const char* name, const std::string& text) {
        std::ofstream(folder_ / "g.txt") << "x y\ny z\n";
        std::ofstream(folder_ / name) << text;
        return read_network(folder_ / "g.txt", {.labels = folder_ / name}).labels;
    };
    const auto words = [](const Labels& of) {
        std::string all;
        for (const Index label : of.of) all += label == no_label ? "-" : of.names[static_cast<std::size_t>(label)];
        return all;
    };
    EXPECT_EQ(words(labels("l.csv", "node,age,class\nz,1,b\nx,2,a\nw,3,c\ny,4,b\n")), "abb");
    EXPECT_EQ(words(labels("l.txt", "z b\ny b\nx a\n")), "abb");
    EXPECT_EQ(labels("l.txt", "b\na\nb\n").names, (StringInterner{"b", "a"}));
    EXPECT_EQ(words(labels("l.csv", "x,a\ny,b\n")), "ab-") << "nothing about z";
    EXPECT_THROW(labels("l.csv", "x,a\ny,b\nz\n"), Error);
    EXPECT_THROW(labels("l.csv", "x,a\ny,b\nz,b\nx,b\n"), Error) << "two classes of x";
    EXPECT_THROW(labels("l.txt", "a\nb\n"), Error) << "two labels, three vertices";
    EXPECT_THROW(read_network(folder_ / "g.txt", {.labels = "nothing"}), Error);
}

TEST_F(NetworkWriting, CompressedFilesAreReadAndCutOnesSeen) {
    // "0 1\n1 2\n2 0\n" by gzip
    const std::string packed(
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x33\x50\x30\xe4\x32\x54\x30\xe2\x32\x52\x30\xe0\x02\x00\x7b\x61\x5b"
        "\x23"
        "\x0c\x00\x00\x00",
        32);
    std::ofstream(folder_ / "g.txt.gz", std::ios::binary) << packed;
    std::ofstream(folder_ / "cut.txt.gz", std::ios::binary) << packed.substr(0, 20);
    EXPECT_THROW(read_network(folder_ / "cut.txt.gz"), Error);
    EXPECT_EQ(read_network(folder_ / "g.txt.gz").graph.edges(), 6);
}

TEST_F(NetworkWriting, SparseMatricesOfScipyAreRead) {
    write_graph(folder_ / "g.npz", {{0, 1, 3, 4}, {1, 0, 2, 1}, {2, 2, 3, 3}});
    const Network network = read_network(folder_ / "g.npz");
    expect_path(network, {});
    EXPECT_EQ(network.graph.weights, (Weights{2, 2, 3, 3}));
    EXPECT_EQ(network.multi_edges, 2);
    write_graph(folder_ / "zero.npz", {{0, 1, 1}, {1}, {0}});
    EXPECT_THROW(read_network(folder_ / "zero.npz"), Error);
    EXPECT_EQ(read_network(folder_ / "zero.npz", {.weights_from = "none"}).graph.edges(), 2);
}

TEST_F(NetworkWriting, GraphsAreToldFromPoints) {
    const auto is_graph = [&](const char* name, const std::string& text) {
        std::ofstream(folder_ / name) << text;
        return guess(folder_ / name).holds == Holds::graph;
    };
    EXPECT_TRUE(is_graph("a.dot", "")) << "by its extension";
    EXPECT_TRUE(is_graph("a.gml.gz", ""));
    EXPECT_TRUE(is_graph("a.txt", "# c\n0 1\n1\t2\n"));
    EXPECT_TRUE(is_graph("a.csv", "Source,Target,Weight\na,b,1.5\n"));
    EXPECT_TRUE(is_graph("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3\n"));
    EXPECT_FALSE(is_graph("p.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 3\n"));
    EXPECT_FALSE(is_graph("p.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"));
    EXPECT_FALSE(is_graph("p.csv", "x,y\n1,2\n"));
    EXPECT_FALSE(is_graph("p.csv", "V1,V2,V3\n1,2,3\n")) << "as R calls columns";
    EXPECT_FALSE(is_graph("p.csv", "1.5,2\n1,2\n"));
    EXPECT_FALSE(is_graph("p.csv", "1,2,3\n1,2,3\n"));
    EXPECT_FALSE(is_graph("p.csv", ""));
    EXPECT_FALSE(is_graph("p.npy", "0 1\n"));
    EXPECT_THROW(guess(folder_ / "missing.csv"), Error);
}

/// Real files, if present, with the counts of SOURCES.md.
class NetworkData : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = data_folder() / "graphs";
        if (!fs::exists(folder_)) GTEST_SKIP() << folder_ << " is not there; set DUNLIN_DATA";
    }
    /// vertices, distinct edges, self-loops, all entries
    void expect(const char* name, Index vertices, Offset edges, Offset loops, Offset entries,
                const NetworkOptions& options = {}) {
        const Network network = read_network(folder_ / name, options);
        EXPECT_EQ(network.graph.size(), vertices) << name;
        EXPECT_EQ(network.graph.edges() / 2, edges) << name;
        EXPECT_EQ(network.self_loops, loops) << name;
        EXPECT_EQ(network.graph.edges() / 2 + network.self_loops + network.multi_edges, entries) << name;
    }
    fs::path folder_;
};

TEST_F(NetworkData, HasTheCountsOfItsSources) {
    expect("metis/4elt.graph.xz", 15606, 45878, 0, 45878);
    expect("metis/karate.graph", 34, 78, 0, 78);
    expect("metis/wing.graph.xz", 62032, 121544, 0, 121544);
    expect("newman/as-22july06.gml.xz", 22963, 48436, 0, 48436);
    expect("newman/lesmis.gml", 77, 254, 0, 254);
    expect("newman/netscience.gml", 1589, 2742, 0, 2742);
    expect("odd/jazz2_directed.gml", 5, 2, 2, 4);
    expect("odd/looptest2.gml", 9, 12, 2, 14);
    expect("odd/GD01_b.mtx", 18, 26, 2, 37);
    expect("odd/LFAT5.mtx", 14, 16, 14, 30, {.weights_from = "none"});
    expect("odd/chesapeake.mtx", 39, 170, 0, 170);
    expect("odd/dolphins_multi_edge.csv", 62, 159, 0, 325);
    expect("odd/karate_s_loop.csv", 34, 78, 4, 160);
    expect("odd/karate-disjoint.csv", 68, 156, 0, 312);
    expect("odd/spaceseparated_weighted.edgelist", 3, 3, 0, 3);
    expect("rocketfuel/1221.weights.intra", 108, 153, 0, 306);
    expect("rocketfuel/1755.latencies.intra", 87, 161, 0, 322);
    expect("snap/as20graph.txt.xz", 6474, 12572, 1323, 26467);
    expect("snap/ca-GrQc.txt.xz", 5242, 14484, 12, 28980);
    expect("snap/email-Enron.txt.gz", 36692, 183831, 0, 367662);
    expect("snap/facebook_combined.txt.xz", 4039, 88234, 0, 88234);
    expect("snap/musae_git_edges.csv.xz", 37700, 289003, 0, 289003);
    expect("snap/soc-Epinions1.undirected.txt.xz", 75879, 405740, 0, 405740);
    expect("snap/wiki-Vote.txt.xz", 7115, 100762, 0, 103689);
    expect("social/actor-film.edges.txt.xz", 7600, 26659, 122, 33391);
    expect("social/physicians_edges.csv.xz", 241, 924, 0, 1099);
    expect("suitesparse/finance256.mtx.xz", 37376, 130560, 37376, 167936);
    expect("suitesparse/delaunay_n16.edges.txt.xz", 65536, 196575, 0, 196575);
    expect("tfdp-bench/3elt.mtx.xz", 4720, 13722, 0, 13722);
    expect("tfdp-bench/cage8.mtx.xz", 1015, 4994, 1015, 11003, {.weights_from = "none"});
}

TEST_F(NetworkData, NegativeEntriesOfAMatrixAreNamed) {
    const auto said = refusal([&] { read_network(folder_ / "odd/LFAT5.mtx"); });
    EXPECT_NE(said.find("LFAT5.mtx:4: the edge 4 1 weighs -94.2528"), std::string::npos) << said;
}

TEST(NetworkGml, NamesAreLabelsWhereThereAreNone) {
    const std::string text =
        "graph [ node [ id 0 name \"v0\" ] node [ id 1 name \"v1\" ] node [ id 2 label \"c\" name \"v2\" ]\n"
        "edge [ source 0 target 1 ] edge [ source 1 target 2 ] ]\n";
    expect_path(read(text, "g.gml"), {"v0", "v1", "c"});
}

TEST(NetworkDotNames, AreDrawnWhereThereAreNoLabels) {
    const Network network = read("graph { 0 [name=v0]; 1 [name=v1]; 0 -- 1; 1 -- 2; }", "g.dot");
    expect_path(network, {"0", "1", "2"});
    EXPECT_EQ(network.names, (StringInterner{"v0", "v1", "2"}));
    // What Graphviz draws comes first; marks of HTML are no name
    const Network drawn =
        read(R"(graph { 0 [name=v0, label="b\nc"]; 1 [label="\N"]; 2 [label=<<b>x</b>>]; 0 -- 1 -- 2; })", "g.dot");
    EXPECT_EQ(drawn.names, (StringInterner{"b c", "1", "2"}));
}

TEST(NetworkNodeLink, OtherProgramsOfTheWeb) {
    // D3 after a simulation, with and without ids
    expect_path(read(R"({"nodes": [{"id": "a", "index": 0, "x": 1, "y": 2}, {"id": "b"}, {"id": "c"}],
        "links": [{"source": {"index": 0, "id": "a", "x": 1}, "target": {"id": "b", "index": 1}, "index": 0},
                  {"source": {"id": "b"}, "target": {"id": "c"}}]})",
                     "g.json"),
                {"a", "b", "c"});
    EXPECT_EQ(read(R"({"nodes": [{"g": 1}, {"g": 2}], "links": [{"source": {"g": 1, "index": 0},
        "target": {"g": 2, "index": 1}}]})",
                   "g.json")
                  .graph.edges(),
              2);
    const Network vis = read(R"({"edges": [{"from": 1, "to": 2, "value": 3}, {"from": 2, "to": 3, "value": 1}],
        "nodes": [{"id": 1}, {"id": 2}, {"id": 3}]})",
                             "g.json");
    expect_path(vis, {"1", "2", "3"});
    EXPECT_EQ(vis.graph.weights, (Weights{3, 3, 1, 1}));
    const Network graphology = read(R"({"options": {"type": "directed", "multi": false}, "attributes": {},
        "nodes": [{"key": "a", "attributes": {"x": 1, "y": 2, "key": "z"}}, {"key": "b"}, {"key": "c"}],
        "edges": [{"key": "e", "source": "a", "target": "b", "attributes": {"weight": 2}},
                  {"source": "b", "target": "c", "attributes": {"weight": 1}}]})",
                                    "g.json");
    expect_path(graphology, {"a", "b", "c"});
    EXPECT_TRUE(graphology.directed && graphology.weighted);
    EXPECT_EQ(graphology.start.coordinates[1], 2);
    for (const char* name : {"g.json", "g.cyjs"}) {
        const Network cytoscape = read(R"({"format_version": "1.0", "data": {"name": "n"}, "elements": {
            "nodes": [{"data": {"id": "a"}, "position": {"x": 5, "y": 6}}, {"data": {"id": "b"}},
                      {"data": {"id": "c"}}],
            "edges": [{"data": {"id": "e", "source": "a", "target": "b", "weight": 0.5}, "selected": false},
                      {"data": {"id": "f", "source": "b", "target": "c", "weight": 2}}]}, "zoom": 1})",
                                       name);
        expect_path(cytoscape, {"a", "b", "c"});
        EXPECT_EQ(cytoscape.graph.weights, (Weights{0.5F, 0.5F, 2, 2}));
        EXPECT_EQ(cytoscape.start.coordinates[0], 5);
    }
    EXPECT_NE(error_of(R"({"nodes": [{"id": 1}], "edges": [{"from": 1}]})", "g.json"), "");
    EXPECT_NE(error_of(R"({"elements": []})", "g.cyjs"), "");
}

}  // namespace
}  // namespace dunlin::io
