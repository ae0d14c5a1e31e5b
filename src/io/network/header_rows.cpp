// SPDX-License-Identifier: Apache-2.0
#include "io/network/header_rows.hpp"

#include <algorithm>

#include "io/fail.hpp"
#include "io/remedy.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

HeaderRows::HeaderRows(const Bytes& bytes, const EdgeSchema& schema) : bytes_(bytes), schema_(schema) {
    if (!schema.refuses_headers || schema.first_row == nullptr) return;
    const RawRow names = edge_row(bytes, schema.dialect, schema.first_row);
    const auto is_name = [&](std::string_view name) { return !is_number(name, schema.dialect.point); };
    if (std::all_of(names.begin(), names.end(), is_name)) names_ = names;
}

bool HeaderRows::is_header(const char* line, const char* word) const {
    const auto is_same = [](char a, char b) { return lowered(a) == lowered(b); };
    const std::string_view rest(word, static_cast<std::size_t>(bytes_.end() - word));
    const std::string_view name = names_[0];
    if (rest.size() < name.size() || !std::equal(name.begin(), name.end(), rest.begin(), is_same)) return false;
    const RawRow row = edge_row(bytes_, schema_.dialect, line);
    return std::equal(row.begin(), row.end(), names_.begin(), names_.end(),
                      [&](std::string_view a, std::string_view b) {
                          return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same);
                      });
}

void HeaderRows::refuse_repeated(const char* line) const {
    refuse_unless({"header", "no"}, Fault::bad_file,
                  "{}: '{}' is the row of names again, as in files that were joined; remove it, or say that it is an "
                  "edge",
                  at_line(bytes_.name(), line_of(bytes_, line)), shown(row_text(bytes_, line)));
}

void HeaderRows::refuse_names_of_ends(const char* line) const {
    if (!schema_.refuses_headers) return;
    const RawRow row = edge_row(bytes_, schema_.dialect, line);
    const std::size_t last = std::max(schema_.source, schema_.target);
    if (row.size() <= last || !are_usual_ends(row, schema_.source, schema_.target)) return;
    refuse_unless({"header", "no"}, Fault::bad_file,
                  "{}: '{}' names the ends of edges, below edges of numbers; remove the row, or say that it is an edge",
                  at_line(bytes_.name(), line_of(bytes_, line)), shown(row_text(bytes_, line)));
}

}  // namespace dunlin::io
