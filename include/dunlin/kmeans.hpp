// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// k-means by Lloyd's iteration (Lloyd 1982): every point is assigned to its nearest centroid, every centroid moves to
/// the mean of its points. The nearest centroid is defined by squared distances in double, ties to the lower number,
/// and sums are exact integers: the result has the same bits for any number of threads and any order of the work.
namespace dunlin::kmeans {

/// euclidean: |x - c|. cosine: rows and centroids are scaled to length 1 (spherical k-means, Dhillon and Modha 2001);
/// a zero row stays unchanged.
enum class Metric { euclidean, cosine };
constexpr std::array<std::string_view, 2> names(Metric) { return {"euclidean", "cosine"}; }

/// Initial centroids. plusplus: D^2 sampling, the best of a few draws per centroid (k-means++, Arthur and Vassilvitskii
/// 2007). parallel: many rows per round, then plusplus among these (k-means||, Bahmani et al. 2012). random: different
/// rows, all equally likely.
enum class Start { plusplus, parallel, random };
constexpr std::array<std::string_view, 3> names(Start) { return {"plusplus", "parallel", "random"}; }

/// Convergence criterion. shift: the sum of the squared moves of the centroids is at most `tolerance` times the mean
/// (weighted) variance of a column. inertia: the inertia fell by at most `tolerance` times its value. never: all
/// iterations are done. shift and inertia also stop when no point changes its cluster.
enum class Rule { shift, inertia, never };
constexpr std::array<std::string_view, 3> names(Rule) { return {"shift", "inertia", "never"}; }

/// lloyd: optimized and parallel. sequential: plain loops in double on one thread, as a reference.
enum class Method { lloyd, sequential };
constexpr std::array<std::string_view, 2> names(Method) { return {"lloyd", "sequential"}; }

/// Largest magnitude of the numbers in points and centroids: the sum of 10,000 squares is still in the range of
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

/// Optional inputs besides the points; empty: none.
struct Given {
    MatrixView<const float> centroids = {};  ///< initial centroids, clusters x cols; options.start is ignored
    std::span<const float> weights = {};     ///< one per row, at least 0; a row of weight 2 counts as two rows
};

/// Stages: "start", "optimize", summed over restarts; iterations: of the best run.
struct Result : Outcome<Options> {
    std::vector<Index> labels;   ///< the nearest centroid of each row
    Matrix centroids;            ///< clusters x cols
    std::vector<Offset> counts;  ///< rows in each cluster
    double inertia = 0;          ///< sum over rows of weight * |x - its centroid|^2 (cosine: 2 - 2 cos)
};

/// Clusters the rows of `points` (n x d), which may be a memory-mapped file larger than memory: they are read in order,
/// once per iteration, and not copied. An empty cluster takes the point farthest from its centroid among points that
/// are not alone in their cluster, as long as points differ. Throws Error{bad_input} for clusters outside [1, n] (more
/// are allowed with given centroids and 0 iterations, which only assign), NaN or infinity (with the row), magnitudes
/// above largest_number, or a negative weight. If cancelled, it returns the centroids of the last completed iteration,
/// and each row's last label; without any completed iteration there are no labels.
DUNLIN_API Result cluster(MatrixView<const float> points, const Options& options = {}, const Run& run = {},
                          const Given& given = {});

struct Assignment {
    std::vector<Index> labels;
    std::vector<Offset> counts;
    double inertia = 0;
};

/// The nearest of `centroids` (k x d) for every row of `points` (n x d). Empty if cancelled.
DUNLIN_API Assignment assign(MatrixView<const float> points, MatrixView<const float> centroids,
                             Metric metric = Metric::euclidean, const Run& run = {});

/// Criteria for the number of clusters. bic, aic: -2 log likelihood of a mixture of one spherical Gaussian per cluster,
/// of equal variances, plus log(n) (bic) or 2 (aic) per free parameter (Pelleg and Moore 2000); the least is best.
/// silhouette: mean of (b - a) / max(a, b), where a is a row's mean distance to the other rows of its cluster and b
/// that to the rows of the nearest other cluster (Rousseeuw 1987), within a sample of up to 5,000 rows; the largest is
/// best.
enum class Criterion { bic, aic, silhouette };
constexpr std::array<std::string_view, 3> names(Criterion) { return {"bic", "aic", "silhouette"}; }

struct Choice {
    struct Tried {
        Index clusters;
        double inertia, value;  ///< value: of the criterion; NaN: zero variance, hence no likelihood
    };
    std::vector<Tried> curve;  ///< ascending in clusters
    Result best;
};

/// Clusters with each number of clusters from options.clusters to `most` and returns the best result by the criterion.
/// Each number after the first has one more run than options.restarts: from the centroids of one cluster fewer and the
/// row farthest from its own; so the inertia never rises along the curve.
/// Throws what `cluster` throws; Error{bad_input} if most < options.clusters, or for the silhouette of one cluster. If
/// cancelled, the curve ends early and may be empty, and best.stopped is Stopped::cancelled.
DUNLIN_API Choice choose(MatrixView<const float> points, Index most, Criterion criterion, const Options& options = {},
                         const Run& run = {});

/// Says that the number chosen is the last of those up to `most`; empty: it is not, or rows are as many.
DUNLIN_API std::string sentence_of_choice(const Choice& choice, Index most);

}  // namespace dunlin::kmeans
