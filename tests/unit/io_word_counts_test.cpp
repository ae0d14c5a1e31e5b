// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include <dunlin/texts.hpp>

#include "folder.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

using Strings = std::vector<std::string>;

class WordCounts : public InFolder {};

float count_of(const WordTable& table, Index text, const std::string& word) {
    for (Offset e = table.counts.offsets[static_cast<std::size_t>(text)];
         e < table.counts.offsets[static_cast<std::size_t>(text) + 1]; ++e) {
        const auto i = static_cast<std::size_t>(e);
        if (table.words[static_cast<std::size_t>(table.counts.columns[i])] == word) return table.counts.values[i];
    }
    return 0;
}

TEST_F(WordCounts, WordsAndPhrasesOfEnoughTexts) {
    const Strings texts{"Red fox, red fox", "the red fox", "a red fox sleeps", "", "fox"};
    const WordTable table = count_words(texts);
    EXPECT_EQ(table.words, (Strings{"fox", "red", "red fox"}));
    EXPECT_EQ(count_of(table, 0, "red fox"), 2);  // "fox red" is in one text
    EXPECT_EQ(count_of(table, 2, "red fox"), 1);
    EXPECT_EQ(count_of(table, 4, "fox"), 1);
    EXPECT_EQ(table.counts.rows, 5);
    EXPECT_EQ(table.counts.offsets[4], table.counts.offsets[3]);  // the empty text
    EXPECT_EQ(count_words(texts, {.phrase = 1}).words, (Strings{"fox", "red"}));
    EXPECT_EQ(count_words(texts, {.texts = 1}).words.size(), 8U);  // fox, fox red, red, red fox, sleeps, the, ..
}

TEST_F(WordCounts, StopWordsPartPhrases) {
    const Strings texts(3, "bank of england");
    EXPECT_EQ(count_words(texts, {.stop_words = {"of"}}).words, (Strings{"bank", "england"}));
    EXPECT_EQ(count_words(texts).words, (Strings{"bank", "bank of", "england", "of", "of england"}));
}

TEST_F(WordCounts, OfUnicodeAndOfNothing) {
    EXPECT_EQ(count_words(Strings(3, "\xc3\x84PFEL \xff")).words, Strings{"\xc3\xa4pfel"});
    EXPECT_TRUE(count_words({}).words.empty());
    EXPECT_EQ(count_words({"", ""}).counts.rows, 2);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(count_words(Strings(3, "fox"), {}, {.stop = stop.get_token()}).counts.rows, 0);
}

TEST_F(WordCounts, FilesOfCounts) {
    const WordTable mtx = read_counts(
        put("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 4\n2 3 1\n1 1 2\n2 1 5\n2 3 3\n"));
    EXPECT_EQ(mtx.counts.offsets, (std::vector<Offset>{0, 1, 3}));
    EXPECT_EQ(mtx.counts.columns, (std::vector<Index>{0, 0, 2}));
    EXPECT_EQ(mtx.counts.values, (std::vector<float>{2, 5, 4}));
    EXPECT_TRUE(mtx.words.empty());
    const WordTable lda = read_counts(put("a.ldac", "1 0:2\n0\n2 3:1 0:5\n"));
    EXPECT_EQ(lda.counts.offsets, (std::vector<Offset>{0, 1, 1, 3}));
    EXPECT_EQ(lda.counts.cols, 4);
    const WordTable table = read_counts(put("a.csv", "id,fox,bear\na,1,0\nb,0,3\n"));
    EXPECT_EQ(table.words, (Strings{"fox", "bear"}));
    EXPECT_EQ(table.ids, (Strings{"a", "b"}));
    EXPECT_EQ(table.counts.values, (std::vector<float>{1, 3}));
    EXPECT_NE(refusal(Fault::bad_file, [&] { read_counts(path("none.mtx")); }), "");
}

TEST_F(WordCounts, FilesOfWordsAndTexts) {
    EXPECT_EQ(read_words(put("w.txt", "none\r\nna\n two words \n\nlast\n\n")),
              (Strings{"none", "na", "two words", "", "last"}));
    EXPECT_EQ(read_texts(put("t.csv", "id,body\na,red fox\nb,\"one, two\"\n"), "body").values,
              (Strings{"red fox", "one, two"}));
    std::filesystem::create_directories(path("docs"));
    const std::filesystem::path last = put("docs/b.txt", "bear");
    EXPECT_EQ(put("docs/a.txt", "fox").parent_path(), last.parent_path());
    const TextColumn folder = read_texts(path("docs"));
    EXPECT_EQ(folder.values, (Strings{"fox", "bear"}));
    EXPECT_EQ(folder.ids, (Strings{"a.txt", "b.txt"}));
}

}  // namespace
}  // namespace dunlin::io
