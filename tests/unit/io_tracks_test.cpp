// SPDX-License-Identifier: Apache-2.0
// Readers of strings and tracks.
#include <gtest/gtest.h>

#include "io/sequences.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

TrackFile read(const std::string& content, const std::string& name = "a.csv", const ReadOptions& options = {}) {
    return read_tracks(Bytes::copy(content, name), options);
}

std::string refused(const std::string& content, const std::string& name = "a.csv") {
    return refusal(Fault::bad_file, [&] { read(content, name); });
}

StringFile lines(const std::string& content, sequences::Unit unit = sequences::Unit::characters) {
    return read_strings(Bytes::copy(content, "a.txt"), StringOptions{unit});
}

TEST(TrackTable, RowsAreGroupedByIdAndSortedByTime) {
    const TrackFile file = read("id,time,x,y\nb,2,1,2\na,5,3,4\nb,1,5,6\na,4.5,7,8\na,6,9,10\n");
    EXPECT_EQ(file.ids, (std::vector<std::string>{"b", "a"}));
    EXPECT_EQ(file.items.offsets, (std::vector<Offset>{0, 2, 5}));
    EXPECT_EQ(file.items.positions, (std::vector<double>{5, 6, 1, 2, 7, 8, 3, 4, 9, 10}));
    EXPECT_FALSE(file.items.geographic);
    EXPECT_EQ(file.columns, (std::vector<std::string>{"x", "y"}));
}

TEST(TrackTable, ColumnsAreFoundByName) {
    const TrackFile file =
        read("Latitude;kind;Lng;trip;timestamp\n52.5;car;13.4;7;2024-01-02T00:00\n48.8;foot;2.35;7;2024-01-01T10:00\n");
    EXPECT_TRUE(file.items.geographic);
    EXPECT_EQ(file.items.positions, (std::vector<double>{48.8, 2.35, 52.5, 13.4}));
    EXPECT_EQ(file.ids, std::vector<std::string>{"7"});
    ReadOptions options;
    options.labels = "kind";
    const TrackFile labeled = read("id,x,kind\n1,0,low\n2,5,high\n1,3,other\n", "a.csv", options);
    EXPECT_EQ(labeled.items.dim, 1);
    EXPECT_EQ(labeled.labels.of, (std::vector<Index>{0, 1}));
    EXPECT_EQ(labeled.labels.names[0], "low");
    options.ids = "kind";
    EXPECT_EQ(read("id,x,kind\n1,0,low\n2,5,high\n", "a.csv", options).ids, (std::vector<std::string>{"low", "high"}));
}

TEST(TrackTable, WithoutAnIdEveryRowIsAnItem) {
    const TrackFile file = read("lat,lon\n1,2\n3,4\n5,6\n");
    EXPECT_EQ(file.items.size(), 3);
    EXPECT_TRUE(file.ids.empty());
}

TEST(TrackTable, WhatIsWrongIsNamed) {
    EXPECT_NE(refused("1,2\n3,4\n").find("has no header"), std::string::npos);
    EXPECT_NE(refused("id,name\na,b\n").find("no column of numbers"), std::string::npos);
    EXPECT_NE(refused("id,x\na,1\nb,word\nc,3\n"), "");
    EXPECT_NE(refused("id,x\na,1\nb,nan\n").find("finite"), std::string::npos);
    EXPECT_NE(refused("lat,lon\n1,2\n91,0\n").find("the latitude is 91"), std::string::npos);
    EXPECT_NE(refused(""), "");
}

/// The notes of a file, one a line.
std::string notes_of(const std::vector<Note>& notes) {
    std::string all;
    for (const Note& note : notes) all += note.what + "\n";
    return all;
}

TEST(TrackTable, TimesAreTimesNotTexts) {
    const TrackFile file = read("id,time,x,y\na,1/2/2020 9:05,0,0\na,31/1/2020 10:05,1,0\na,1/2/2020 10:05,2,0\n");
    EXPECT_EQ(file.items.positions, (std::vector<double>{1, 0, 0, 0, 2, 0}));
    EXPECT_NE(refused("id,time,x,y\na,3/1/2020,0,0\na,1/3/2020,1,0\n").find("day, month, year or month, day, year"),
              std::string::npos);
    EXPECT_NE(refused("id,time,x,y\na,2020-01-01,0,0\n\na,,1,0\n").find("a.csv:4: row 2, column 2 'time'"),
              std::string::npos);
    EXPECT_NE(refused("id,time,x,y\na,1,0,0\n,2,1,0\n").find("row 2, column 1 'id': the id is empty"),
              std::string::npos);
}

