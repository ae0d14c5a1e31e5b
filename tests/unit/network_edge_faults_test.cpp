// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "io/number_text.hpp"
#include "io/readers.hpp"
#include "network_reading.hpp"

/// Lists of edges that look like something else: headers, triples, numbers in two spellings.
namespace dunlin::io {
namespace {

/// Whether a note or a warning has these words.
bool says(const Network& network, const std::string& words) {
    const auto has = [&](const std::string& line) { return line.find(words) != std::string::npos; };
    return std::any_of(network.notes.begin(), network.notes.end(), [&](const Note& note) { return has(note.what); }) ||
           std::any_of(network.warnings.begin(), network.warnings.end(), has);
}

bool is_silent(const Network& network) { return network.notes.empty() && network.warnings.empty(); }

void expect_error(const std::string& text, const std::string& start, const std::string& words,
                  const char* name = "g.csv", const NetworkOptions& options = {}) {
    const std::string error = error_of(text, name, options);
    EXPECT_TRUE(error.starts_with(start)) << text << error;
    EXPECT_NE(error.find(words), std::string::npos) << text << error;
}

TEST(NetworkEdgeFaults, NumbersAreNoNamesOfEnds) {
    for (const char* text : {"001,002\n002,003\n", "\"001\",\"002\"\n\"002\",\"003\"\n", "001\t002\n002\t003\n",
                             "001 002\n002 003\n", "001;002;0.5\n002;003;1\n", "001,002\r\n002,003\r\n"}) {
        const Network network = read(text, "g.csv");
        expect_path(network, {"001", "002", "003"});
        EXPECT_TRUE(is_silent(network)) << text;
    }
    EXPECT_EQ(read("00501,00502\n00502,00503\n", "g.csv").graph.size(), 3);
    EXPECT_EQ(read("1e1,1e2\n1e2,1e3\n", "g.csv").graph.size(), 3);
    EXPECT_EQ(read("010 002\n001 002\n002 003\n", "g.txt").graph.size(), 4) << "no numbers of vertices and edges";
    EXPECT_EQ(read("gene1,gene2\n1,2\n2,3\n", "g.csv").graph.size(), 3) << "a header";
}

TEST(NetworkEdgeFaults, RelationsBetweenNumbers) {
    for (const char* text : {"1 -> 2\n2 -> 3\n3 -> 1\n", "1\tpp\t2\n2\tpp\t3\n", "1,friend,2\n2,friend,3\n1,family,3\n",
                             "1;made up;2\n2;made up;3\n", "1|u|2\n2|u|3\n", "a,knows,1\n", "1,x,2.0\n2,x,3.0\n",
                             "1,friend,2,0.5\n2,friend,3,1\n", "1 - 2\n2 - 3\n"}) {
        expect_error(text, "g.txt:1: '", "relation, target", "g.txt");
    }
    expect_error("friend,1,2\nfriend,2,3\n", "g.csv:1: 'friend' in column 1", "relation");
    EXPECT_TRUE(read("1,friend,2\n2,friend,3\n", "g.csv", {.weights_from = "3"}).weighted);
    EXPECT_TRUE(says(read("a,hub,1\nb,hub,2\n", "g.csv"), "if these are relations"));
    EXPECT_TRUE(says(read("1,apple,1\n2,apple,3\n", "g.csv"), "if these are relations")) << "counts, by the first row";
    EXPECT_TRUE(is_silent(read("ann,apple,3\nbob,pear,2\n", "g.csv")));
    EXPECT_TRUE(is_silent(read("a b 2\nb c 3\n", "g.txt")));
    EXPECT_TRUE(is_silent(read("1,apple,2.5\n2,apple,0.5\n", "g.csv"))) << "no ends";
    EXPECT_TRUE(read("user,item,weight\n1,apple,2\n2,apple,3\n", "g.csv").weighted);
    EXPECT_TRUE(read("user,type,count\n1,apple,2\n2,apple,3\n", "g.csv").weighted);
}

TEST(NetworkEdgeFaults, HeadersWithARelation) {
    for (const char* head : {"head,relation,tail", "subject,predicate,object", "h,r,t", "s,p,o", "x,relation,y",
                             "gene1,interaction,gene2", ":START_ID,:TYPE,:END_ID"}) {
        const Network network = read(std::string(head) + "\n1,friend,2\n2,family,3\n", "g.csv");
        expect_path(network, {"1", "2", "3"});
        EXPECT_FALSE(network.weighted);
        EXPECT_TRUE(says(network, "columns that are not used: 2")) << head;
    }
    EXPECT_TRUE(says(read("x,relation,y\n1,a,2\n2,a,3\n", "g.csv"), "columns 1 'x' and 3 'y' as the ends"));
    EXPECT_EQ(read("head,relation,tail\nann,knows,bob\n", "g.csv").ids, (StringInterner{"ann", "bob"}));
}

TEST(NetworkEdgeFaults, CommentsBelowAHeaderAreCounted) {
    for (const char* text :
         {"source,target\n#covid,#vaccine\n#vaccine,health\nhealth,#covid\n",
          "source;target\r\n%covid;%vaccine\r\n%vaccine;health\r\nhealth;%covid\r\n", "u v\n# a b\n\n#b c\n1 2\n"}) {
        EXPECT_TRUE(says(read(text, "g.txt"), "comments: 2")) << text;
    }
    EXPECT_TRUE(says(read("2 1\n#a b\n1 2\n", "g.txt"), "comments: 1")) << "below numbers of vertices and edges";
    EXPECT_EQ(read("source,target\n\"#covid\",\"#vaccine\"\n", "g.csv").ids, (StringInterner{"#covid", "#vaccine"}));
    expect_error("source,target\n#a,#b\n", "'g.csv' holds no edges", "quote names");
}

TEST(NetworkEdgeFaults, WholeNumbersWrittenAsDecimals) {
    for (const char* text : {"source,target\n1,2.0\n2,3.0\n", "1.0,2\n2.0,3\n", "1\t2.00\n2\t3.\n", "1;2,0\n2;3,0\n",
                             "\"1.0\",\"2.0\"\n\"2\",\"3\"\n"}) {
        const Network network = read(text, "g.csv");
        expect_path(network, {"1", "2", "3"});
        EXPECT_TRUE(says(network, "whole numbers that are written as decimals")) << text;
    }
    EXPECT_EQ(read("10,9.0\n9,200.0\n", "g.csv").ids, (StringInterner{"9", "10", "200"})) << "ascending";
    EXPECT_EQ(read("1.5,2.5\n2.5,3.5\n", "g.csv").ids, (StringInterner{"1.5", "2.5", "3.5"}));
    EXPECT_TRUE(says(read("1,2\nann,1.0\n", "g.csv"), "such as 1 and 1.0")) << "one name is none";
    EXPECT_EQ(read("\"2\",\"1\"\n", "g.csv").ids, (StringInterner{"2", "1"})) << "quoted, without decimals";
}

TEST(NetworkEdgeFaults, DecimalCommasBehindWords) {
    for (const char* text : {"a b 0,5\nb c 1,5\n", "source target weight\na b 0,5\nb c 1,5\n", "a\tb  0,5\nb\tc  1,5",
                             "a b 0,5 x\nb c 1,5 y\n", "1 b 0,5\nb 2 1,5\n"}) {
        const Network network = read(text, "g.edges");
        EXPECT_EQ(network.graph.weights, (Weights{0.5F, 0.5F, 1.5F, 1.5F})) << text;
        EXPECT_TRUE(says(network, "decimal commas")) << text;
    }
    EXPECT_EQ(read("a b 0,5\nb c 1,5\n", "g.csv").graph.weights, (Weights{0.5F, 0.5F, 1.5F, 1.5F}));
    EXPECT_EQ(read("area a 1,5\narea b 2,7\n", "g.csv").ids.front(), "area a 1") << "commas, as a .csv has";
    EXPECT_EQ(read("New York,Paris\nSao Paulo,Rome\n", "g.txt").ids.front(), "New York");
    EXPECT_EQ(read("a b c,1\nb c d,1\n", "g.txt").ids.front(), "a b c");
    expect_error("a b 1,234\nb c 2,345\n", "g.txt:", "decimals or thousands", "g.txt");
}

TEST(NetworkEdgeFaults, ARepeatedHeaderIsAnError) {
    expect_error("source,target\n1,2\n2,3\nsource,target\n3,4\n", "g.csv:4: 'source,target'", "header: no");
    expect_error("source,target\r\n1,2\r\nsource,target\r\n3,4\r\n", "g.csv:3: ", "header: no");
    expect_error("\"from\"\t\"to\"\n\"a\"\t\"b\"\n\"from\"\t\"to\"\n", "g.csv:3: ", "header: no");
    expect_error("source,target\na,b\n\"source\",\"target\"\n", "g.csv:3: ", "joined");
    expect_error(",u,v\n0,1,2\n,u,v\n0,3,4\n", "g.csv:3: ", "joined");
    expect_error("u,v\n1,2\nu,v\n3,4\n", "g.csv:3: ", "joined");
    expect_error("from,to,weight\na,b,1\nFrom,To,Weight\nb,c,1\n", "g.csv:3: ", "joined");
    expect_error("1 2\n2 3\nsource target\n3 4\n", "g.txt:3: 'source target' names the ends", "header: no", "g.txt");
    expect_error("\xef\xbb\xbfsource,target\na,b\n\xef\xbb\xbfsource,target\nb,c\n", "g.csv:3: ", "joined");
    expect_path(read("\xef\xbb\xbf"
                     "0,1\n\xef\xbb\xbf"
                     "1,2\n",
                     "g.csv"),
                {});
    EXPECT_EQ(read("1,2\nsource,target\n", "g.csv", {.header = Header::no}).graph.size(), 4);
    EXPECT_EQ(read("source,target\nsource,a\na,target\n", "g.csv").graph.size(), 3) << "vertices of a flow";
    EXPECT_EQ(read("from to\nwalk to\nfrom here\n", "g.txt").graph.size(), 4) << "words";
}

TEST(NetworkEdgeFaults, AMissingEndIsAnError) {
    for (const char* word : {"NA", "N/A", "n/a", "NaN", "nan", "?", "null", "NULL", "None", "<NA>", "-", "#N/A"}) {
        const std::string text = std::string("source,target\nann,bob\nbob,") + word + "\n";
        expect_error(text, std::string("g.csv:3: '") + word + "' in column 2", "quote the name");
        const std::string quoted = std::string("\"ann\",\"bob\"\n\"bob\",\"") + word + "\"\n";
        EXPECT_EQ(read(quoted, "g.csv").ids, (StringInterner{"ann", "bob", word}));
    }
    expect_error("4 NA\n5 NA\n", "g.txt:1: 'NA'", "missing", "g.txt");
    expect_error("4;5\n NA ;5\n", "g.csv:2: 'NA' in column 1", "missing");
    expect_error("1,2.0\n2,nan\n", "g.csv:2: 'nan'", "missing");
    expect_error("a,b\nb,\n", "g.csv:2: ", "no name of a vertex in column 2");
    EXPECT_EQ(read("Na Cl\nNapoli NANA\n-1 -x\n", "g.txt").graph.size(), 6) << "names";
}

TEST(NetworkEdgeFaults, NumbersOfTwoKinds) {
    for (const char* head : {"author,paper", "user_id,movie_id", "Customer No,Product No", "actor;film"}) {
        const char mark = std::string(head).find(';') == std::string::npos ? ',' : ';';
        std::string text = std::string(head) + "\n1,1\n1,2\n2,1\n";
        std::replace(text.begin(), text.end(), ',', mark);
        EXPECT_TRUE(says(read(text, "g.csv"), "numbers in both columns")) << head;
    }
    for (const char* head : {"source,target", "u,v", "i,j", "user,friend", "parent,child", "n1,n2", "user_a,user_b",
                             "From Node,To Node", "citing_paper,cited_paper", "node,neighbor", "sender,receiver"}) {
        EXPECT_FALSE(says(read(std::string(head) + "\n1,2\n2,3\n", "g.csv"), "numbers in both columns")) << head;
    }
    EXPECT_TRUE(is_silent(read("author,paper\n1,100\n2,200\n", "g.csv"))) << "no number in both";
}

/// What is said of a table of neighbors whose third column has this name.
std::string said_of_neighbors(const std::string& name) {
    std::string said;
    dunlin::Run run;
    run.on_notice = [&](Notice, const std::string& line) { said += line; };
    read_graph(Bytes::copy("source,target," + name + "\n0,1,0.5\n1,0,0.5\n", "g.csv"), run);
    return said;
}

TEST(NetworkEdgeFaults, SimilaritiesAsLengthsAreSaid) {
    const std::string text = "source,target,similarity\na,b,0.5\nb,c,1\n";
    EXPECT_TRUE(says(read(text, "g.csv", {.lengths = true}), "lengths here"));
    EXPECT_FALSE(says(read(text, "g.csv"), "lengths here"));
    for (const char* name : {"similarity", "cosine_similarity", "correlation", "score", "r"})
        EXPECT_NE(said_of_neighbors(name).find("the larger is farther"), std::string::npos) << name;
    for (const char* name : {"weight", "distance"}) EXPECT_EQ(said_of_neighbors(name), "");
    EXPECT_EQ(said_of_neighbors("dissimilarity"), "g.csv: read with the column 'dissimilarity' as the weights");
}

TEST(NetworkEdgeFaults, DigitsOfWeights) {
    EXPECT_TRUE(says(read("a,b,0.12345678901234\nb,c,0.5\n", "g.csv"), "0.12345678901234 is 0.12345679"));
    EXPECT_TRUE(says(read("a;b;0,123456789012\nb;c;0,5\n", "g.csv"), "32-bit"));
    for (const char* weight : {"0.500000000", "12345600000", "1.50000e-10", "0.1", "16777216", "0.12345679"}) {
        EXPECT_TRUE(is_silent(read(std::string("a,b,") + weight + "\nb,c,0.5\n", "g.csv"))) << weight;
    }
    EXPECT_EQ(plain_decimal(0.12345678901234F), "0.12345679");
    EXPECT_EQ(plain_decimal(123456789.0F), "123456790");
    EXPECT_EQ(plain_decimal(1e-7F), "0.0000001");
    EXPECT_EQ(plain_decimal(-2.5e10F), "-25000000000");
    EXPECT_EQ(plain_decimal(1.5F), "1.5");
    EXPECT_EQ(plain_decimal(0.0F), "0");
}

class NetworkEdgeWeightsWritten : public NetworkWriting {};

TEST_F(NetworkEdgeWeightsWritten, AreOneDecimalInEveryFormat) {
    const Network network = read("a,b,123456789\nb,c,0.00000012345678901\n", "g.csv");
    const std::string graphml = written(network, "g.graphml"), dot = written(network, "g.dot");
    for (const char* weight : {"123456790", "0.00000012345679"}) {
        EXPECT_NE(graphml.find(std::string(">") + weight + "<"), std::string::npos) << graphml;
        EXPECT_NE(dot.find(std::string("weight=") + weight + "]"), std::string::npos) << dot;
    }
}

}  // namespace
}  // namespace dunlin::io
