// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <dunlin/io.hpp>

#include "folder.hpp"
#include "io/as_text.hpp"
#include "io/readers.hpp"
#include "io/zip.hpp"
#include "refusal.hpp"

/// Files that hold a text table in another form.
namespace dunlin::io {
namespace {

using Floats = std::vector<float>;
using Strings = std::vector<std::string>;
using Members = std::vector<std::pair<std::string, std::string>>;

class AsText : public InFolder {
protected:
    [[nodiscard]] std::filesystem::path zipped(const std::string& name, const Members& members) const {
        Output out(folder_ / name);
        ZipOutput zip(out);
        for (const auto& [member, content] : members) zip.add(member, "", content);
        zip.finish();
        out.commit();
        return folder_ / name;
    }
};

std::string text_of_lines(const std::string& lines) {
    return std::string(table_of_json_lines(Bytes::copy(lines, "r.jsonl")).view());
}

std::string complaint(const std::string& content, const std::string& name) {
    return refusal(Fault::bad_file, [&] { as_text(Bytes::copy(content, name)); });
}

Floats values(const Points& points) {
    const auto view = points.values.view();
    return {view.data, view.data + view.size()};
}

TEST_F(AsText, Utf16InBothOrders) {
    const std::string little("\xff\xfe\xe4\0,\0\x31\0\n\0\x3d\xd8\x00\xde,\0\x32\0", 18), big("\xfe\xff\0a\x20\xac", 6);
    EXPECT_EQ(as_text(Bytes::copy(little, "t.csv")).view(), "\xc3\xa4,1\n\xf0\x9f\x98\x80,2");
    EXPECT_EQ(as_text(Bytes::copy(big, "t.csv")).view(), "a\xe2\x82\xac");
    EXPECT_EQ(as_text(Bytes::copy(std::string("\xff\xfe", 2), "t.csv")).view(), "");
    const std::string half(
        "\xff\xfe\n\0\x3d\xd8"
        "a\0",
        8);
    EXPECT_EQ(complaint(half, "t.csv"), "t.csv:2: the text is no UTF-16, it has half a character; save it as UTF-8");
    const std::string binary("\xff\xfe\0\0\1\0\0\0", 8);  // 65279 rows, as .fbin says it
    EXPECT_EQ(as_text(Bytes::copy(binary, "p.fbin")).view(), binary);
}

TEST_F(AsText, JsonLines) {
    EXPECT_EQ(
        text_of_lines("{\"id\":\"a\",\"v\":[1,2.5],\"ok\":true}\r\n\n{\"v\":[3,-4e-3],\"n\":null,\"id\":\"b\\tc\"}\n"),
        "id\tv.0\tv.1\tok\tn\na\t1\t2.5\ttrue\t\n\"b c\"\t3\t-0.004\t\t\n");
    EXPECT_EQ(text_of_lines("[1,2]\n[3,4]"), "1\t2\n3\t4\n");
    EXPECT_EQ(text_of_lines("{\"big\":9007199254740993}"), "big\n9007199254740993\n");
    EXPECT_EQ(complaint("{\"a\":1}\n[2]\n", "r.jsonl"),
              "r.jsonl:2: some records are objects and some are arrays; write one kind");
    EXPECT_EQ(complaint("{\"a\":1}\n{\"a\":\n", "r.ndjson"),
              "r.ndjson:2: the line is no object or array of JSON; write one record a line");
    EXPECT_EQ(complaint("{\"a\":{\"b\":1}}", "r.jsonl"), "r.jsonl:1: a holds an object; write numbers and words");
    EXPECT_NE(complaint(std::string(100'000, '['), "r.jsonl"), "");
}

TEST_F(AsText, AnArchiveOfOneFile) {
    const auto path = zipped("t.csv.zip", {{"dir/", ""}, {"dir/t.csv", "a,b\n1,2\n3,5\n"}, {"__MACOSX/t", "x"}});
    EXPECT_EQ(values(read_points(path)), (Floats{1, 2, 3, 5}));
    const auto two = zipped("two.zip", {{"a.csv", "1"}, {"b.csv", "2"}});
    EXPECT_EQ(refusal(Fault::bad_file, [&] { read_points(two); }),
              "'" + two.string() + "' is an archive of 2 files; unpack it, and give one of them, such as a.csv");
}

TEST_F(AsText, TheFirstSheetOfAWorkbook) {
    const std::string sheet =
        "<worksheet><sheetData>"
        "<row r=\"3\"><c r=\"B3\" t=\"s\"><v>0</v></c><c r=\"C3\" t=\"inlineStr\"><is><t>x</t></is></c>"
        "<c r=\"D3\" t=\"s\"><v>1</v></c><c r=\"E3\" t=\"str\"><v>on</v></c></row>"
        "<row r=\"4\"><c r=\"B4\"><v>1</v></c><c r=\"C4\" t=\"n\"><v>2.5</v></c><c r=\"D4\" s=\"1\"><v>45351.5</v></c>"
        "<c r=\"E4\" t=\"b\"><v>1</v></c></row>"
        "<row r=\"6\"><c r=\"B6\"><v>2</v></c><c r=\"D6\" s=\"1\"><v>61</v></c></row>"
        "<row r=\"7\"><c r=\"A7\" t=\"s\"><v>2</v></c></row>"
        "</sheetData></worksheet>";
    const Members members = {
        {"xl/workbook.xml",
         "<workbook><sheets><sheet name=\"Data\" r:id=\"r7\"/><sheet name=\"B\"/></sheets></workbook>"},
        {"xl/_rels/workbook.xml.rels",
         "<Relationships><Relationship Id=\"r7\" Target=\"worksheets/s.xml\"/></Relationships>"},
        {"xl/sharedStrings.xml", "<sst><si><t>id</t></si><si><r><t>wh</t></r><r><t>en</t></r></si><si><t/></si></sst>"},
        {"xl/styles.xml",
         "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"0.0 &quot;days&quot;\"/></numFmts><cellXfs>"
         "<xf numFmtId=\"164\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>"},
        {"xl/worksheets/s.xml", sheet},
    };
    const Bytes table = load(zipped("w.xlsx", members));
    EXPECT_EQ(table.view(), "\n\nid\tx\twhen\ton\n1\t2.5\t2024-02-29 12:00:00\tTRUE\n\n2\t\t1900-03-01\t\n");
    EXPECT_EQ(table.said(), "read from its first sheet, 'Data', of 2; save another one as .csv");
    Members damaged = members;
    damaged[2].second = "<sst/>";
    EXPECT_NE(refusal(Fault::bad_file, [&] { load(zipped("d.xlsx", damaged)); }).find("is a damaged workbook"),
              std::string::npos);
}

}  // namespace
}  // namespace dunlin::io
