#include <algorithm>
#include <cmath>
#include <map>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/mtx.hpp"
#include "io/npy.hpp"
#include "io/readers.hpp"
#include "io/rows.hpp"
#include "io/zip.hpp"

namespace dunlin::io {

namespace {

struct Edge {
    Index source, target;
    float weight;
};

/// Edges in the order of the file become rows; within a row their order is kept.
Graph graph_of(const std::vector<Edge>& edges, Index vertices, const std::string& file) {
    const auto n = static_cast<std::size_t>(vertices);
    want_memory(2 * n * sizeof(Offset), "the graph of '" + file + "'");
    Graph graph;
    graph.offsets.assign(n + 1, 0);
    for (const Edge& edge : edges) ++graph.offsets[static_cast<std::size_t>(edge.source) + 1];
    for (std::size_t v = 0; v < n; ++v) graph.offsets[v + 1] += graph.offsets[v];
    std::vector<Offset> next(graph.offsets.begin(), graph.offsets.end() - 1);
    graph.targets.resize(edges.size());
    graph.weights.resize(edges.size());
    for (const Edge& edge : edges) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(edge.source)]++);
        graph.targets[at] = edge.target;
        graph.weights[at] = edge.weight;
    }
    return graph;
}

Graph read_mtx_graph(const Bytes& bytes) {
    const MtxHead head = parse_mtx_head(bytes);
    if (head.rows != head.cols) {
        bad_file("'{}' is {} x {}; the matrix of a graph is square", bytes.name(), head.rows, head.cols);
    }
    std::vector<Edge> edges;
    MtxEntries entries(bytes, head);
    for (MtxEntries::Entry entry; entries.next(entry);) {
        const auto weight = static_cast<float>(entry.value);
        if (!std::isfinite(weight)) not_finite(place_in(bytes.name(), entry.row, entry.col), entry.value);
        if (!head.coordinate && entry.value == 0) continue;
        edges.push_back({entry.row, entry.col, weight});
        if (head.symmetric && entry.row != entry.col)
            edges.push_back({entry.col, entry.row, head.skew ? -weight : weight});
    }
    return graph_of(edges, head.rows, bytes.name());
}

/// The columns of source, target and weight: by name, or the first three.
std::vector<std::size_t> edge_columns(const Layout& layout, std::size_t width, const std::string& file) {
    std::vector<std::size_t> columns;
    std::vector<std::string> numbers;
    for (std::size_t c = 0; c < layout.names.size(); ++c) {
        if (layout.roles[c] == Role::number) numbers.push_back(lower(layout.names[c]));
    }
    for (const char* name : {"source", "target", "weight"}) {
        const auto found = std::find(numbers.begin(), numbers.end(), name);
        if (found != numbers.end()) columns.push_back(static_cast<std::size_t>(found - numbers.begin()));
    }
    if (columns.size() == 3 || (columns.size() == 2 && std::count(numbers.begin(), numbers.end(), "weight") == 0))
        return columns;
    if (width != 2 && width != 3) {
        bad_file("'{}' has {} columns of numbers; edges have source, target and, if any, weight", file, width);
    }
    columns = {0, 1, 2};
    columns.resize(width);
    return columns;
}

Index vertex(const Rows& rows, std::size_t column) {
    const double value = rows.numbers()[column];
    if (!(value >= 0 && value < static_cast<double>(most_items)) || value != std::floor(value)) {
        bad_file("{}: {} is no id of a vertex; ids are whole numbers from 0", rows.place_of_number(column), value);
    }
    return static_cast<Index>(value);
}

Graph read_edge_table(const Bytes& bytes) {
    Layout layout = look_at(bytes, {});
    // "target" is the end of an edge here
    std::replace(layout.roles.begin(), layout.roles.end(), Role::label, Role::number);
    Rows rows(bytes, layout);
    const std::vector<std::size_t> columns = edge_columns(layout, rows.width(), bytes.name());
    std::vector<Edge> edges;
    Index vertices = 0;
    while (rows.next()) {
        Edge edge{vertex(rows, columns[0]), vertex(rows, columns[1]), 1};
        if (columns.size() == 3) edge.weight = static_cast<float>(rows.numbers()[columns[2]]);
        if (!std::isfinite(edge.weight)) not_finite(rows.place_of_number(columns[2]), rows.numbers()[columns[2]]);
        vertices = std::max(vertices, std::max(edge.source, edge.target) + 1);
        edges.push_back(edge);
    }
    return graph_of(edges, vertices, bytes.name());
}

