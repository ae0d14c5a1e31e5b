// SPDX-License-Identifier: Apache-2.0
#include "io/foreign.hpp"

#include <algorithm>
#include <string_view>

#include <dunlin/formats.hpp>

#include "io/binary_rows.hpp"
#include "io/fail.hpp"
#include "io/readers.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

constexpr std::string_view of_pandas =
    "python3 -c \"import pandas; pandas.read_{0}('{1}').to_csv('{1}.csv', index=False)\"";

/// Short beginnings are words in small files of text.
bool begins_as(const formats::Refused& format, const Bytes& bytes) {
    return std::any_of(format.begins.begin(), format.begins.end(), [&](std::string_view begin) {
        return !begin.empty() && bytes.view().starts_with(begin) && (begin.size() > 3 || bytes.size() > 64);
    });
}

bool is_web_page(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return false;
    const std::string head = lower(text.substr(start, 15));
    return head.starts_with("<!doctype html") || head.starts_with("<html") || head.starts_with("<table");
}

/// Whether the first line that is no comment is "@relation name".
bool is_arff(std::string_view text) {
    while (text.starts_with('%') || text.starts_with('\n') || text.starts_with('\r'))
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    return lower(text.substr(0, 9)) == "@relation";
}

/// Whether the first bytes are numbers, which may look like anything.
bool begins_with_a_count(const std::string& file) {
    const std::string extension = extension_of(file);
    return is_binary_rows(file) || extension.ends_with("vecs") || extension == ".bin";
}

}  // namespace

void refuse(const formats::Refused& format, const std::string& file) {
    if (format.pandas.empty()) bad_file("'{}' is {}; {}", file, format.name, format.remedy);
    const bool by_pyarrow = format.pandas == "parquet" || format.pandas == "feather";
    bad_file("'{}' is {}; convert it: {}{}", file, format.name,
             fmt::format(fmt::runtime(of_pandas), format.pandas, file),
             by_pyarrow ? ", or use the command of the Python package, which reads it with pyarrow" : "");
}

void refuse_foreign(const Bytes& bytes) {
    if (begins_with_a_count(bytes.name())) return;
    if (is_web_page(bytes.view().substr(0, 256)))
        bad_file(
            "'{}' is a web page, perhaps one that says why a download failed; download the file again, or save its "
            "table as .csv",
            bytes.name());
    if (is_arff(bytes.view())) refuse(formats::named(formats::refused, "an ARFF file"), bytes.name());
    const auto found = std::find_if(formats::refused.begin(), formats::refused.end(),
                                    [&](const formats::Refused& format) { return begins_as(format, bytes); });
    if (found != formats::refused.end()) refuse(*found, bytes.name());
}

}  // namespace dunlin::io
