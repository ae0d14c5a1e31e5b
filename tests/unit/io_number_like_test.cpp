// SPDX-License-Identifier: Apache-2.0
// Words that look like numbers.
#include "io/number_like.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dunlin::io {
namespace {

bool looks_like_numbers(const std::vector<std::string>& words) {
    NumberLikeColumn column;
    for (const std::string& word : words) column.add(word);
    return column.looks_like_numbers();
}

TEST(NumberLike, EachSignIsNamed) {
    const std::vector<std::pair<const char*, const char*>> all = {
        {"5%", "a percent sign"},
        {"-5.5 %", "a percent sign"},
        {"$5", "a currency"},
        {"5 \xe2\x82\xac", "a currency"},
        {"-$1,234.50", "a currency"},
        {"1.234,50 EUR", "a currency"},
        {"12 kg", "a unit"},
        {"5 m/s", "a unit"},
        {"(5)", "parentheses"},
        {"<5", "a comparison"},
        {"0x1F", "hexadecimal digits"},
        {"1_234", "a thousands separator"},
        {"1 234", "a thousands separator"},
        {"1\xe2\x80\x99"
         "234",
         "a thousands separator"},
        {"1,00,000", "a thousands separator"},
        {"1.5D+03", "an exponent D"},
        {"1.5x10^3", "a power of ten"},
        {"5.1 +/- 0.2", "an uncertainty"},
        {"\xe2\x88\x92"
         "5",
         "a minus sign that is no '-'"},
        {"5-", "a sign at its end"},
        {"'5", "an apostrophe"},
        {"5*", "a mark"},
        {"1/5", "a fraction bar"},
        {"0-5", "two numbers"},
        {"[0.395]", "brackets"},
        {"(2.3, -0.6)", "brackets"},
        {"0\xc2\xb0"
         "30'",
         "a sign of degrees"},
        {"\xef\xbc\x91\xef\xbc\x92", "digits other than 0 to 9"},
        {"\xd9\xa3\xd9\xa4", "digits other than 0 to 9"}};
    for (const auto& [text, sign] : all) {
        EXPECT_EQ(likeness_to_number(text).sign, sign) << text;
        EXPECT_TRUE(likeness_to_number(text).suffix.empty()) << text;
    }
    for (const char* text :
         {"",  "word", "S-1",         "1D66",  "2020-01-01", "10:30", "20-10", "12 Main St", "65+", "%",
          "$", "kg",   "192.168.1.1", "1/2/3", "1-1",        "5",     "1e5",   "-1.5",       "1,5", "12_3"})
        EXPECT_TRUE(likeness_to_number(text).sign.empty()) << text;
    EXPECT_EQ(likeness_to_number("5 apples").suffix, "apples");
}

TEST(NumberLike, AColumnIsJudgedAsAWhole) {
    EXPECT_TRUE(looks_like_numbers({"5%", "word"}));
    EXPECT_FALSE(looks_like_numbers({"5%", "word", "other"}));
    EXPECT_TRUE(looks_like_numbers({"5 apples", "7 apples"}));
    EXPECT_FALSE(looks_like_numbers({"5a", "7b", "8a"}));
    EXPECT_TRUE(looks_like_numbers({"5k", "1.2M"}));
    EXPECT_FALSE(looks_like_numbers({"5a"})) << "one word is a name";
    EXPECT_FALSE(looks_like_numbers({"<5", "5-10", ">10"})) << "classes";
    EXPECT_TRUE(looks_like_numbers({"<5", "7", "NA"}));
    EXPECT_FALSE(looks_like_numbers({"1", "2", "X"})) << "whole numbers may be names";
    EXPECT_FALSE(looks_like_numbers({}));
    EXPECT_FALSE(looks_like_numbers({"", "NA"}));
}

}  // namespace
}  // namespace dunlin::io
