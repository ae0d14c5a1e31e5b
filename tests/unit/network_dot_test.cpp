// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <thread>

#include <dunlin/error.hpp>

#include "data.hpp"
#include "folder.hpp"
#include "io/network/dot_file.hpp"
#include "io/network/parsed_network.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

namespace fs = std::filesystem;
using StringInterner = std::vector<std::string>;
using Targets = std::vector<Index>;
using Weights = std::vector<float>;

class NetworkDot : public InFolder {
protected:
    /// What write_network makes of a network with vertex v at (10 v, -v / 4).
    std::string written(const Network& network, const char* name = "out.dot") const {
        Map map;
        for (Index v = 0; v < network.graph.size(); ++v) {
            map.coordinates.push_back(10 * static_cast<float>(v));
            map.coordinates.push_back(-static_cast<float>(v) / 4);
        }
        write_network(folder_ / name, network, map);
        return bytes(path(name));
    }

    /// A file as Graphviz's nop would write it.
    std::string by_nop(const Bytes& content) const {
        const DotFile file(content);
        Output out(path("nop.dot"));
        file.write(out);
        out.commit();
        return bytes(path("nop.dot"));
    }
};

/// All that a graph holds but for its drawing, in an order of its own: Graphviz's follows what is written first.
class Content {
public:
    static std::string of(const std::string& dot) {
        const DotFile file(Bytes::copy(dot, "content.dot"));
        const auto lock = DotFile::lock();
        std::string text;
        for (Agraph_t* const graph : file.graphs()) text += of(graph);
        return text;
    }

private:
    static std::string of(Agraph_t* graph) {
        StringInterner lines{"is" + attributes(graph, graph, AGRAPH)};
        for (Agraph_t* sub = agfstsubg(graph); sub != nullptr; sub = agnxtsubg(sub)) lines.push_back(of(sub));
        for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
            lines.push_back(name(node) + attributes(graph, node, AGNODE));
            for (Agedge_t* edge = agfstout(graph, node); edge != nullptr; edge = agnxtout(graph, edge)) {
                lines.push_back(name(agtail(edge)) + "->" + name(aghead(edge)) + " " + name(edge) +
                                attributes(graph, edge, AGEDGE));
            }
        }
        std::sort(lines.begin(), lines.end());
        return fmt::format("{} strict {} directed {} {{\n{}\n}}\n", name(graph), agisstrict(graph), agisdirected(graph),
                           fmt::join(lines, "\n"));
    }
    /// Names that Graphviz has made up count for nothing.
    static std::string name(void* object) {
        const char* const name = agnameof(object);
        return name == nullptr || *name == '%' ? "" : name;
    }
    static std::string attributes(Agraph_t* graph, void* object, int kind) {
        std::string text;
        for (Agsym_t* symbol = agnxtattr(agroot(graph), kind, nullptr); symbol != nullptr;
             symbol = agnxtattr(agroot(graph), kind, symbol)) {
            char* const value = agxget(object, symbol);
            const std::string_view drawn[] = {"pos", "bb", "lp"};
            if (*value == '\0' || std::find(std::begin(drawn), std::end(drawn), symbol->name) != std::end(drawn))
                continue;
            text += fmt::format(" [{}={}{}]", symbol->name, aghtmlstr(value) != 0 ? "html " : "", value);
        }
        return text;
    }
};

Network read(const std::string& text, const NetworkOptions& options = {}) {
    return read_network(Bytes::copy(text, "g.dot"), options);
}

std::string error_of(const std::string& text, const NetworkOptions& options = {}) {
    return refusal([&] { read(text, options); });
}

TEST_F(NetworkDot, TheWholeLanguage) {
    const Network network = read(R"(strict digraph "a b" { // comment
        "x\"y" -> { b; ключ } -> <i<b>j</b>> [label=<<table/>>]
        b:n:sw -> b; # loop
        subgraph cluster_1 { c -> -2.5; b }
        b -> "con" + "cat" /* both */ })");
    EXPECT_EQ(network.ids, (StringInterner{"x\"y", "b", "ключ", "i<b>j</b>", "c", "-2.5", "concat"}));
    EXPECT_EQ(network.graph.edges(), 2 * 6);
    EXPECT_EQ(network.self_loops, 1);
    EXPECT_TRUE(network.directed);
    EXPECT_FALSE(network.weighted);
    EXPECT_EQ(network.kind, "dot");
}

