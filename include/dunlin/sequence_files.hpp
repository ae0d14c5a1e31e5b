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
    std::string strings_from = {};  ///< column of a table (name or 1-based number); empty: found by its name
    std::string ids = {};           ///< column of a table
    std::string labels = {};        ///< column of a table
};

template <class Visit>
void fields(Visit&& visit, StringOptions& o) {
    visit(field("unit", o.unit,
                "strings: symbols that are inserted, deleted and substituted; words: separated by blanks"));
    visit(field("strings-from", o.strings_from, "strings: column of a table (name or 1-based number)"));
}

/// Strings of a file.
struct StringFile {
    sequences::Strings items;
    std::vector<std::string> ids;  ///< of the file, else the strings, if they differ and are short enough for names
    std::string kind = {};         ///< "lines", "csv", "fasta"
    Labels labels = {};
    std::vector<Note> notes = {};  ///< what the reader left out or guessed
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

/// Reads strings, also of .gz and .xz:
///   FASTA (by its extension, or a first line that begins with '>'): the sequences, whose ids are the words after '>'.
///   a table (.csv, .tsv with a header, or any text where an option names a column): the column of
///   options.strings_from,
///       else the one called sequence, string, word or text, else name, else the only one beside ids and labels.
///   any other text: a line per item; empty lines at the end are left out, others are an error.
/// Lines end with LF, CR LF or CR. Throws Error{bad_file} if there is no item, or several columns may hold the strings.
DUNLIN_API StringFile read_strings(const std::filesystem::path& path, const StringOptions& options = {},
                                   const Run& run = {});

/// Reads tracks:
///   a table (.csv, .tsv, also .gz and .xz) whose header names its columns; blanks, case, punctuation and units in
///       brackets do not matter. id, track, trip, trajectory, series, animal, .. (or options.ids): rows with the same
///       one are the positions of an item; without, every row is an item. time, timestamp, t, date, .. : the positions
///       are in its order, else in that of the file; a date and a clock time in two columns, or year, month, day, are
///       joined. Times are numbers or what parse_time() of src/io/times.hpp reads. lat and lon (latitude, lng, long,
///       longitude, location-lat, ..): positions on the sphere; else all other columns of numbers are coordinates.
///       Movebank's rows that are not visible are left out. options.labels: a column, of which an item has the first
///       value.
///   GPX (.gpx): tracks with all their segments, and routes; if it has none, every waypoint is an item.
///   a folder: all its .gpx files in the order of their names.
/// Throws Error{bad_file} with the place and the remedy.
DUNLIN_API TrackFile read_tracks(const std::filesystem::path& path, const ReadOptions& options = {},
                                 const Run& run = {});

/// Reads the tracks in `text`, the content of a table. Messages of errors call it `name`. Throws as read_tracks().
DUNLIN_API TrackFile tracks_of_table(const std::string& text, const std::string& name, const ReadOptions& options = {},
                                     const Run& run = {});

/// Whether a path is read as tracks by its name: .gpx, also .gz and .xz, or a folder.
DUNLIN_API bool is_track_file(const std::filesystem::path& path);

}  // namespace dunlin::io
