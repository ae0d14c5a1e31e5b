// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "io/as_text.hpp"
#include "refusal.hpp"

/// Files of other programs, which are refused by name.
namespace dunlin::io {
namespace {

std::string complaint(const std::string& content, const std::string& name) {
    return refusal(Fault::bad_file, [&] { as_text(Bytes::copy(content, name)); });
}

TEST(Foreign, FormatsAreNamedWithARemedy) {
    EXPECT_EQ(
        complaint("PAR1 and more", "a.parquet"),
        "'a.parquet' is Parquet; convert it: python3 -c \"import pandas; "
        "pandas.read_parquet('a.parquet').to_csv('a.parquet.csv', index=False)\", or use the command of the Python "
        "package, which reads it with pyarrow");
    EXPECT_EQ(complaint("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 3\n", "a.csv"),
              "'a.csv' is a pointer of Git LFS, not the file itself; fetch it: git lfs pull");
    EXPECT_EQ(complaint("\n <!DOCTYPE HTML>\n<html>", "a.csv"),
              "'a.csv' is a web page, perhaps one that says why a download failed; download the file again, or "
              "save its table as .csv");
    for (const std::string begin :
         {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "%PDF-1.4", "\x89PNG\r\n", "RDX3\n", "<stata_dta>"})
        EXPECT_NE(complaint(begin + std::string(100, ' '), "a.csv"), "") << begin;
}

TEST(Foreign, TextAndNumbersThatBeginAlikeAreRead) {
    for (const std::string text : {"ORC,1\n", "BZh 2\n", "<htm,1\n", "version,1\n"})
        EXPECT_EQ(as_text(Bytes::copy(text, "a.csv")).view(), text);
    EXPECT_EQ(as_text(Bytes::copy("PAR1 and more", "a.fbin")).size(), 13U);
    EXPECT_EQ(as_text(Bytes::copy("", "a.csv")).size(), 0U);
}

}  // namespace
}  // namespace dunlin::io