TEST_F(NetworkDot, EdgesAreCountedOnceAndKept) {
    const Network network = read("digraph { a -> b; b -> a; a -> a; a -> b [color=red] }");
    EXPECT_EQ(network.graph.targets, (Targets{1, 0}));
    EXPECT_EQ(network.self_loops, 1);
    EXPECT_EQ(network.multi_edges, 2);
    const Network again = read(written(network));
    EXPECT_EQ(again.multi_edges, 2);
    EXPECT_EQ(again.self_loops, 1);
    EXPECT_NE(written(network).find("color=red"), std::string::npos);
}

TEST_F(NetworkDot, PositionsPinsAndSizes) {
    const Network network =
        read("graph { a [pos=\"1,2!\", width=2]; b [pos=\"-3.5,4e1\", pin=True]; c; a -- b [len=3] }");
    ASSERT_EQ(network.start.coordinates.size(), 6U);
    EXPECT_EQ(network.start.coordinates[0], 1);
    EXPECT_EQ(network.start.coordinates[2], -3.5F);
    EXPECT_EQ(network.start.coordinates[3], 40);
    EXPECT_TRUE(std::isnan(network.start.coordinates[4]) && std::isnan(network.start.coordinates[5]));
    EXPECT_EQ(network.pinned, (std::vector<std::uint8_t>{1, 1, 0}));
    EXPECT_EQ(network.sizes[0].width, 144);
    EXPECT_EQ(network.sizes[0].height, 36);
    EXPECT_EQ(network.sizes[2].width, 54);
    const Network inches = read("graph { inputscale=1; a [pos=\"1,2,0.5\"] }");
    EXPECT_EQ(inches.start.dim, 3);
    EXPECT_EQ(inches.start.coordinates, (Weights{72, 144, 36}));
    EXPECT_TRUE(inches.pinned.empty());
    EXPECT_TRUE(read("graph { a [pos=x]; b [pos=\"1\"] }").start.coordinates.empty());
}

TEST_F(NetworkDot, Weights) {
    EXPECT_EQ(read("graph { a -- b [weight=2.5]; b -- c }").graph.weights, (Weights{2.5F, 2.5F, 1, 1}));
    EXPECT_EQ(read("graph { edge [len=3]; a -- b }", {.weights_from = "len"}).graph.weights, (Weights{3, 3}));
    EXPECT_FALSE(read("graph { a -- b [weight=2] }", {.weights_from = "none"}).weighted);
    const Network zero = read("graph { a -- b [weight=2]; b -- c [weight=0] }");
    EXPECT_FALSE(zero.weighted);
    EXPECT_EQ(zero.graph.weights, (Weights{1, 1, 1, 1}));
    ASSERT_EQ(zero.warnings.size(), 1U);
    EXPECT_NE(zero.warnings[0].find("'b' -- 'c' weighs 0"), std::string::npos) << zero.warnings[0];
    for (const char* bad : {"0", "-1", "nan", "x", "\"1 2\""}) {
        const std::string text = fmt::format("graph {{ a -- b [weight={}] }}", bad);
        EXPECT_NE(error_of(text, {.weights_from = "weight"}).find("'a' -- 'b'"), std::string::npos) << bad;
    }
    EXPECT_NE(error_of("graph { a -- b }", {.weights_from = "speed"}).find("'speed'"), std::string::npos);
}

TEST_F(NetworkDot, Labels) {
    const Network network = read("graph { node [kind=x]; a; b [kind=y]; c }", {.labels = "kind"});
    EXPECT_EQ(network.labels.names, (StringInterner{"x", "y"}));
    EXPECT_EQ(network.labels.of, (Targets{0, 1, 0}));
}

