// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <dunlin/descent.hpp>
#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// UMAP: McInnes, Healy and Melville 2018. The map descends along the expected field of umap-learn's sampled updates
/// (Damrich and Hamprecht 2021; Böhm, Berens and Kobak 2022), summed over all pairs, so that the same seed gives the
/// same map (docs/umap.md).
namespace dunlin::umap {

/// Constants of other methods and programs. umap_learn: a spectral start. largevis (Tang et al. 2016) and neg_tsne
/// (Damrich, Böhm, Hamprecht and Kobak 2023): memberships 1 / (1 + d^2) in the map; largevis repels 7 times as
/// strongly. Memberships in the data stay UMAP's.
enum class Preset { umap_learn, largevis, neg_tsne };
constexpr std::array<std::string_view, 3> names(Preset) { return {"umap-learn", "largevis", "neg-tsne"}; }

using descent::Given;
using descent::Repulsion;
using descent::Start;

struct Options {
    int dim = 2;                   ///< 1 to 64
    std::optional<Index> k = {};   ///< neighbors of a point, the point itself counted, as in umap-learn; default 15, or
                                   ///< all that are given
    float min_dist = 0.1F;         ///< distance in the map below which neighbors lie as near as can be
    float spread = 1;              ///< scale of the map: memberships fall to 1/e beyond min_dist + spread
    std::optional<float> a = {};   ///< membership in the map 1 / (1 + a d^2b); default: fitted to min_dist and
    std::optional<float> b = {};   ///< spread. Both or neither
    float local_connectivity = 1;  ///< nearest neighbors of a point that are its members in full
    float mix = 1;                 ///< 1: fuzzy union of the memberships of both ends, 0: intersection
    float labels_weight = 0;       ///< supervision by labels; 0: none
    float negatives = 5;           ///< strength of the repulsion: samples per edge and iteration in umap-learn
    float repulsion_strength = 1;  ///< another factor of the repulsion
    float softening = 0.02F;       ///< squared distance below which repulsion is softened
    std::optional<Index> pca = {};  ///< reduce the points to this many principal components first
    neighbors::Metric metric = neighbors::Metric::euclidean;
    neighbors::Method search = neighbors::Method::automatic;
    std::optional<double> recall = {};  ///< of the neighbors an approximate search finds; default 0.99
    Start start = Start::pca;           ///< initial map, scaled so that its largest coordinate is 10
    int iterations = 500;
    float learning_rate = 1;  ///< falls to 0 in the last fifth of the iterations
    float momentum = 0.8F;
    float least_gain = 0.01F;
    float longest_step = 4;  ///< a point's step is clipped to this length; 0: no clipping
    Repulsion repulsion = Repulsion::automatic;
    std::optional<float> theta = {};    ///< tree: largest cell side over distance; default 0.5
    std::optional<float> spacing = {};  ///< grid: largest distance between nodes; default 0.05, in 3-D 0.1
    std::optional<Index> draws = {};    ///< drawn: points that repel a point in an iteration; default 32
    bool densmap = false;               ///< densMAP: local densities of the data are kept. On a CPU
    float dens_lambda = 2;              ///< its strength against that of the memberships
    float dens_frac = 0.3F;             ///< share of the iterations, the last ones, in which it acts
    float dens_var_shift = 0.1F;        ///< added to the variance of the radii in the map
};

/// min-dist, spread, a, b: the curve of memberships in the map.
template <class Visit, class Struct>
void curve_fields(Visit&& visit, Struct& o) {
    visit(field("min-dist", o.min_dist, "distance in the map below which neighbors lie as near as can be").at_least(0));
    visit(field("spread", o.spread, "scale of the map; min-dist is at most this").above(0));
    visit(field("a", o.a, "membership in the map is 1 / (1 + a d^2b); both a and b or neither")
              .above(0)
              .by_rule("fitted to min-dist and spread"));
    visit(field("b", o.b, "exponent of the membership in the map")
              .above(0)
              .at_most(4)
              .by_rule("fitted to min-dist and spread"));
}

/// local-connectivity, mix: the memberships in the data.
template <class Visit, class Struct>
void membership_fields(Visit&& visit, Struct& o) {
    visit(field("local-connectivity", o.local_connectivity,
                "nearest neighbors of a point that are members in full; a fraction interpolates")
              .at_least(0));
    visit(field("mix", o.mix, "1: union of the memberships of both ends of an edge; 0: intersection")
              .at_least(0)
              .at_most(1));
}

/// negatives, repulsion-strength, softening: the repulsion.
template <class Visit, class Struct>
void strength_fields(Visit&& visit, Struct& o) {
    visit(field("negatives", o.negatives, "repulsion: expected effect of this many negative samples per edge")
              .at_least(0)
              .may_change());
    visit(field("repulsion-strength", o.repulsion_strength, "factor of the repulsion").at_least(0).may_change());
    visit(field("softening", o.softening, "squared distance below which the repulsion is softened").above(0));
}

/// densmap and its constants.
template <class Visit, class Struct>
void density_fields(Visit&& visit, Struct& o) {
    const auto of_densmap = when("densmap is on", o.densmap);
    visit(field("densmap", o.densmap, "densMAP: keep the local densities of the data, on a CPU"));
    visit(field("dens-lambda", o.dens_lambda, "strength of the densities against that of the memberships")
              .at_least(0)
              .read(of_densmap));
    visit(field("dens-frac", o.dens_frac, "share of the iterations, the last ones, in which densities act")
              .at_least(0)
              .at_most(1)
              .read(of_densmap));
    visit(field("dens-var-shift", o.dens_var_shift, "added to the variance of the logarithms of radii in the map")
              .at_least(0)
              .read(of_densmap));
}

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("dim", o.dim, "dimensions of the map").at_least(1).at_most(descent::most_dimensions));
    visit(field("k", o.k, "neighbors per point, the point itself counted")
              .at_least(2)
              .by_rule("15; of given neighbors all"));
    curve_fields(visit, o);
    membership_fields(visit, o);
    visit(
        field(
            "labels-weight", o.labels_weight,
            "supervision: memberships of points with different labels shrink by exp(-2.5 / (1 - labels-weight)), those "
            "of a point without label by exp(-1); 0: labels are not used")
            .at_least(0)
            .at_most(1));
    strength_fields(visit, o);
    descent::search_fields(visit, o);
    visit(field("start", o.start,
                "initial positions, scaled so that the largest coordinate is 10, or a file with a map, scaled so if it "
                "is far wider than maps")
              .or_file());
    visit(field("iterations", o.iterations, "number of iterations").at_least(0));
    visit(field("learning-rate", o.learning_rate, "step per unit of gradient; falls to 0 in the last fifth")
              .above(0)
              .may_change());
    visit(field("momentum", o.momentum, "share of the last step that is kept").at_least(0).below(1).may_change());
    descent::step_fields(visit, o);
    descent::repulsion_fields(visit, o, {0.05F, 0.1F, "0.05, in 3-D 0.1"});
    descent::draws_field(visit, o, 32);
    density_fields(visit, o);
}

