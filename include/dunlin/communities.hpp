// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Communities of a graph: sets of vertices with many edges inside and few between them.
namespace dunlin::communities {

/// leiden: local moving, refinement, aggregation (Traag, Waltman and van Eck 2019). louvain: without refinement
/// (Blondel et al. 2008). sequential: Louvain's method that visits one vertex after the other; modularity at
/// resolution 1. The colors of pictures are its communities.
enum class Method { leiden, louvain, sequential };
constexpr std::array<std::string_view, 3> names(Method) { return {"leiden", "louvain", "sequential"}; }

/// What is maximized. With w_ij the weights, in which a loop counts twice, k_i = sum_j w_ij, 2m = sum_i k_i, r the
/// resolution, and sums over the pairs i, j of one community:
/// modularity: 1/2m sum (w_ij - r k_i k_j / 2m) (Newman and Girvan 2004; Reichardt and Bornholdt 2006).
/// cpm: 1/2m sum (w_ij - r), the constant Potts model (Traag, Van Dooren and Nesterov 2011).
enum class Quality { modularity, cpm };
constexpr std::array<std::string_view, 2> names(Quality) { return {"modularity", "cpm"}; }

/// The weight of the edge i - j by those of i -> j and j -> i, 0 where one is missing: the larger, the sum, the smaller
/// (so that only mutual edges are left). The first and the last leave a graph with every edge in both directions as it
/// is.
enum class Symmetrize { either, sum, mutual };
constexpr std::array<std::string_view, 3> names(Symmetrize) { return {"union", "sum", "mutual"}; }

struct Options {
    double resolution = 1;
    int iterations = 2;
    Method method = Method::leiden;
    Quality quality = Quality::modularity;
    Symmetrize symmetrize = Symmetrize::either;
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    const Condition optimized = when("method", o.method, {Method::leiden, Method::louvain});
    visit(field("resolution", o.resolution, "resolution: larger values give more and smaller communities")
              .at_least(0)
              .at_most(1e9)
              .read(optimized));
    visit(field("iterations", o.iterations,
                "times that the method starts again from the communities it has found; -1: until nothing improves")
              .at_least(-1)
              .read(optimized));
    visit(field("method", o.method, "leiden, louvain, or louvain one vertex after the other"));
    visit(field("quality", o.quality, "what is maximized: modularity, or the constant Potts model").read(optimized));
    visit(field("symmetrize", o.symmetrize,
                "weight of an edge by those of its two directions: the larger, the sum, or the smaller"));
}

/// Stages: "graph", "optimize"; iterations: those that improved the quality, and the last one. stopped: converged if
/// the last one did not.
struct Result : Outcome<Options> {
    /// Community of each vertex, numbered by falling size, equal sizes by their least vertex
    std::vector<Index> labels;
    /// Labels at every level, the finest first, numbered likewise: communities of a level are unions of those before.
    /// The last are `labels`.
    std::vector<std::vector<Index>> levels;
    Index count = 0;        ///< number of communities
    double modularity = 0;  ///< weighted, at resolution 1; NaN without edges
    double quality = 0;     ///< what was maximized; NaN without edges
};

/// Finds the communities of a graph, each of which is connected. `graph` may list an edge in one direction or in both;
/// a loop is listed once, edges that are listed several times in a row add up, edges of weight 0 do not count. start: a
/// number for each vertex, its community at the beginning; empty: each is alone. The same seed gives the same bytes for
/// any number of threads, on a CPU and on a GPU. The sequential method runs on the CPU.
///
/// The vertices move in eight classes by a hash: those of a class choose their communities at the same time, by the
/// state that the classes before have left. Weights are whole numbers (of 2^-50 of their sum), hence sums are exact.
/// Throws Error{bad_input} for weights below 0 or not finite (with the edge), targets that are no vertex, and a start
/// of another length; Error{out_of_memory} before the run. If cancelled, returns the communities of the last complete
/// iteration; before the end of the first one there are no labels.
DUNLIN_API Result find(const Graph& graph, const Options& options = {}, const Run& run = {},
                       std::span<const Index> start = {});

}  // namespace dunlin::communities
