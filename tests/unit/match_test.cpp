// SPDX-License-Identifier: Apache-2.0
#include <dunlin/match.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <dunlin/columns.hpp>
#include <dunlin/named_graph.hpp>

#include "folder.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

using Strings = std::vector<std::string>;

/// Expects an Error of this kind with these words.
void expect_refusal(Fault fault, const std::string& words, const auto& call) {
    EXPECT_NE(refusal(fault, call).find(words), std::string::npos) << refusal(call);
}

NamedRows rows_of(const char* name, const Strings& ids) { return {name, static_cast<Index>(ids.size()), ids}; }

TEST(Match, TakesRowsById) {
    const Strings first{"a", "b", "c"}, second{"c", "x", "a", "b"};
    const RowMatch match = match_rows(rows_of("p", first), rows_of("q", second));
    EXPECT_EQ(match.partner, (std::vector<Index>{2, 3, 0}));
    EXPECT_TRUE(match.by_id);
    EXPECT_FALSE(match.in_order);
    EXPECT_EQ(match.unused, 1);
    EXPECT_EQ(match.how, "by id: 1 row of q is not in p and not used");
    EXPECT_EQ(taken(Strings{"C", "X", "A", "B"}, match, std::string()), (Strings{"A", "B", "C"}));
}

TEST(Match, SaysNothingWhereAllIsAsExpected) {
    const Strings ids{"a", "b"}, turned{"b", "a"}, none;
    EXPECT_EQ(match_rows(rows_of("p", ids), rows_of("q", turned)).how, "");
    EXPECT_EQ(match_rows(rows_of("p", ids), rows_of("q", ids)).how, "");
    EXPECT_TRUE(match_rows(rows_of("p", ids), rows_of("q", ids)).in_order);
    EXPECT_TRUE(match_rows({"p", 3, {}}, {"q", 3, {}}).in_order);
    EXPECT_EQ(match_rows({"p", 3, {}}, {"q", 3, {}}).how, "");
    EXPECT_TRUE(match_rows(rows_of("p", none), rows_of("q", none)).partner.empty());
}

TEST(Match, LeavesRowsAloneOnlyWhereThatIsAllowed) {
    const Strings first{"a", "b", "c"}, second{"c"};
    const RowMatch match = match_rows(rows_of("p", first), rows_of("q", second), Lonely::allowed);
    EXPECT_EQ(match.partner, (std::vector<Index>{no_row, no_row, 0}));
    EXPECT_EQ(match.lonely, 2);
    EXPECT_EQ(match.how, "by id: 2 of the 3 rows of p are not in q");
    EXPECT_EQ(taken(Labels{{0}, {"k"}}, match).of, (std::vector<Index>{no_label, no_label, 0}));
    expect_refusal(Fault::bad_file, "q has no row 'a', which is row 1 of p (2 rows missing in all)",
                   [&] { match_rows(rows_of("p", first), rows_of("q", second)); });
}

TEST(Match, RefusesStrangersAndTwins) {
    const Strings first{"a", "b"}, strangers{"x", "y"}, twins{"a", "b", "a"};
    expect_refusal(Fault::bad_file, "no id in common, such as 'x' and 'a'",
                   [&] { match_rows(rows_of("p", first), rows_of("q", strangers), Lonely::allowed); });
    expect_refusal(Fault::bad_file, "q has the id 'a' twice, in rows 1 and 3",
                   [&] { match_rows(rows_of("p", first), rows_of("q", twins), Lonely::allowed); });
}

TEST(Match, GoesByOrderWithoutIds) {
    const Strings ids{"a", "b"}, counts{"0", "1"}, from_one{"1", "2"}, three{"0", "1", "2"};
    EXPECT_EQ(match_rows(rows_of("p", ids), {"q", 2, {}}).how, "by order, since q has no ids");
    EXPECT_EQ(match_rows({"p", 2, {}}, rows_of("q", ids)).how, "by order, since p has no ids");
    EXPECT_EQ(match_rows(rows_of("p", ids), rows_of("q", counts)).how,
              "by order, since the ids of q only count its rows");
    EXPECT_EQ(match_rows(rows_of("p", from_one), rows_of("q", ids)).how,
              "by order, since the ids of p only count its rows");
    EXPECT_EQ(match_rows(rows_of("p", counts), {"q", 2, {}}).how, "");
    // Numbers that both have are ids
    EXPECT_TRUE(match_rows(rows_of("p", from_one), rows_of("q", three), Lonely::allowed).by_id);
    expect_refusal(Fault::bad_file, "q has 3 rows and p has 2 rows", [&] { match_rows({"p", 2, {}}, {"q", 3, {}}); });
    expect_refusal(Fault::bad_file, "since q has no ids", [&] { match_rows(rows_of("p", ids), {"q", 3, {}}); });
}

TEST(Match, PutsColumnsInOrderByName) {
    const Strings first{"x", "y", "z"}, moved{"z", "x", "y"}, fewer{"x", "y"}, more{"x", "y", "z", "w"},
        other{"x", "y", "q"};
    EXPECT_EQ(match_columns("p", first, "q", moved).from, (std::vector<Index>{1, 2, 0}));
    EXPECT_TRUE(match_columns("p", first, "q", first).from.empty());
    EXPECT_TRUE(match_columns("p", first, "q", {}).from.empty());
    expect_refusal(Fault::bad_file, "p has the column 'z', which q lacks",
                   [&] { match_columns("p", first, "q", fewer); });
    expect_refusal(Fault::bad_file, "q has the column 'w', which p lacks",
                   [&] { match_columns("p", first, "q", more); });
    expect_refusal(Fault::bad_file, "'z'", [&] { match_columns("p", first, "q", other); });
    const Strings twice{"x", "x", "y"}, turned{"y", "x", "x"};
    EXPECT_TRUE(match_columns("p", twice, "q", twice).from.empty());
    expect_refusal(Fault::bad_file, "'x' twice", [&] { match_columns("p", twice, "q", turned); });
}

class MatchFiles : public InFolder {};

TEST_F(MatchFiles, SplitsAtTheLastColonAfterAFile) {
    const std::string plain = put("a.csv", "x\n1\n").string(), odd = put("b:c.csv", "x\n1\n").string();
    EXPECT_EQ(split_file_column(plain).file, plain);
    EXPECT_EQ(split_file_column(plain).column, "");
    EXPECT_EQ(split_file_column(plain + ":x").column, "x");
    EXPECT_EQ(split_file_column(plain + ":obs:x").column, "obs:x");
    EXPECT_EQ(split_file_column(odd).file, odd);
    EXPECT_EQ(split_file_column(odd + ":x").file, odd);
    EXPECT_TRUE(split_file_column("nothing:x").file.empty());
    EXPECT_TRUE(split_file_column("").file.empty());
}

TEST_F(MatchFiles, GraphsOverRowsKeepTheirNames) {
    const Graph graph{{0, 1, 2, 3}, {1, 2, 0}, {1, 2, 3}};
    const Strings ids{"7", "a,b", "NA"};
    for (const char* name : {"g.csv", "g.tsv", "g.npz"}) {
        write_named_graph(path(name), graph, ids);
        const NamedGraph read = read_named_graph(path(name));
        EXPECT_EQ(read.ids, ids) << name;
        EXPECT_EQ(read.graph.targets, graph.targets) << name;
        EXPECT_EQ(read.graph.weights, graph.weights) << name;
    }
    write_named_graph(path("g.csv"), graph, {});
    EXPECT_TRUE(read_named_graph(path("g.csv")).ids.empty());
}

}  // namespace
}  // namespace dunlin::io
