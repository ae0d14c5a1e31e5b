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
#include <dunlin/normalize.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/sequences.hpp>
#include <dunlin/types.hpp>

/// Multidimensional scaling: maps whose distances d_ij approximate given dissimilarities delta_ij. docs/mds.md has the
/// equations.
namespace dunlin::mds {

/// dunlin: stochastic gradient descent over pairs in groups of 32, shuffled in each step, with annealed step sizes;
///     then smacof if all pairs are affordable.
/// smacof: de Leeuw's majorization over all pairs (Borg and Groenen 2005, ch. 8); stress never increases.
/// classical: Torgerson 1952: leading eigenvectors of the doubly centered squared dissimilarities.
/// landmark: de Silva and Tenenbaum 2004: classical scaling of a few random items, the others by triangulation.
/// pivot: Brandes and Pich 2007: leading singular vectors of the columns of distant items, optimally rescaled.
/// stochastic: Chalmers 1996: symmetric forces between each item and a few near and a few random ones.
/// gpu_sf: Ingram, Munzner and Olano, "Glimmer": stochastic without symmetry, until speeds have fallen.
/// glimmer: the same paper: gpu_sf on nested random subsets, from small to large.
/// hybrid: stochastic on a sample of sqrt(n) items; the others are then interpolated (papers: see Parents).
enum class Method { dunlin, smacof, classical, landmark, pivot, stochastic, gpu_sf, glimmer, hybrid };
constexpr std::array<std::string_view, 9> names(Method) {
    return {"dunlin", "smacof", "classical", "landmark", "pivot", "stochastic", "gpu-sf", "glimmer", "hybrid"};
}

/// Initial map. automatic: classical scaling where it is cheap, else pivot scaling, both optimally rescaled; random if
/// that has no less stress.
enum class Start { automatic, random };
constexpr std::array<std::string_view, 2> names(Start) { return {"auto", "random"}; }

/// Origin of the returned map: classical scaling, pivot scaling, a random start, or the given start map.
enum class Origin { classical, pivot, random, given };
constexpr std::array<std::string_view, 4> names(Origin) { return {"classical", "pivot", "random", "given"}; }

/// Condition that ends a stage of a spring method.
/// count: the number of iterations.
/// velocity: over ten iterations the mean speed never rose and fell by at most a fraction of its maximum (1/32, in the
///     last stage 1/1000), after a low-pass filter of 21 taps (Glimmer's draft).
/// stress: the stress over the pairs of an iteration, after a filter of 50 taps, changed by less than 1e-4 in each of
///     ten iterations (Glimmer in TVCG 15(2); the ten are the draft's).
enum class Until { count, velocity, stress };
constexpr std::array<std::string_view, 3> names(Until) { return {"count", "velocity", "stress"}; }

/// How hybrid finds a near item of the sample for each other item. sorted: binary search in lists sorted by distance
/// from a few pivots (Jourdan and Melancon 2004, O(n log n)); buckets: n^(1/4) distance intervals around n^(1/4) pivots
/// (Morrison, Ross and Chalmers 2003, O(n^5/4)).
enum class Parents { sorted, buckets };
constexpr std::array<std::string_view, 2> names(Parents) { return {"sorted", "buckets"}; }

/// Transformation of dissimilarities by smacof. ratio: none; interval: a + b delta with b at least 0 and an a of any
/// sign, such that none is below 0, as no distance is; interval_bounded: with a at least 0, too; ordinal: any that
/// preserves their order, where ties may be broken (Kruskal 1964, primary approach). But with ratio the disparities
/// have mean square 1, which sets the scale of the map.
enum class Transform { ratio, interval, interval_bounded, ordinal };
constexpr std::array<std::string_view, 4> names(Transform) {
    return {"ratio", "interval", "interval-bounded", "ordinal"};
}

using dunlin::Normalize;

/// Dissimilarities of points.
struct PointOptions {
    neighbors::Metric metric = neighbors::Metric::euclidean;
    Normalize normalize = Normalize::none;
};

template <class Visit>
void fields(Visit&& visit, PointOptions& o) {
    visit(field("metric", o.metric, "points: metric of the dissimilarities; not inner-product"));
    visit(normalize_field(o.normalize));
}

/// Computes out[k] = delta(i[k], j[k]), finite and at least 0, for pairs i[k] != j[k]; no pair is requested twice.
/// Exceptions propagate to the caller; after a requested cancellation they end the run as cancelled.
using Distances = std::function<void(std::span<const Index> i, std::span<const Index> j, std::span<float> out)>;

/// Use of on-demand distances.
struct DistanceUsage {
    Offset requested = 0;    ///< pairs that methods requested, each time, or read from a matrix in its file
    Offset computed = 0;     ///< pairs i < j that were computed or read; the others had been requested before
    double share = 0;        ///< computed / all pairs
    bool exhausted = false;  ///< the budget allows no further row to a method
};

class OnDemandRows;

/// Dissimilarities of n items, given by points and a metric (computed when needed), by a square matrix, by strings
/// or tracks, or on demand:
/// computed only for the pairs that a method requests, once, and kept. Copies share the computed distances and their
/// usage; only one run may use them at a time.
class DUNLIN_API Dissimilarities {
public:
    /// Rows are items. Throws Error{bad_input} for NaN or infinity, with the row, and, unless the metric compares
    /// directions, if the largest magnitude is above 1e15 or, not being 0, below 1e-15.
    static Dissimilarities of_points(Matrix points, const PointOptions& options = {}, const Run& run = {});

