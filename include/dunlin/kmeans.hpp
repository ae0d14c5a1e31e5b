// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// k-means by Lloyd's iteration (Lloyd 1982): every point to its nearest centroid, every centroid to the mean of its
/// points. Nearest is decided as double arithmetic has it, ties to the lower number, and sums are exact integers: the
/// result is the same bits for any number of threads and any order of the work.
namespace dunlin::kmeans {

/// euclidean: |x - c|. cosine: rows and centroids are scaled to length 1 (spherical k-means, Dhillon and Modha 2001);
/// a row of zeros stays where it is.
enum class Metric { euclidean, cosine };
constexpr std::array<std::string_view, 2> names(Metric) { return {"euclidean", "cosine"}; }

/// Where centroids start. plusplus: rows drawn by their squared distance to those before, the best of a few draws each
/// time (k-means++, Arthur and Vassilvitskii 2007). parallel: many rows a round, then plusplus among these
/// (k-means||, Bahmani et al. 2012). random: different rows, all equally likely.
enum class Start { plusplus, parallel, random };
constexpr std::array<std::string_view, 3> names(Start) { return {"plusplus", "parallel", "random"}; }

/// When to stop before the last iteration. shift: the centroids' squared moves sum to at most `tolerance` of the mean
/// (weighted) variance of a column. inertia: it fell by at most `tolerance` of itself. never: all iterations are done.
/// shift and inertia also stop when no point changes its cluster.
enum class Rule { shift, inertia, never };
constexpr std::array<std::string_view, 3> names(Rule) { return {"shift", "inertia", "never"}; }

/// lloyd: the fast one. sequential: plain loops in double on one thread, for study and as an oracle.
enum class Method { lloyd, sequential };
constexpr std::array<std::string_view, 2> names(Method) { return {"lloyd", "sequential"}; }

/// The largest number, by its size, that points and centroids may have: its square, 10,000 times over, is still a
/// float32.
constexpr float largest_number = 1e15F;

struct Options {
    Index clusters = 8;
    Metric metric = Metric::euclidean;
    Start start = Start::plusplus;
    int restarts = 1;
    int iterations = 300;
    Rule stop = Rule::shift;
    std::optional<double> tolerance = {};
    Method method = Method::lloyd;
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("clusters", o.clusters, "number of clusters, at most the number of points").at_least(1));
    visit(field("metric", o.metric, "distance between a point and a centroid"));
    visit(field("start", o.start, "initial centroids"));
    visit(field("restarts", o.restarts, "number of runs from different starts; the result has the least inertia")
              .at_least(1));
    visit(field("iterations", o.iterations, "maximum number of iterations of a run").at_least(0));
    visit(field("stop", o.stop, "stopping rule: small shift of the centroids, small decrease of the inertia, or none"));
    visit(field("tolerance", o.tolerance,
                "threshold of stop, relative to the data's variance (shift) or to the inertia (inertia)")
              .at_least(0)
              .read(when("stop", o.stop, {Rule::shift, Rule::inertia}))
              .otherwise(1e-4, when("stop", o.stop, {Rule::shift}))
              .otherwise(1e-3, when("stop", o.stop, {Rule::inertia})));
    visit(field("method", o.method, "fast, or a simple reference in double on one thread"));
}

/// What a caller may have beside the points; empty: nothing.
struct Given {
    MatrixView<const float> centroids = {};  ///< clusters x cols to start from; options.start is not looked at
    std::span<const float> weights = {};     ///< one for each row, at least 0; a row of weight 2 counts as two rows
};

/// Stages: "start", "optimize", of all restarts; iterations: of the run that was kept.
struct Result : Outcome<Options> {
    std::vector<Index> labels;   ///< the nearest centroid of each row
    Matrix centroids;            ///< clusters x cols
    std::vector<Offset> counts;  ///< rows in each cluster
    double inertia = 0;          ///< sum over rows of weight * |x - its centroid|^2 (cosine: 2 - 2 cos)
};

/// Clusters the rows of `points` (n x d), which may lie in a memory-mapped file larger than memory: they are read in
/// order, once an iteration, and not copied. A cluster that loses all its points takes the point farthest from its
/// centroid that is not alone, as long as points differ. Throws Error{bad_input} for clusters outside [1, n] (given
/// centroids may be more if there are 0 iterations, which only assign), NaN or infinity (with the row), numbers beyond
/// largest_number, or a negative weight. Cancelled, it returns the centroids of its last whole iteration; rows keep the
/// labels of the last look at them. Without labels, if no iteration was whole.
DUNLIN_API Result cluster(MatrixView<const float> points, const Options& options = {}, const Run& run = {},
                          const Given& given = {});

struct Assignment {
    std::vector<Index> labels;
    std::vector<Offset> counts;
    double inertia = 0;
};

/// The nearest of `centroids` (k x d) for every row of `points` (n x d). Cancelled, it is empty.
DUNLIN_API Assignment assign(MatrixView<const float> points, MatrixView<const float> centroids,
                             Metric metric = Metric::euclidean, const Run& run = {});

/// What says how well a number of clusters suits. bic, aic: -2 log likelihood of one spherical Gaussian a cluster, all
/// of the same variance, plus log(n) or 2 for each free parameter (Pelleg and Moore 2000); the least is best.
/// silhouette: mean of (b - a) / max(a, b), a being a row's mean distance to its own cluster and b that to the nearest
/// other (Rousseeuw 1987), within a sample of up to 5,000 rows; the largest is best.
enum class Criterion { bic, aic, silhouette };
constexpr std::array<std::string_view, 3> names(Criterion) { return {"bic", "aic", "silhouette"}; }

struct Choice {
    struct Tried {
        Index clusters;
        double inertia, value;  ///< of the criterion; NaN: the clusters have no variance, hence no likelihood
    };
    std::vector<Tried> curve;  ///< ascending in clusters
    Result best;
};

/// Clusters with options.clusters, one more, .. up to `most`, and keeps the result that the criterion likes best.
/// Throws what `cluster` throws; Error{bad_input} if most < options.clusters or the silhouette is asked of one cluster.
/// A stop asked for through `run` ends the curve; best.stopped says so, and the curve may be empty.
DUNLIN_API Choice choose(MatrixView<const float> points, Index most, Criterion criterion, const Options& options = {},
                         const Run& run = {});

}  // namespace dunlin::kmeans
