// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Whether clusters of a map are apart in the data that it was made from. Maps of data without clusters have islands,
/// too: t-SNE and UMAP tear what is dense everywhere.
namespace dunlin::clusters {

/// How many groups a cluster is compared with, and the share of their median below which it is apart (measured in
/// docs/clusters.md).
constexpr int grown_groups = 50;
constexpr double apart_below = 0.62;

struct SeparationOptions {
    Index of_neighbors = 22;
    neighbors::Metric of_metric = neighbors::Metric::euclidean;
};

template <class Visit>
void fields(Visit&& visit, SeparationOptions& o) {
    visit(field("of-neighbors", o.of_neighbors, "neighbors of a point in the data that clusters are compared with")
              .at_least(1));
    visit(field("of-metric", o.of_metric, "distance between two points of the data"));
}

/// Stages: those of the search of neighbors, "separation".
struct Separations : Outcome<SeparationOptions> {
    /// Per cluster the conductance in the graph of the data's nearest neighbors: pairs of a point and one of its
    /// neighbors of which one is in the cluster, over the pairs of its points, or of the others if these have fewer. 0:
    /// its points and the others are no neighbors; NaN: there are no others.
    std::vector<double> conductances;
    /// Per cluster the median conductance of `grown_groups` groups of as many points, each grown from a random point of
    /// the cluster: its neighbors, theirs, and so on, of the last ones a random part.
    std::vector<double> grown;

    /// The cluster is one of the map only: its conductance is not below apart_below * grown.
    [[nodiscard]] bool map_only(Index cluster) const {
        const auto c = static_cast<std::size_t>(cluster);
        return conductances[c] > 0 && conductances[c] >= apart_below * grown[c];
    }
};

/// The clusters that labels number from 0, below 0: of none, in the data: one row or list of neighbors per label. The
/// same seed gives the same numbers, for any number of threads. Throws Error{bad_input} for another number of rows, and
/// as neighbors::search does; Error{out_of_memory} before the run. If cancelled, returns no numbers.
DUNLIN_API Separations separations(const std::vector<Index>& labels, MatrixView<const float> data,
                                   const SeparationOptions& options = {}, const Run& run = {});
/// The options are not read.
DUNLIN_API Separations separations(const std::vector<Index>& labels, const Graph& neighbors, const Run& run = {});

}  // namespace dunlin::clusters
