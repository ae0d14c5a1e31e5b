// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <dunlin/named_graph.hpp>

#include "io/dialect.hpp"
#include "io/field_reader.hpp"
#include "io/network/edge_schema.hpp"
#include "io/network/parsed_network.hpp"
#include "io/readers.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

bool names_rows(const Bytes& bytes) {
    const char* const body = next_edge_row(bytes, text_of(bytes));
    if (body == bytes.end()) return false;
    FieldReader fields(bytes, edge_dialect(bytes, body), body, false);
    std::vector<std::string> names;
    for (const std::string_view field : raw_fields(fields)) names.push_back(lower(unquoted(field)));
    const auto has = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
    return has("source") && has("target") && has("source_id") && has("target_id");
}

ParsedNetwork parse_rows_network(const Bytes& bytes, const NetworkOptions& options, const char* kind) {
    ParsedNetwork parsed;
    Run run;
    run.on_notice = [&](Notice, const std::string& text) { parsed.network.notes.push_back({text, ""}); };
    NamedGraph read = read_named_graph(bytes, run);
    const Graph& rows = read.graph;
    parsed.network.kind = kind;
    parsed.network.directed = true;
    parsed.network.weighted = !ignores_unnamed_weights(options, bytes.name());
    parsed.network.ids = std::move(read.ids);
    parsed.source->vertices = rows.size();
    for (Index v = 0; v < rows.size(); ++v) {
        const auto begin = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(v)]);
        const auto end = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(v) + 1]);
        for (std::size_t e = begin; e < end; ++e) {
            parsed.source->edges.add(v, rows.targets[e]);
            if (!parsed.network.weighted) continue;
            parsed.source->edges.weights.push_back(weight_of(
                static_cast<double>(rows.weights[e]), [&] { return bytes.name(); },
                [&] { return fmt::format("{} {}", v, rows.targets[e]); }));
        }
    }
    return parsed;
}

}  // namespace dunlin::io