TEST_F(NetworkDot, SeveralGraphsAreDrawnSideBySide) {
    const std::string text = "graph A { a -- b } digraph B { a -> c; b -> a }";
    const Network all = read(text);
    EXPECT_EQ(all.graphs, 2);
    EXPECT_EQ(all.ids, (StringInterner{"a", "b", "a", "c", "b"}));
    EXPECT_EQ(all.graph.targets, (Targets{1, 0, 3, 4, 2, 2}));
    EXPECT_EQ(read(written(all)).graph.targets, all.graph.targets);
    const Network second = read(text, {.graph = 2});
    EXPECT_EQ(second.ids, (StringInterner{"a", "c", "b"}));
    EXPECT_EQ(read(written(second)).graphs, 1);
    EXPECT_NE(error_of(text, {.graph = 3}).find("none of the 2 graphs"), std::string::npos);
}

TEST_F(NetworkDot, ErrorsAreGraphvizsWithTheLine) {
    EXPECT_EQ(error_of("graph {\n a -- b\n a -> b\n}"), "g.dot:3: syntax error near '->'; correct the line");
    EXPECT_TRUE(error_of("graph { a [label=\"b }").starts_with("g.dot:1: syntax error scanning a quoted string"));
    EXPECT_TRUE(error_of("graph { a [label=<b }").starts_with("g.dot:1: syntax error scanning a HTML string"));
    EXPECT_NE(error_of("graph { -- " + std::string(5000, 'x') + " }"), "");
    EXPECT_NE(error_of("// nothing\n").find("no graph"), std::string::npos);
    EXPECT_NE(error_of("a,b\n").find("g.dot:1: syntax error"), std::string::npos);
}

TEST_F(NetworkDot, WhatAFileLeavesOpenDoesNotSpillIntoTheNext) {
    for (const char* open :
         {"graph { a } /* b", "graph { a } \"b", "graph { a } <b<c", "graph { a <b", "graph { \"b"}) {
        try {
            read(open);
        } catch (const Error&) {
        }
        EXPECT_EQ(read("graph { a -- b }").graph.edges(), 2) << open;
    }
}

TEST_F(NetworkDot, ThreadsTakeTurnsInLibcgraph) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([this, t] {
            const std::string name = fmt::format("turn{}.dot", t);
            for (int i = 0; i < 20; ++i) {
                const Network network = read(fmt::format("graph {{ a -- b{}; b{} -- c }}", t, t));
                EXPECT_EQ(read(written(network, name.c_str())).ids[1], fmt::format("b{}", t));
                EXPECT_NE(error_of("graph {"), "");
            }
        });
    }
}

TEST_F(NetworkDot, SmallGraphs) {
    EXPECT_EQ(read("graph {}").graph.size(), 0);
    EXPECT_EQ(read("graph { a }").graph.size(), 1);
    EXPECT_EQ(read(written(read("graph {}"))).graph.size(), 0);
    EXPECT_EQ(read("\xef\xbb\xbfgraph { a -- b }").graph.edges(), 2);
}

TEST_F(NetworkDot, WhatADrawingAddsAndWhatItTakesBack) {
    const std::string text =
        written(read("graph { bb=\"0,0,9,9\"; subgraph cluster_x { bb=\"1,1,2,2\"; a [pos=\"0,0!\"]; b } b -- c "
                     "[pos=\"e,1,2 3,4\"] }"));
    EXPECT_NE(text.find("pos=\"0,-0!\""), std::string::npos) << text;
    EXPECT_NE(text.find("pos=\"20,-0.5\""), std::string::npos) << text;
    EXPECT_NE(text.find("bb=\"-27,-18.5,47,18\""), std::string::npos) << text;
    EXPECT_NE(text.find("bb=\"-27,-18.25,37,18\""), std::string::npos) << text;
    EXPECT_EQ(text.find("e,1,2"), std::string::npos) << text;
    EXPECT_NE(written(read("graph { inputscale=1; a [pos=\"1,2\"] }")).find("inputscale=72"), std::string::npos);
    Map wrong;
    wrong.coordinates = {1, 2};
    EXPECT_THROW(write_network(folder_ / "w.dot", read("graph { a; b }"), wrong), Error);
    wrong.coordinates = {1, 2, 3, std::nanf("")};
    EXPECT_THROW(write_network(folder_ / "w.dot", read("graph { a; b }"), wrong), Error);
}

