// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "io/dialect.hpp"
#include "io/fail.hpp"
#include "io/network/parsed_network.hpp"
#include "io/network/text_lines.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/readers.hpp"
#include "io/square_table.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

struct Entries {
    bool zero_diagonal = true, symmetric = true;
    bool binary = true;  ///< 0 and 1 alone
    bool negative = false;
    Offset missing = 0;
};

Entries look_at(MatrixView<const float> m) {
    Entries found;
    for (Index i = 0; i < m.rows; ++i) {
        for (Index j = 0; j < m.cols; ++j) {
            const float there = m(i, j), back = m(j, i);
            if (i == j) found.zero_diagonal = found.zero_diagonal && (there == 0 || std::isnan(there));
            found.symmetric = found.symmetric && (there == back || (std::isnan(there) && std::isnan(back)));
            found.binary = found.binary && (there == 0 || there == 1);
            found.negative = found.negative || there < 0;
            found.missing += std::isnan(there) ? 1 : 0;
        }
    }
    return found;
}

/// Whether a square table can be an adjacency matrix and nothing else. Three columns of numbers may be edges with
/// weights, unless some of these would be 0.
bool is_adjacency(const Square& square, const Entries& found) {
    const Index n = square.values.rows();
    if (found.negative || n < 3) return false;
    if (!square.ids.empty()) return found.zero_diagonal || found.symmetric || found.binary;
    return (found.zero_diagonal && (found.symmetric || n > 3)) || (found.binary && n > 3);
}

}  // namespace

bool is_dense_array(const Bytes& bytes) {
    try {
        return is_npy(bytes) || (is_npz(bytes) && !Npz(bytes).is_sparse());
    } catch (const Error& error) {
        rethrow_out_of_memory(error);
        return false;  // its reader reports the error
    }
}

std::optional<ParsedNetwork> parse_adjacency_matrix(const Bytes& bytes, const NetworkOptions& options) {
    ParsedSquare parsed;
    try {
        const bool is_array = is_dense_array(bytes);
        if (!is_array && (begins_with_comment(bytes) || !may_be_square(bytes, options.decimal))) return {};
        parsed = parse_square(bytes, {.decimal = options.decimal});
    } catch (const Error& error) {
        rethrow_out_of_memory(error);
        return {};  // a list of edges, whose reader reports the error
    }
    const Square& square = parsed.square;
    const Entries found = look_at(square.values.view());
    if (!parsed.complaint.empty() || !square.kind.starts_with("matrix") || !is_adjacency(square, found)) return {};

    ParsedNetwork network;
    network.network.kind = "adjacency";
    network.network.ids = square.ids;
    network.network.labels = square.labels;
    network.network.directed = !found.symmetric;
    network.network.notes = square.notes;
    const bool weighted = !ignores_unnamed_weights(options, bytes.name()) && !found.binary;
    network.network.weighted = weighted;
    network.network.notes.push_back(
        {fmt::format("read as the adjacency matrix of a graph: entries that are not 0 are "
                     "edges{}; 'dunlin mds --holds dissimilarities' takes them as distances",
                     weighted ? ", with these weights" : ""),
         ""});
    if (found.missing > 0)
        network.network.warnings.push_back(
            fmt::format("missing entries, which are taken as no edges: {}", found.missing));
    network.source->vertices = square.values.rows();
    EdgeList& edges = network.source->edges;
    for (Index i = 0; i < square.values.rows(); ++i) {
        const auto row = square.values.row(i);
        for (Index j = found.symmetric ? i : 0; j < square.values.rows(); ++j) {
            const float value = row[at(j)];
            if (value == 0 || std::isnan(value)) continue;
            edges.add(i, j);
            if (!weighted) continue;
            edges.weights.push_back(weight_of(
                static_cast<double>(value),
                [&] { return FileLocation{"'" + bytes.name() + "'", {.file = bytes.name()}}; },
                [&] { return fmt::format("{} {}", i, j); }));
        }
    }
    return network;
}

}  // namespace dunlin::io
