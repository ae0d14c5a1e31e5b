// SPDX-License-Identifier: Apache-2.0
#include "item_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <dunlin/columns.hpp>
#include <dunlin/error.hpp>
#include <dunlin/io.hpp>

#include "flags.hpp"
#include "matched.hpp"

namespace dunlin::app {

namespace {

/// FILE:COLUMN of a flag; throws if no file has a beginning of the text as its name. `of`: FILE:COLUMN, in whose file a
/// COLUMN alone is.
io::FileColumn column_of(const std::string& flag, const std::string& text, const std::string& or_else,
                         const std::string& of = "") {
    if (io::FileColumn column = io::split_file_column(text); !column.file.empty()) return column;
    if (!of.empty()) return {io::split_file_column(of).file, text};
    throw Error(Fault::bad_input,
                fmt::format("--{}: there is no file '{}'; give {}FILE or FILE:COLUMN", flag, text, or_else),
                {.option = flag});
}

/// Says how many of the rows that have a partner in the file lack a value there.
void note_missing(const CommonOptions& common, const fs::path& file, Index missing, const std::string& what) {
    if (missing == 0) return;
    print_notes(common, file, {{fmt::format("without {} for {} item{}", what, missing, missing == 1 ? "" : "s"), ""}});
}

void read_names(const CommonOptions& common, picture::Options& options, const io::NamedRows& rows) {
    const io::FileColumn column = column_of("names-from", common.names_from, "");
    io::TextColumn read = io::read_text_column(column.file, column.column, common.run);
    require_read(common, read.values.empty());
    print_notes(common, column.file, read.notes);
    const io::NamedRows second{column.file.string(), static_cast<Index>(read.values.size()), read.ids};
    const io::RowMatch match = io::match_rows(rows, second, io::Lonely::allowed);
    tell(common, column.file, match);
    std::vector<std::string>& names = options.item_names;
    names = match.in_order ? std::move(read.values) : taken(read.values, match, std::string());
    note_missing(common, column.file, static_cast<Index>(std::count(names.begin(), names.end(), "")) - match.lonely,
                 "a name");
}

void read_ranks(const CommonOptions& common, picture::Options& options, const io::NamedRows& rows) {
    const io::FileColumn column =
        column_of("names-by", common.names_by, listed(names(picture::NamesBy{})) + ", ", common.names_from);
    CommonOptions reading = common;  // of one file the notes are said once
    reading.quiet = common.quiet || column.file == io::split_file_column(common.names_from).file;
    options.name_ranks = matched_column(reading, column, rows, io::Lonely::allowed).values;
}

}  // namespace

void add_names_flags(CLI::App& app, picture::Options& options, CommonOptions& common) {
    const auto read_these = [&options](const std::string& file) {
        const Labels lines = io::read_labels(file);
        for (const Index line : lines.of) {
            if (line != no_label) options.name_these.push_back(lines.names[static_cast<std::size_t>(line)]);
        }
    };
    app.add_option_function<std::string>("--name-these", read_these,
                                         "file with ids, one per line, whose names are placed first; with --names auto "
                                         "no others are");
    const auto take_column = [&common](const std::string& text) {
        static_cast<void>(column_of("names-from", text, ""));
        common.names_from = text;
    };
    app.add_option_function<std::string>("--names-from", take_column,
                                         "names of the items in place of ids: a column of a table, matched by id, else "
                                         "by row")
        ->type_name("FILE:COLUMN");
    const auto take_order = [&options, &common](const std::string& text) {
        if (const auto by = value_named<picture::NamesBy>(text))
            options.names_by = *by;
        else
            common.names_by = text;
    };
    app.add_option_function<std::string>("--names-by", take_order,
                                         "whose names are placed first: the order of the items, their degree, or the "
                                         "larger number in a column, also of the file of --names-from")
        ->type_name("auto|given|degree|COLUMN|FILE:COLUMN")
        ->default_str("auto");
}

void read_item_names(const CommonOptions& common, picture::Options& options, const io::NamedRows& rows,
                     const std::vector<std::string>& titles) {
    options.item_names = titles;
    if (!common.names_from.empty()) read_names(common, options, rows);
    if (!common.names_by.empty()) read_ranks(common, options, rows);
}

}  // namespace dunlin::app