TEST_F(NetworkDot, OtherFormatsBecomeDot) {
    const Network network = read_network(Bytes::copy("a \"q\"\"\" 2\nb b 3\na \"q\"\"\" 1\n", "g.txt"), {});
    const Network again = read(written(network));
    EXPECT_EQ(again.ids, (StringInterner{"a", "q\"", "b"}));
    EXPECT_EQ(again.self_loops, 1);
    EXPECT_EQ(again.multi_edges, 1);
    EXPECT_EQ(again.graph.weights, (Weights{2, 2}));
    EXPECT_EQ(again.start.coordinates, (Weights{0, -0.0F, 10, -0.25F, 20, -0.5F}));
}

TEST_F(NetworkDot, BackslashesStayWithinTheirQuotes) {
    // In DOT, \\" is a quote and \\\\ are two backslashes
    const Network network = read_network(Bytes::copy("a\\ b\\\"c\nc\\d a\\\n", "g.txt"), {});
    EXPECT_EQ(network.ids, (StringInterner{"a\\", "b\\\"c", "c\\d"}));
    EXPECT_EQ(read(written(network)).ids, (StringInterner{"a\\\\", "b\\\\\"c", "c\\d"}));
}

/// Graphviz's test files, with what `gc -n -e` says of them in SOURCES.md.
class NetworkDotData : public NetworkDot {
protected:
    void SetUp() override {
        if (!fs::exists(data_ / "dot")) GTEST_SKIP() << data_ / "dot" << " is not there; set DUNLIN_DATA";
    }
    fs::path data_ = data_folder();
};

TEST_F(NetworkDotData, HasTheCountsOfGcOrItsError) {
    std::ifstream sources(data_ / "SOURCES.md");
    const std::regex counts(R"(^\| (dot/[^ ]+) \|.*\| (\d+) nodes, (\d+) edges, (\d+) graph.*)");
    const std::regex error(R"(Error: .*: syntax error in line (\d+) near)");
    int seen = 0;
    for (std::string line; std::getline(sources, line);) {
        std::smatch of, fault;
        if (!std::regex_match(line, of, counts)) continue;
        ++seen;
        const fs::path path = data_ / of[1].str();
        if (std::regex_search(line, fault, error)) {
            try {
                read_network(path);
                ADD_FAILURE() << path << " should be an error in line " << fault[1];
            } catch (const Error& thrown) {
                EXPECT_TRUE(
                    std::string(thrown.what()).starts_with(path.string() + ":" + fault[1].str() + ": syntax error"))
                    << thrown.what();
            }
            continue;
        }
        const Network network = read_network(path);
        // Of several graphs, that table has counted gc's line of totals as one more
        const bool several = std::stoi(of[4]) > 1;
        EXPECT_EQ(network.graphs, several ? std::stoi(of[4]) - 1 : 1) << path;
        EXPECT_EQ(network.graph.size(), std::stoi(of[2]) / (several ? 2 : 1)) << path;
        EXPECT_EQ(network.graph.edges() / 2 + network.self_loops + network.multi_edges,
                  std::stoi(of[3]) / (several ? 2 : 1))
            << path;
    }
    EXPECT_GT(seen, 70);
}

TEST_F(NetworkDotData, OnlyTheDrawingChanges) {
    int seen = 0;
    for (const auto& entry : fs::recursive_directory_iterator(data_ / "dot")) {
        if (!entry.is_regular_file()) continue;
        try {
            const Bytes before = load(entry.path());
            const std::string after = written(read_network(before, {}));
            EXPECT_EQ(Content::of(after), Content::of(by_nop(before))) << entry.path();
            ++seen;
        } catch (const Error&) {  // the other test looks at those
        }
    }
    EXPECT_GT(seen, 70);
}

}  // namespace
}  // namespace dunlin::io
