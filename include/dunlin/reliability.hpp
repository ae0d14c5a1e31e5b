// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/types.hpp>

/// How far each point of a map can be trusted: diagnostics per point, of maps made by Dunlin or by another program.
/// Definitions, sources and limits: docs/reliability.md.
namespace dunlin::reliability {

/// The method that made the map. kl, singularity, home, gap and perturbation are those of t-SNE's loss.
enum class Method { tsne, umap };
constexpr std::array<std::string_view, 2> names(Method) { return {"tsne", "umap"}; }

struct Options {
    Method method = Method::tsne;
    std::optional<float> perplexity =
        {};  ///< of the map's affinities; default 30, or (n - 1) / 3 where that is smaller
    neighbors::Metric metric = neighbors::Metric::euclidean;
    neighbors::Method search = neighbors::Method::automatic;
    std::optional<double> recall = {};      ///< of the neighbors an approximate search finds; default 0.99
    std::optional<Index> k = {};            ///< neighbors of intruders and lost; default 12, or (n - 1) / 2 if smaller
    std::optional<Index> ranks = {};        ///< larger ranks count as one more than this; default 3 * perplexity
    int starts = 4;                         ///< of each minimization, besides the point's own position
    std::optional<Index> home_sample = {};  ///< points whose home, gap and perturbation are found; default all
    bool perturb = false;                   ///< also compute perturbation
    std::optional<float> length = {};    ///< of a perturbation; default half the median distance to the 15th neighbor
    int bootstrap = 0;                   ///< maps of resampled rows, for stability
    bool null = false;                   ///< also compute null_p, from a map of data without structure
    std::optional<int> iterations = {};  ///< of these further maps; default that of the method
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    using enum neighbors::Method;
    const auto tsne = when("method", o.method, {Method::tsne});

