// SPDX-License-Identifier: Apache-2.0
#include "descent/given.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <dunlin/error.hpp>

#include "distance/check.hpp"
#include "forces/places.hpp"
#include "neighbors/nearest_lists.hpp"
#include "neighbors/require_distances.hpp"

namespace dunlin::descent {

void require_size(Index size, Index points, std::string_view what) {
    if (size == points) return;
    throw Error(Fault::bad_input,
                fmt::format("the {} has {} points and the data have {}; they must agree", what, size, points));
}

void check_start(const Map& start, Index points) {
    forces::require_places(start, "start", forces::Holes::refused, most_dimensions);
    require_size(start.size(), points, "start");
}

void refuse_labels(const Given& given, const char* method) {
    if (given.labels != nullptr)
        throw Error(Fault::bad_input,
                    fmt::format("labels are given, but {} does not read them; leave them out", method));
}

void refuse_affinities(const Given& given, const char* method) {
    const char* what = given.affinities != nullptr    ? "affinities"
                       : !given.point_weights.empty() ? "weights of points"
                       : given.anchors != nullptr     ? "anchors"
                                                      : nullptr;
    if (what != nullptr)
        throw Error(Fault::bad_input,
                    fmt::format("{} are given, but {} does not read them; leave them out", what, method));
}

void refuse_dissimilarities(const Given& given, const char* method) {
    if (given.dissimilarities == nullptr) return;
    throw Error(Fault::bad_input, fmt::format("dissimilarities are given, but {} compares points; give these", method));
}

void check_points(MatrixView<const float> points, neighbors::Metric metric, std::optional<double> recall,
                  const Given& given, const Run& run, const char* method) {
    if (points.rows < 1 || points.cols < 1) {
        throw Error(Fault::bad_input,
                    fmt::format("the data have {} rows and {} columns; a map needs at least one of each", points.rows,
                                points.cols));
    }
    distance::require_distance(metric, method);
    if (given.neighbors != nullptr) {
        require_size(given.neighbors->size(), points.rows, "neighbor graph");
        device::Cpu cpu(run);
        neighbors::require_distances(cpu, *given.neighbors);
        if (recall)
            throw Error(Fault::bad_input, "recall is read by a search, but the neighbors are given; leave recall out");
    }
    if (given.dissimilarities != nullptr) {
        require_size(given.dissimilarities->rows(), points.rows, "matrix of dissimilarities");
        if (given_graph(given) != nullptr)
            throw Error(Fault::bad_input,
                        "dissimilarities are given beside neighbors or affinities, which follow from them; give one");
    }
    if (given.affinities != nullptr) require_size(given.affinities->size(), points.rows, "graph of affinities");
    if (given.start != nullptr) check_start(*given.start, points.rows);
    if (given.fixed.empty()) return;
    require_size(static_cast<Index>(given.fixed.size()), points.rows, "list of fixed points");
    if (given.start == nullptr)
        throw Error(Fault::bad_input, "points are fixed, but no start is given; give the places where they stay");
}

void require_listed(const Graph& neighbors, const ListRule& rule) {
    if (!rule.asked || neighbors.size() == 0) return;
    const auto [given, point] = neighbors::shortest_list(neighbors);
    if (given >= std::min(*rule.asked, neighbors.size() - 1)) return;
    const Index itself = rule.counts_itself ? 1 : 0;
    throw Error(
        Fault::bad_input,
        fmt::format("k is {}, but of row {} (counting from 0) {} neighbors are given{}; k is at most {}: leave it "
                    "out, or give more neighbors",
                    *rule.asked + itself, point, given, itself > 0 ? ", and k counts the point itself" : "",
                    given + itself),
        {.option = "k", .row = point});
}

Graph nearest_given(device::Cpu& cpu, const Graph& neighbors, const ListRule& rule) {
    require_listed(neighbors, rule);
    if (!rule.cuts || !rule.asked || neighbors.edges() <= Offset{*rule.asked} * neighbors.size()) return {};
    return neighbors::first_neighbors(neighbors::nearest_first(cpu, neighbors), *rule.asked);
}

}  // namespace dunlin::descent
