// SPDX-License-Identifier: Apache-2.0
// Contents that could be read as numbers, ids or distances that they are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <dunlin/io.hpp>
#include <dunlin/square.hpp>

#include "folder.hpp"
#include "io/json_keys.hpp"
#include "io/readers.hpp"
#include "io/utf32.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

using Strings = std::vector<std::string>;

Points read(const std::string& text, const ReadOptions& options = {}) {
    return read_table(Bytes::copy(text, "t.csv"), options);
}

std::string complaint(const std::string& text) {
    return refusal(Fault::bad_file, [&] { read(text); });
}

/// Whether a note holds these words.
bool says(const Points& points, const std::string& words) {
    return std::any_of(points.notes.begin(), points.notes.end(),
                       [&](const Note& note) { return note.what.find(words) != std::string::npos; });
}

bool holds(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST(Misread, NamesAreIdsBeforeAnIndex) {
    for (const std::string index : {"Unnamed: 0", ""}) {
        const Points points = read(index + ",name,a,b\n0,u,1.5,2\n1,v,3.5,4\n2,w,5.5,7\n3,x,5,6\n4,y,0,8\n");
        EXPECT_EQ(points.ids, (Strings{"u", "v", "w", "x", "y"})) << index;
        EXPECT_EQ(points.columns, (Strings{"a", "b"}));
        EXPECT_TRUE(points.labels.empty());
        EXPECT_TRUE(says(points, "which counts the rows"));
    }
    // Words that repeat are labels, and the index stays the ids
    const Points labeled = read("Unnamed: 0,kind,a\n0,u,1.5\n1,v,3.5\n2,u,5.5\n");
    EXPECT_EQ(labeled.ids, (Strings{"0", "1", "2"}));
    EXPECT_EQ(labeled.labels.names, (Strings{"u", "v"}));
    const Points given = read("Unnamed: 0,name,a\n0,u,1.5\n1,v,3.5\n2,w,5.5\n", {.ids = "Unnamed: 0"});
    EXPECT_EQ(given.ids, (Strings{"0", "1", "2"}));
}

TEST(Misread, SaysThatACoordinateCountsTheRows) {
    const Points points = read("name,pos,a\nu,1,1.5\nv,2,3.5\nw,3,5.5\nx,4,0.5\ny,5,9.5\n");
    EXPECT_EQ(points.columns, (Strings{"pos", "a"}));
    EXPECT_TRUE(says(points, "only counts the rows"));
    EXPECT_FALSE(says(read("name,pos,a\nu,1,1.5\nv,2,3.5\nw,3,5.5\nx,5,0.5\ny,4,9.5\n"), "counts the rows"));
    EXPECT_FALSE(says(read("pos\n1\n2\n3\n4\n5\n"), "counts the rows"));
}

TEST(Misread, LeavesTotalsOut) {
    const std::string body = "name,a,b\nu,1.5,2\nv,3.5,4\nw,5.25,6\n";
    for (const std::string end :
         {"Total,10.25,12\n", "Sum,10.25,12\nMean,3.417,4\n", "Gesamt:,10.3,12", "TOTAL,10.25,\n\n"}) {
        const Points points = read(body + end);
        EXPECT_EQ(points.values.rows(), 3) << end;
        EXPECT_EQ(points.ids, (Strings{"u", "v", "w"})) << end;
        EXPECT_TRUE(says(points, "totals of the columns")) << end;
    }
    const Points other = read(body + "Total,1,2\n");
    EXPECT_EQ(other.values.rows(), 4);
    EXPECT_TRUE(says(other, "as a row like others"));
    EXPECT_EQ(read(body + "x,10.25,12\n").values.rows(), 4);
    EXPECT_EQ(read("name,a,b\nTotal,10.25,12\nu,1.5,2\nv,3.5,4\nw,5.25,6\n").values.rows(), 4);
    // A file's only rows are none
    EXPECT_EQ(read("name,a,b\nsum,1,2\nmean,3,4\n").values.rows(), 2);
    EXPECT_EQ(read("name,a,b\nu,1,2\ntotal,1,2\n").values.rows(), 2);
}

TEST(Misread, SaysWhatMayMeanMissing) {
    EXPECT_TRUE(says(read("a,b\n1.5,2\n-999,4\n5,6\n-999,3\n"), "-999 in 2 rows"));
    EXPECT_TRUE(says(read("a,b\n1.5,2\n2,9999\n5,6\n3,9999\n"), "'b'"));
    EXPECT_FALSE(says(read("a,b\n1.5,2\n-999,4\n5,6\n7,3\n"), "-999"));                         // once
    EXPECT_FALSE(says(read("a,b\n-1500,2\n-999,4\n-500,6\n-999,3\n"), "-999"));                 // among the others
    EXPECT_TRUE(says(read("a,b\n1,999\n-999,4\n-9999,6\n-999,999\n2,3\n"), "-999 in 2 rows"));  // beside others
    EXPECT_FALSE(says(read("a,b\n1500,2\n999,4\n500,6\n999,3\n"), "999"));
}

TEST(Misread, RefusesComplexNumbersAndHexadecimalFloats) {
    EXPECT_TRUE(holds(complaint("name,a,b\nu,(1+2j),3\nv,(1.5-2e-3j),4\n"), "an imaginary part"));
    EXPECT_TRUE(holds(complaint("name,a,b\nu,1+2i,3\nv,1.5 - 2i,4\n"), "an imaginary part"));
    EXPECT_TRUE(holds(complaint("name,a,b\nu,0x1.8p+3,3\nv,-0x1p-2,4\n"), "hexadecimal digits"));
}

TEST(Misread, TakesTextFormulasAsTexts) {
    EXPECT_EQ(read("id,a\n=\"0001\",1.5\n=\"0002\",2.5\n").ids, (Strings{"0001", "0002"}));
    EXPECT_EQ(read("id,a\n\"=\"\"0001\"\"\",1.5\n\"=\"\"0002\"\"\",2.5\n").ids, (Strings{"0001", "0002"}));
}

TEST(Misread, RefusesFractionsAsTexts) {
    EXPECT_TRUE(holds(complaint("name,a,b\nu,=\"1.5\",3\nv,=\"2.5\",4\nw,=\"2.5\",4\n"), "a number as text"));
}

TEST(Misread, APointAloneIsMissing) {
    EXPECT_TRUE(holds(complaint("name,a,b\nu,1,3\nv,.,4\nw,2,5\n"), "'.' is not a finite number"));
    ReadOptions options;
    options.drop_rows_with_gaps = true;
    EXPECT_EQ(read("name,a,b\nu,1,3\nv,.,4\nw,2,5\n", options).values.rows(), 2);
}

TEST(Misread, ReadsUtf32) {
    const auto wide = [](const std::u32string& text, bool is_big) {
        std::string out;
        for (const char32_t c : text) {
            for (int i = 0; i < 4; ++i) out += static_cast<char>(c >> 8 * (is_big ? 3 - i : i) & 0xff);
        }
        return Bytes::copy(out, "t.csv");
    };
    for (const bool is_big : {false, true}) {
        const Bytes bytes = wide(U"\ufeffa\n\u00e9\U0001f600", is_big);
        ASSERT_TRUE(is_utf32(bytes));
        EXPECT_EQ(utf8_of_32(bytes).view(), "a\n\xc3\xa9\xf0\x9f\x98\x80");
    }
    const Bytes wrong = wide(U"\ufeffa\n\x00d80000", false);
    EXPECT_TRUE(holds(refusal(Fault::bad_file, [&] { utf8_of_32(wrong); }), "t.csv:2"));
}

TEST(Misread, RefusesAKeyTwice) {
    const auto refused = [](const std::string& text) {
        return refusal(Fault::bad_file, [&] { require_distinct_keys(text, "t.json"); });
    };
    EXPECT_TRUE(
        holds(refused("{\"a\": 1,\n \"b\": {\"a\": 2},\n \"a\": 3}"), "t.json:3: the object has the key 'a' twice"));
    EXPECT_TRUE(holds(refused("[{\"id\": \"x\", \"id\": \"y\"}]"), "'id' twice"));
    EXPECT_TRUE(holds(refused(R"({"a\"": "}", "a\"": 1})"), "twice"));
    EXPECT_NO_THROW(require_distinct_keys(R"({"a\\": 1, "a": "\\\"{", "b": [{"a": 1}, {"a": 1}]})", "t.json"));
    for (const std::string text : {"", "[]", "{}", "{\"a\": \"a\", \"b\": [\"a\", \"a\"]}", "[{\"a\": 1}, {\"a\": 2}]",
                                   "{\"a\\\"\": \"{\", \"a\": 1}", "{\"a", "]", "{\"a\": 1}}"})
        EXPECT_NO_THROW(require_distinct_keys(text, "t.json")) << text;
}

class MisreadPairs : public InFolder {
protected:
    [[nodiscard]] Square read(const std::string& text) const {
        ReadOptions options;
        options.holds = Holds::dissimilarities;
        return read_square(put("t.csv", text), options);
    }
    [[nodiscard]] std::string refused(const std::string& text) const {
        return refusal([&] { (void)read(text); });
    }
};

TEST_F(MisreadPairs, SimilaritiesAreNoDistances) {
    for (const std::string title : {"similarity", "sim", "cosine_similarity", "correlation", "weight", "score"}) {
        const std::string what = refused("a,b," + title + "\nu,v,.9\nu,w,.2\nv,w,.1\n");
        EXPECT_TRUE(holds(what, "'" + title + "'") && holds(what, "1 - similarity")) << what;
    }
    EXPECT_EQ(read("a,b,correlation distance\nu,v,1\nu,w,2\nv,w,3\n").values.rows(), 3);
    EXPECT_TRUE(holds(refused("a,b,distance\nu,v,1\nu,w,-2\nv,w,3\n"), "t.csv:3"));
}

TEST_F(MisreadPairs, OfManyColumnsATitleTellsTheDistances) {
    const Square wide = read("a,b,n,dist,note\nu,v,7,1,x\nu,w,7,2,y\nv,w,7,3,\n");
    EXPECT_EQ(wide.ids, (Strings{"u", "v", "w"}));
    EXPECT_EQ(wide.values.view()(2, 1), 3);
    EXPECT_TRUE(holds(wide.notes.back().what, "without the other columns"));
    EXPECT_TRUE(holds(refused("a,b,similarity,p\nu,v,.9,1\nu,w,.2,1\nv,w,.1,1\n"), "'similarity'"));
    EXPECT_TRUE(holds(refused("a,b,dist1,dist2\nu,v,.9,1\nu,w,.2,1\nv,w,.1,1\n"), "could both be"));
}

}  // namespace
}  // namespace dunlin::io
