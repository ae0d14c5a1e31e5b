// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <dunlin/columns.hpp>
#include <dunlin/error.hpp>
#include <dunlin/io.hpp>
#include <dunlin/map_origin.hpp>
#include <dunlin/network.hpp>
#include <dunlin/sequence_files.hpp>
#include <dunlin/spreadsheet.hpp>
#include <dunlin/square.hpp>

#include "arrays.hpp"
#include "bind.hpp"
#include "run.hpp"
#include "text.hpp"

namespace dunlin::python {

namespace {

nb::list list_of(const std::vector<std::string>& words) {
    nb::list all;
    for (const std::string& word : words) all.append(text_of(word));
    return all;
}

nb::object strings_of(const std::vector<std::string>& words) {
    return words.empty() ? nb::none() : nb::object(list_of(words));
}

/// (codes, names), or None.
nb::object labels_of(Labels&& labels) {
    if (labels.empty()) return nb::none();
    return nb::make_tuple(array_of(std::move(labels.of)), list_of(labels.names));
}

nb::list notes_of(const std::vector<io::Note>& notes) {
    nb::list all;
    for (const io::Note& note : notes) all.append(nb::make_tuple(text_of(note.what), python_name(note.option)));
    return all;
}

nb::tuple guess(const std::string& path, const nb::dict& options, const nb::dict& run) {
    const auto chosen = options_from<io::ReadOptions>(options);
    Watched watched(run, nb::none(), 0);
    const io::Guess found = watched([&](const Run& r) { return io::guess(path, chosen, r); });
    return nb::make_tuple(std::string(name_of(found.holds)), found.guessed, found.reason, watched.raised());
}

nb::dict points_values(io::Points& points) {
    nb::dict all;
    all["values"] = array_of(points.values);
    all["shift"] = points.shift.empty() ? nb::none() : array_of(std::move(points.shift));
    all["ids"] = strings_of(points.ids);
    all["columns"] = strings_of(points.columns);
    all["labels"] = labels_of(std::move(points.labels));
    all["kind"] = points.kind;
    all["notes"] = notes_of(points.notes);
    return all;
}

nb::dict documents(const std::vector<std::string>& texts) {
    io::Points points = io::points_of_texts(texts, "texts");
    return points_values(points);
}

nb::tuple read_points(const std::string& path, const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<io::ReadOptions>(options);
    Watched watched(run, std::move(callback), 0);
    io::Points points = watched([&](const Run& r) { return io::read_points(path, chosen, r); });
    return nb::make_tuple(points_values(points), watched.raised());
}

/// (words, ids, notes) of FILE or FILE:COLUMN.
nb::tuple text_column(const std::string& text) {
    const io::FileColumn column = io::split_file_column(text);
    if (column.file.empty()) {
        throw Error(Fault::bad_input, "there is no file '" + text + "'; give FILE or FILE:COLUMN");
    }
    const io::TextColumn read = io::read_text_column(column.file, column.column);
    return nb::make_tuple(strings_of(read.values), strings_of(read.ids), notes_of(read.notes));
}

nb::tuple read_square(const std::string& path, const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<io::ReadOptions>(options);
    Watched watched(run, std::move(callback), 0);
    const io::Square square = watched([&](const Run& r) { return io::read_square(path, chosen, r); });
    nb::dict all;
    all["values"] = array_of(square.values);
    all["ids"] = strings_of(square.ids);
    all["kind"] = square.kind;
    all["notes"] = notes_of(square.notes);
    return nb::make_tuple(all, watched.raised());
}

/// Float32, or float64 of a map with an origin.
nb::object places_of(Map map) {
    if (map.origin.empty()) return array_of(std::move(map));
    const auto points = static_cast<std::size_t>(map.size()), dim = static_cast<std::size_t>(map.dim);
    return array_of(io::coordinates_of(map), {points, dim});
}

nb::tuple read_map(const std::string& path, const nb::dict& run) {
    Watched watched(run, nb::none(), 0);
    io::MapFile file = watched([&](const Run& r) { return io::read_map(path, r); });
    nb::dict all;
    all["values"] = places_of(std::move(file.map));
    all["ids"] = strings_of(file.ids);
    all["labels"] = labels_of(std::move(file.labels));
    all["notes"] = notes_of(file.notes);
    return nb::make_tuple(all, watched.raised());
}

/// Tracks of the text of a table.
nb::tuple tracks_of_table(const std::string& text, const std::string& name, const nb::dict& options,
                          const nb::dict& run) {
    const auto chosen = options_from<io::ReadOptions>(options);
    Watched watched(run, nb::none(), 0);
    io::TrackFile file = watched([&](const Run& r) { return io::tracks_of_table(text, name, chosen, r); });
    const auto dim = static_cast<std::size_t>(file.items.dim), count = file.items.positions.size() / dim;
    nb::dict all;
    all["positions"] = array_of(std::move(file.items.positions), {count, dim});
    all["offsets"] = array_of(std::move(file.items.offsets));
    all["geographic"] = file.items.geographic;
    all["ids"] = strings_of(file.ids);
    all["notes"] = notes_of(file.notes);
    return nb::make_tuple(all, watched.raised());
}

/// The network itself goes along: write_network needs what its file has and the arrays lack.
nb::tuple read_network(const std::string& path, const nb::dict& options, const nb::dict& run, nb::object callback,
                       bool lengths) {
    auto chosen = options_from<io::NetworkOptions>(options);
    chosen.lengths = lengths;
    Watched watched(run, std::move(callback), 0);
    io::Network network = watched([&](const Run& r) { return io::read_network(path, chosen, r); });
    nb::dict all;
    all["graph"] = graph_arrays(Graph(network.graph));
    all["ids"] = strings_of(network.ids);
    all["names"] = strings_of(network.names);
    all["labels"] = labels_of(Labels(network.labels));
    all["start"] = network.start.coordinates.empty() ? nb::none() : places_of(Map(network.start));
    all["pinned"] = network.pinned.empty() ? nb::none() : array_of(std::vector<std::uint8_t>(network.pinned));
    all["directed"] = network.directed;
    all["weighted"] = network.weighted;
    all["multi_edges"] = network.multi_edges;
    all["kind"] = network.kind;
    all["notes"] = notes_of(network.notes);
    all["warnings"] = list_of(network.warnings);
    all["network"] = nb::cast(std::move(network));
    return nb::make_tuple(all, watched.raised());
}

/// The graph of a file whose weights mean lengths or strengths, which tells how repeated edges are joined.
nb::tuple joined(const io::Network& network, bool lengths) { return graph_arrays(io::joined(network, lengths)); }

io::Network network_of(const nb::tuple& graph, const std::vector<std::string>& ids) {
    io::Network network;
    network.graph = graph_of(graph);
    network.ids = ids;
    network.weighted = true;
    return network;
}

template <class Array>
void write_map(const std::string& path, const Array& map, const std::vector<std::string>& ids,
               const std::optional<Indices>& labels, const std::vector<std::string>& names) {
    io::write_map(path, {map_of(map), ids, labels_from(labels, names)});
}

template <class Array>
void write_network(const std::string& path, const io::Network& network, const Array& map) {
    io::write_network(path, network, map_of(map));
}

void write_points(const std::string& path, const FloatMatrix& values, const std::optional<ArrayOf<double, 1>>& shift,
                  const std::vector<std::string>& columns) {
    io::Points points;
    points.values = matrix_of(values);
    const auto added = span_of(shift);
    points.shift.assign(added.begin(), added.end());
    points.columns = columns;
    io::write_points(path, points);
}

void write_clusters(const std::string& path, const Indices& clusters, const std::vector<std::string>& ids) {
    io::write_clusters(path, {clusters.data(), clusters.data() + clusters.size()}, ids);
}

}  // namespace

void bind_files(nb::module_& module) {
    const auto none = nb::arg().none();
    nb::class_<io::Network>(module, "Network");
    module.def("guess", guess);
    module.def("documents", documents);
    module.def("read_points", read_points, nb::arg(), nb::arg(), nb::arg(), none);
    module.def("text_column", text_column);
    module.def("read_square", read_square, nb::arg(), nb::arg(), nb::arg(), none);
    module.def("read_map", read_map);
    module.def("tracks_of_table", tracks_of_table);
    module.def("read_network", read_network, nb::arg(), nb::arg(), nb::arg(), none, nb::arg("lengths") = false);
    module.def("joined", joined);
    module.def("network_of", network_of);
    module.def("write_network", write_network<FloatMatrix>);
    module.def("write_network", write_network<ArrayOf<double, 2>>);
    module.def("write_map", write_map<FloatMatrix>, nb::arg(), nb::arg(), nb::arg(), none, nb::arg());
    module.def("write_map", write_map<ArrayOf<double, 2>>, nb::arg(), nb::arg(), nb::arg(), none, nb::arg());
    module.def("write_points", write_points, nb::arg(), nb::arg(), none, nb::arg());
    module.def("write_graph",
               [](const std::string& path, const nb::tuple& graph) { io::write_graph(path, graph_of(graph)); });
    module.def("write_clusters", write_clusters);
    module.def("write_spreadsheet_safe", io::write_spreadsheet_safe);
}

}  // namespace dunlin::python
