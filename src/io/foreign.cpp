// SPDX-License-Identifier: Apache-2.0
#include "io/foreign.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "io/binary_rows.hpp"
#include "io/fail.hpp"
#include "io/readers.hpp"

namespace dunlin::io {

namespace {

using namespace std::string_view_literals;

/// A format by its first bytes. reader: of pandas, read_..; empty: remedy_of() says what to do.
struct Foreign {
    std::string_view begin, name, reader;
};

constexpr std::string_view of_pandas =
    "python3 -c \"import pandas; pandas.read_{0}('{1}').to_csv('{1}.csv', index=False)\"";

constexpr std::array<Foreign, 21> formats = {{
    {"PAR1"sv, "Parquet", "parquet"},
    {"ARROW1\0\0"sv, "Feather (Arrow)", "feather"},
    {"FEA1"sv, "Feather", "feather"},
    {"ORC"sv, "ORC", "orc"},
    {"<stata_dta>"sv, "a Stata file", "stata"},
    {"$FL2"sv, "an SPSS file", "spss"},
    {"$FL3"sv, "an SPSS file", "spss"},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "a workbook of Excel before 2007", "excel"},
    {"\x80\x04\x95"sv, "a pickle of Python", "pickle"},
    {"\x80\x05\x95"sv, "a pickle of Python", "pickle"},
    {"SQLite format 3\0"sv, "an SQLite database", ""},
    {"MATLAB 5.0 MAT-file"sv, "a MATLAB file", ""},
    {"RDX2\n"sv, "R's data", ""},
    {"RDX3\n"sv, "R's data", ""},
    {"X\n\0\0\0"sv, "R's data (.rds)", ""},
    {"%PDF-"sv, "a PDF", ""},
    {"\x89PNG"sv, "a picture (PNG)", ""},
    {"\xff\xd8\xff"sv, "a picture (JPEG)", ""},
    {"GIF8"sv, "a picture (GIF)", ""},
    {"version https://git-lfs.github.com/spec/"sv, "a pointer of Git LFS, not the file itself", ""},
    {"BZh"sv, "compressed by bzip2", ""},
}};

/// What to do with a format that pandas does not read.
std::string_view remedy_of(const Foreign& format) {
    if (format.begin.starts_with("SQLite"))
        return "write a table of it: sqlite3 -header -csv FILE \"select * from TABLE\"";
    if (format.begin.starts_with("MATLAB")) return "write a matrix of it: writematrix(X, 'X.csv')";
    if (format.name.starts_with("R's")) return "write it in R: write.csv(x, \"x.csv\")";
    if (format.begin.starts_with("version")) return "fetch it: git lfs pull";
    if (format.begin == "BZh") return "unpack it: bunzip2 FILE";
    return "give the numbers behind it";
}

bool is_web_page(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return false;
    std::string head(text.substr(start, 15));
    std::transform(head.begin(), head.end(), head.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return head.starts_with("<!doctype html") || head.starts_with("<html");
}

/// Whether the first bytes are numbers, which may look like anything.
bool begins_with_a_count(const std::string& file) {
    const std::string extension = extension_of(file);
    return is_binary_rows(file) || extension.ends_with("vecs") || extension == ".bin";
}

}  // namespace

void refuse_foreign(const Bytes& bytes) {
    if (begins_with_a_count(bytes.name())) return;
    if (is_web_page(bytes.view().substr(0, 256)))
        bad_file("'{}' is a web page, perhaps one that says why a download failed; download the file again",
                 bytes.name());
    const auto found = std::find_if(formats.begin(), formats.end(), [&](const Foreign& one) {
        return bytes.view().starts_with(one.begin) && (one.begin.size() > 3 || bytes.size() > 64);
    });
    if (found == formats.end()) return;
    if (found->reader.empty()) bad_file("'{}' is {}; {}", bytes.name(), found->name, remedy_of(*found));
    const bool by_pyarrow = found->reader == "parquet" || found->reader == "feather";
    bad_file("'{}' is {}; convert it: {}{}", bytes.name(), found->name,
             fmt::format(fmt::runtime(of_pandas), found->reader, bytes.name()),
             by_pyarrow ? ", or use the command of the Python package, which reads it with pyarrow" : "");
}

}  // namespace dunlin::io
