// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <dunlin/formats.hpp>
#include <dunlin/group_tree_files.hpp>

#include "io/fail.hpp"
#include "io/json_word.hpp"
#include "io/output.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

/// Calls visit(name, member) for each number that a group has.
template <class Visit>
void each_member(const Visit& visit) {
    visit("parent", &Group::parent);
    visit("end", &Group::end);
    visit("size", &Group::size);
    visit("least", &Group::least);
    visit("birth", &Group::birth);
    visit("death", &Group::death);
    visit("stability", &Group::stability);
    visit("persistence", &Group::persistence);
    visit("number", &Group::number);
}

/// A number, or `missing` in place of one that is not finite.
template <class T>
void write_number(Output& out, T value, std::string_view missing) {
    if constexpr (std::is_floating_point_v<T>) {
        if (!std::isfinite(value)) return out.text(missing);
    }
    out.number(value);
}

/// "key": [ .. ] of `count` values, each written by write(i).
template <class Write>
void write_list(Output& out, std::string_view key, std::size_t count, const Write& write) {
    out.text(fmt::format("\"{}\": [", key));
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) out.character(',');
        write(i);
    }
    out.character(']');
}

void write_json(Output& out, const GroupTree& tree, const std::vector<std::string>& ids, const GroupColumns& more) {
    out.text("{\"groups\": {");
    const char* separator = "\n";
    each_member([&](const char* name, auto member) {
        out.text(std::exchange(separator, ",\n"));
        write_list(out, name, tree.groups.size(),
                   [&](std::size_t g) { write_number(out, tree.groups[g].*member, "null"); });
    });
    for (const auto& [name, values] : more) {
        out.text(",\n");
        write_list(out, name, values.size(), [&](std::size_t g) { write_number(out, values[g], "null"); });
    }
    if (!tree.names.empty()) {
        out.text(",\n");
        write_list(out, "name", tree.names.size(), [&](std::size_t g) { out.text(json_word(tree.names[g])); });
    }
    out.text("},\n");
    const auto takes_part = [&](std::size_t p) { return tree.home[p] >= 0; };
    write_list(out, "home", tree.home.size(),
               [&](std::size_t p) { takes_part(p) ? out.number(tree.home[p]) : out.text("null"); });
    out.text(",\n");
    write_list(out, "leaves_at", tree.leaves_at.size(),
               [&](std::size_t p) { takes_part(p) ? write_number(out, tree.leaves_at[p], "null") : out.text("null"); });
    out.text(",\n");
    write_list(out, "layers", tree.layers.size(), [&](std::size_t l) {
        const std::vector<Index>& layer = tree.layers[l];
        for (std::size_t i = 0; i < layer.size(); ++i) out.character(i == 0 ? '[' : ','), out.number(layer[i]);
        out.text(layer.empty() ? "[]" : "]");
    });
    if (!ids.empty()) {
        out.text(",\n");
        write_list(out, "ids", ids.size(), [&](std::size_t p) { out.text(json_word(ids[p])); });
    }
    out.text("}\n");
}

void write_table(Output& out, const GroupTree& tree, const GroupColumns& more, char delimiter) {
    out.text("group");
    each_member([&](const char* name, auto) { out.character(delimiter), out.text(name); });
    for (const auto& column : more) out.character(delimiter), out.text(column.first);
    if (!tree.names.empty()) out.character(delimiter), out.text("name");
    out.character('\n');
    for (std::size_t g = 0; g < tree.groups.size(); ++g) {
        out.number(g);
        each_member([&](const char*, auto member) {
            out.character(delimiter);
            write_number(out, tree.groups[g].*member, "");
        });
        for (const auto& column : more) out.character(delimiter), write_number(out, column.second[g], "");
        if (!tree.names.empty()) out.character(delimiter), out.field(tree.names[g], delimiter);
        out.character('\n');
    }
}

/// A label of Newick: quoted, quotes within it doubled, unless it is a plain word.
std::string newick_label(const std::string& name) {
    const auto is_plain = [](char c) { return std::string_view(" ()[]':;,\t\n\r_").find(c) == std::string_view::npos; };
    if (!name.empty() && std::all_of(name.begin(), name.end(), is_plain)) return name;
    std::string label = "'";
    for (const char c : name) label += c == '\'' ? std::string("''") : std::string(1, c);
    return label + "'";
}

/// Preorder visits a group before its children; Newick writes it after them. `open` are the groups whose children are
/// being written: a stack, as a tree may be as deep as it has groups.
void write_newick(Output& out, const GroupTree& tree) {
    std::vector<std::size_t> open;
    const auto close = [&](std::size_t g) {
        const Group& group = tree.groups[g];
        const bool has_name = !tree.names.empty() && !tree.names[g].empty();
        if (group.end > static_cast<Index>(g) + 1) out.character(')');
        out.text(newick_label(has_name ? tree.names[g] : std::to_string(g)));
        if (std::isfinite(group.birth)) out.character(':'), out.number(group.birth - group.death);
    };
    for (std::size_t g = 0; g < tree.groups.size(); ++g) {
        bool follows = false;
        for (; !open.empty() && tree.groups[open.back()].end <= static_cast<Index>(g); open.pop_back()) {
            close(open.back());
            follows = true;
        }
        if (follows) out.character(',');
        open.push_back(g);
        if (tree.groups[g].end > static_cast<Index>(g) + 1) out.character('(');
    }
    for (; !open.empty(); open.pop_back()) close(open.back());
    out.text(";\n");
}

}  // namespace

void write_group_tree(const std::filesystem::path& path, const GroupTree& tree, const std::vector<std::string>& ids,
                      const GroupColumns& more) {
    const std::string extension = format_of(path, "a tree of groups is", formats::group_trees);
    if (!ids.empty() && ids.size() != tree.home.size())
        bad_input("'{}': {} ids are given for {} points", path.string(), ids.size(), tree.home.size());
    for (const auto& [name, values] : more) {
        if (values.size() != tree.groups.size())
            bad_input("'{}': {} values of {} are given for {} groups", path.string(), values.size(), name,
                      tree.groups.size());
    }
    Output out(path);
    if (extension == ".json")
        write_json(out, tree, ids, more);
    else if (extension == ".nwk")
        write_newick(out, tree);
    else
        write_table(out, tree, more, extension == ".csv" ? ',' : '\t');
    out.commit();
}

}  // namespace dunlin::io
