// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/types.hpp>

/// Multidimensional scaling: maps whose distances d_ij come as near as they can to dissimilarities delta_ij that are
/// given. docs/mds.md has the equations.
namespace dunlin::mds {

/// dunlin: moves of pairs in groups of 32 that are shuffled anew for each step, annealed; then smacof where all pairs
///     can be afforded.
/// smacof: de Leeuw's majorization over all pairs (Borg and Groenen 2005, ch. 8); its stress never rises.
/// classical: Torgerson 1952: the leading eigenvectors of the doubly centered squared dissimilarities.
/// landmark: de Silva and Tenenbaum 2004: classical on a few random items, the others by triangulation.
/// pivot: Brandes and Pich 2007: the leading singular vectors of the columns of far items, optimally rescaled.
/// stochastic: Chalmers 1996: symmetric forces between each item and a few near and a few random ones.
/// gpu_sf: Ingram, Munzner and Olano, "Glimmer": the same without symmetry, until speeds have fallen.
/// glimmer: the same paper: gpu_sf on nested random subsets, the small ones first.
/// hybrid: stochastic on a sample of sqrt(n) items, between which the others are placed (options.parents has the
/// papers).
enum class Method { dunlin, smacof, classical, landmark, pivot, stochastic, gpu_sf, glimmer, hybrid };
constexpr std::array<std::string_view, 9> names(Method) {
    return {"dunlin", "smacof", "classical", "landmark", "pivot", "stochastic", "gpu-sf", "glimmer", "hybrid"};
}

/// Where iterations begin. automatic: from classical scaling where it is cheap, else from pivots; both rescaled.
enum class Start { automatic, random };
constexpr std::array<std::string_view, 2> names(Start) { return {"auto", "random"}; }

/// Where the map that is returned began. classical: from classical scaling; pivot: from pivots; random; given: from
/// the start map.
enum class Origin { classical, pivot, random, given };
constexpr std::array<std::string_view, 4> names(Origin) { return {"classical", "pivot", "random", "given"}; }

/// When a stage of forces ends. count: after so many iterations. velocity: when the mean speed has fallen, over ten
/// iterations in none of which it rose, by at most a share of its highest (1/32, in the last stage 1/1000), after a
/// low-pass filter of 21 taps (Glimmer's draft). stress: when the stress over the pairs that an iteration looks at,
/// after a filter of 50 taps, changes by less than 1e-4 in each of ten iterations (Glimmer as published in TVCG 15(2);
/// the ten are the draft's).
enum class Until { count, velocity, stress };
constexpr std::array<std::string_view, 3> names(Until) { return {"count", "velocity", "stress"}; }

/// How hybrid finds each item a near one in its sample. sorted: by binary search in lists sorted by distance from a few
/// pivots (Jourdan and Melancon 2004, O(n log n)); buckets: of n^(1/4) distances from n^(1/4) pivots (Morrison, Ross
/// and Chalmers 2003, O(n^5/4)).
enum class Parents { sorted, buckets };
constexpr std::array<std::string_view, 2> names(Parents) { return {"sorted", "buckets"}; }

/// What smacof may do to dissimilarities so that distances fit better. ratio: nothing; interval: a + b delta, a and b
/// at least 0; ordinal: anything that keeps their order, equals may become unlike (Kruskal 1964, primary ties). With
/// interval and ordinal the mean square of what comes out is 1, and so the map's scale is its own.
enum class Transform { ratio, interval, ordinal };
constexpr std::array<std::string_view, 3> names(Transform) { return {"ratio", "interval", "ordinal"}; }

/// What is done to each column of the points first. minmax: to [0, 1]; zscore: to mean 0 and deviation 1 (of n - 1).
/// A constant column becomes 0.
enum class Normalize { none, minmax, zscore };
constexpr std::array<std::string_view, 3> names(Normalize) { return {"none", "minmax", "zscore"}; }

/// How dissimilarities come from points.
struct PointOptions {
    neighbors::Metric metric = neighbors::Metric::euclidean;
    Normalize normalize = Normalize::none;
};

template <class Visit>
void fields(Visit&& visit, PointOptions& o) {
    visit(field("metric", o.metric, "points: dissimilarity of two points"));
    visit(field("normalize", o.normalize, "points: normalization of the columns"));
}

/// Answers out[k] = delta(i[k], j[k]), finite and at least 0, of pairs i[k] != j[k]; no pair is asked for twice. It may
/// throw: what it throws passes through, unless a stop was asked for, which ends the run as cancelled.
using Distances = std::function<void(std::span<const Index> i, std::span<const Index> j, std::span<float> out)>;

/// Of distances that are fed.
struct Counted {
    Offset asked = 0;     ///< how many a method asked for
    Offset computed = 0;  ///< how many pairs i < j were computed for that; the others it had asked for before
    double share = 0;     ///< computed, of all pairs
    bool spent = false;   ///< the budget allows no method another item's distances to all
};

class Feed;

/// n items and how unlike any two are: points and a metric, whose distances are computed when they are asked for; a
/// square matrix; or fed: computed for the pairs that a method asks for and for no others, once, and kept. Copies share
/// what is kept and counted; a run with them must have ended before the next one begins.
class DUNLIN_API Dissimilarities {
public:
    /// Rows are items. Throws Error{bad_input} for NaN or infinity, with the row.
    static Dissimilarities of_points(Matrix points, const PointOptions& options = {}, const Run& run = {});