TEST(TrackTable, ADateAndAClockTimeAreJoined) {
    const TrackFile file = read("id,time,date,x,y\na,00:05,2.1.2020,2,0\na,23:55,1.1.2020,1,0\na,00:10,2.1.2020,3,0\n");
    EXPECT_EQ(file.items.positions, (std::vector<double>{1, 0, 2, 0, 3, 0}));
    EXPECT_EQ(notes_of(file.notes), "");
    const TrackFile zones = read("id,date,time,x,y\na,2020-01-02,00:30+02:00,1,0\na,2020-01-01,22:00+00:00,0,0\n");
    EXPECT_EQ(zones.items.positions, (std::vector<double>{0, 0, 1, 0}));
}

TEST(TrackTable, WhatIsLeftOutIsSaid) {
    const TrackFile file = read("id,time,lat,lon,alt,\"a,b\"\na,1,2,3,4,x\n");
    EXPECT_EQ(notes_of(file.notes), "read without columns 5 'alt' and 6 'a,b'\n");
    EXPECT_EQ(file.columns, (std::vector<std::string>{"lat", "lon"}));
    EXPECT_EQ(notes_of(read("id,time,x,y,z\na,1,2,3,4\n").notes), "");
    EXPECT_EQ(notes_of(read("id,x,y,v\na,2,3,4\n").notes), "read with the coordinates 2 'x', 3 'y' and 4 'v'\n");
    EXPECT_NE(notes_of(read("time,lat,lon\n1,2,3\n2,3,4\n").notes).find("every row as an item"), std::string::npos);
    EXPECT_NE(refused("id,w,x\na,5 kg,1\nb,7 kg,2\n").find("looks like numbers"), std::string::npos);
    EXPECT_NE(refused("id,time,lat,lon\na,1,2,400\n").find("the longitude is 400"), std::string::npos);
}

TEST(Gpx, TracksRoutesAndWaypoints) {
    const TrackFile file = read(
        "<gpx xmlns='http://www.topografix.com/GPX/1/1'><wpt lat='9' lon='9'/>"
        "<trk><name>one</name><trkseg><trkpt lat='1' lon='2'/></trkseg><trkseg><trkpt lat='3' "
        "lon='-4.5'/></trkseg></trk>"
        "<trk><trkseg/></trk><rte><rtept lat='5' lon='6'/></rte></gpx>",
        "a.gpx");
    EXPECT_EQ(file.items.offsets, (std::vector<Offset>{0, 2, 3}));
    EXPECT_EQ(file.items.positions, (std::vector<double>{1, 2, 3, -4.5, 5, 6}));
    EXPECT_EQ(file.ids, (std::vector<std::string>{"one", "route 2"}));
    EXPECT_EQ(notes_of(file.notes),
              "read without 1 tracks that have no position\nread without 1 waypoints beside tracks\n");
    const TrackFile places =
        read("<gpx><wpt lat='1' lon='2'/><wpt lat='3' lon='4'><name>b</name></wpt></gpx>", "a.gpx");
    EXPECT_EQ(places.ids, (std::vector<std::string>{"waypoint 1", "b"}));
    EXPECT_EQ(places.items.size(), 2);
}

TEST(Gpx, WhatIsWrongIsNamed) {
    EXPECT_NE(refused("<gpx>\n<trk><trkseg>\n<trkpt lat='1'/></trkseg></trk></gpx>", "a.gpx").find("a.gpx:3"),
              std::string::npos);
    EXPECT_NE(
        refused("<gpx><trk><trkseg><trkpt lat='99' lon='1'/></trkseg></trk></gpx>", "a.gpx").find("latitude is 99"),
        std::string::npos);
    EXPECT_NE(refused("<gpx/>", "a.gpx").find("no track"), std::string::npos);
    EXPECT_NE(refused("<kml/>", "a.gpx").find("no GPX"), std::string::npos);
    EXPECT_NE(refused("<gpx>", "a.gpx").find("correct the XML"), std::string::npos);
}

StringFile table(const std::string& content, const StringOptions& options = {}, const std::string& name = "a.csv") {
    return read_strings(Bytes::copy(content, name), options);
}

