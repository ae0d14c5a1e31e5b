// SPDX-License-Identifier: Apache-2.0
#include "descent/given.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>

#include "device/cpu.hpp"
#include "distance/check.hpp"
#include "neighbors/require_distances.hpp"

namespace dunlin::descent {

void require_size(Index size, Index points, std::string_view what) {
    if (size == points) return;
    throw Error(Fault::bad_input,
                fmt::format("the {} has {} points and the data have {}; they must agree", what, size, points));
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
    if (given.affinities != nullptr) require_size(given.affinities->size(), points.rows, "graph of affinities");
    if (given.start != nullptr) require_size(given.start->size(), points.rows, "start");
    if (given.fixed.empty()) return;
    require_size(static_cast<Index>(given.fixed.size()), points.rows, "list of fixed points");
    if (given.start == nullptr)
        throw Error(Fault::bad_input, "points are fixed, but no start is given; give the places where they stay");
}

}  // namespace dunlin::descent
