// SPDX-License-Identifier: Apache-2.0
#include "io/network/node_boxes.hpp"

#include <algorithm>
#include <cmath>

#include "io/map_origin.hpp"

namespace dunlin::io {

namespace {

template <class Has>
bool any(const std::vector<NodeBoxes::NodeBox>& boxes, const Has& has) {
    return std::any_of(boxes.begin(), boxes.end(), has);
}

/// Whether a width or height is given.
bool sized(float value) { return std::isfinite(value) && value >= 0; }

float mean_of(const std::vector<NodeBoxes::NodeBox>& boxes, float VertexSize::* side) {
    double sum = 0, count = 0;
    for (const NodeBoxes::NodeBox& box : boxes) {
        if (!sized(box.size.*side)) continue;
        sum += static_cast<double>(box.size.*side);
        ++count;
    }
    return count > 0 ? static_cast<float>(sum / count) : 0;
}

}  // namespace

void NodeBoxes::flatten() {
    const auto first = std::find_if(boxes_.begin(), boxes_.end(), [](const NodeBox& box) { return box.placed(); });
    if (first == boxes_.end()) return;
    const std::array<double, 3> place = first->place;
    const auto is_level = [&](const NodeBox& box) {
        return !box.placed() || box.place[2] == place[2] || (std::isnan(box.place[2]) && std::isnan(place[2]));
    };
    const auto is_there = [&](const NodeBox& box) {
        return box.placed() && box.place[0] == place[0] && box.place[1] == place[1];
    };
    if (!std::all_of(boxes_.begin(), boxes_.end(), is_level)) return;
    const bool one = boxes_.size() > 1 && std::all_of(boxes_.begin(), boxes_.end(), is_there);
    for (NodeBox& box : boxes_) {
        box.place[2] = nowhere;
        if (one) box.place[0] = box.place[1] = nowhere;
    }
}

VertexSize NodeBoxes::mean_size() const {
    return {mean_of(boxes_, &VertexSize::width), mean_of(boxes_, &VertexSize::height)};
}

Offset NodeBoxes::without_size() const {
    return std::count_if(boxes_.begin(), boxes_.end(),
                         [](const NodeBox& box) { return !sized(box.size.width) || !sized(box.size.height); });
}

void NodeBoxes::settle(Network& network, VertexSize otherwise) const {
    if (any(boxes_, [](const NodeBox& box) { return box.placed(); })) {
        const bool flat = any(boxes_, [](const NodeBox& box) { return box.placed() && std::isnan(box.place[2]); });
        const int dim = flat ? 2 : 3;
        std::vector<double> coordinates;
        for (const NodeBox& box : boxes_) {
            for (int d = 0; d < dim; ++d)
                coordinates.push_back(box.placed() ? box.place[static_cast<std::size_t>(d)]
                                                   : std::numeric_limits<double>::quiet_NaN());
        }
        network.start = map_of(dim, coordinates);
    }
    if (any(boxes_, [](const NodeBox& box) { return box.pinned && box.placed(); })) {
        for (const NodeBox& box : boxes_) network.pinned.push_back(box.pinned && box.placed() ? 1 : 0);
    }
    if (any(boxes_, [&](const NodeBox& box) { return sized(box.size.width) || sized(box.size.height); })) {
        for (const NodeBox& box : boxes_) {
            network.sizes.push_back({sized(box.size.width) ? box.size.width : otherwise.width,
                                     sized(box.size.height) ? box.size.height : otherwise.height});
        }
    }
}

}  // namespace dunlin::io
