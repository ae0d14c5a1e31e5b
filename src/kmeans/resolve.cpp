// SPDX-License-Identifier: Apache-2.0
#include "kmeans/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "kmeans/rows.hpp"
#include "options/check.hpp"

namespace dunlin::kmeans {

namespace {

void require(bool holds, const std::string& sentence, const std::string& option = {}) {
    if (!holds) throw Error(Fault::bad_input, sentence, {.option = option});
}

}  // namespace

void check_points(Offset rows, Index cols) {
    require(rows >= 1 && cols >= 1,
            fmt::format("the points are {} x {}; there must be at least one row and one column", rows, cols));
}

Options resolve(Offset rows, Index cols, Options o, const Given& given) {
    options::check(o);
    check_points(rows, cols);
    const bool given_any = given.centroids.data != nullptr, only_assigns = given_any && o.iterations == 0;
    require(o.clusters <= rows || only_assigns,
            fmt::format("clusters is {}, but there are {} points; it must be at most that{}", o.clusters, rows,
                        given_any ? ", or iterations 0, which only assigns points to given centroids" : ""),
            "clusters");
    options::settle(o);
    if (!given_any) return o;
    require(given.centroids.rows == o.clusters && given.centroids.cols == cols,
            fmt::format("the initial centroids are {} x {}; for this run they must be {} x {}", given.centroids.rows,
                        given.centroids.cols, o.clusters, cols));
    require(o.restarts == 1,
            fmt::format("restarts is {}, but all runs would start from the given centroids; leave "
                        "it out",
                        o.restarts),
            "restarts");
    return o;
}

std::vector<float> checked_centroids(MatrixView<const float> given, Metric metric) {
    std::vector<float> centroids(given.data, given.data + given.size());
    const auto bad =
        std::find_if_not(centroids.begin(), centroids.end(), [](float v) { return std::abs(v) <= largest_number; });
    require(bad == centroids.end(),
            fmt::format("centroid {} (counting from 0) has a number that is not finite or exceeds 1e15",
                        (bad - centroids.begin()) / given.cols));
    float most = 0;
    for (const float value : centroids) most = std::max(most, std::abs(value));
    if (metric == Metric::euclidean) require_not_tiny(static_cast<double>(most), "centroids");
    for (Index k = 0; k < given.rows && metric == Metric::cosine; ++k) {
        to_unit_length(centroids.data() + Offset{k} * given.cols, given.cols);
    }
    return centroids;
}

}  // namespace dunlin::kmeans
