// SPDX-License-Identifier: Apache-2.0
#include "io/letter_case.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io/documents.hpp"

namespace dunlin::io {
namespace {

using Strings = std::vector<std::string>;

// Of Python 3.13: re.match(r"\w", c) and c.lower()[0] of all characters c
TEST(LetterCase, AllCharactersAreAsInPython) {
    std::uint64_t of_word = 0, codes = 0, capitals = 0, large = 0, small = 0;
    for (std::uint32_t code = 0; code < 0x110000; ++code) {
        if (is_of_word(code)) ++of_word, codes += code;
        if (lower_case(code) == code) continue;
        ++capitals;
        large += code;
        small += lower_case(code);
        EXPECT_EQ(lower_case(lower_case(code)), lower_case(code)) << code;
    }
    EXPECT_EQ(of_word, 138'558U);
    EXPECT_EQ(codes, 14'996'615'841U);
    EXPECT_EQ(capitals, 1433U);
    EXPECT_EQ(large, 32'222'311U);
    EXPECT_EQ(small, 34'914'171U);
}

TEST(LetterCase, CharactersBeyondTheTablesAreNoLetters) {
    for (const std::uint32_t code : {0x0U, 0x80U, 0xd800U, 0x323b0U, 0x10ffffU, 0x1fffffU}) {
        EXPECT_FALSE(is_of_word(code)) << code;
        EXPECT_EQ(lower_case(code), code);
    }
}

// Of Python 3.13: re.findall(r"(?u)\b\w\w+\b", text.lower())
TEST(LetterCase, WordsAreThoseOfPython) {
    struct Example {
        std::string text;
        Strings words;
    };
    const std::vector<Example> examples = {
        {"ÄPFEL ŠVEJK ŁÓDŹ ÞÓRR ǄEPNI ǅ ĲSSEL Ǻ ȺȾ ẞÜẞ",
         {"äpfel", "švejk", "łódź", "þórr", "ǆepni", "ĳssel", "ⱥⱦ", "ßüß"}},
        {"ΆΛΦΑ ΈΝΑ ΏΡΑ ΟΔΟΣ ΣΟΦΌΣ Ἀθῆναι ᾈδησ", {"άλφα", "ένα", "ώρα", "οδος", "σοφός", "ἀθῆναι", "ᾀδησ"}},
        {"ЖУК ЁЛКА ҐАНОК ӘЛЕМ ҒЫЛЫМ Ԥ\xd2\x89 ѢРА", {"жук", "ёлка", "ґанок", "әлем", "ғылым", "ѣра"}},
        {"ՀԱՅԱՍՏԱՆ ᲓᲐ ႠႡ ᎠᎡ", {"հայաստան", "და", "ⴀⴁ", "ꭰꭱ"}},
        {"ĐƯỜNG VIỆT TIẾNG ẤM", {"đường", "việt", "tiếng", "ấm"}},
        {"ＦＵＬＬ ｗｉｄｔｈ １２ Ⅷ ⅧⅨ ⓁⓂ x² ½½ x½ ªº",
         {"ｆｕｌｌ", "ｗｉｄｔｈ", "１２", "ⅷⅸ", "x²", "½½", "x½", "ªº"}},
        {"e\xcc\x81te cafe\xcc\x81s no\xcc\x88"
         "el",
         {"te", "cafe", "no", "el"}},
        {"ह\xe0\xa4\xbfन\xe0\xa5\x8dद\xe0\xa5\x80 भ\xe0\xa4\xbeष\xe0\xa4\xbe தம\xe0\xae\xbfழ\xe0\xaf\x8d ไทย 東京都 "
         "ひらがな カタカナ 한국어",
         {"தம", "ไทย", "東京都", "ひらがな", "カタカナ", "한국어"}},
        {"שלום עולם العربية ٣٤٥ الع\xd9\x8eر\xd9\x8eب\xd9\x90ي\xd9\x8e\xd9\x91ة",
         {"שלום", "עולם", "العربية", "٣٤٥", "الع"}},
        {"\xef\xbb\xbfthe \xc2\xa0no\xc2\xad"
         "break zero\xe2\x80\x8bwidth a‿b €50 £20 50% µm °C ×2 a·b l·l",
         {"the", "no", "break", "zero", "width", "50", "20", "50", "µm"}},
        {"𝐁𝐎𝐋𝐃 𐐀𐐁 𞤀𞤁 😀😀 ab😀cd ⲀⲂ ꙀꙂ ꞋꞍ", {"𝐁𝐎𝐋𝐃", "𐐨𐐩", "𞤢𞤣", "ab", "cd", "ⲁⲃ", "ꙁꙃ", "ꞌɥ"}},
    };
    for (const Example& example : examples) EXPECT_EQ(words_of(example.text), example.words) << example.text;
}

TEST(LetterCase, TheDottedCapitalIsAnI) { EXPECT_EQ(words_of("\u0130STANBUL"), Strings{"istanbul"}); }

}  // namespace
}  // namespace dunlin::io
