// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "network_reading.hpp"

/// GEXF, GDF and node-link JSON, whose vertices and edges have attributes.
namespace dunlin::io {
namespace {

const std::string gexf = R"(<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" version="1.3" xmlns:viz="http://gexf.net/1.3/viz">
  <meta><creator>by hand</creator></meta>
  <graph defaultedgetype="undirected">
    <attributes class="node"><attribute id="0" title="kind" type="string"><default>k</default></attribute></attributes>
    <attributes class="edge"><attribute id="1" title="speed" type="double"/></attributes>
    <edges>
      <edge id="0" source="x" target="y" weight="0.5"><attvalues><attvalue for="1" value="7"/></attvalues></edge>
      <edge id="1" source="y" target="z"/>
    </edges>
    <nodes>
      <node id="x" label="A &amp; B"><viz:position x="1" y="2" z="0.0"/><viz:size value="3"/></node>
      <node id="y" label="B"><attvalues><attvalue for="0" value="l"/></attvalues><viz:position x="3" y="4" z="0.0"/></node>
      <node id="z" label="C"/>
    </nodes>
  </graph>
</gexf>
)";

TEST(NetworkGexf, NodesEdgesAndLooks) {
    const Network network = read(gexf, "g.gexf", {.labels = "kind"});
    expect_path(network, {"A & B", "B", "C"});
    EXPECT_EQ(network.kind, "gexf");
    EXPECT_FALSE(network.directed);
    EXPECT_EQ(network.graph.weights, (Weights{0.5F, 0.5F, 1, 1}));
    EXPECT_EQ(network.labels.names, (StringInterner{"k", "l"}));
    EXPECT_EQ(network.start.dim, 2);
    EXPECT_EQ(network.start.coordinates[3], 4);
    ASSERT_EQ(network.sizes.size(), 3U);
    EXPECT_EQ(network.sizes[0].width, 6);
    const Network speeds = read(gexf, "g.gexf", {.weights_from = "speed"});
    EXPECT_EQ(speeds.graph.weights, (Weights{7, 7, 1, 1}));
    EXPECT_EQ(read(gexf, "by_its_content.xml").ids, network.ids);
}

TEST(NetworkGexf, WhatIsLeftOut) {
    const Network nested = read(
        "<gexf><graph mode='dynamic' defaultedgetype='directed'><nodes><node id='a'><nodes><node "
        "id='b'/></nodes></node>"
        "<node id='c' pid='a' start='1'/></nodes><edges><edge source='a' target='b'/>"
        "<edge source='b' target='c'/></edges></graph></gexf>",
        "g.gexf");
    expect_path(nested, {"a", "b", "c"});
    EXPECT_TRUE(nested.directed);
    EXPECT_TRUE(warns(nested, "times"));
    EXPECT_TRUE(warns(nested, "hierarchy"));
    const Network twice =
        read("<gexf><graph><nodes><node id='1' label='a'/><node id='2' label='a'/></nodes></graph></gexf>", "g.gexf");
    EXPECT_EQ(twice.ids, (StringInterner{"1", "2"}));
    EXPECT_EQ(twice.names, (StringInterner{"a", "a"}));
    EXPECT_EQ(read("<gexf><graph/></gexf>", "g.gexf").graph.size(), 0);
}

TEST(NetworkGexf, Errors) {
    const auto error = [](const std::string& text) {
        return error_of("<gexf><graph>\n<nodes><node id='a'/></nodes>\n" + text + "</graph></gexf>", "g.gexf");
    };
    EXPECT_TRUE(error("<edges><edge source='a' target='b'/></edges>").starts_with("g.gexf:3: the target 'b'"));
    EXPECT_TRUE(error("<edges><edge source='a'/></edges>").starts_with("g.gexf:3: an edge has no target"));
    EXPECT_TRUE(error("<nodes><node id='a'/></nodes>").starts_with("g.gexf:3: there is a second node"));
    EXPECT_TRUE(error("<edges><edge source='a' target='a' weight='0'/></edges>").find("weighs 0") != std::string::npos);
    EXPECT_TRUE(error("<edges><edge source='a' target='a' weight='x'/></edges>").starts_with("g.gexf:3: 'x' is no"));
    EXPECT_TRUE(error("<edges>").starts_with("g.gexf:"));
    EXPECT_NE(error_of("<gexf/>", "g.gexf").find("no GEXF"), std::string::npos);
    EXPECT_NE(error_of(gexf, "g.gexf", {.weights_from = "x"}).find("'x'"), std::string::npos);
}

TEST_F(NetworkWriting, GexfOfGexf) {
    const std::string text = written(read(gexf, "g.gexf", {.labels = "kind"}), "out.gexf");
    EXPECT_NE(text.find("<creator>by hand</creator>"), std::string::npos);
    EXPECT_NE(text.find("<viz:color"), std::string::npos);
    const Network again = read(text, "g.gexf", {.labels = "kind"});
    expect_path(again, {"A & B", "B", "C"});
    EXPECT_EQ(again.start.coordinates, (Weights{0, 0, 1, -1, 2, -2}));
    EXPECT_EQ(again.sizes[0].width, 6);
    EXPECT_EQ(read(written(again, "deep.gexf", 3), "g.gexf").start.dim, 3);
    EXPECT_EQ(
        read(written(read("<gexf><graph><nodes><node id='a'/></nodes></graph></gexf>", "g.gexf"), "one.gexf"), "g.gexf")
            .start.coordinates,
        (Weights{0, 0}));
}

TEST_F(NetworkWriting, SizesInAnotherUnitThanTheMapAreScaledInGexf) {
    const auto network = [](int spacing) {
        std::string text = "<gexf xmlns:viz='http://gexf.net/1.3/viz'><graph><nodes>";
        for (int v = 0; v < 3; ++v) {
            text += fmt::format("<node id='{}'><viz:size value='{}'/>", v, 50 + 25 * v);
            if (spacing > 0) text += fmt::format("<viz:position x='{}' y='0'/>", spacing * v);
            text += "</node>";
        }
        return read(text + "</nodes></graph></gexf>", "g.gexf");
    };
    // The map has the extent 2
    EXPECT_FLOAT_EQ(read(written(network(1000), "out.gexf"), "g.gexf").sizes[2].width, 0.2F);
    EXPECT_FLOAT_EQ(read(written(network(0), "out.gexf"), "g.gexf").sizes[2].width, 0.2F);
    EXPECT_FLOAT_EQ(read(written(network(0), "out.gexf"), "g.gexf").sizes[0].width, 0.1F);
}

TEST_F(NetworkWriting, GexfOfOthers) {
    const Network network = read("a<b \"c\" 2\n\"c\" d 0.5\n", "x.txt");
    const std::string text = written(network, "out.gexf");
    const Network again = read(text, "g.gexf");
    EXPECT_EQ(again.ids, network.ids);
    EXPECT_EQ(again.graph.weights, network.graph.weights);
    EXPECT_EQ(again.start.coordinates, (Weights{0, 0, 1, -1, 2, -2}));
    EXPECT_GT(again.sizes[0].width, 0);
    EXPECT_LT(again.sizes[0].width, 1);
    const Network classes = read("graph [ node [ id 1 k \"p\" ] node [ id 2 k \"q\" ] edge [ source 1 target 2 ] ]",
                                 "g.gml", {.labels = "k"});
    const Network colored = read(written(classes, "colors.gexf"), "g.gexf", {.labels = "class"});
    EXPECT_EQ(colored.labels.names, classes.labels.names);
    EXPECT_NE(bytes(path("colors.gexf")).find("<viz:color r=\"0\" g=\"114\" b=\"178\"/>"), std::string::npos);
}

TEST(NetworkGdf, Tables) {
    const Network network = read(
        "nodedef>name VARCHAR,label VARCHAR,x DOUBLE,y DOUBLE,width DOUBLE,kind VARCHAR(9) default 'k'\n"
        "a,'Al, pha',1.0,2.0,3,p\n\"b\",Beta,3,4,5,q\n# a comment\nc,O'Neil,0,0,,p\n"
        "edgedef>node1 VARCHAR,node2 VARCHAR,weight DOUBLE,directed BOOLEAN\na,b,1.5,true\nb,c,2,false\n",
        "x.gdf", {.labels = "KIND"});
    expect_path(network, {"Al, pha", "Beta", "O'Neil"});
    EXPECT_EQ(network.graph.weights, (Weights{1.5F, 1.5F, 2, 2}));
    EXPECT_TRUE(network.directed);
    EXPECT_EQ(network.start.coordinates, (Weights{1, 2, 3, 4, 0, 0}));
    EXPECT_EQ(network.sizes[0].width, 3);
    EXPECT_EQ(network.labels.names, (StringInterner{"p", "q"}));
}

TEST(NetworkGdf, WaysOfWriting) {
    expect_path(read("NodeDef> Name\r\na\r\nb\r\nc\r\nEdgeDef> Node1,Node2\r\na,b\r\nb,c\r\n", "gdf.csv"),
                {"a", "b", "c"});
    expect_path(read("edgedef>node1,node2,weight\na,b,2\nb,c,\n", "x.gdf"), {"a", "b", "c"});
    expect_path(read("edgedef>node1,node2\na,b\nb,c\nnodedef>name\na\nb\nc\n", "x.gdf"), {"a", "b", "c"});
    EXPECT_EQ(read("nodedef>name\na\n", "x.gdf").graph.size(), 1);
    const Network twice = read("nodedef>name,label\na,L\nb,L\n", "x.gdf");
    EXPECT_EQ(twice.ids, (StringInterner{"a", "b"}));
    EXPECT_EQ(twice.names, (StringInterner{"L", "L"}));
    const auto error = [](const char* text) { return error_of(text, "x.gdf"); };
    EXPECT_TRUE(error("nodedef>name\na\nedgedef>node1,node2\na,b\n").starts_with("x.gdf:4: the target 'b'"));
    EXPECT_TRUE(error("nodedef>name\na\na\n").starts_with("x.gdf:3: there is a second node"));
    EXPECT_TRUE(error("nodedef>name\na,b\n").starts_with("x.gdf:2: 'a,b' has 2 columns"));
    EXPECT_TRUE(error("a,b\n").starts_with("x.gdf:1: a row is below neither"));
    EXPECT_TRUE(error("edgedef>node1,node2,weight\na,b,0\n").starts_with("x.gdf:2: the edge a b weighs 0"));
    EXPECT_TRUE(error("edgedef>node1,node2,weight\na,b,x\n").starts_with("x.gdf:2: 'x' is no weight"));
}

TEST(NetworkNodeLink, NetworkxAndD3) {
    const Network network = read(
        R"({"directed": true, "multigraph": false, "graph": {"nodes": []},
 "nodes": [{"kind": "p", "id": "a", "x": 1, "y": 2.5}, {"id": "b", "kind": "q"}, {"id": "c", "more": {"id": 7}}],
 "links": [{"weight": 0.5, "source": "a", "target": "b", "key": 0}, {"source": "b", "target": "c", "weight": 3}]})",
        "g.json", {.labels = "kind"});
    expect_path(network, {"a", "b", "c"});
    EXPECT_TRUE(network.directed);
    EXPECT_EQ(network.graph.weights, (Weights{0.5F, 0.5F, 3, 3}));
    EXPECT_EQ(network.start.coordinates[1], 2.5F);
    EXPECT_EQ(network.labels.names, (StringInterner{"p", "q"}));
    expect_path(read(R"({"links": [{"source": 0, "target": 1, "value": 2}, {"source": 1, "target": 2}],
                         "nodes": [{"name": "A"}, {"name": "B"}, {"name": "C"}]})",
                     "d3.json"),
                {"A", "B", "C"});
    const Network old = read(R"({"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}],
                                 "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2}]})",
                             "g.json");
    expect_path(old, {"a", "b", "c"});
    EXPECT_TRUE(warns(old, "positions in the list"));
    expect_path(read(R"({"nodes": [{"id": 2}, {"id": 1}, {"id": [0, 1]}],
                         "edges": [{"source": 2, "target": 1}, {"source": 1, "target": [0,1]}]})",
                     "g.json"),
                {"2", "1", "[0, 1]"});
    EXPECT_EQ(read(R"({"nodes": [], "links": []})", "g.json").graph.size(), 0);
}