/// The options of a preset; options that it does not define keep Dunlin's default.
DUNLIN_API Options options_of(Preset preset);

/// Stages: "start", "neighbors", "memberships", "optimize".
struct Result : descent::EmbeddingResult<Options> {
    double cross_entropy = 0;  ///< between memberships in the data and in the map, per point of mean degree, with the
                               ///< softened repulsion; NaN: cancelled before it was computed
    double cross_entropy_se = 0;  ///< standard error if the repulsion was sampled; 0: exact
};

/// Parameters of the membership in the map, 1 / (1 + a d^2b).
struct Curve {
    float a = 0, b = 0;
};

/// Least-squares fit of the curve to 1 for d <= min_dist and exp(-(d - min_dist) / spread) beyond, at 300 distances up
/// to 3 spread. Throws Error{bad_input} unless 0 <= min_dist <= spread and spread > 0.
DUNLIN_API Curve fit_curve(float min_dist, float spread);

/// Memberships of edges in the data: the fuzzy union of exp(-(d - rho_i) / sigma_i) over both ends, where rho_i is the
/// distance of the nearest neighbor and sigma_i makes the memberships of the neighbors of i sum to log2(k).
/// `neighbors`: distances as weights, in any order, without the point itself; k is the degree plus 1. Of the options
/// local_connectivity and mix are read. Throws Error{bad_input} as tsne::affinities. If cancelled, it returns an empty
/// graph.
DUNLIN_API Graph memberships(const Graph& neighbors, const Options& options = {}, const Run& run = {});

/// Memberships supervised by labels, as umap-learn's for categories: an edge between different labels shrinks by
/// exp(-2.5 / (1 - weight)), an edge of a point without label by exp(-1); then rows are scaled to a maximum of 1 and
/// both ends are joined again. labels.of[i] < 0: no label. Throws Error{bad_input} unless 0 < weight
/// <= 1 and there is a label for every point. If cancelled, it returns an empty graph.
DUNLIN_API Graph supervised(const Graph& memberships, const Labels& labels, float weight, const Run& run = {});

/// Logarithm of the local radius of each point, which densMAP (Narayan, Berger and Cho 2021) keeps: log(e + sum_j mu_ij
/// d_ij^power / sum_j mu_ij) over its edges, mu the memberships, d the larger of the distances of both ends, e 1e-8 of
/// the mean over all points. NaN: no edge. `neighbors`, options: as for memberships; labels: as for supervised, with
/// options.labels_weight. Throws Error{bad_input} as both, and unless power is 1 or 2. If cancelled, it returns
/// nothing.
DUNLIN_API std::vector<float> log_radii(const Graph& neighbors, const Options& options = {}, int power = 2,
                                        const Run& run = {}, const Labels* labels = nullptr);

/// Descends from `start` (options.start is ignored) with these symmetric memberships; options.labels_weight must be 0
/// and options.densmap off, which needs distances. keeps_start: as Given::keeps_start.
DUNLIN_API Result embed(Graph memberships, const Map& start, const Options& options = {}, const Run& run = {},
                        bool keeps_start = false);

/// All stages: neighbors, memberships, start, optimization.
/// Throws Error{bad_input} for options that contradict each other or the data, Error{out_of_memory} before it starts.
/// If cancelled, it returns the map so far; before the descent, the initial map, or a random one if there is none yet.
DUNLIN_API Result embed(MatrixView<const float> points, const Options& options = {}, const Run& run = {},
                        const Given& given = {});

}  // namespace dunlin::umap
