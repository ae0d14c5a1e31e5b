// SPDX-License-Identifier: Apache-2.0
#include <dunlin/formats.hpp>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/hdf5_module.hpp"
#include "io/mtx.hpp"
#include "io/network/adjacency.hpp"
#include "io/network/edge_schema.hpp"
#include "io/network/konect.hpp"
#include "io/network/node_link.hpp"
#include "io/network/other_formats.hpp"
#include "io/network/text_lines.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/number.hpp"
#include "io/readers.hpp"
#include "io/run_reader.hpp"
#include "io/table_schema.hpp"

/// Detection of what a file holds.
namespace dunlin::io {

namespace {

/// Evidence that a text is an edge list.
struct EdgeTraits {
    bool named = false;     ///< a header names the ends of an edge
    bool whole = false;     ///< two columns of whole numbers, nothing else
    bool weighted = false;  ///< two columns of whole numbers and a third one
};

EdgeTraits inspect_edges(const Bytes& bytes, const ReadOptions& options) {
    const EdgeSchema schema = detect_edge_schema(bytes, {.decimal = options.decimal});
    if (schema.header || schema.names_ends || schema.triples) return {.named = schema.names_ends};
    FieldReader fields(bytes, schema.dialect, schema.body, false);
    constexpr int rows = 32;
    for (int r = 0; r < rows; ++r) {
        const std::vector<std::string_view> row = raw_fields(fields);
        if (row.empty() && r > 0) break;
        if (row.size() != schema.columns || schema.columns > 3 || !is_whole(row[0]) || !is_whole(row[1])) return {};
        fields.go_to(next_edge_row(bytes, fields.at()));
    }
    return {.whole = schema.columns == 2, .weighted = schema.columns == 3};
}

/// Why a text is a matrix of dissimilarities.
std::string words_of(const SquareTraits& look) {
    if (look.kind == "phylip") return "a matrix of PHYLIP";
    if (look.kind == "printed dist") return "a dist that R printed";
    if (look.kind == "triangle") return "a triangle of numbers";
    return "a square table, symmetric or with zeros on its diagonal";
}

/// None of a text that cannot be a list of edges, such as a triangle.
EdgeTraits edges_in(const Bytes& bytes, const ReadOptions& options) {
    try {
        return inspect_edges(bytes, options);
    } catch (const Error& error) {
        rethrow_out_of_memory(error);
        return {};
    }
}

/// Whether the first row is an edge with a dictionary, as networkx.write_edgelist writes it.
bool has_attributes(const Bytes& bytes) {
    std::string_view line;
    if (!TextLines(bytes).next_but("#%", line)) return false;
    const std::string_view attributes = word_of(line, 2);
    return attributes == "{}" || attributes.starts_with("{'");
}

/// Whether the first rows, split by blanks alone, differ in length, as those of no table of points do. Texts in a table
/// with another delimiter differ, too.
bool are_ragged(const Bytes& bytes) {
    constexpr int enough = 32;
    TextLines lines(bytes);
    std::size_t words = 0;
    std::string_view line;
    for (int row = 0; row < enough && lines.next_but("#%", line); ++row) {
        if (line.find_first_of(",;|\"") != std::string_view::npos) return false;
        std::size_t here = 0;
        for (; !line.empty(); take_word(line)) ++here;
        if (row > 0 && here != words) return true;
        words = here;
    }
    return false;
}

Guess guess_text(const Bytes& bytes, const ReadOptions& options) {
    const EdgeTraits edges = edges_in(bytes, options);
    if (edges.named) return {Holds::graph, true, "its header names the ends of edges"};
    if (has_colons(bytes)) return {Holds::graph, true, "rows of a vertex with a colon and its neighbors"};
    if (has_attributes(bytes)) return {Holds::graph, true, "ends of edges and their attributes"};
    const SquareTraits look = begins_with_comment(bytes) ? SquareTraits{} : inspect_square(bytes, options);
    // Two edges may look like a matrix of two items
    if (edges.whole && !look.zero_diagonal) return {Holds::graph, true, "two columns of whole numbers"};
    if (look.adjacency()) return {Holds::graph, true, "a symmetric table of 0 and 1 with names"};
    if (look.dissimilarities()) return {Holds::dissimilarities, true, words_of(look)};
    if (look.square) return {Holds::points, false, "a square table, neither symmetric nor with zeros on its diagonal"};
    if (are_ragged(bytes) && lists_all_vertices(bytes))
        return {Holds::graph, true, "rows of a vertex and its neighbors"};
    if (edges.weighted) return {Holds::points, true, "three columns, without a header that names the ends of edges"};
    return {Holds::points, false, "a table"};
}

/// Whether a text is in a format of graphs that its keywords tell.
bool is_other_graph(const Bytes& bytes) {
    constexpr std::size_t enough = 4096;
    const std::string_view beginning = bytes.view().substr(0, enough);
    return beginning.find('\0') == std::string_view::npos &&
           (!other_format(bytes).name.empty() || !konect_head(bytes).form.empty());
}

/// Guess for a format other than text tables. rows: the guess if the array does not hold dissimilarities.
Guess guess_array(const Bytes& bytes, const ReadOptions& options, const Guess& rows) {
    const SquareTraits look = inspect_square(bytes, options);
    if (!look.dissimilarities()) return rows;
    return {
        Holds::dissimilarities, true,
        look.condensed ? "an array of n (n - 1) / 2 values" : "a square array, symmetric or with a diagonal of zeros"};
}

bool is_sparse_square(const Bytes& bytes, const ReadOptions& options) {
    if (is_npz(bytes)) {
        const Npz archive(bytes);
        if (!options.array.empty() || !archive.is_sparse()) return false;
        const std::vector<Offset> shape = archive.shape();
        return shape[0] == shape[1];
    }
    if (!is_mtx(bytes)) return false;
    const MtxHead head = parse_mtx_head(bytes);
    return head.coordinate && head.rows == head.cols;
}

}  // namespace

Guess guess(const Bytes& bytes, const ReadOptions& options) {
    try {
        if (is_sparse_square(bytes, options)) return {Holds::graph, true, "a square sparse matrix"};
        if (extension_of(bytes.name()) == ".json" && is_node_link(bytes))
            return {Holds::graph, false, "nodes and links in JSON"};
        Guess rows = guess_rows(bytes, options);
        if (rows.holds == Holds::documents) return rows;
        if (!is_text_table(bytes, options)) return guess_array(bytes, options, rows);
        if (is_other_graph(bytes)) return {Holds::graph, false, "a graph by its format"};
        return guess_text(bytes, options);
    } catch (const Error& error) {
        rethrow_out_of_memory(error);
        return {Holds::points, false, "no other kind"};  // its reader reports the error
    }
}

Guess guess(const std::filesystem::path& path, const ReadOptions& options, const Run& run) {
    if (options.holds != Holds::automatic) return {options.holds, false, ""};
    if (std::error_code unknown; std::filesystem::is_directory(path, unknown))
        return {Holds::documents, false, "a folder of texts"};
    if (!options.text.empty()) return {Holds::documents, false, "a table with texts"};
    if (formats::is_graph_extension(extension_of(path.string()))) return {Holds::graph, false, "a graph by its name"};
    if (is_hdf5_name(path.string())) return {Holds::points, false, "an annotated matrix"};
    return run_reader(path, run, [&] { return guess(load(path), options); });
}

}  // namespace dunlin::io
