// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "io/fail.hpp"
#include "io/lines.hpp"
#include "io/readers.hpp"
#include "io/string_rows.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

constexpr std::array<std::string_view, 7> extensions = {".fasta", ".fa", ".fna", ".faa", ".ffn", ".frn", ".fas"};

bool is_fasta(std::string_view text, const std::string& extension) {
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) return true;
    if (!text.starts_with('>')) return false;
    take_line(text);
    const std::string_view second = take_line(text);
    return !second.empty() && !second.starts_with('>');
}

/// The word after '>' of a head.
std::string name_of(std::string_view head) {
    head.remove_prefix(1);
    const std::size_t begin = std::min(head.find_first_not_of(" \t"), head.size());
    const std::size_t end = std::min(head.find_first_of(" \t", begin), head.size());
    return std::string(head.substr(begin, end - begin));
}

void append_letters(std::string& text, std::string_view line) {
    for (const char c : line) {
        if (c != ' ' && c != '\t') text += c;
    }
}

bool has_letters(const std::vector<std::string>& texts, char first, char last) {
    return std::any_of(texts.begin(), texts.end(), [=](const std::string& text) {
        return std::any_of(text.begin(), text.end(), [=](char c) { return c >= first && c <= last; });
    });
}

}  // namespace

std::optional<StringRows> read_fasta(const Bytes& bytes) {
    const std::string extension = extension_of(bytes.name());
    if (extension == ".fastq" || extension == ".fq")
        bad_file("'{}' is FASTQ, which is not read; write it as FASTA", bytes.name());
    const char* const begin = text_of(bytes);
    std::string_view rest(begin, static_cast<std::size_t>(bytes.end() - begin));
    if (!is_fasta(rest, extension)) return std::nullopt;
    StringRows rows;
    rows.kind = "fasta";
    std::size_t number = 0, head = 0;
    const auto require_sequence = [&] {
        if (rows.texts.empty() || !rows.texts.back().empty()) return;
        bad_file("{}: '{}' has no sequence; remove the entry", at_line(bytes.name(), head), shown(rows.ids.back()));
    };
    while (!rest.empty()) {
        const std::string_view line = take_line(rest);
        ++number;
        if (line.starts_with(';') || line.empty()) continue;  // a comment
        if (!line.starts_with('>')) {
            if (rows.texts.empty())
                bad_file("{}: '{}' stands before the first line with '>'; add a name", at_line(bytes.name(), number),
                         shown(line));
            append_letters(rows.texts.back(), line);
            continue;
        }
        require_sequence();
        head = number;
        rows.ids.push_back(name_of(line));
        rows.texts.emplace_back();
        if (rows.ids.back().empty())
            bad_file("{}: a sequence needs a name after '>'; add one", at_line(bytes.name(), number));
    }
    require_sequence();
    if (rows.texts.empty()) bad_file("'{}' has no sequence; give one after a line with '>' and a name", bytes.name());
    if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end())
        rows.notes.push_back({"read as FASTA, as its first line begins with '>'", ""});
    if (has_letters(rows.texts, 'a', 'z') && has_letters(rows.texts, 'A', 'Z'))
        rows.notes.push_back({"read with small and capital letters as different symbols", ""});
    return rows;
}

}  // namespace dunlin::io
