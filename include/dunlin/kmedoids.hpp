// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// k-medoids (Kaufman and Rousseeuw 1990) of items with any dissimilarities: k of the items, the medoids, such that the
/// sum of the dissimilarities of all items to the nearest one is small. It needs no means, hence no coordinates.
namespace dunlin::kmedoids {

/// Initial medoids. plusplus: drawn with probability proportional to the dissimilarity to the nearest one so far, the
/// best of a few draws each. build: each lowers the sum most (PAM's BUILD), for k n^2 steps. random: all equally
/// likely.
enum class Start { plusplus, build, random };
constexpr std::array<std::string_view, 3> names(Start) { return {"plusplus", "build", "random"}; }

struct Options {
    Index clusters = 8;
    Start start = Start::plusplus;
    int restarts = 1;
    int iterations = 100;
    /// Items among which medoids are sought; the others are assigned to them. Default: all up to 20,000 items, else
    /// 10,000 random ones
    std::optional<Index> sample = {};
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("clusters", o.clusters, "number of clusters, at most the number of items").at_least(1));
    visit(field("start", o.start, "initial medoids"));
    visit(field("restarts", o.restarts, "number of runs from different starts; the result has the least inertia")
              .at_least(1));
    visit(
        field("iterations", o.iterations, "maximum number of passes over all items, each of which may replace a medoid")
            .at_least(0));
    visit(field("sample", o.sample, "random items among which medoids are sought; the others are assigned to them")
              .at_least(1)
              .by_rule("all up to 20000 items, else 10000"));
}

/// Stages: "distances", "start", "optimize"; iterations: passes of the best run.
struct Result : Outcome<Options> {
    std::vector<Index> labels;   ///< cluster of each item: that of its nearest medoid, ties to the lower number
    std::vector<Index> medoids;  ///< the item that represents each cluster; it belongs to it
    std::vector<Offset> counts;  ///< items in each cluster
    double inertia = 0;          ///< sum over items of the dissimilarity to the medoid
    /// Mean silhouette (kmeans::Criterion) of the items among which medoids were sought; NaN for one cluster
    double silhouette = 0;
    Offset swaps = 0;  ///< medoids replaced in the best run
};

/// Clusters the items by FasterPAM (Schubert and Rousseeuw 2021): items are tried in turn as a replacement of the
/// medoid whose removal then costs least, and a replacement that lowers the sum is made at once, until none does. A
/// local minimum under single replacements, as PAM's. The result does not depend on the number of threads. Throws
/// Error{bad_input} for clusters above the number of items or above `sample`, missing dissimilarities, and a budget of
/// distances that does not suffice; Error{out_of_memory} before the run. If cancelled, returns the medoids so far;
/// before the end of the first start there are no labels.
DUNLIN_API Result cluster(const mds::Dissimilarities& items, const Options& options = {}, const Run& run = {});

}  // namespace dunlin::kmedoids
