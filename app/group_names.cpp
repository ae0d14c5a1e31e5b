// SPDX-License-Identifier: Apache-2.0
#include "group_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/columns.hpp>
#include <dunlin/error.hpp>
#include <dunlin/texts.hpp>

#include "flags.hpp"
#include "given_names.hpp"
#include "matched.hpp"
#include "say.hpp"

namespace dunlin::app {

namespace {

[[noreturn]] void refuse(const char* flag, const std::string& sentence) {
    throw Error(Fault::bad_input, sentence, {.option = flag});
}

/// The file of FILE or FILE:COLUMN, or a folder; empty: there is none.
io::FileColumn file_or_folder(const std::string& text) {
    std::error_code unknown;
    if (fs::is_directory(text, unknown)) return {text, ""};
    return io::split_file_column(text);
}

bool is_given(const NameFlags& names, const char* flag) { return names.flags->count(flag) > 0; }

/// The flags of which one is given.
std::vector<const char*> sources_of(const NameFlags& names, const CommonOptions& common) {
    std::vector<const char*> given;
    if (!names.text.empty()) given.push_back("text");
    if (!names.counts.empty()) given.push_back("counts");
    if (names.features) given.push_back("features");
    if (!common.read.labels.empty()) given.push_back("labels");
    return given;
}

/// Rows of counts with a row for each of `match`; rows without a partner are empty.
SparseMatrix taken_counts(const SparseMatrix& counts, const io::RowMatch& match) {
    SparseMatrix of;
    of.rows = static_cast<Index>(match.partner.size());
    of.cols = counts.cols;
    for (const Index row : match.partner) {
        if (row != io::no_row) {
            const auto begin = counts.offsets[static_cast<std::size_t>(row)],
                       end = counts.offsets[static_cast<std::size_t>(row) + 1];
            of.columns.insert(of.columns.end(), counts.columns.begin() + begin, counts.columns.begin() + end);
            of.values.insert(of.values.end(), counts.values.begin() + begin, counts.values.begin() + end);
        }
        of.offsets.push_back(static_cast<Offset>(of.columns.size()));
    }
    return of;
}

io::RowMatch match_said(const CommonOptions& common, const io::NamedRows& rows, const fs::path& path, Index count,
                        const std::vector<std::string>& ids, io::Lonely lonely) {
    io::RowMatch match = io::match_rows(rows, {path.string(), count, ids}, lonely);
    tell(common, path, match);
    return match;
}

/// Calls work() and returns its result. An error about a row is one of this file.
auto blame(const fs::path& path, const auto& work) {
    try {
        return work();
    } catch (const Error& error) {
        if (error.fault() != Fault::bad_input || error.place().row < 0) throw;
        throw Error(Fault::bad_file, fmt::format("{}: {}", path.string(), error.what()), error.place());
    }
}

GroupsNamed by_table(const NameFlags& names, const CommonOptions& common, io::WordTable table, const GroupTree& tree) {
    GroupsNamed named{{}, std::move(table.words), "words"};
    named.result = naming::of_words(tree, view_of(table.counts), named.texts, names.options, common.run);
    return named;
}

GroupsNamed by_texts(const NameFlags& names, const CommonOptions& common, const io::NamedRows& rows,
                     const GroupTree& tree) {
    io::FileColumn place = file_or_folder(names.text);
    if (place.file.empty()) place = {names.input, names.text};
    io::TextColumn read = io::read_texts(place.file, place.column, common.run);
    require_read(common, read.values.empty());
    print_notes(common, place.file, read.notes);
    const auto count = static_cast<Index>(read.values.size());
    const io::RowMatch match = match_said(common, rows, place.file, count, read.ids, io::Lonely::allowed);
    if (!match.in_order) read.values = io::taken(read.values, match, std::string());
    io::WordOptions how{.texts = names.options.min_texts};
    if (!names.stop_words.empty()) how.stop_words = io::read_words(names.stop_words, common.run);
    return by_table(names, common, io::count_words(read.values, how, common.run), tree);
}

GroupsNamed by_counts(const NameFlags& names, const CommonOptions& common, const io::NamedRows& rows,
                      const GroupTree& tree) {
    io::WordTable table = io::read_counts(names.counts, common.run);
    require_read(common, table.counts.rows == 0);
    print_notes(common, names.counts, table.notes);
    if (!names.words.empty()) table.words = io::read_words(names.words, common.run);
    if (std::ssize(table.words) != table.counts.cols) {
        refuse("words", fmt::format("{} has {} columns, and {}; give a file of {} lines: --words FILE",
                                    names.counts.string(), table.counts.cols,
                                    names.words.empty()
                                        ? "no names of them"
                                        : fmt::format("{} has {} words", names.words.string(), table.words.size()),
                                    table.counts.cols));
    }
    const io::RowMatch match =
        match_said(common, rows, names.counts, table.counts.rows, table.ids, io::Lonely::allowed);
    if (!match.in_order) table.counts = taken_counts(table.counts, match);
    return blame(names.counts, [&] { return by_table(names, common, std::move(table), tree); });
}

GroupsNamed by_features(const NameFlags& names, const CommonOptions& common, const io::NamedRows& rows,
                        const io::Points* points, const GroupTree& tree) {
    GroupsNamed named{{}, {}, "columns"};
    if (names.features->empty()) {
        if (points == nullptr || points->values.cols() == 0)
            refuse("features", fmt::format("{} has no columns that could set groups apart; give those of another file: "
                                           "--features FILE",
                                           names.input.string()));
        say(common,
            "the groups were found in the columns that name them, which differ between the groups by "
            "construction: their p-values are no evidence that the groups exist");
        named.texts = points->columns;
        named.result = naming::of_columns(tree, points->values.view(), named.texts, names.options, common.run);
    } else {
        const io::Points read = io::read_points(*names.features, {}, common.run);
        require_read(common, read.values.rows() == 0);
        print_notes(common, *names.features, read.notes);
        const io::RowMatch match =
            match_said(common, rows, *names.features, read.values.rows(), read.ids, io::Lonely::refused);
        const Matrix values = match.in_order ? read.values : taken_rows(read.values, match);
        named.texts = read.columns;
        named.result = blame(*names.features, [&] {
            return naming::of_columns(tree, values.view(), named.texts, names.options, common.run);
        });
    }
    return named;
}

GroupsNamed by_labels(const CommonOptions& common, const io::NamedRows& rows, const io::Points* points,
                      const GroupTree& tree) {
    const bool are_read = points != nullptr && !points->labels.empty();
    const Labels labels = are_read ? points->labels : matched_labels(common, common.read.labels, rows);
    return {naming::of_labels(tree, labels, common.run), labels.names, "labels"};
}

Json json_of_term(const naming::Term& term, const std::vector<std::string>& words) {
    return {{"word", words[static_cast<std::size_t>(term.term)]},
            {"score", term.score},
            {"z", term.z},
            {"count", term.count}};
}

Json json_of_feature(const naming::Feature& feature, const std::vector<std::string>& columns) {
    const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
    const auto c = static_cast<std::size_t>(feature.column);
    Json json{{"column", columns.empty() ? fmt::format("x{}", c + 1) : columns[c]},
              {"auc", feature.auc},
              {"z", feature.z},
              {"difference", feature.difference},
              {"effect", number(feature.effect)},
              {"p", feature.p},
              {"adjusted", feature.adjusted}};
    if (!std::isnan(feature.fold)) json["log2-fold"] = number(feature.fold);
    return json;
}

}  // namespace

void add_name_flags(CLI::App& app, NameFlags& names, CommonOptions& common, bool of_points) {
    if (!of_points) {
        app.add_option("--text", names.text, "texts of the items, by whose words groups are named: FILE, FILE:COLUMN")
            ->type_name("FILE[:COLUMN]");
        app.add_option("--labels", common.read.labels, "labels of the items, by which groups are named")
            ->type_name("FILE[:COLUMN]");
    }
    app.add_option("--counts", names.counts, "counts of words, by which groups are named: a row per item")
        ->type_name("FILE");
    app.add_option("--words", names.words, "the words of --counts, one a line")->type_name("FILE");
    app.add_option("--stop-words", names.stop_words, "words of --text that do not count, one a line")
        ->type_name("FILE");
    app.add_option_function<std::vector<std::string>>(
           "--features",
           [&names](const std::vector<std::string>& given) { names.features = given.empty() ? "" : given.front(); },
           "name groups by the columns that set them apart, of a file or, without one, of INPUT")
        ->expected(0, 1)
        ->type_name("[FILE]");
    app.add_option("--group-names", names.group_names, "names of the groups: one a line, or a table with their numbers")
        ->type_name("FILE[:COLUMN]");
    add_flags(app, names.options);
    names.flags = &app;
}

void settle_name_flags(NameFlags& names, CommonOptions& common) {
    if (!common.read.text.empty()) {
        names.text = common.read.text;
        if (!file_or_folder(names.text).file.empty()) common.read.text.clear();
    }
    const std::vector<const char*> sources = sources_of(names, common);
    if (sources.size() > 1)
        refuse(sources[1],
               fmt::format("--{} and --{} are given; groups are named by one of them", sources[0], sources[1]));
    if (!names.words.empty() && names.counts.empty()) refuse("words", "--words names the columns of --counts FILE");
    if (!names.stop_words.empty() && names.text.empty()) refuse("stop-words", "--stop-words are those of --text FILE");
    for (const char* flag : {"--against", "--terms", "--listed", "--weighting", "--min-texts", "--order", "--log1p"}) {
        if (is_given(names, flag) && sources.empty())
            refuse(flag + 2,
                   fmt::format("{} is given, but groups get no names; give --text, --counts or --features", flag));
    }
    const bool of_words = !names.text.empty() || !names.counts.empty();
    for (const char* flag : {"--weighting", "--min-texts"}) {
        if (is_given(names, flag) && !of_words)
            refuse(flag + 2, fmt::format("{} is read only with --text or --counts", flag));
    }
    for (const char* flag : {"--order", "--log1p"}) {
        if (is_given(names, flag) && !names.features)
            refuse(flag + 2, fmt::format("{} is read only with --features", flag));
    }
}

Inputs inputs_of(const NameFlags& names) {
    return {file_or_folder(names.text).file,        names.counts,     names.words, names.stop_words,
            names.features.value_or(std::string()), names.group_names};
}

bool wants_names(const NameFlags& names, const CommonOptions& common) {
    return !sources_of(names, common).empty() || !names.group_names.empty();
}

GroupsNamed name_groups(const NameFlags& names, const CommonOptions& common, const io::NamedRows& rows,
                        const io::Points* points, const ShownGroups& shown, GroupTree& tree) {
    GroupsNamed named;
    if (!names.text.empty()) named = by_texts(names, common, rows, tree);
    if (!names.counts.empty()) named = by_counts(names, common, rows, tree);
    if (names.features) named = by_features(names, common, rows, points, tree);
    if (!common.read.labels.empty()) named = by_labels(common, rows, points, tree);
    tree.names = named.result.names;
    if (!names.group_names.empty()) take_given_names(names.group_names, common, shown, tree);
    return named;
}

std::vector<std::string> names_shown(const GroupTree& tree, const ShownGroups& shown) {
    std::vector<std::string> names;
    if (tree.names.empty()) return names;
    for (const Index group : shown.groups) names.push_back(tree.names[static_cast<std::size_t>(group)]);
    return names;
}

std::vector<std::string> names_of_points(const std::vector<std::string>& names, const std::vector<Index>& labels) {
    std::vector<std::string> of;
    of.reserve(labels.size());
    for (const Index label : labels) of.push_back(label < 0 ? "" : names[static_cast<std::size_t>(label)]);
    return of;
}

void put_names(Json& report, const GroupsNamed& named, const GroupTree& tree, const ShownGroups& shown) {
    if (tree.names.empty()) return;
    report["names"] = names_shown(tree, shown);
    if (named.by.empty()) return;
    report["named"] = {{"by", named.by}, {"seconds", named.result.seconds["names"]}};
    if (named.by != "labels") report["named"]["options"] = fields_as_json(named.result.options);
    const auto put = [&](const char* key, const auto& of_groups, const auto& json_of_one) {
        if (of_groups.empty()) return;
        for (const Index group : shown.groups) {
            Json list = Json::array();
            for (const auto& each : of_groups[static_cast<std::size_t>(group)]) list.push_back(json_of_one(each));
            report[key].push_back(list);
        }
    };
    put("terms", named.result.terms, [&](const naming::Term& term) { return json_of_term(term, named.texts); });
    put("features", named.result.features,
        [&](const naming::Feature& feature) { return json_of_feature(feature, named.texts); });
    for (const Index group : shown.groups) {
        if (named.result.purity.empty()) break;
        const double purity = named.result.purity[static_cast<std::size_t>(group)];
        report["purities"].push_back(std::isnan(purity) ? Json() : Json(purity));
    }
}

}  // namespace dunlin::app