TEST(StringTables, TheColumnIsFoundByItsName) {
    const StringFile file = table("id,Word,class\na,cat,x\nb,\"c,d\",y\n");
    EXPECT_EQ(file.ids, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(file.items.offsets, (std::vector<Offset>{0, 3, 6}));
    EXPECT_EQ(file.labels.names, (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(notes_of(file.notes), "read with the strings of column 2 'Word'\n");
    EXPECT_EQ(table("a\tb\nc\td\n", {.strings_from = "2"}, "a.txt").ids, (std::vector<std::string>{"b", "d"}));
    EXPECT_EQ(notes_of(table("name,seq\nx,AC\ny,AG\n", {.strings_from = "seq"}).notes),
              "read without column 1 'name'\n");
    EXPECT_NE(refusal(Fault::bad_file, [] { table("city,note\nx,y\n"); }).find("columns 1, 2"), std::string::npos);
    EXPECT_NE(refusal([] { table("id,word\na,b,c\nd,e\n", {.strings_from = "word"}); }), "");
    EXPECT_NE(refusal(Fault::bad_file, [] { table("id,word\n"); }).find("no rows"), std::string::npos);
    EXPECT_EQ(table("cat\nat\n").ids, (std::vector<std::string>{"cat", "at"})) << "no header";
    EXPECT_EQ(table("word\ncat\n").ids, std::vector<std::string>{"cat"});
}

TEST(StringTables, ATableNeedsNoExtension) {
    for (const std::string content :
         {"id\tword\n1\tkitten\n2\tcat\n", "id,word\n1,kitten\n2,cat\n", "id;word\r\n1;kitten\r\n2;cat\r\n"}) {
        const StringFile file = table(content, {}, "w.txt");
        EXPECT_EQ(file.ids, (std::vector<std::string>{"1", "2"})) << content;
        EXPECT_EQ(notes_of(file.notes), "read with the strings of column 2 'word'\n");
    }
    const StringFile plain = table("a\tkitten\nb\tcat\n", {}, "w.txt");
    EXPECT_EQ(plain.kind, "lines");
    EXPECT_NE(notes_of(plain.notes).find("every line has tabs"), std::string::npos);
    EXPECT_EQ(table("to be, or not\nto do, or no\n", {}, "w.txt").kind, "lines");
}

TEST(StringTables, IdsThatRepeatGiveALine) {
    EXPECT_NE(notes_of(table(">a\nAC\n>a\nAG\n", {}, "a.fa").notes).find("several items called 'a'"),
              std::string::npos);
    EXPECT_NE(notes_of(table("id,word\n1,cat\n1,at\n").notes).find("several items called '1'"), std::string::npos);
}

TEST(StringTables, FastaIsReadWhole) {
    const StringFile file = table(">a some words\nAC GT\r\nAC\n;comment\n\n>b\nA", {}, "a.fa");
    EXPECT_EQ(file.ids, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(file.items.offsets, (std::vector<Offset>{0, 6, 7}));
    EXPECT_EQ(file.kind, "fasta");
    EXPECT_EQ(table(">quoted\n>again\n", {}, "a.txt").kind, "lines");
    EXPECT_NE(notes_of(table(">a\nacGT\n", {}, "a.txt").notes).find("capital"), std::string::npos);
}

TEST(StringLines, ALineIsAnItem) {
    EXPECT_EQ(lines("a\rb\r\nc\n").items.offsets, (std::vector<Offset>{0, 1, 2, 3})) << "all line ends";
    const StringFile file = lines(
        "\xef\xbb\xbf"
        "ab\r\nc\r\n\r\n");
    EXPECT_EQ(file.items.offsets, (std::vector<Offset>{0, 2, 3})) << "empty lines at the end are no items";
    EXPECT_NE(refusal(Fault::bad_file, [] { lines("ab\n\nc"); }).find("a.txt:2"), std::string::npos);
    EXPECT_EQ(lines("ab\ncd\n").ids, (std::vector<std::string>{"ab", "cd"}));
    EXPECT_TRUE(lines("ab\nab\n").ids.empty()) << "names differ";
    EXPECT_EQ(lines("a b a\nb\n", sequences::Unit::words).items.symbols, (std::vector<std::uint32_t>{0, 1, 0, 1}));
    EXPECT_NE(refusal(Fault::bad_file, [] { lines(""); }), "");
}

}  // namespace
}  // namespace dunlin::io