    visit(field("method", o.method, "method that made the map; umap: intruders, lost, stability and null_p alone"));
    visit(field("perplexity", o.perplexity, "perplexity of the map's affinities")
              .at_least(1)
              .read(tsne)
              .by_rule("30, or (n - 1) / 3, of given neighbors a third of them, if smaller"));
    visit(field("metric", o.metric, "distance between two points of the data; not inner-product"));
    visit(field("neighbors", o.search, "neighbor search in the data, or a graph file").or_file());
    visit(field("recall", o.recall, "target recall of an approximate search: fraction of the true neighbors found")
              .above(0)
              .at_most(1)
              .read(when("neighbors", o.search, {automatic, approximate}))
              .otherwise(neighbors::default_recall));
    visit(field("k", o.k, "nearest neighbors that intruders and lost compare")
              .at_least(1)
              .by_rule("12, or (n - 1) / 2 if smaller"));
    visit(field("ranks", o.ranks, "intruders and lost: ranks above this count as one more than this")
              .at_least(1)
              .by_rule("3 * perplexity"));
    visit(field("starts", o.starts, "positions from which a point's own loss is minimized, besides its own")
              .at_least(1)
              .at_most(15)
              .read(tsne));
    visit(field("home-sample", o.home_sample, "find home, gap and perturbation of a random sample of this many points")
              .at_least(2)
              .read(tsne)
              .by_rule("all points"));
    visit(field("perturb", o.perturb, "also find perturbation: how far a point moves when its data are perturbed")
              .read(tsne));
    visit(field("length", o.length, "length of a perturbation, in the unit of the data")
              .above(0)
              .read(tsne)
              .read(when("perturb", o.perturb))
              .by_rule("half the median distance to the 15th neighbor"));
    visit(field("bootstrap", o.bootstrap, "also find stability, from maps of this many bootstrap samples of the rows")
              .at_least(0)
              .at_most(1000));
    visit(field("null", o.null, "also find null_p, from a map of data whose columns are resampled independently"));
    visit(field("iterations", o.iterations, "iterations of the maps of bootstrap and null")
              .at_least(0)
              .read(when("bootstrap or null", o.bootstrap > 0 || o.null))
              .by_rule("the method's default"));
}

/// A value for each point; empty: not computed. NaN: undefined for this point, or not in the sample.
struct Columns {
    /// KL divergence of row i of P and row i of Q, each divided by its sum; that of Q is over all points. With the row
    /// sums p_i and q_i, KL(P, Q) = sum_i p_i kl_i + sum_i p_i log(p_i / q_i).
    std::vector<float> kl;
    /// Local trustworthiness: excess ranks in the data, sum of (min(r, R + 1) - k) over the k nearest in the map of
    /// rank r > k, as a share of the largest possible sum; R is options.ranks. With R = n - 1 the mean is 1 -
    /// trustworthiness.
    std::vector<float> intruders;
    /// Local continuity: the same with data and map exchanged.
    std::vector<float> lost;
    /// 1 / least eigenvalue of the Hessian of KL(P, Q) with respect to the point's position (Liu, Ma and Zhong 2025);
    /// infinity if that is not positive, so that the position is no minimum.
    std::vector<float> singularity;
    /// Distance from the point's position to the minimum of the loss of this point alone, in median nearest-neighbor
    /// distances of the map.
    std::vector<float> home;
    /// How much higher, in nats, the lowest minimum is that lies elsewhere; infinity if no other was found.
    std::vector<float> gap;
    /// Largest distance from the point's position to the minimum after a perturbation of its data by options.length
    /// along one of the first three principal axes, either way; unit of home.
    std::vector<float> perturbation;
    /// 1 / (1 + v), v the mean over other points j of the variance of the distance to j over the maps of bootstrap
    /// samples, relative to a map's mean distance (Sun, Ma and Zou 2023).
    std::vector<float> stability;
    /// Share of the points of a map of structureless data that have a lower kl (Johnson, Kath and Mani 2022); with
    /// method umap: a lower intruders + lost. Equal values count half.
    std::vector<float> null_p;
};

/// Calls visit(name, column) for all columns, in the order of files.
template <class Visit, class AnyColumns>
void each_column(AnyColumns& columns, const Visit& visit) {
    visit("kl", columns.kl);
    visit("intruders", columns.intruders);
    visit("lost", columns.lost);
    visit("singularity", columns.singularity);
    visit("home", columns.home);
    visit("gap", columns.gap);
    visit("perturbation", columns.perturbation);
    visit("stability", columns.stability);
    visit("null_p", columns.null_p);
}

/// Largest distance of a point at home from its position, as a share of the map's span: its largest extent.
constexpr double far_from_home = 0.05;
/// Largest median_newton_step of a converged map, in median nearest-neighbor distances.
constexpr double converged_step = 0.1;
/// Value of `lost` above which a point is torn from its neighbors.
constexpr double torn_off = 0.5;

/// Shares of unreliable points, with the standard errors of a sample. Empty: the column was not computed.
struct Summary {
    std::optional<scores::Score> points_elsewhere;  ///< home further than far_from_home
    std::optional<scores::Score> points_torn;       ///< lost above torn_off
    std::optional<scores::Score> points_unheld;     ///< singularity is infinite
    double nn_distance = 0;  ///< unit of home: median distance in the map to the nearest point elsewhere; NaN: none
};

/// The shares of the points of a map in these columns, as computed or as read from a file.
/// Throws Error{bad_input} if the sizes differ.
DUNLIN_API Summary summarize(const Map& map, const Columns& columns, const Run& run = {});

/// Given results of stages; null: to be computed.
struct Given {
    const Graph* neighbors = nullptr;  ///< n rows, weights are distances in the data, in any order
};

/// options.search: the search method that ran. Stages: "neighbors", "ranks" (intruders and lost), "affinities",
/// "singularity" (with kl), "home", "perturb", "bootstrap", "null".
struct Result : Outcome<Options> {
    Columns columns;
    Summary summary;
    /// Median over the points of the length of Newton's step of the whole loss at a point's position, H_i^-1 grad_i, in
    /// map units: small in a map that has converged. singularity and home say little otherwise. Infinite if H_i is not
    /// positive definite at most points. Not of UMAP.
    std::optional<double> median_newton_step;
    double search_recall = 1, search_recall_se = 0;
};

/// Diagnoses the map of these points. Dimension of the map: 1, 2 or 3. After a stop the columns found so far are
/// complete and the others empty.
/// Throws Error{bad_input} for sizes that differ, NaN or infinity, options out of range or not read by the method;
/// Error{out_of_memory}.
DUNLIN_API Result evaluate(const Map& map, MatrixView<const float> points, const Options& options = {},
                           const Run& run = {}, const Given& given = {});

}  // namespace dunlin::reliability
