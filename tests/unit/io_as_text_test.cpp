// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
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

TEST_F(AsText, NumbersThatPythonWritesAreNoJson) {
    EXPECT_EQ(text_of_lines("{\"a\":NaN,\"NaN \\\"x\":-Infinity,\"c\":Infinity}"),
              "a\t\"NaN \"\"x\"\tc\n\t-inf\tinf\n");
}

TEST_F(AsText, BytesThatAreNoUtf8AreWindows1252) {
    const Bytes text = as_text(Bytes::copy("J\xf6rg,\x80\n\xc3\xa4,\x93\xe9\x94\n", "t.csv"));
    EXPECT_EQ(text.view(), "J\xc3\xb6rg,\xe2\x82\xac\n\xc3\xa4,\xe2\x80\x9c\xc3\xa9\xe2\x80\x9d\n");
    EXPECT_NE(text.said().find("Windows-1252"), std::string::npos);
    for (const std::string& same : {std::string("\xc3\xa4,\xe2\x82\xac,\xf0\x9f\x98\x80"), std::string("a,b\n1,2\n"),
                                    std::string(), std::string("2 1\na \x01\xf6\xff\xc0")}) {
        const Bytes read = as_text(Bytes::copy(same, "t.txt"));
        EXPECT_EQ(read.view(), same);
        EXPECT_EQ(read.said(), "");
    }
    // Longer forms than needed, halves of UTF-16, and a character that the end cuts
    for (const std::string other :
         {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "a\xc3", "\xe2\x82"})
        EXPECT_TRUE(is_windows_1252(Bytes::copy(other, "t.txt"))) << other;
}

TEST_F(AsText, LinesThatEndWithCrAloneEndWithLf) {
    EXPECT_EQ(as_text(Bytes::copy("sample,x\r1,2\r2,3\r", "t.csv")).view(), "sample,x\n1,2\n2,3\n");
    for (const std::string& same : {std::string("a,b\r\n1,2\r\n"), std::string("\r\0\r", 3)})
        EXPECT_EQ(as_text(Bytes::copy(same, "t.csv")).view(), same);
}

TEST_F(AsText, AnArchiveOfOneFile) {
    const auto path = zipped(
        "t.csv.zip", {{"dir/", ""}, {"dir/t.csv", "a,b\n1,2\n3,5\n"}, {"__MACOSX/t", "x"}, {"dir/.DS_Store", "x"}});
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
    std::ifstream whole(folder_ / "w.xlsx", std::ios::binary);
    const std::string inner{std::istreambuf_iterator<char>(whole), {}};
    EXPECT_EQ(load(zipped("outer.zip", {{"w.xlsx", inner}})).view(), table.view());
    Members prefixed = members;
    prefixed[4].second =
        "<x:worksheet xmlns:x=\"u\"><x:sheetData><x:row><x:c><x:v>1</x:v></x:c><x:c t=\"s\"><x:v>0</x:v>"
        "</x:c></x:row></x:sheetData></x:worksheet>";
    prefixed[0].second =
        "<x:workbook xmlns:x=\"u\"><x:sheets><x:sheet name=\"N\" state=\"veryHidden\" q:id=\"r1\"/>"
        "<x:sheet name=\"D\" q:id=\"r7\"/></x:sheets></x:workbook>";
    EXPECT_EQ(load(zipped("p.xlsx", prefixed)).view(), "1\tid\n");
    Members formula = members;
    formula[4].second = "<worksheet><sheetData><row><c r=\"A1\"><f>1+1</f><v></v></c></row></sheetData></worksheet>";
    EXPECT_EQ(refusal(Fault::bad_file, [&] { load(zipped("f.xlsx", formula)); }),
              "'" + (folder_ / "f.xlsx").string() +
                  "': the formula of cell A1 has no value; open and save the workbook in a spreadsheet program");
    Members damaged = members;
    damaged[2].second = "<sst/>";
    EXPECT_NE(refusal(Fault::bad_file, [&] { load(zipped("d.xlsx", damaged)); }).find("is a damaged workbook"),
              std::string::npos);
}

}  // namespace
}  // namespace dunlin::io
