// SPDX-License-Identifier: Apache-2.0
#include "io/network/vertex_names.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace dunlin::io {

void name_vertices(Network& network, std::vector<std::string> ids, std::vector<std::string> labels) {
    const std::unordered_set<std::string_view> different(labels.begin(), labels.end());
    if (different.size() == labels.size() && !different.contains("")) {
        network.ids = std::move(labels);
        return;
    }
    network.ids = std::move(ids);
    draw_labels(network, std::move(labels));
    if (!network.names.empty())
        network.warnings.push_back(
            "vertices go by their ids, as their labels, which a picture has, are missing or not distinct");
}

void draw_labels(Network& network, std::vector<std::string> labels) {
    if (labels == network.ids) return;
    if (std::all_of(labels.begin(), labels.end(), [](const std::string& label) { return label.empty(); })) return;
    network.names = std::move(labels);
    for (std::size_t v = 0; v < network.names.size(); ++v) {
        if (network.names[v].empty()) network.names[v] = network.ids[v];
    }
}

}  // namespace dunlin::io
