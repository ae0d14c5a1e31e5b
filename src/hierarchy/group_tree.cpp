// SPDX-License-Identifier: Apache-2.0
#include <dunlin/group_tree.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <dunlin/error.hpp>

#include "math/at.hpp"

namespace dunlin {

std::vector<Index> GroupTree::children(Index group) const {
    std::vector<Index> found;
    const Index end = groups[at(group)].end;
    for (Index child = group + 1; child < end; child = groups[at(child)].end) found.push_back(child);
    return found;
}

std::vector<Index> GroupTree::labels_of(const std::vector<Index>& selected) const {
    std::vector<Index> of_group(groups.size(), -1), labels(home.size(), -1);
    for (std::size_t s = 0; s < selected.size(); ++s) {
        for (Index g = selected[s]; g < groups[at(selected[s])].end; ++g) of_group[at(g)] = static_cast<Index>(s);
    }
    for (std::size_t p = 0; p < home.size(); ++p) {
        if (home[p] >= 0) labels[p] = of_group[at(home[p])];
    }
    return labels;
}

std::vector<Index> GroupTree::labels(Index layer) const {
    if (layer < 0 || layer >= std::ssize(layers)) {
        throw Error(
            Fault::bad_input,
            fmt::format("layer is {}; it must be at least 0 and below the number of layers, {}", layer, layers.size()));
    }
    return labels_of(layers[at(layer)]);
}

std::vector<std::vector<std::string>> GroupTree::label_layers(const std::string& missing) const {
    std::vector<std::vector<std::string>> all;
    for (const auto& layer : layers) {
        std::vector<std::string> of_groups;
        for (std::size_t i = 0; i < layer.size(); ++i) {
            const std::size_t group = at(layer[i]);
            const bool has_name = !names.empty() && !names[group].empty(), has_number = groups[group].number >= 0;
            of_groups.push_back(has_name     ? names[group]
                                : has_number ? std::to_string(groups[group].number)
                                             : std::to_string(i));
        }
        auto& texts = all.emplace_back();
        texts.reserve(home.size());
        for (const Index label : labels_of(layer)) texts.push_back(label < 0 ? missing : of_groups[at(label)]);
    }
    return all;
}

std::vector<Index> GroupTree::cut(double t, Index least) const {
    // The group that is there at level t, at or above each group
    std::vector<Index> there(groups.size(), 0), sizes(groups.size(), 0), numbers(groups.size(), -1);
    for (std::size_t g = 1; g < groups.size(); ++g) {
        there[g] = groups[g].birth > t ? static_cast<Index>(g) : there[at(groups[g].parent)];
    }
    std::vector<Index> labels(home.size(), -1);
    for (std::size_t p = 0; p < home.size(); ++p) {
        if (home[p] < 0 || !(leaves_at[p] <= t)) continue;
        labels[p] = there[at(home[p])];
        ++sizes[at(labels[p])];
    }
    Index count = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (sizes[g] >= std::max(least, 1)) numbers[g] = count++;
    }
    for (Index& label : labels) label = label < 0 ? -1 : numbers[at(label)];
    return labels;
}

}  // namespace dunlin