    /// delta(i, j), n x n; in memory or mapped from a file; NaN: missing. Throws Error{bad_input} with the place for
    /// a matrix that is not square, a negative or infinite entry, a diagonal that is not 0, and pairs whose two
    /// entries differ by more than a part in 100,000. A matrix that is larger than run.memory (or, where that is 0,
    /// than what is free) is fed: its rows are read, and checked, when they are asked for.
    static Dissimilarities of_matrix(Matrix matrix, const Run& run = {});

    /// Fed by a function, which is called on the thread that a method is called on.
    static Dissimilarities of_callback(Index n, Distances distances);

    /// Fed: lengths of shortest paths in an undirected graph, its weights taken for lengths of edges; pairs that no
    /// path joins are missing. Throws Error{bad_input} for a graph that layout::place would refuse.
    static Dissimilarities of_graph(Graph graph, const Run& run = {});

    [[nodiscard]] Index size() const { return size_; }
    [[nodiscard]] bool has_points() const { return metric_.has_value(); }
    [[nodiscard]] std::optional<neighbors::Metric> metric() const { return metric_; }
    /// Pairs i < j without a number; of a matrix that is fed: not counted.
    [[nodiscard]] Offset missing() const { return missing_; }

    /// Points, ready for their metric (rows of length 1 for cosine and correlation), or the matrix.
    [[nodiscard]] const Matrix& values() const { return values_; }

    /// No more than this many distances are computed from now on: a method that has spent seven eighths of them ends
    /// with the map that they give, and leaves the rest to stress(). Throws Error{bad_input} if they are not fed.
    void allow(Offset distances);
    [[nodiscard]] Counted counted() const;

    [[nodiscard]] Feed* feed() const { return feed_.get(); }           ///< null: they are not fed
    [[nodiscard]] const Graph* graph() const { return graph_.get(); }  ///< null: not those of a graph

private:
    Matrix values_;
    std::optional<neighbors::Metric> metric_;
    std::shared_ptr<const Graph> graph_;
    std::shared_ptr<Feed> feed_;
    Index size_ = 0;
    Offset missing_ = 0;
};

struct Options {
    int dim = 2;  ///< of the map, 1 or more
    Method method = Method::dunlin;
    Start start = Start::automatic;
    /// dunlin, smacof: how many starts are tried, of which the end with the least stress is taken: the first as `start`
    /// says, the others random. Default: 16 up to 500 items, else 1; 1 with Start::random or a start that is given
    std::optional<int> starts = {};
    /// dunlin: annealed steps, default: until held-out pairs show no gain; smacof: at most, default 1,000; stochastic,
    /// gpu_sf, glimmer: of a stage, count: default n, else at most, default 2,000; hybrid: of all items, at its end,
    /// default 50
    std::optional<int> iterations = {};
    std::optional<double> tolerance = {};    ///< smacof, and dunlin's last part: default 1e-6, of what is fed 1e-4
    Transform transform = Transform::ratio;  ///< smacof
    std::optional<Index> landmarks = {};     ///< default: landmark 15; pivot 50; dunlin, of what is fed, 200 * dim
    std::optional<Until> until = {};         ///< by forces: default velocity; stochastic: count
    std::optional<int> near = {};            ///< by forces: partners kept, default 4; stochastic, hybrid: 5
    std::optional<int> random = {};          ///< by forces: partners drawn anew, default 4; stochastic, hybrid: 10
    std::optional<int> decimation = {};      ///< glimmer: a level's size over the one below, default 4
    std::optional<Parents> parents = {};     ///< hybrid: default sorted
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    using enum Method;
    const auto method = [&](std::initializer_list<Method> values) { return when("method", o.method, values); };
    const auto by_stress = method({dunlin, smacof});
    const auto by_forces = method({stochastic, gpu_sf, glimmer, hybrid});

