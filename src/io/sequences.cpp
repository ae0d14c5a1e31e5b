// SPDX-License-Identifier: Apache-2.0
#include "io/sequences.hpp"
#include "io/as_text.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include <dunlin/labels.hpp>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/lines.hpp"
#include "io/memory.hpp"
#include "io/read_progress.hpp"
#include "io/readers.hpp"
#include "io/run_reader.hpp"
#include "io/string_rows.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t longest_name = 200;  ///< bytes of a string that serves as the name of its item

bool are_names(const std::vector<std::string>& lines) {
    std::unordered_set<std::string_view> seen;
    return std::all_of(lines.begin(), lines.end(), [&](const std::string& line) {
        return !line.empty() && line.size() <= longest_name && seen.insert(line).second;
    });
}

/// Appends the items of another file, named by it.
void append(TrackFile& all, TrackFile&& more, const std::string& name) {
    const Offset before = all.items.offsets.back();
    const bool one = more.items.size() == 1;
    for (std::size_t i = 1; i < more.items.offsets.size(); ++i) {
        all.items.offsets.push_back(before + more.items.offsets[i]);
        all.ids.push_back(one ? name : fmt::format("{}:{}", name, more.ids[i - 1]));
    }
    all.items.positions.insert(all.items.positions.end(), more.items.positions.begin(), more.items.positions.end());
    for (Note& note : more.notes) all.notes.push_back({name + ": " + note.what, note.option});
}

bool has_gpx_name(const std::filesystem::path& path) { return extension_of(path.string()) == ".gpx"; }

TrackFile read_folder(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    Offset others = 0;
    std::error_code unreadable, unknown;
    for (std::filesystem::directory_iterator at(folder, unreadable);
         !unreadable && at != std::filesystem::directory_iterator(); at.increment(unreadable)) {
        const std::filesystem::directory_entry& entry = *at;
        if (!entry.is_regular_file(unknown)) continue;
        if (has_gpx_name(entry.path()))
            files.push_back(entry.path());
        else
            ++others;
    }
    if (unreadable) bad_file("cannot read the folder '{}': {}", folder.string(), unreadable.message());
    if (files.empty()) bad_file("'{}' is a folder without .gpx files; give one that has some", folder.string());
    std::sort(files.begin(), files.end());
    TrackFile all;
    all.kind = "gpx";
    all.items.geographic = true;
    all.columns = {"lat", "lon"};
    for (const auto& file : files) append(all, read_gpx(load(file)), file.filename().string());
    if (others > 0) all.notes.push_back({fmt::format("read without {} files that are not .gpx", others), ""});
    return all;
}

}  // namespace

namespace {

/// A text with an item a line.
StringRows read_lines(const Bytes& bytes) {
    std::string_view rest(text_of(bytes), static_cast<std::size_t>(bytes.end() - text_of(bytes)));
    rest = rest.substr(0, rest.find_last_not_of("\r\n") + 1);  // empty lines at the end are no items
    StringRows rows;
    rows.kind = "lines";
    ReadProgress progress("read", bytes.view());
    while (!rest.empty()) {
        progress.advance(rest.data());
        rows.texts.emplace_back(take_line(rest));
        if (rows.texts.back().empty()) {
            bad_file("{}: the line is empty; remove it or fill the string in",
                     at_line(bytes.name(), rows.texts.size()));
        }
    }
    if (rows.texts.empty()) bad_file("'{}' has empty lines alone; give a file with a line per item", bytes.name());
    const std::string extension = extension_of(bytes.name());
    const auto has_tab = [](const std::string& text) { return text.find('\t') != std::string::npos; };
    if (std::all_of(rows.texts.begin(), rows.texts.end(), has_tab)) {
        rows.notes.push_back(
            {"read with a line per item, although every line has tabs as a table has; --strings-from takes a column",
             ""});
    } else if (extension == ".csv" || extension == ".tsv") {
        rows.notes.push_back(
            {fmt::format("read with a line per item, the first of which is '{}'", shown(rows.texts[0])),
             "strings-from"});
    }
    return rows;
}

/// Throws for formats whose lines are no items.
void refuse_other_formats(const Bytes& bytes) {
    constexpr std::array<std::string_view, 3> json = {".json", ".jsonl", ".ndjson"};
    constexpr std::array<std::string_view, 2> alignments = {".aln", ".clustal"};
    const std::string extension = extension_of(bytes.name());
    if (std::find(json.begin(), json.end(), extension) != json.end())
        bad_file("'{}' is JSON, which is not read; write a line per item, or a table", bytes.name());
    const bool is_clustal = bytes.view().starts_with("CLUSTAL");
    if (is_clustal || std::find(alignments.begin(), alignments.end(), extension) != alignments.end())
        bad_file("'{}' is a CLUSTAL alignment, which is not read; write it as FASTA", bytes.name());
}

void refuse_options_of_tables(const StringOptions& options, const std::string& file) {
    const auto refuse = [&file](bool given, const char* option) {
        if (given) bad_option(option, "'{}' is FASTA, to which the option does not apply; leave it out", file);
    };
    refuse(options.unit == sequences::Unit::words, "unit");
    refuse(!options.strings_from.empty(), "strings-from");
    refuse(!options.ids.empty(), "ids");
    refuse(!options.labels.empty(), "labels");
}

/// Says that several items have one id.
void note_repeated_ids(StringFile& file) {
    std::unordered_set<std::string_view> seen;
    const auto same =
        std::find_if(file.ids.begin(), file.ids.end(), [&](const std::string& id) { return !seen.insert(id).second; });
    if (same == file.ids.end()) return;
    file.notes.push_back({fmt::format("read with several items called '{}'", shown(*same)), ""});
}

}  // namespace

