// SPDX-License-Identifier: Apache-2.0
#include "io/sequences.hpp"

#include <algorithm>
#include <unordered_set>

#include <dunlin/labels.hpp>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/memory.hpp"
#include "io/read_progress.hpp"
#include "io/readers.hpp"
#include "io/run_reader.hpp"
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
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.is_regular_file() && has_gpx_name(entry.path())) files.push_back(entry.path());
    }
    if (files.empty()) bad_file("'{}' is a folder without .gpx files; give one that has some", folder.string());
    std::sort(files.begin(), files.end());
    TrackFile all;
    all.kind = "gpx";
    all.items.geographic = true;
    all.columns = {"lat", "lon"};
    for (const auto& file : files) append(all, read_gpx(load(file)), file.filename().string());
    return all;
}

}  // namespace

StringFile read_strings(const Bytes& bytes, const StringOptions& options) {
    std::string_view rest(text_of(bytes), static_cast<std::size_t>(bytes.end() - text_of(bytes)));
    if (rest.empty()) bad_file("'{}' is empty; give a file with a line per item", bytes.name());
    require_memory(10 * bytes.size(), "the lines of '" + bytes.name() + "'");
    std::vector<std::string> lines;
    ReadProgress progress("read", bytes.view());
    while (!rest.empty()) {
        progress.advance(rest.data());
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.emplace_back(line);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (lines.size() > static_cast<std::size_t>(most_items))
        bad_file("'{}' has more than {} lines; split it", bytes.name(), most_items);
    StringFile file{sequences::strings_of(lines, options.unit), {}, "lines"};
    if (are_names(lines)) file.ids = std::move(lines);
    return file;
}

StringFile read_strings(const std::filesystem::path& path, const StringOptions& options, const Run& run) {
    return run_reader(path, run, [&] { return read_strings(load(path), options); });
}

TrackFile read_tracks(const Bytes& bytes, const ReadOptions& options) {
    if (bytes.size() == 0) bad_file("'{}' is empty; give a table with a header, or GPX", bytes.name());
    return has_gpx_name(bytes.name()) ? read_gpx(bytes) : read_track_table(bytes, options);
}

TrackFile read_tracks(const std::filesystem::path& path, const ReadOptions& options, const Run& run) {
    return run_reader(path, run, [&] {
        TrackFile file = std::filesystem::is_directory(path) ? read_folder(path) : read_tracks(load(path), options);
        note_unlabeled(file.labels, file.notes);
        return file;
    });
}

bool is_track_file(const std::filesystem::path& path) {
    std::error_code ignored;
    return has_gpx_name(path) || std::filesystem::is_directory(path, ignored);
}

}  // namespace dunlin::io
