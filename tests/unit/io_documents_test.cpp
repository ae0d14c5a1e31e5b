// SPDX-License-Identifier: Apache-2.0
#include "io/documents.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <dunlin/points_like.hpp>

#include "folder.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

using Strings = std::vector<std::string>;

class Documents : public InFolder {};

TEST_F(Documents, WordsAreRunsOfLettersInLowerCase) {
    EXPECT_EQ(words_of("The fox's 2nd den, A b_c \xe2\x80\x9cquoted\xe2\x80\x9d x"),
              (Strings{"the", "fox", "2nd", "den", "b_c", "quoted"}));
    EXPECT_EQ(
        words_of("\xc3\x84PFEL \xce\xa9\xce\x9c \xd0\x96\xd0\xa3\xd0\x9a \xc5\xa0v\xe2\x82\xac"),  // ÄPFEL ΩΜ ЖУК Šv€
        (Strings{"\xc3\xa4pfel", "\xcf\x89\xce\xbc", "\xd0\xb6\xd1\x83\xd0\xba", "\xc5\xa1v"}));
    EXPECT_TRUE(words_of("a. - !").empty());
    EXPECT_EQ(words_of("caf\xe9 ole").size(), 2U);  // Latin-1
}

TEST_F(Documents, RowsAreWeighedByTheFormula) {
    const Points points = points_of_texts({"red fox red", "red bird", "old bird"}, "t");
    EXPECT_EQ(points.columns, (Strings{"red", "bird"}));  // the others are in one text
    const double idf = std::log(4.0 / 3) + 1;
    EXPECT_NEAR(points.values.view()(0, 0), 1, 1e-6);
    EXPECT_NEAR(points.values.view()(1, 0), idf / std::sqrt(2 * idf * idf), 1e-6);
    EXPECT_EQ(points.values.view()(2, 0), 0);
    EXPECT_EQ(points.notes.front().what,
              "read as 3 texts by 2 of their 4 words, those of two texts or more, weighed by TF-IDF, rows of length 1");
    const Points empty = points_of_texts({"red", "", "red"}, "t");
    EXPECT_EQ(empty.notes.back().what, "read with 1 texts that have none of these words, as rows of zeros");
    EXPECT_EQ(points_of_texts({"red fox"}, "t").values.cols(), 2);
    EXPECT_EQ(refusal(Fault::bad_file, [] { points_of_texts({"red", "blue", "green"}, "t"); }),
              "'t' has 3 texts and no word that two of them share; give longer texts");
}

TEST_F(Documents, FoldersHaveFilesAndLabels) {
    std::filesystem::create_directories(folder_ / "tea");
    std::filesystem::create_directories(folder_ / "ale");
    (void)put("tea/2.txt", "green tea");
    (void)put("ale/1.txt", "pale ale, green");
    (void)put("tea/1.txt", "black tea");
    (void)put("note.pdf", "%PDF");
    const Points points = read_points(folder_);
    EXPECT_EQ(points.ids, (Strings{"ale/1.txt", "tea/1.txt", "tea/2.txt"}));
    EXPECT_EQ(points.labels.names, (Strings{"ale", "tea"}));
    EXPECT_EQ(points.columns, (Strings{"green", "tea"}));
    EXPECT_EQ(points.guess.holds, Holds::documents);
    EXPECT_EQ(guess(folder_).holds, Holds::documents);
    std::filesystem::remove_all(folder_ / "tea");
    std::filesystem::remove_all(folder_ / "ale");
    EXPECT_NE(refusal(Fault::bad_file, [&] { read_points(folder_); }), "");
}

