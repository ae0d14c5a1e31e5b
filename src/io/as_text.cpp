// SPDX-License-Identifier: Apache-2.0
#include "io/as_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <dunlin/formats.hpp>

#include "io/fail.hpp"
#include "io/foreign.hpp"
#include "io/geojson.hpp"
#include "io/npz.hpp"
#include "io/readers.hpp"
#include "io/utf32.hpp"
#include "io/zip.hpp"

namespace dunlin::io {

namespace {

/// The member of an archive of one file; nothing else is in it but folders and what file managers add.
Bytes only_member(const Bytes& zip) {
    std::vector<ZipMember> files = zip_members(zip);
    const bool is_document = std::any_of(files.begin(), files.end(), [](const ZipMember& member) {
        return member.name == "mimetype" || member.name == "[Content_Types].xml";
    });
    if (is_document) refuse(formats::named(formats::refused, "a document of an office program"), zip.name());
    std::erase_if(files, [](const ZipMember& member) {
        return member.name.ends_with('/') || member.name.starts_with("__MACOSX/") ||
               member.name.ends_with(".DS_Store") || member.name.ends_with("Thumbs.db");
    });
    if (files.size() != 1) {
        bad_file("'{}' is an archive of {} files; unpack it, and give one of them{}", zip.name(), files.size(),
                 files.empty() ? "" : ", such as " + shown(files.front().name));
    }
    const Bytes content = zip_content(files.front(), zip.name());
    return decompressed({content.owner(), content.size(), zip.name() + "/" + files.front().name});
}

/// Whether an archive has arrays of NumPy.
bool has_arrays(const std::vector<ZipMember>& members) {
    return members.empty() ||
           std::any_of(members.begin(), members.end(), [](const auto& one) { return one.name.ends_with(".npy"); });
}

/// Whether a text has lines that end with CR alone, as old programs of the Macintosh wrote them, and none with LF.
bool ends_lines_with_cr(const Bytes& bytes) {
    constexpr std::size_t looked_at = 1 << 16;
    const std::string_view beginning = bytes.view().substr(0, looked_at);
    return beginning.find('\r') != std::string_view::npos && beginning.find('\0') == std::string_view::npos &&
           bytes.view().find('\n') == std::string_view::npos;
}

Bytes with_line_feeds(const Bytes& bytes) {
    GrowableBuffer<char> text("the text of '" + bytes.name() + "'");
    char* const to = text.room(bytes.size());
    std::replace_copy(bytes.begin(), bytes.end(), to, '\r', '\n');
    text.add(bytes.size());
    Bytes lines = padded(text, bytes.name());
    if (!bytes.said().empty()) lines.say(bytes.said());
    return lines;
}

}  // namespace

std::string table_cell(const std::string& text) {
    if (text.find_first_of("\t\n\r\"#") == std::string::npos && !text.starts_with(' ') && !text.ends_with(' '))
        return text;
    std::string out = "\"";
    for (const char c : text) {
        out += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
        if (c == '"') out += '"';
    }
    return out + "\"";
}

void append(GrowableBuffer<char>& table, std::string_view text) {
    std::copy(text.begin(), text.end(), table.room(text.size()));
    table.add(text.size());
}

Bytes as_text(Bytes bytes) {
    if (is_npz(bytes)) {
        if (extension_of(bytes.name()) == ".npz" || has_arrays(zip_members(bytes))) return bytes;
        if (is_xlsx(bytes)) return first_sheet_of(bytes);
        Bytes member = only_member(bytes);
        if (is_npz(member)) return is_xlsx(member) ? first_sheet_of(member) : member;
        return as_text(std::move(member));
    }
    refuse_foreign(bytes);
    if (is_utf16(bytes)) bytes = utf8_of(bytes);
    if (is_utf32(bytes)) bytes = utf8_of_32(bytes);
    if (is_windows_1252(bytes)) bytes = utf8_of_1252(bytes);
    if (ends_lines_with_cr(bytes)) bytes = with_line_feeds(bytes);
    const std::string extension = extension_of(bytes.name());
    if (extension == ".jsonl" || extension == ".ndjson") return table_of_json_lines(bytes);
    if (extension == ".geojson") return table_of_geojson(bytes);
    return bytes;
}

}  // namespace dunlin::io