    visit(field("dim", o.dim, "dimensions of the map").at_least(1));
    visit(field("method", o.method, "scaling method"));
    visit(field("start", o.start, "initial map, or a file with one, used as it is")
              .read(method({dunlin, smacof, stochastic, gpu_sf, glimmer, hybrid}))
              .or_file());
    visit(field("starts", o.starts,
                "number of starts: the first is start, the others are random; the result has the least stress")
              .at_least(1)
              .read(by_stress)
              .by_rule("16 up to 500 items, else 1; 1 if start is given"));
    visit(field("iterations", o.iterations,
                "dunlin: annealing steps; smacof: maximum number of iterations; stochastic, gpu-sf, glimmer: "
                "iterations per "
                "stage; hybrid: final iterations of all items")
              .at_least(0)
              .read(method({dunlin, smacof, stochastic, gpu_sf, glimmer, hybrid}))
              .by_rule("dunlin: until the stress stops improving; smacof: 1000; with until count: the number of items, "
                       "else at most 2000; hybrid: 50"));
    visit(field("tolerance", o.tolerance,
                "smacof, also the last stage of dunlin: stop if an iteration lowers stress by a smaller fraction")
              .at_least(0)
              .read(by_stress)
              .by_rule("1e-6; dunlin with --feed: 1e-4"));
    visit(field("transform", o.transform, "transformation of the dissimilarities: none, linear, or any monotone one")
              .read(method({smacof})));
    visit(field("landmarks", o.landmarks,
                "number of landmarks, to which all items are compared; dunlin: only with --feed")
              .at_least(1)
              .read(method({dunlin, landmark, pivot}))
              .by_rule("landmark: 15; pivot: 50; dunlin: 200 * dim"));
    visit(field("until", o.until, "stopping rule of a stage")
              .read(by_forces)
              .otherwise(Until::velocity)
              .otherwise(Until::count, method({stochastic})));
    visit(field("near", o.near, "size of each item's near set")
              .at_least(0)
              .read(by_forces)
              .otherwise(4)
              .otherwise(5, method({stochastic, hybrid})));
    visit(field("random", o.random, "size of each item's random set, drawn anew in each iteration")
              .at_least(1)
              .read(by_forces)
              .otherwise(4)
              .otherwise(10, method({stochastic, hybrid})));
    visit(field("decimation", o.decimation, "ratio of the sizes of successive levels")
              .at_least(2)
              .read(method({glimmer}))
              .otherwise(4));
    visit(field("parents", o.parents, "search for the nearest item of the sample")
              .read(method({hybrid}))
              .otherwise(Parents::sorted));
}

/// What a caller already has; null: none.
struct Given {
    const Map* start = nullptr;  ///< n points, taken as they are
    const Map* fixed = nullptr;  ///< dunlin, smacof: n points that stay where they are; NaN: to be placed among them
    const Matrix* weights = nullptr;  ///< dunlin, smacof: n x n, symmetric, >= 0; how much a pair's error counts
};

/// Which of several starts gave the map.
struct Starts {
    int tried = 1;
    int won = 0;  ///< counted from 0; `tried` where it is none of them, but classical scaling or the start itself
    Origin from = Origin::random;
};

/// Stages: "start", "optimize"; iterations: of the start that won.
struct Result : Outcome<Options> {
    Map map;  ///< centered; its axes are its principal axes, the longest first, unless a start or fixed points were
              ///< given
    Starts starts;  ///< dunlin, smacof
};

/// A map of the items, by options.method. That of dunlin and smacof has no more stress than its start, where that is
/// given, and than classical scaling, where all pairs are known and can be afforded (docs/mds.md). Of coincident items,
/// and of 0, 1 or 2 items too. Throws Error{bad_input} for options that contradict each other or the data, or that the
/// method does not look at; Error{no_device} where a GPU is asked for; Error{out_of_memory} before it starts.
/// Cancelled, it returns the map so far; of classical, landmark and pivot, which have none before their end, one
/// without points.
DUNLIN_API Result place(const Dissimilarities& items, const Options& options = {}, const Run& run = {},
                        const Given& given = {});

/// How far a map's distances d are from the dissimilarities delta, sums over the pairs that are not missing.
struct Stress {
    scores::Score normalized_stress;  ///< sum (d - delta)^2 / sum delta^2, not rooted (de Leeuw; what Glimmer prints)
    scores::Score stress1;            ///< Kruskal 1964: sqrt(sum (d - delta)^2 / sum d^2)
    scores::Score scaled_stress1;     ///< stress1 of the map at the scale that makes it least
};

struct StressOptions {
    scores::Extent extent = scores::Extent::sampled;  ///< full: all pairs, of what is fed as the budget allows
    /// Where extent is `sampled`, up to this many items all pairs are used; default 2,000, of what is fed and not all
    /// known 0.
    std::optional<Index> exact_rows = {};
    /// Beyond, all pairs of this many items, drawn by the run's seed; default 600, of what is fed 64: where these
    /// cannot be afforded, of those whose distances are known, which flatters the map.
    std::optional<Index> sample = {};
};

template <class Visit>
void fields(Visit&& visit, StressOptions& o) {
    const auto sampled = when("scores", o.extent, {scores::Extent::sampled});

    visit(field("scores", o.extent, scores::scores_help));
    visit(field("exact-rows", o.exact_rows, "up to this many items, stress uses all pairs")
              .at_least(0)
              .read(sampled)
              .by_rule("2000; with --feed, unless all distances are known: 0"));
    visit(field("sample", o.sample, "size of the sample of items if there are more")
              .at_least(1)
              .read(sampled)
              .by_rule("600; with --feed: 64"));
}

/// All three, from one look at the pairs, summed in double. Sampled ones are corrected by the pairs of the drawn items
/// with each other (src/scores/pair_means.hpp); the standard error is that of a ratio, linearized.
/// 0 where there is no dissimilarity above 0 and the map is in one place; NaN after a stop, as are the other stresses
/// of a map. Throws Error{bad_input} if the sizes differ.
DUNLIN_API Stress stress(const Dissimilarities& items, const Map& map, const StressOptions& options = {},
                         const Run& run = {});

/// sum w (d - delta)^2 / sum w delta^2 over pairs that are not missing: what dunlin and smacof make least where weights
/// are given. weights: n x n, checked as place() does. Throws Error{bad_input} if the sizes differ, or if the
/// dissimilarities are fed.
DUNLIN_API double weighted_stress(const Dissimilarities& items, const Map& map, const Matrix& weights,
                                  const Run& run = {});

/// Kruskal's stress1 of a map and the dissimilarities' best transform: sqrt(sum w (d - dhat)^2 / sum w d^2), over pairs
/// that are not missing. weights: n x n or null. ratio: of the best multiple. Throws Error{bad_input} if the sizes
/// differ.
DUNLIN_API double transformed_stress1(const Dissimilarities& items, const Map& map, Transform transform,
                                      const Matrix* weights = nullptr, const Run& run = {});

/// Each item's own normalized_stress, over its pairs with the items that stress() looks at: which items a map
/// misplaces. 0 where it has no dissimilarity above 0. Empty after a stop. Throws Error{bad_input} if the sizes differ.
DUNLIN_API std::vector<double> stress_per_point(const Dissimilarities& items, const Map& map,
                                                const StressOptions& options = {}, const Run& run = {});

/// Shepard 1962: dissimilarities (x) and distances in the map (y) of up to `pairs` pairs, drawn by the run's seed among
/// those that stress() looks at, as a map of two dimensions; those missing and those of one item with itself are left
/// out. A perfect map's lie on the diagonal. Throws Error{bad_input} if the sizes differ.
DUNLIN_API Map shepard_diagram(const Dissimilarities& items, const Map& map, Index pairs = 20000,
                               const StressOptions& options = {}, const Run& run = {});

/// What a normalized_stress means is seen beside that of items which are all equally unlike (a regular simplex) at
/// their best: a map of real items that is not below it tells no more than that they differ. Found by smacof; of at
/// most 500 items, beyond which it hardly rises (0.1773 for many in 2-D, 0.1109 in 3-D).
DUNLIN_API double simplex_stress(Index n, int dim, const Run& run = {});

}  // namespace dunlin::mds