    /// delta(i, j), n x n, in memory or mapped from a file; NaN: missing. Throws Error{bad_input}, naming the entry,
    /// for a matrix that is not square, a negative or infinite entry, a nonzero diagonal, and pairs whose two entries
    /// differ by more than a relative 1e-5; if all are below 1e-15 and not all 0. A matrix larger than run.memory (or,
    /// if that is 0, than free memory) is read on demand: rows are read and checked when they are requested.
    static Dissimilarities of_matrix(Matrix matrix, const Run& run = {});

    /// On demand from a function, which is called on the thread of the method.
    static Dissimilarities of_callback(Index n, Distances distances);

    /// On demand: lengths of shortest paths in an undirected graph whose weights are edge lengths. Pairs without a path
    /// are missing. Throws Error{bad_input} for a graph that layout::place would refuse.
    static Dissimilarities of_graph(Graph graph, const Run& run = {});

    /// Strings or tracks with one of their metrics: a matrix, or on demand, as options.pairs decides; on the run's
    /// device, of several GPUs on the first. Throws what sequences::distances throws. Empty if cancelled.
    static Dissimilarities of_strings(const sequences::Strings& items, const sequences::Options& options = {},
                                      const Run& run = {});
    static Dissimilarities of_tracks(const sequences::Tracks& items, const sequences::Options& options = {},
                                     const Run& run = {});

    [[nodiscard]] Index size() const { return size_; }
    [[nodiscard]] bool has_points() const { return metric_.has_value(); }
    [[nodiscard]] std::optional<neighbors::Metric> metric() const { return metric_; }
    /// Number of missing pairs i < j; not counted for a matrix that is read on demand.
    [[nodiscard]] Offset missing() const { return missing_; }

    /// Points, prepared for their metric (rows of length 1 for cosine and correlation), or the matrix.
    [[nodiscard]] const Matrix& values() const { return values_; }

    /// Limits the number of distances computed from now on. A method uses seven eighths of the budget and returns the
    /// map that these give; the rest is for stress(). Throws Error{bad_input} if the dissimilarities are not on demand.
    void set_budget(Offset distances);
    [[nodiscard]] DistanceUsage usage() const;

