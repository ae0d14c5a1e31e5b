// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "network_reading.hpp"

namespace dunlin::io {
namespace {

const std::string graphml = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- kept -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="edge" attr.name="weight" attr.type="double"><default>3</default></key>
  <key id="d1" for="node" attr.name="x" attr.type="double"/>
  <key id="d2" for="node" attr.name="y" attr.type="double"/>
  <key id="d3" for="node" attr.name="kind" attr.type="string"><default>k</default></key>
  <graph id="G" edgedefault="directed">
    <edge source="b" target="a"><data key="d0"> 0.5 </data></edge>
    <node id="a"><data key="d1">1</data><data key="d2">2e1</data></node>
    <node id="b"><data key="d3">l</data><graph><node id="c &lt;"/></graph></node>
    <edge source="c &lt;" target="b"/>
    <edge source="b" target="b"/>
  </graph>
</graphml>
)";

TEST(NetworkGraphml, KeysNestsAndDefaults) {
    const Network network = read(graphml, "g.graphml", {.labels = "kind"});
    expect_path(network, {"a", "b", "c <"});
    EXPECT_EQ(network.graph.weights, (Weights{0.5F, 0.5F, 3, 3}));
    EXPECT_TRUE(network.directed);
    EXPECT_EQ(network.self_loops, 1);
    EXPECT_EQ(network.labels.of, (Targets{0, 1, 0}));
    EXPECT_EQ(network.start.coordinates[1], 20);
    EXPECT_TRUE(std::isnan(network.start.coordinates[2]));
    EXPECT_FALSE(read(graphml, "g.graphml", {.weights_from = "none"}).weighted);
    EXPECT_EQ(read("<graphml><graph/></graphml>", "g.graphml").graph.size(), 0);
    EXPECT_EQ(read("<graphml><graph><hyperedge/></graph></graphml>", "g.graphml").warnings,
              StringInterner{"hyperedges that are left out: 1"});
}

TEST(NetworkGraphml, DamageIsNamed) {
    const auto error = [](const std::string& graph) { return error_of("<graphml>\n<graph>\n" + graph, "g.graphml"); };
    EXPECT_TRUE(error("<node id='a'/></grap></graphml>").starts_with("g.graphml:3: "));
    EXPECT_TRUE(
        error("<node id='a'/>\n<node id='a'/></graph></graphml>").starts_with("g.graphml:4: there is a second"));
    EXPECT_TRUE(error("<node/></graph></graphml>").starts_with("g.graphml:3: a node has no id"));
    EXPECT_TRUE(error("<edge source='a' target='b'/></graph></graphml>").starts_with("g.graphml:3: the source 'a'"));
    EXPECT_NE(error_of("<a/>", "g.graphml").find("no <graph>"), std::string::npos);
    const std::string wide("\xff\xfe<\0a\0>\0\n\0<\0b\0", 14);
    EXPECT_TRUE(error_of(wide, "g.graphml").starts_with("g.graphml:")) << "UTF-16, whose lines are not counted";
    std::string zero = graphml;
    zero.replace(zero.find("0.5"), 3, "0.0");
    EXPECT_TRUE(error_of(zero, "g.graphml").starts_with("g.graphml:9: the edge b a weighs 0"));
    EXPECT_NE(error_of(graphml, "g.graphml", {.weights_from = "speed"}).find("'speed'"), std::string::npos);
}

TEST_F(NetworkWriting, GraphmlKeepsItsTree) {
    const std::string text = written(read(graphml, "g.graphml"), "out.graphml");
    for (const char* kept :
         {"<!-- kept -->", "<default>3</default>", "<data key=\"d3\">l</data>", "<data key=\"d2\">-1</data>"}) {
        EXPECT_NE(text.find(kept), std::string::npos) << kept << "\n" << text;
    }
    EXPECT_EQ(text.find("2e1"), std::string::npos) << "the coordinate is replaced";
    const Network again = read(text, "g.graphml");
    expect_path(again, {"a", "b", "c <"});
    EXPECT_EQ(again.start.coordinates, (Weights{0, 0, 1, -1, 2, -2}));
    EXPECT_EQ(again.self_loops, 1);
    const Network deep = read(written(read(graphml, "g.graphml"), "out.graphml", 3), "g.graphml");
    EXPECT_EQ(deep.start.coordinates, (Weights{0, 0, 0, 1, -1, 1, 2, -2, 2}));
    EXPECT_EQ(read(written(deep, "out.graphml", 2), "g.graphml").start.dim, 2) << "the older z is taken out";
}

TEST_F(NetworkWriting, GraphmlIsWrittenInUtf8) {
    const std::string latin1 =
        "<?xml version='1.0' encoding='ISO-8859-1'?><graphml><graph><node id='\xe4'/></graph></graphml>";
    const Network network = read(latin1, "g.graphml");
    EXPECT_EQ(network.ids, StringInterner{"\xc3\xa4"});
    EXPECT_EQ(read(written(network, "out.graphml"), "g.graphml").ids, network.ids);
    // XML cannot represent these two names, which are all that distinguishes the vertices
    const std::string text = written(read("\xe4 \xf6\n", "g.txt"), "out.graphml");
    EXPECT_EQ(text.find_first_of("\xe4\xf6"), std::string::npos) << text;
    EXPECT_EQ(read(text, "g.graphml").ids, (StringInterner{"0", "1"}));
}

TEST_F(NetworkWriting, GraphmlKeysMayBeForAll) {
    const std::string text =
        "<graphml><key id='k' for='all' attr.name='x'/><graph><node id='a'><data key='k'>5</data></node></graph>"
        "</graphml>";
    EXPECT_EQ(read(written(read(text, "g.graphml"), "out.graphml"), "g.graphml").start.coordinates, (Weights{0, 0}));
}

TEST_F(NetworkWriting, GraphmlKeysOfPlacesTakeThem) {
    const std::string text =
        "<graphml><key id='k' for='node' attr.name='x' attr.type='TYPE'><default>true</default></key><graph>"
        "<node id='a'><data key='k'>5</data></node><node id='b'/></graph></graphml>";
    for (const char* type : {"int", "long", "boolean", "string", "float"}) {
        std::string typed = text;
        const std::string out = written(read(typed.replace(text.find("TYPE"), 4, type), "g.graphml"), "out.graphml");
        EXPECT_NE(out.find(std::string(type) == "float" ? "attr.type=\"float\"" : "attr.type=\"double\""),
                  std::string::npos)
            << out;
        EXPECT_EQ(out.find("true"), std::string::npos) << "a default that is no number: " << out;
        EXPECT_EQ(read(out, "g.graphml").start.coordinates, (Weights{0, 0, 1, -1}));
    }
    const Network shared = read(
        "<graphml><key id='k' for='all' attr.name='x' attr.type='string'/><graph><node id='a'><data key='k'>old</data>"
        "</node><node id='b'/><edge source='a' target='b'><data key='k'>red</data></edge></graph></graphml>",
        "g.graphml");
    written(shared, "once.graphml");
    const std::string out = written(shared, "out.graphml");
    EXPECT_NE(out.find("<data key=\"k\">red</data>"), std::string::npos) << out;
    EXPECT_EQ(out.find("old"), std::string::npos) << out;
    EXPECT_EQ(out.find("dunlin_"), out.npos) << "two writes declare one key: " << out;
    EXPECT_EQ(read(out, "g.graphml").start.coordinates, (Weights{0, 0, 1, -1}));
}

TEST_F(NetworkWriting, GraphmlKeepsLineEndsAndTabsOfNames) {
    const Network network = read("\"a\nb\"\t\"c\"\n\"\"\"\"\td\r\n", "g.tsv");
    EXPECT_EQ(network.ids, (StringInterner{"a\nb", "c", "\"", "d"}));
    EXPECT_EQ(read(written(network, "out.graphml"), "g.graphml").ids, network.ids);
}

TEST(NetworkGraphml, KeysThatAreNotDeclaredAreNamed) {
    const std::string text =
        "<graphml><graph><node id='a'/><node id='b'/><edge source='a' target='b'><data key='w'>2</data></edge></graph>"
        "</graphml>";
    EXPECT_NE(error_of(text, "g.graphml").find("the key 'w', which no <key> declares"), std::string::npos);
}

TEST(NetworkGraphml, GeometryOfYed) {
    const Network network = read(
        R"(<graphml xmlns:y="http://www.yworks.com/xml/graphml"><key id="d" for="node" yfiles.type="nodegraphics"/>
<graph edgedefault="undirected">
<node id="n0"><data key="d"><y:ShapeNode><y:Geometry height="20.0" width="30.0" x="100.0" y="-50.0"/>
<y:NodeLabel>one</y:NodeLabel></y:ShapeNode></data></node>
<node id="n1"><data key="d"><y:ProxyAutoBoundsNode><y:Realizers active="1">
<y:GroupNode><y:NodeLabel>open</y:NodeLabel></y:GroupNode>
<y:GroupNode><y:Geometry height="40" width="10" x="0" y="0"/><y:NodeLabel>group</y:NodeLabel></y:GroupNode>
</y:Realizers></y:ProxyAutoBoundsNode></data></node>
<node id="n2"/><edge source="n0" target="n1"/><edge source="n1" target="n2"/></graph></graphml>)",
        "y.graphml");
    expect_path(network, {"n0", "n1", "n2"});
    EXPECT_EQ(network.names, (StringInterner{"one", "group", "n2"}));
    EXPECT_EQ(network.start.coordinates[0], 115);
    EXPECT_EQ(network.start.coordinates[1], -40);
    EXPECT_EQ(network.start.coordinates[2], 5);
    EXPECT_EQ(network.sizes[1].height, 40);
    ASSERT_EQ(network.notes.size(), 1U);
    EXPECT_TRUE(network.notes[0].what.starts_with("read with yEd's geometry"));
}

}  // namespace
}  // namespace dunlin::io
