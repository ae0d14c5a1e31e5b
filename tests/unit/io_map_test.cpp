// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <dunlin/arrays.hpp>
#include <dunlin/error.hpp>
#include <dunlin/partial_map.hpp>

#include "folder.hpp"
#include "io/map_read.hpp"
#include "io/readers.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

class MapFileTest : public InFolder {};

MapFile example(int dim) {
    MapFile file;
    file.map.dim = dim;
    for (int i = 0; i < 3 * dim; ++i) file.map.coordinates.push_back(0.1F * static_cast<float>(i * i - 3));
    file.ids = {"9007199254740993", "a,b", " \"q\"\n"};
    file.labels = {{1, 0, 1}, {"two words", "tab\tand ;"}};
    return file;
}

std::vector<std::string> label_words(const Labels& labels) {
    std::vector<std::string> words;
    words.reserve(labels.of.size());
    for (const Index label : labels.of) words.push_back(labels.names[static_cast<std::size_t>(label)]);
    return words;
}

TEST_F(MapFileTest, ComesBackFromEveryFormat) {
    for (const int dim : {1, 2, 3, 12}) {
        for (const char* name : {"m.csv", "m.tsv", "m.json", "m.npy"}) {
            const MapFile file = example(dim);
            write_map(folder_ / name, file);
            const MapFile back = read_map(folder_ / name);
            EXPECT_EQ(back.map.dim, dim) << name;
            EXPECT_EQ(back.map.coordinates, file.map.coordinates) << name;
            if (name == std::string("m.npy")) continue;
            EXPECT_EQ(back.ids, file.ids) << name;
            EXPECT_EQ(label_words(back.labels), label_words(file.labels)) << name;
        }
    }
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++files;
    EXPECT_EQ(files, 4U) << "a temporary file was left";
}

TEST_F(MapFileTest, PointsWithoutALabelComeBack) {
    const MapFile file{{2, {0, 0, 1, 1, 2, 2}}, {}, {{1, no_label, 0}, {"2", "10"}}};
    for (const char* name : {"m.csv", "m.tsv", "m.json"}) {
        write_map(folder_ / name, file);
        const MapFile back = read_map(folder_ / name);
        EXPECT_EQ(back.labels.of, file.labels.of) << name;
        EXPECT_EQ(back.labels.names, file.labels.names) << name;
        ASSERT_EQ(back.notes.size(), 1U) << name;
        EXPECT_EQ(back.notes[0].what, "read with 1 of 3 rows without a label");
    }
}

TEST_F(MapFileTest, ExtremeFloatsComeBack) {
    MapFile file;
    using Limits = std::numeric_limits<float>;
    file.map.coordinates = {Limits::max(), Limits::min(), Limits::denorm_min(), -0.0F, 1.0F / 3, 16777217.0F};
    for (const char* name : {"m.csv", "m.json"}) {
        write_map(folder_ / name, file);
        EXPECT_EQ(read_map(folder_ / name).map.coordinates, file.map.coordinates) << name;
    }
}

TEST_F(MapFileTest, OthersMapsAreRead) {
    const auto coordinates = [](const std::string& text, const char* name) {
        return read_map(Bytes::copy(text, name)).map.coordinates;
    };
    using Floats = std::vector<float>;
    EXPECT_EQ(coordinates("1 2\n3 4\n", "m.txt"), (Floats{1, 2, 3, 4}));
    EXPECT_EQ(coordinates("tsne_1,tsne_2\n1,2\n3,4\n", "m.csv"), (Floats{1, 2, 3, 4}));
    EXPECT_EQ(coordinates("size,Y,X,label\n7,2,1,u\n7,4,3,v\n", "m.csv"), (Floats{1, 2, 3, 4}));
    EXPECT_EQ(coordinates("[[1, 2], [3, 4]]", "m.json"), (Floats{1, 2, 3, 4}));
}