/// SciPy's sparse.save_npz: indices, indptr, data, shape and format.
class Npz {
public:
    explicit Npz(const Bytes& bytes) : bytes_(bytes) {
        for (ZipMember& member : zip_members(bytes)) {
            std::string name = member.name.substr(0, member.name.rfind(".npy"));
            members_.emplace(std::move(name), std::move(member));
        }
    }

    Graph graph() {
        const std::string format = text("format");
        if (format != "csr")
            bad_file("'{}' is sparse in the form '{}'; save it as CSR (matrix.tocsr())", bytes_.name(), shown(format));
        const std::vector<Offset> shape = integers<Offset>("shape", most_items);
        if (shape.size() != 2 || shape[0] != shape[1])
            bad_file("'{}' is not square; the matrix of a graph is", bytes_.name());
        Graph graph;
        graph.offsets = integers<Offset>("indptr", std::numeric_limits<Offset>::max());
        graph.targets = integers<Index>("indices", shape[0] - 1);
        graph.weights = weights();
        check(graph, shape[0]);
        return graph;
    }

private:
    /// Calls use(array) with a member that lives as long as the call.
    template <class Use>
    auto with(const char* key, const Use& use) {
        const auto found = members_.find(key);
        if (found == members_.end()) {
            bad_file("'{}' has no '{}'; it is no sparse matrix of SciPy (scipy.sparse.save_npz)", bytes_.name(), key);
        }
        const Bytes content = zip_content(found->second, bytes_.name());
        return use(parse_npy(content), content.name());
    }

    std::string text(const char* key) {
        return with(key, [](const Array& array, const std::string&) {
            return array.is_text() && array.count() == 1 ? array.text(0) : std::string("?");
        });
    }

    template <class T>
    std::vector<T> integers(const char* key, Offset largest) {
        return with(key, [&](const Array& array, const std::string& name) {
            if ((array.kind != 'i' && array.kind != 'u') || array.shape.size() != 1)
                bad_file("'{}' is no list of integers", name);
            std::vector<T> values(array.count());
            for (std::size_t i = 0; i < values.size(); ++i) {
                const double value = array.number(i);
                if (!(value >= 0 && value <= static_cast<double>(largest))) {
                    bad_file("'{}': entry {} is {}, which is not from 0 to {}; save the graph again", name, i, value,
                             largest);
                }
                values[i] = static_cast<T>(value);
            }
            return values;
        });
    }

    std::vector<float> weights() {
        return with("data", [&](const Array& array, const std::string& name) {
            if (array.is_text() || array.shape.size() != 1) bad_file("'{}' is no list of numbers", name);
            std::vector<float> values(array.count());
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] = static_cast<float>(array.number(i));
                if (!std::isfinite(values[i]))
                    bad_file("'{}': entry {} is {}; weights must be finite", name, i, array.number(i));
            }
            return values;
        });
    }

    void check(const Graph& graph, Offset vertices) const {
        const auto edges = static_cast<Offset>(graph.targets.size());
        const bool fits = static_cast<Offset>(graph.offsets.size()) == vertices + 1 && graph.offsets.front() == 0 &&
                          graph.offsets.back() == edges && static_cast<Offset>(graph.weights.size()) == edges &&
                          std::is_sorted(graph.offsets.begin(), graph.offsets.end());
        if (!fits)
            bad_file("'{}': indptr, indices, data and shape do not fit each other; save the graph again",
                     bytes_.name());
    }

    const Bytes& bytes_;
    std::map<std::string, ZipMember> members_;
};

}  // namespace

Graph read_graph(const Bytes& bytes) {
    if (bytes.view().starts_with("PK")) return Npz(bytes).graph();
    const std::string extension = extension_of(bytes.name());
    if (extension == ".npz") bad_file("'{}' is no .npz archive; save it with scipy.sparse.save_npz", bytes.name());
    if (is_mtx(bytes) || extension == ".mtx") return read_mtx_graph(bytes);
    return read_edge_table(bytes);
}

}  // namespace dunlin::io