StringFile read_strings(const Bytes& bytes, const StringOptions& options) {
    if (text_of(bytes) == bytes.end()) bad_file("'{}' is empty; give a file with a line per item", bytes.name());
    require_memory(10 * bytes.size(), "the lines of '" + bytes.name() + "'");
    refuse_other_formats(bytes);
    std::optional<StringRows> found = read_fasta(bytes);
    if (found) refuse_options_of_tables(options, bytes.name());
    if (!found) found = read_string_table(bytes, options);
    StringRows rows = found ? std::move(*found) : read_lines(bytes);
    if (rows.texts.size() > static_cast<std::size_t>(most_items))
        bad_file("'{}' has more than {} lines; split it", bytes.name(), most_items);
    StringFile file{sequences::strings_of(rows.texts, options.unit), std::move(rows.ids), rows.kind,
                    std::move(rows.labels), std::move(rows.notes)};
    note_repeated_ids(file);
    if (file.ids.empty() && are_names(rows.texts)) file.ids = std::move(rows.texts);
    return file;
}

StringFile read_strings(const std::filesystem::path& path, const StringOptions& options, const Run& run) {
    return run_reader(path, run, [&] {
        const Bytes bytes = load(path);
        StringFile file = read_strings(bytes, options);
        note_said(bytes, file.notes);
        return file;
    });
}

TrackFile read_tracks(const Bytes& bytes, const ReadOptions& options) {
    if (bytes.size() == 0) bad_file("'{}' is empty; give a table with a header, or GPX", bytes.name());
    constexpr std::array<std::string_view, 8> others = {".kml",     ".kmz",  ".tcx", ".fit",
                                                        ".geojson", ".json", ".igc", ".plt"};
    const std::string extension = extension_of(bytes.name());
    if (std::find(others.begin(), others.end(), extension) != others.end())
        bad_file("'{}' is {}, which is not read; write the tracks as GPX, or as a table", bytes.name(), extension);
    return has_gpx_name(bytes.name()) ? read_gpx(bytes) : read_track_table(bytes, options);
}

TrackFile read_tracks(const std::filesystem::path& path, const ReadOptions& options, const Run& run) {
    return run_reader(path, run, [&] {
        std::error_code unknown;
        TrackFile file =
            std::filesystem::is_directory(path, unknown) ? read_folder(path) : read_tracks(load(path), options);
        note_unlabeled(file.labels, file.notes);
        return file;
    });
}

TrackFile tracks_of_table(const std::string& text, const std::string& name, const ReadOptions& options,
                          const Run& run) {
    return run_reader(name, run, [&] { return read_track_table(Bytes::copy(text, name), options); });
}

bool is_track_file(const std::filesystem::path& path) {
    std::error_code ignored;
    return has_gpx_name(path) || std::filesystem::is_directory(path, ignored);
}

}  // namespace dunlin::io