TEST_F(MapFileTest, OtherColumnsOfATableAreNotRead) {
    const MapFile named =
        read_map(Bytes::copy("id,v,x,label,y,kind\na,,1,u,2,k\nb,nan,3,w,4,k\nc,1e99,5,u,6,l\n", "m.csv"));
    EXPECT_EQ(named.map.coordinates, (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(named.ids, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(named.labels.names, (std::vector<std::string>{"u", "w"}));
    const MapFile numbered = read_map(Bytes::copy("x2,v,x1,x3,x4\n2,,1,3,4\n6,,5,7,8\n", "m.csv"));
    EXPECT_EQ(numbered.map.dim, 4);
    EXPECT_EQ(numbered.map.coordinates, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
    const MapFile line = read_map(Bytes::copy("x1,kind\n21,k\n3,l\n", "m.csv"));
    EXPECT_EQ(line.map.dim, 1);
    EXPECT_EQ(line.map.coordinates, (std::vector<float>{21, 3}));
    EXPECT_THROW(read_map(Bytes::copy("v,x,y\n1,,2\n1,3,4\n", "m.csv")), Error);
    EXPECT_THROW(read_map(Bytes::copy("v,w,u,t\n1,1,2,1\n1,3,4,1\n", "m.csv")), Error);
}

TEST_F(MapFileTest, PointsMayHaveNoPlaceInAPartialMap) {
    const MapFile table = read_partial_map(Bytes::copy("id,x,y\na,1,2\nb,,\nc,nan,NA\nd,3,4\n", "m.csv"));
    EXPECT_EQ(table.ids.size(), 4U);
    EXPECT_EQ(table.map.size(), 4);
    EXPECT_EQ(table.map.coordinates[7], 4);
    EXPECT_TRUE(std::isnan(table.map.coordinates[2]) && std::isnan(table.map.coordinates[5]));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    write_array(path("m.npy"), {{2, 3}, {1, 2, 3, nan, nan, nan}});
    const MapFile array = read_partial_map(path("m.npy"));
    EXPECT_EQ(array.map.dim, 3);
    EXPECT_EQ(array.map.coordinates[2], 3);
    EXPECT_TRUE(std::isnan(array.map.coordinates[3]));
    EXPECT_THROW(read_map(path("m.npy")), Error);
    EXPECT_EQ(read_partial_map(Bytes::copy("[[1, 2], [3, 4]]", "m.json")).map.size(), 2);
}

TEST_F(MapFileTest, WrongMapsAreRefused) {
    for (const char* text : {"", "{", "{}", "[]", "[1,2]", "[[1,2],[3]]", "[[1,\"2\"]]", "[[1,1e39]]", "[[1,null]]",
                             "{\"coordinates\":[[1,2]],\"ids\":[1,2]}", "{\"coordinates\":[[1,2]],\"labels\":1}"}) {
        EXPECT_THROW(read_map(Bytes::copy(text, "m.json")), Error) << text;
    }
    EXPECT_THROW(read_map(Bytes::copy("1,2,3,4\n", "m.csv")), Error);
    EXPECT_THROW(read_map(Bytes::copy("1\n2\n", "m.csv")), Error);
}

TEST_F(MapFileTest, PlacesThatCannotBeWrittenAreToldBefore) {
    const auto kept = put("kept.csv", "old");
    require_writable(kept);
    require_writable(path("new.csv"));
    require_writable("/dev/null");
    EXPECT_EQ(bytes(kept), "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);  // no temporary files
    std::vector<std::filesystem::path> wrong = {path("none") / "x.csv", folder_};
    // writable by no one, root included
    if (std::filesystem::exists("/proc/self")) wrong.emplace_back("/proc/x.csv");
    for (const std::filesystem::path& place : wrong)
        EXPECT_NE(refusal([&] { require_writable(place); }).find(place.string()), std::string::npos) << place;
}

TEST_F(MapFileTest, TextLeavesLinksAndDevicesWhatTheyAre) {
    const auto real = put("real.json", "old");
    std::filesystem::create_symlink("real.json", path("link.json"));
    write_text(path("link.json"), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(path("link.json")));
    EXPECT_EQ(bytes(real), "new");
}

TEST_F(MapFileTest, NothingIsWrittenWhereTheMapIsWrong) {
    MapFile file = example(2);
    file.ids.pop_back();
    EXPECT_THROW(write_map(folder_ / "m.csv", file), Error);
    file = example(2);
    file.map.coordinates[3] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(write_map(folder_ / "m.csv", file), Error);
    EXPECT_THROW(write_map(folder_ / "m.xyz", example(2)), Error);
    EXPECT_THROW(write_map(folder_ / "nowhere" / "m.csv", example(2)), Error);
    EXPECT_THROW(write_map(folder_, example(2)), Error);
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST(Map, AnIndexIsNoAxis) {
    for (const std::string text :
         {"0,0.5,1.5\n1,3.25,-2\n2,8.5,4\n", "1\t0.5\t1.5\n2\t3.25\t-2\n", "1,1,2,3\n2,5,4,4\n"}) {
        const MapFile file = read_map(Bytes::copy(text, "m.txt"));
        EXPECT_EQ(file.map.dim, text.find("1,1,2,3") == 0 ? 3 : 2) << text;
        EXPECT_EQ(file.ids.size(), static_cast<std::size_t>(file.map.size())) << text;
        EXPECT_EQ(file.notes.size(), 1U) << text;
    }
    const MapFile whole = read_map(Bytes::copy("4,0.5,1.5\n1,3.25,-2\n", "m.csv"));
    EXPECT_EQ(whole.map.dim, 3);
    EXPECT_EQ(whole.notes.size(), 1U);
    EXPECT_EQ(read_map(Bytes::copy("0.5,0.5,1.5\n1,3.25,-2\n", "m.csv")).notes.size(), 0U);
}

}  // namespace
}  // namespace dunlin::io