    [[nodiscard]] OnDemandRows* on_demand() const { return on_demand_.get(); }  ///< null: not on demand
    [[nodiscard]] const Graph* graph() const { return graph_.get(); }           ///< null: not of a graph
    [[nodiscard]] bool by_callback() const { return by_callback_; }
    /// The GPU that computes the distances of strings or tracks; none: a CPU does, or they are of something else.
    [[nodiscard]] std::optional<int> gpu() const { return gpu_; }

private:
    template <class Items>
    static Dissimilarities of_sequences(const Items& items, sequences::Options options, const Run& run);

    Matrix values_;
    std::optional<neighbors::Metric> metric_;
    std::shared_ptr<const Graph> graph_;
    std::shared_ptr<OnDemandRows> on_demand_;
    Index size_ = 0;
    Offset missing_ = 0;
    bool by_callback_ = false;
    std::optional<int> gpu_;
};

struct Options {
    int dim = 2;  ///< dimension of the map, at least 1
    Method method = Method::dunlin;
    Start start = Start::automatic;
    /// dunlin, smacof: number of starts, of which the one that ends with the least stress is returned. The first is as
    /// `start` says, the others are random. Default: 16 up to 500 items, else 1; 1 with Start::random or a given start
    std::optional<int> starts = {};
    /// dunlin: annealing steps, default: until validation pairs show no gain; smacof: limit, default 1,000; stochastic,
    /// gpu_sf, glimmer: per stage, default n for Until::count, else a limit of 20,000; hybrid: of all items in its last
    /// stage, default 50
    std::optional<int> iterations = {};
    std::optional<double> tolerance = {};  ///< smacof, also at the end of dunlin: default 1e-6, on demand 1e-4
    /// Factor of the steps: of the learning rate (dunlin), of the Guttman transform's step (smacof), of time (springs).
    /// The learning rate stays at most 1, and smacof's step at most 2, beyond which stress may rise
    double step = 1;
    Transform transform = Transform::ratio;  ///< smacof, which dunlin is with any other
    std::optional<Index> landmarks = {};     ///< default: landmark 15; pivot 50; dunlin on demand 200 * dim
    std::optional<Until> until = {};         ///< spring methods: default velocity; stochastic: count
    std::optional<int> near = {};            ///< spring methods: near partners, default 4; stochastic, hybrid: 5
    std::optional<int> random = {};          ///< spring methods: random partners, default 4; stochastic, hybrid: 10
    std::optional<int> decimation = {};      ///< glimmer: ratio of the sizes of consecutive levels, default 4
    std::optional<Parents> parents = {};     ///< hybrid: default sorted
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    using enum Method;
    const auto method = [&](std::initializer_list<Method> values) { return when("method", o.method, values); };
    const auto by_stress = method({dunlin, smacof});
    const auto by_forces = method({stochastic, gpu_sf, glimmer, hybrid});