TEST(NetworkNodeLink, Errors) {
    const auto error = [](const char* text) { return error_of(text, "g.json"); };
    EXPECT_TRUE(error("{\"nodes\": [{\"id\": 1}],\n\"links\": [\n{\"source\": 1, \"target\": 5}]}")
                    .starts_with("g.json:3: the target '5' of an edge"));
    EXPECT_TRUE(
        error("{\"nodes\": [{\"id\": 1},\n{\"id\": 1}], \"links\": []}").starts_with("g.json:2: there is a second"));
    EXPECT_TRUE(error("{\"nodes\": [1], \"links\": []}").starts_with("g.json:1: '1' is no object"));
    EXPECT_TRUE(error("{\"nodes\": [{\"id\": 1}],\n\"links\": [\n{\"source\": 1,,}]}").starts_with("g.json:3: "));
    EXPECT_NE(error("{\"coordinates\": [[1, 2]]}").find("read as a map"), std::string::npos);
    EXPECT_TRUE(error("{\"nodes\": [{\"id\": 1}],\n\"links\": [{\"source\": 1, \"target\": 1, \"weight\": 0}]}")
                    .starts_with("g.json:2: the edge 1 1 weighs 0"));
    EXPECT_TRUE(error("{\"nodes\": [{\"id\": 1}],\n\"links\": [{\"source\": 1, \"target\": 1, \"weight\": \"x\"}]}")
                    .starts_with("g.json:2: 'x' is no weight"));
}

TEST(NetworkGraphml, LabelsAreDrawn) {
    const Network named = read(
        "<graphml><key id='k' for='node' attr.name='label'/><graph><node id='a'><data key='k'>Alpha</data></node>"
        "<node id='b'/></graph></graphml>",
        "g.graphml");
    EXPECT_EQ(named.ids, (StringInterner{"a", "b"}));
    EXPECT_EQ(named.names, (StringInterner{"Alpha", "b"}));
    const Network yed = read(
        "<graphml xmlns:y='http://www.yworks.com/xml/graphml'><key id='d' for='node' "
        "yfiles.type='nodegraphics'/><graph>"
        "<node id='n0'><data key='d'><y:ShapeNode><y:Geometry/><y:NodeLabel> One <y:LabelModel/></y:NodeLabel>"
        "</y:ShapeNode></data></node></graph></graphml>",
        "g.graphml");
    EXPECT_EQ(yed.ids, (StringInterner{"n0"}));
    EXPECT_EQ(yed.names, (StringInterner{"One"}));
}

}  // namespace
}  // namespace dunlin::io
