// SPDX-License-Identifier: Apache-2.0
#include "drawn_map.hpp"

#include <fmt/format.h>

#include <dunlin/columns.hpp>
#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/labels.hpp>

#include "colors.hpp"
#include "matched.hpp"
#include "network.hpp"
#include "streams.hpp"

namespace dunlin::app {

DrawnMap read_drawn_map(const DrawnMapFiles& files, const CommonOptions& common) {
    io::NetworkOptions network_options;
    network_options.labels = files.labels;
    DrawnMap drawn{io::read_map(array_of_map(files.map, files.array)), {}};
    // Labels of the map itself are not used beside others
    std::vector<io::Note> own;
    if (!files.labels.empty()) note_unlabeled(drawn.file.labels, own);
    std::erase_if(drawn.file.notes, [&](const io::Note& note) { return !own.empty() && note.what == own[0].what; });
    print_notes(common, files.map, drawn.file.notes);
    if (!files.graph.empty()) {
        io::Network network = io::read_network(files.graph, network_options);
        print_notes(common, files.graph, network);
        drawn.file = in_order_of(common, std::move(drawn.file), files.map, network, files.graph);
        drawn.names = std::move(network.names);
        if (!network.ids.empty()) drawn.file.ids = std::move(network.ids);
        if (!network.labels.empty()) drawn.file.labels = std::move(network.labels);
        drawn.graph = std::move(network.graph);
    } else if (!files.labels.empty()) {
        drawn.file.labels = matched_labels(common, labels_of(files.labels, files.map), rows_of(files.map, drawn.file));
    }
    return drawn;
}

io::Points read_color_table(const io::FileColumn& color) {
    io::ReadOptions options;
    options.missing = true;
    return io::read_points(color.file, options);
}

std::string title_of(const DrawnMapFiles& files, const DrawnMap& drawn) {
    const std::string title = fmt::format("{}, {} points", stem_of(files.map), drawn.file.map.size());
    return files.graph.empty() ? title : fmt::format("{}, {} edges", title, drawn.graph.edges() / 2);
}

void add_drawn_map_flags(CLI::App& app, DrawnMapFiles& files) {
    app.add_option("MAP", files.map, "the map: " + formats::help_of(formats::map))->required();
    app.add_option("--basis,--array", files.array, "name of the map in an .h5ad with several: tsne is obsm/X_tsne")
        ->type_name("NAME");
    app.add_option("--graph", files.graph, "graph of the map, whose edges are drawn");
    app.add_option(
        "--labels", files.labels,
        "a file with one label per point, FILE or FILE:COLUMN, or an attribute of the graph's vertices (default: "
        "the map's own)");
}

}  // namespace dunlin::app