    visit(field("dim", o.dim, "dimensions of the map").at_least(1));
    visit(field("method", o.method, "method of scaling"));
    visit(field("start", o.start, "initial map: a rule, or a map file")
              .read(method({dunlin, smacof, stochastic, gpu_sf, glimmer, hybrid}))
              .or_file());
    visit(field("starts", o.starts,
                "number of starts; the first as --start, the others random; the map with the least stress is returned")
              .at_least(1)
              .read(by_stress)
              .by_rule("16 up to 500 items, else 1; 1 with a given or random start"));
    visit(
        field("iterations", o.iterations,
              "dunlin: number of annealing steps; smacof: maximum; stochastic, gpu-sf, glimmer: per stage; hybrid: of "
              "the last stage, which moves all items")
            .at_least(0)
            .read(method({dunlin, smacof, stochastic, gpu_sf, glimmer, hybrid}))
            .by_rule("dunlin: until another round gains little; smacof: 1000; with until count: as many as items, else "
                     "at most 20000; hybrid: 50"));
    visit(field("tolerance", o.tolerance,
                "smacof, also the last stage of dunlin: stop if an iteration lowers stress by a smaller fraction")
              .at_least(0)
              .read(by_stress)
              .by_rule("1e-6; dunlin with distances on demand: 1e-4")
              .may_change());
    visit(
        field(
            "step", o.step,
            "factor of each item's step: below 1 calmer, above 1 faster; dunlin: of the learning rate, which stays at "
            "most 1; smacof: of the Guttman step; springs: of the time step")
            .above(0)
            .at_most(2)
            .read(method({dunlin, smacof, stochastic, gpu_sf, glimmer, hybrid}))
            .may_change());
    visit(field("transform", o.transform,
                "transformation of dissimilarities: none; linear; linear, no intercept below 0; monotone. dunlin with "
                "one is smacof")
              .read(by_stress));
    visit(field("landmarks", o.landmarks,
                "items whose distances to all others are used; dunlin: with distances on demand")
              .at_least(1)
              .read(method({dunlin, landmark, pivot}))
              .by_rule("landmark: 15; pivot: 50; dunlin: 200 * dim"));
    visit(field("until", o.until, "stopping rule of a stage")
              .read(by_forces)
              .otherwise(Until::velocity)
              .otherwise(Until::count, method({stochastic})));
    visit(field("near", o.near, "near partners of each item")
              .at_least(0)
              .read(by_forces)
              .otherwise(4)
              .otherwise(5, method({stochastic, hybrid})));
    visit(field("random", o.random, "size of each item's random set, drawn anew in each iteration")
              .at_least(1)
              .read(by_forces)
              .otherwise(4)
              .otherwise(10, method({stochastic, hybrid})));
    visit(field("decimation", o.decimation, "ratio of the sizes of consecutive levels")
              .at_least(2)
              .read(method({glimmer}))
              .otherwise(4));
    visit(field("parents", o.parents, "how hybrid finds a near item of the sample")
              .read(method({hybrid}))
              .otherwise(Parents::sorted));
}

/// Optional inputs; null: none.
struct Given {
    const Map* start = nullptr;  ///< n points, used without scaling or jitter
    const Map* fixed =
        nullptr;  ///< dunlin, smacof: n points; they stay fixed, those that are NaN are placed among them
    const Matrix* weights = nullptr;  ///< dunlin, smacof: n x n, symmetric, >= 0: weights of the pairs' errors
};

/// The start that produced the map.
struct Starts {
    int tried = 1;
    int won = 0;  ///< index from 0; `tried` if a bound (classical scaling or the given start) produced it
    Origin from = Origin::random;
};

/// Stages: "start", "optimize". iterations: of the winning start.
struct Result : Outcome<Options> {
    Map map;  ///< centered; its axes are its principal axes, the longest first, unless a start or fixed points were
              ///< given
    Starts starts;  ///< dunlin, smacof
};

/// Scales the items by options.method. Maps of dunlin and smacof have no more stress than a given start, and than
/// classical scaling if all pairs are known and affordable (docs/mds.md). Coincident items and 0, 1 or 2 items are
/// allowed. Throws Error{bad_input} for options that contradict each other or the data, or that the method ignores;
/// Error{no_device} if a requested GPU is missing; Error{out_of_memory} before the run starts. If cancelled, returns
/// the current map; for classical, landmark and pivot, which have none before their end, an empty map.
DUNLIN_API Result place(const Dissimilarities& items, const Options& options = {}, const Run& run = {},
                        const Given& given = {});

/// Errors of the map's distances d against the dissimilarities delta; sums are over pairs that are not missing.
struct Stress {
    scores::Score normalized_stress;  ///< sum (d - delta)^2 / sum delta^2, without a root (de Leeuw)
    scores::Score stress1;            ///< Kruskal 1964: sqrt(sum (d - delta)^2 / sum d^2)
    scores::Score scaled_stress1;     ///< stress1 of the map at its optimal scale
    scores::Score
        map_normalized_stress;  ///< sum (d - delta)^2 / sum d^2, stress1 squared: equation 1 of Glimmer's paper
};

struct StressOptions {
    scores::Extent extent = scores::Extent::sampled;  ///< full: all pairs; on demand, as the budget allows
    /// With extent `sampled`, all pairs are used up to this many items; default 2,000; 0 on demand unless all distances
    /// are known.
    std::optional<Index> exact_rows = {};
    /// Above exact_rows: the pairs of this many random items (by the run's seed) with all items; default 600, on demand
    /// 64. If the budget does not allow these, the items with known distances are used, for which stress is too low.
    std::optional<Index> sample = {};
};

template <class Visit>
void fields(Visit&& visit, StressOptions& o) {
    const auto sampled = when("scores", o.extent, {scores::Extent::sampled});

    visit(field("scores", o.extent, scores::scores_help));
    visit(field("exact-rows", o.exact_rows, "up to this many items stress uses all pairs")
              .at_least(0)
              .read(sampled)
              .by_rule("2000; on demand, unless all distances are known: 0"));
    visit(field("sample", o.sample, "above, stress uses the pairs of this many items")
              .at_least(1)
              .read(sampled)
              .by_rule("600; on demand: 64"));
}

/// Computes all four in one pass over the pairs, in double. Sampled values are corrected by the pairs among the
/// sampled items (src/scores/two_way.hpp); the standard error is that of a ratio, linearized. 0 if all dissimilarities
/// are 0 and all points coincide; NaN after a cancellation, as the other stress functions. Throws Error{bad_input} if
/// the sizes differ.
DUNLIN_API Stress stress(const Dissimilarities& items, const Map& map, const StressOptions& options = {},
                         const Run& run = {});

/// sum w (d - delta)^2 / sum w delta^2 over pairs that are not missing: the objective of dunlin and smacof with
/// weights. weights: n x n, checked as in place(). Throws Error{bad_input} if the sizes differ or the dissimilarities
/// are on demand.
DUNLIN_API double weighted_stress(const Dissimilarities& items, const Map& map, const Matrix& weights,
                                  const Run& run = {});

/// Kruskal's stress1 of a map with the optimal transform: sqrt(sum w (d - dhat)^2 / sum w d^2), over pairs that are not
/// missing. weights: n x n or null. ratio: the optimal multiple. Throws Error{bad_input} if the sizes differ.
DUNLIN_API double transformed_stress1(const Dissimilarities& items, const Map& map, Transform transform,
                                      const Matrix* weights = nullptr, const Run& run = {});

/// normalized_stress of each item over its pairs with the evaluation sample of stress(): shows which items the map
/// misplaces. 0 for an item without a dissimilarity above 0. Empty after a cancellation. Throws Error{bad_input} if the
/// sizes differ.
DUNLIN_API std::vector<double> stress_per_point(const Dissimilarities& items, const Map& map,
                                                const StressOptions& options = {}, const Run& run = {});

/// Shepard diagram (Shepard 1962) as a 2-D map: dissimilarity (x) and map distance (y) of up to `pairs` random pairs
/// among those that stress() uses. Missing pairs and pairs of an item with itself are left out. For a perfect map the
/// points lie on the diagonal. Throws Error{bad_input} if the sizes differ.
DUNLIN_API Map shepard_diagram(const Dissimilarities& items, const Map& map, Index pairs = 20000,
                               const StressOptions& options = {}, const Run& run = {});

/// normalized_stress of a regular simplex (all items equally dissimilar) at its best: a reference. A map that is not
/// below it shows only that the items differ. Found by smacof on at most 500 items, beyond which it hardly rises
/// (0.1773 for large n in 2-D, 0.1109 in 3-D).
DUNLIN_API double simplex_stress(Index n, int dim, const Run& run = {});

}  // namespace dunlin::mds
