#include <algorithm>
#include <array>

#include <dunlin/formats.hpp>

#include "io/cells.hpp"
#include "io/guarded.hpp"
#include "io/layout.hpp"
#include "io/mtx.hpp"
#include "io/network/edge_layout.hpp"
#include "io/readers.hpp"

namespace dunlin::io {

namespace {

constexpr std::array<std::string_view, 4> text_extensions = {".txt", ".csv", ".tsv", ""};

template <class Names>
bool among(const Names& names, const std::string& extension) {
    return std::find(names.begin(), names.end(), extension) != names.end();
}

bool is_square(const Bytes& bytes) {
    const MtxHead head = parse_mtx_head(bytes);
    return head.coordinate && head.rows == head.cols;
}

/// Two columns of whole numbers, or a header that names the ends of an edge.
bool is_edge_table(const Bytes& bytes) {
    const EdgeLayout layout = look_at_edges(bytes, {});
    if (layout.header) return layout.names_ends;
    Cells cells(bytes, layout.delimiter, layout.body, false);
    constexpr int rows = 32;
    for (int r = 0; r < rows; ++r) {
        const std::vector<std::string_view> row = raw_row(cells);
        if (row.empty()) return r > 0;
        if (row.size() != 2 || !is_whole(row[0]) || !is_whole(row[1])) return false;
        cells.go_to(next_edge_row(bytes, cells.at()));
    }
    return true;
}

}  // namespace

bool is_network(const std::filesystem::path& path) {
    const std::string extension = extension_of(path.string());
    if (among(formats::networks, extension)) return true;
    if (extension != ".mtx" && !among(text_extensions, extension)) return false;
    return guarded(path, [&] {
        const Bytes bytes = load(path);
        try {
            return is_mtx(bytes) ? is_square(bytes) : is_edge_table(bytes);
        } catch (const Error&) {
            return false;  // whoever reads it says what is wrong
        }
    });
}

}  // namespace dunlin::io
