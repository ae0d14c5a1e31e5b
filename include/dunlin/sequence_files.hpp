// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/io.hpp>
#include <dunlin/sequences.hpp>

/// Files of strings and of tracks.
namespace dunlin::io {

struct StringOptions {
    sequences::Unit unit = sequences::Unit::characters;
};

template <class Visit>
void fields(Visit&& visit, StringOptions& o) {
    visit(field("unit", o.unit,
                "strings: symbols that are inserted, deleted and substituted; words: separated by blanks"));
}

/// Strings of a file.
struct StringFile {
    sequences::Strings items;
    std::vector<std::string> ids;  ///< the strings, if they differ and are short enough for names
    std::string kind = {};         ///< "lines"
};

/// Tracks of a file.
struct TrackFile {
    sequences::Tracks items;
    std::vector<std::string> ids;      ///< names of the items; empty: none
    std::vector<std::string> columns;  ///< of the coordinates
    Labels labels;
    std::string kind = {};         ///< "csv", "gpx"
    std::vector<Note> notes = {};  ///< what the reader left out or guessed
};

/// Reads a text with a line per item; lines may be empty. Also .gz and .xz. Throws Error{bad_file} if there is no line.
DUNLIN_API StringFile read_strings(const std::filesystem::path& path, const StringOptions& options = {},
                                   const Run& run = {});

/// Reads tracks:
///   a table (.csv, .tsv, also .gz and .xz) whose header names its columns. id, track, trip, trajectory or series (or
///       options.ids): rows with the same one are the positions of an item; without, every row is an item. time,
///       timestamp, t or date: the positions are in its order, else in that of the file. lat and lon (latitude, lng,
///       long, longitude): positions on the sphere; else all other columns of numbers are coordinates.
///       options.labels: a column, of which an item has the first value.
///   GPX (.gpx): tracks with all their segments, and routes; if it has none, every waypoint is an item.
///   a folder: all its .gpx files in the order of their names.
/// Throws Error{bad_file} with the place and the remedy.
DUNLIN_API TrackFile read_tracks(const std::filesystem::path& path, const ReadOptions& options = {},
                                 const Run& run = {});

/// Whether a path is read as tracks by its name: .gpx, also .gz and .xz, or a folder.
DUNLIN_API bool is_track_file(const std::filesystem::path& path);

}  // namespace dunlin::io