TEST_F(Documents, FoldersAreReadAtAnyDepth) {
    namespace fs = std::filesystem;
    const fs::path root = folder_ / "texts";
    for (const char* name : {"train/pos/a", "train/neg", ".git"}) fs::create_directories(root / name);
    (void)put("texts/train/pos/1.txt", "\xef\xbb\xbfgreen tea");
    (void)put("texts/train/pos/a/2.TEXT", "green ale");
    (void)put("texts/train/neg/1.txt", "black tea\r\n");
    (void)put("texts/train/README.md", "tea tea");
    (void)put("texts/train/pos/.1.txt", "tea");
    (void)put("texts/.git/config.txt", "tea");
    fs::create_directory_symlink("..", root / "train/up");
    fs::create_symlink("nowhere", root / "train/gone.txt");
    fs::create_symlink("1.txt", root / "train/neg/same.txt");

    const Points points = read_points(root);
    EXPECT_EQ(points.ids, (Strings{"train/neg/1.txt", "train/neg/same.txt", "train/pos/1.txt", "train/pos/a/2.TEXT"}));
    EXPECT_EQ(points.labels.names, (Strings{"train/neg", "train/pos", "train/pos/a"}));
    EXPECT_EQ(points.columns, (Strings{"black", "tea", "green"}));
    EXPECT_EQ(points.notes.back().what,
              "read without 2 files that are no .txt, 2 hidden files or folders, 1 links to folders");
    EXPECT_EQ(read_points(root / "").ids, points.ids);
    EXPECT_EQ(read_points(root / "train" / "neg").labels.names, Strings{}) << "files of the folder itself";

    fs::remove_all(root / "train/pos");
    fs::remove_all(root / "train/neg");
    EXPECT_NE(refusal(Fault::bad_file, [&] { read_points(root); })
                  .find("' is a folder without .txt files, at any depth (2 files that are no .txt, 1 hidden files or "
                        "folders, 1 links to folders); name a file in it"),
              std::string::npos);
}

TEST_F(Documents, AColumnOfATableHasTexts) {
    const auto table = put("t.csv", "id,body,year,label\na,\"red, red fox\",1,x\nb,red bird,2,y\nc,old bird,3,x\n");
    const Points points = read_points(table, {.text = "body"});
    EXPECT_EQ(points.ids, (Strings{"a", "b", "c"}));
    EXPECT_EQ(points.labels.names, (Strings{"x", "y"}));
    EXPECT_EQ(points.columns, (Strings{"red", "bird"}));
    EXPECT_EQ(read_points(table, {.text = "2"}).values.rows(), 3);
    EXPECT_EQ(refusal([&] { read_points(table, {.text = "none"}); }),
              "text: 'none' is no column of '" + table.string() + "'; give a column's name or its number from 1 to 4");
    EXPECT_NE(refusal([&] { read_points_like(table, "other.csv", {}, {.text = "body"}); }), "");
}

TEST_F(Documents, ANameOfTheTextsIsInTheHeader) {
    const std::string rows = "a good film,positive\n\"a bad, bad film\",negative\na film,positive\n";
    const auto table = put("t.csv", "review,sentiment\r\n" + rows);
    const auto noted = [](const Points& points) {
        std::string all;
        for (const Note& note : points.notes) all += note.option == "text" ? note.what : "";
        return all;
    };
    const Points named = read_points(table, {.text = "review"});
    EXPECT_EQ(named.values.rows(), 3);
    EXPECT_EQ(named.columns, Strings{"film"});
    EXPECT_EQ(noted(named), "");
    EXPECT_EQ(read_points(table, {.labels = "sentiment", .text = "review"}).labels.names,
              (Strings{"positive", "negative"}));
    EXPECT_EQ(read_points(table, {.labels = "sentiment", .text = "1"}).values.rows(), 3);

    const Points numbered = read_points(table, {.text = "1"});
    EXPECT_EQ(numbered.values.rows(), 4);
    EXPECT_EQ(noted(numbered),
              "read with its first row (review, sentiment) as a text; if it has names of the columns, give the name of "
              "the column of texts instead of its number");
    EXPECT_EQ(read_points(put("bare.csv", rows), {.text = "1"}).values.rows(), 3);
    EXPECT_NE(refusal([&] { read_points(table, {.text = "body"}); }), "");
}

}  // namespace
}  // namespace dunlin::io
