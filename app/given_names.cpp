// SPDX-License-Identifier: Apache-2.0
#include "given_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/columns.hpp>
#include <dunlin/error.hpp>

#include "say.hpp"

namespace dunlin::app {

namespace {

/// The number that an entry of --group-names gives; none: it is no whole number.
std::optional<Index> number_in(const std::string& text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, number);
    const bool is_whole = fault == std::errc() && stop == end && std::abs(number) < 1e9 && number == std::floor(number);
    return is_whole ? std::optional(static_cast<Index>(number)) : std::nullopt;
}

/// "3, 5, 7 and 9 more"
std::string listed(const std::vector<std::string>& words) {
    constexpr std::size_t most = 10;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, words.size()); ++i) text += (i == 0 ? "" : ", ") + words[i];
    return words.size() > most ? fmt::format("{} and {} more", text, words.size() - most) : text;
}

/// The group of each number that results print.
std::vector<Index> groups_by_number(const GroupTree& tree) {
    std::vector<Index> groups;
    for (std::size_t g = 0; g < tree.groups.size(); ++g) {
        const Index number = tree.groups[g].number;
        if (number < 0) continue;
        if (number >= std::ssize(groups)) groups.resize(static_cast<std::size_t>(number) + 1, -1);
        groups[static_cast<std::size_t>(number)] = static_cast<Index>(g);
    }
    return groups;
}

/// A file of --group-names whose rows have numbers.
struct NumberedNames {
    const fs::path& file;
    const io::TextColumn& read;
    const ShownGroups& shown;

    /// For each group the row with its number, or none; `strangers`: the other ids.
    [[nodiscard]] std::vector<std::optional<std::size_t>> rows(const std::vector<Index>& groups, std::size_t count,
                                                               std::vector<std::string>& strangers) const {
        std::vector<std::optional<std::size_t>> row_of(count);
        for (std::size_t row = 0; row < read.ids.size(); ++row) {
            const std::optional<Index> number = number_in(read.ids[row]);
            const bool is_known = number && *number >= 0 && *number < std::ssize(groups) &&
                                  groups[static_cast<std::size_t>(*number)] >= 0;
            if (!is_known) {
                const bool is_new = std::find(strangers.begin(), strangers.end(), read.ids[row]) == strangers.end();
                if (is_new) strangers.push_back(read.ids[row]);
                continue;
            }
            auto& given = row_of[static_cast<std::size_t>(groups[static_cast<std::size_t>(*number)])];
            if (given && read.values[*given] != read.values[row]) {
                throw Error(Fault::bad_file, fmt::format("{} has two names of the number {}, in rows {} and {}; keep "
                                                         "one of them",
                                                         file.string(), *number, *given + 1, row + 1));
            }
            given = row;
        }
        return row_of;
    }

    /// Says which entries have no group, and which shown groups no entry.
    void tell(const CommonOptions& common, const std::vector<std::string>& strangers,
              const std::vector<std::string>& nameless, bool any_known) const {
        const std::size_t count = shown.groups.size();
        if (count > 0 && !any_known) {
            throw Error(Fault::bad_file,
                        fmt::format("{}: no entry has the number of one of the {}, which are 0 to {}: {}",
                                    file.string(), shown.what, count - 1, listed(strangers)));
        }
        if (!strangers.empty()) {
            say(common, fmt::format("{}: {} match none of the {} and are not used: {}", file.string(),
                                    strangers.size() == 1 ? "1 number" : fmt::format("{} numbers", strangers.size()),
                                    shown.what, listed(strangers)));
        }
        if (!nameless.empty()) {
            say(common, fmt::format("{}: it has no name for {} of the {} {}: {}", file.string(), nameless.size(), count,
                                    shown.what, listed(nameless)));
        }
    }
};

/// Names by the numbers of groups; says what has no partner.
void name_by_number(const CommonOptions& common, const NumberedNames& given, GroupTree& tree) {
    std::vector<std::string> strangers, nameless;
    const auto rows = given.rows(groups_by_number(tree), tree.groups.size(), strangers);
    const auto name_of = [&](std::size_t group) { return rows[group] ? given.read.values[*rows[group]] : ""; };
    for (std::size_t i = 0; i < given.shown.groups.size(); ++i) {
        if (name_of(static_cast<std::size_t>(given.shown.groups[i])).empty()) nameless.push_back(std::to_string(i));
    }
    const bool any_known = std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.has_value(); });
    given.tell(common, strangers, nameless, any_known);
    for (std::size_t g = 0; g < rows.size(); ++g) {
        if (const std::string name = name_of(g); !name.empty()) tree.names[g] = name;
    }
}

/// Names by the order of lines, one for each shown group.
void name_in_order(const fs::path& file, const std::vector<std::string>& names, const ShownGroups& shown,
                   GroupTree& tree) {
    if (names.size() != shown.groups.size()) {
        throw Error(Fault::bad_file,
                    fmt::format("{} has {} names, and there are {} {}; give one for each, or the numbers of those that "
                                "you name in a column id",
                                file.string(), names.size(), shown.groups.size(), shown.what));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!names[i].empty()) tree.names[static_cast<std::size_t>(shown.groups[i])] = names[i];
    }
}

/// The column of this name; none: the file has no such column.
std::optional<io::TextColumn> column_if_there(const fs::path& file, const std::string& column, const Run& run) {
    try {
        return io::read_text_column(file, column, run);
    } catch (const Error& error) {
        if (error.fault() != Fault::bad_file) throw;
        return std::nullopt;
    }
}

/// The names, with the numbers of their groups as ids: those of a column called as in the results, "number" or
/// "group", else the ids of the file, if it has any.
io::TextColumn read_group_names(const io::FileColumn& place, const ShownGroups& shown, const Run& run) {
    for (const std::string& numbers : {shown.column, std::string("number"), std::string("group")}) {
        std::optional<io::TextColumn> found = column_if_there(place.file, numbers, run);
        if (!found || numbers == place.column) continue;
        io::TextColumn read = io::read_text_column(place.file, place.column.empty() ? "name" : place.column, run);
        read.ids = std::move(found->values);
        return read;
    }
    return io::read_text_column(place.file, place.column, run);
}

}  // namespace

void take_given_names(const std::string& file, const CommonOptions& common, const ShownGroups& shown, GroupTree& tree) {
    const io::FileColumn place = io::split_file_column(file);
    if (place.file.empty()) {
        throw Error(Fault::bad_input,
                    fmt::format("--group-names: there is no file '{}'; give FILE or FILE:COLUMN", file),
                    {.option = "group-names"});
    }
    const io::TextColumn read = read_group_names(place, shown, common.run);
    print_notes(common, place.file, read.notes);
    if (tree.names.empty()) tree.names.resize(tree.groups.size());
    if (read.ids.empty()) return name_in_order(place.file, read.values, shown, tree);
    name_by_number(common, {place.file, read, shown}, tree);
}

}  // namespace dunlin::app
