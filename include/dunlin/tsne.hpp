// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <dunlin/descent.hpp>
#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// t-SNE: van der Maaten and Hinton 2008; Barnes-Hut: van der Maaten 2014; grid: after Linderman et al. 2019.
namespace dunlin::tsne {

using descent::Given;
using descent::Repulsion;
using descent::Start;

/// The parameters of other programs, for comparison; kobak_berens: the recommendation of Kobak and Berens 2019 (The art
/// of using t-SNE for single-cell transcriptomics).
enum class Preset { opentsne, sklearn, fitsne, bhtsne, kobak_berens };
constexpr std::array<std::string_view, 5> names(Preset) {
    return {"opentsne", "sklearn", "fitsne", "bhtsne", "kobak-berens"};
}

/// The affinities p_j|i of a point's neighbors. gaussian: of each perplexity the Gaussian of this entropy; of several
/// their mean. mixture: one density, the Gaussians weighted by their normalizing factors (openTSNE's
/// MultiscaleMixture); with one perplexity as gaussian. uniform: 1 / k.
enum class AffinityKind { gaussian, mixture, uniform };
constexpr std::array<std::string_view, 3> names(AffinityKind) { return {"gaussian", "mixture", "uniform"}; }

/// How a GPU stores the affinities. single: one list of 8 bytes an entry, which takes 40 bytes for each of the n k
/// neighbors while it is made. half: 6 bytes an entry and at most 12 for each of the n k neighbors; weights are rounded
/// to 11 bits, the least ones to 3e-11 / n times the largest weight of a point over their mean. automatic: half where
/// n k is over 3 * 10^9, for which single takes more than 120 GB. Half is for neighbors that are searched for on the
/// GPU.
enum class Precision { automatic, single, half };
constexpr std::array<std::string_view, 3> names(Precision) { return {"auto", "single", "half"}; }

/// Places to which springs draw the points. start: those of the initial map, scaled to fit the map in every iteration;
/// with a start by PCA the map keeps more of the data's large distances (DREAMS, arXiv 2508.13747). given:
/// Given::anchors, in units of the map.
enum class Anchor { none, start, given };
constexpr std::array<std::string_view, 3> names(Anchor) { return {"none", "start", "given"}; }

struct Options {
    int dim = 2;                           ///< 1, 2 or 3
    std::optional<float> perplexity = {};  ///< default 30, or a third of the neighbors if smaller
    /// Several perplexities in place of one, separated by commas: "30,300". n/100 is the number of points over 100; it
    /// is left out where another one is as large.
    std::optional<std::string> perplexities = {};
    AffinityKind affinities = AffinityKind::gaussian;
    Precision affinity_precision = Precision::automatic;  ///< single or half on a GPU
    std::optional<Index> k = {};    ///< neighbors per point; default 3 * the largest perplexity, uniform 15
    float freedom = 1;              ///< degrees of freedom: q = (1 + r^2 / freedom)^-freedom
    std::optional<Index> pca = {};  ///< reduce the points to this many principal components first
    neighbors::Metric metric = neighbors::Metric::euclidean;
    neighbors::Method search = neighbors::Method::automatic;
    std::optional<double> recall = {};             ///< of the neighbors an approximate search finds; default 0.99
    Start start = Start::pca;                      ///< initial map, scaled to a standard deviation of 1e-4
    int iterations = 750;                          ///< in total
    int exaggerated_iterations = 250;              ///< of these, with `exaggeration`
    float exaggeration = 12;                       ///< factor on the affinities in the exaggerated iterations
    std::optional<float> late_exaggeration = {};   ///< factor afterwards; default 1, see exaggerate_large
    bool exaggerate_large = false;                 ///< late_exaggeration 4 by default above 100,000 points
    std::optional<float> learning_rate = {};       ///< default n / exaggeration (gradient without its factor 4)
    std::optional<float> late_learning_rate = {};  ///< after the exaggerated phase; default: learning_rate if given,
                                                   ///< else n / late_exaggeration
    float least_learning_rate = 0;                 ///< lower bound of both; a lower one given is Error{bad_input}
    bool rate_by_phase = true;                     ///< false: late_learning_rate is learning_rate by default
    float first_momentum = 0.8F;
    float momentum = 0.8F;  ///< after the exaggerated phase
    float least_gain = 0.01F;
    float longest_step = 5;            ///< a point's step is clipped to this length; 0: no clipping
    float tolerance = 0;               ///< stop when kl falls by less than this share in 50 iterations; 0: never
    std::optional<int> patience = {};  ///< stop when kl has not fallen below its minimum for more iterations than this
    float min_gradient = 0;            ///< stop when the norm of the gradient (without its factor 4) is at most this
    Anchor anchor = Anchor::none;
    std::optional<float> anchor_strength = {};  ///< default 0.15
    Repulsion repulsion = Repulsion::automatic;
    std::optional<float> theta = {};    ///< tree: largest cell side over distance; default 0.5
    std::optional<float> spacing = {};  ///< grid: largest distance between nodes; default 1/3, in 3-D 0.4,
                                        ///< times the root of freedom
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("dim", o.dim, "dimensions of the map; umap and pacmap have up to 64").at_least(1).at_most(3));
    const Condition gaussians = when("affinities", o.affinities, {AffinityKind::gaussian, AffinityKind::mixture});
    visit(field("perplexity", o.perplexity, "effective number of neighbors")
              .at_least(1)
              .read(when("no perplexities are given", !o.perplexities))
              .read(gaussians)
              .by_rule("30, or (n - 1) / 3 or a third of k if smaller"));
    visit(field("perplexities", o.perplexities,
                "several perplexities in place of one, such as 30,300 or 30,n/100 (n: number of points)")
              .read(gaussians));
    visit(field("affinities", o.affinities,
                "affinities of a point's neighbors; gaussian: mean over the perplexities; mixture: one density of "
                "them; or a graph file with the affinities")
              .or_file());
    visit(field("affinity-precision", o.affinity_precision,
                "how a GPU stores the affinities; half: 6 bytes an entry, to 11 bits; auto: half where n * k is over "
                "3 * 10^9"));
    visit(field("k", o.k, "neighbors per point")
              .at_least(1)
              .by_rule("3 * the largest perplexity; uniform: 15; of given neighbors all"));
    descent::search_fields(visit, o);
    visit(field("start", o.start,
                "initial positions, scaled to a standard deviation of 1e-4, or a file with a map, scaled so if it is "
                "far wider than maps")
              .or_file());
    visit(field("iterations", o.iterations, "total number of iterations").at_least(0));
    visit(field("exaggerated-iterations", o.exaggerated_iterations, "iterations with early exaggeration").at_least(0));
    visit(field("exaggeration", o.exaggeration, "early exaggeration: factor of the affinities").above(0));
    visit(field("late-exaggeration", o.late_exaggeration, "factor of the affinities after early exaggeration")
              .above(0)
              .by_rule("1, see exaggerate-large")
              .may_change());
    visit(field("exaggerate-large", o.exaggerate_large,
                "late-exaggeration is 4 where there are more than 100,000 points, unless it is given"));
    visit(field("learning-rate", o.learning_rate, "step per unit of gradient (without the gradient's factor 4)")
              .above(0)
              .by_rule("n / exaggeration"));
    visit(field("late-learning-rate", o.late_learning_rate, "learning rate after early exaggeration")
              .above(0)
              .by_rule("learning-rate if given, else n / late-exaggeration")
              .may_change());
    visit(field("least-learning-rate", o.least_learning_rate, "lower bound of the learning rates").at_least(0));
    visit(field("rate-by-phase", o.rate_by_phase, "late-learning-rate follows late-exaggeration unless it is given"));
    visit(field("first-momentum", o.first_momentum, "momentum during early exaggeration").at_least(0).below(1));
    visit(field("momentum", o.momentum, "momentum after early exaggeration").at_least(0).below(1).may_change());
    descent::step_fields(visit, o);
    visit(field("tolerance", o.tolerance, "stop if kl falls by a smaller fraction in 50 iterations; 0: never")
              .at_least(0));
    visit(field("patience", o.patience,
                "stop if kl stays above its minimum for more than this number of iterations after early exaggeration")
              .at_least(0));
    visit(field("min-gradient", o.min_gradient,
                "stop if the norm of the gradient (without its factor 4) is at most this; 0: never")
              .at_least(0));
    visit(field("freedom", o.freedom, "degrees of freedom of the map's kernel; below 1: finer clusters")
              .at_least(0.1)
              .at_most(100));
    visit(field("anchor", o.anchor,
                "places to which springs draw points; start: the initial map, scaled to fit; or a file with a map, in "
                "which a point without coordinates has no spring")
              .or_file());
    visit(field("anchor-strength", o.anchor_strength, "strength of the springs to the anchors")
              .above(0)
              .read(when("anchor", o.anchor, {Anchor::start, Anchor::given}))
              .otherwise(0.15F));
    descent::repulsion_fields(visit, o, {1.0F / 3, 0.4F, "1/3, in 3-D 0.4, times the root of freedom"});
}

/// The options of a preset; options that it does not define keep Dunlin's default.
DUNLIN_API Options options_of(Preset preset);

/// Stages: "start", "neighbors", "affinities", "optimize".
struct Result : descent::EmbeddingResult<Options> {
    double kl = 0;             ///< KL(P, Q), full normalization, no exaggeration; NaN: cancelled before it was computed
    double kl_se = 0;          ///< standard error if the normalizer was sampled; 0: exact
    bool symmetrized = false;  ///< given affinities were not symmetric; the mean of both directions was taken
};

/// Symmetric affinities p_ij = (p_j|i + p_i|j) / 2n as one merged graph whose weights sum to 1. Each p_.|i is a
/// Gaussian over the neighbors of i whose entropy is log(perplexity) (van der Maaten and Hinton 2008, eq. 1).
/// `neighbors`: distances as weights, in any order. Throws Error{bad_input} if perplexity is not in
/// [1, least degree], naming the largest legal value, and with the row if a weight is negative or not finite, a list
/// contains the point itself or a duplicate, or weights decrease in all rows, which indicates similarities. If
/// cancelled, it returns an empty graph.
DUNLIN_API Graph affinities(const Graph& neighbors, float perplexity, const Run& run = {});

/// Affinities by options.perplexity, perplexities and affinities: p_.|i is the mean over the perplexities, a mixture of
/// them, or uniform. point_weights: one finite number w_i > 0 per point, with which p_ij = (w_i p_j|i + w_j p_i|j) /
/// (2 sum of all w). Empty: all w_i are 1.
DUNLIN_API Graph affinities(const Graph& neighbors, const Options& options, const Run& run = {},
                            std::span<const float> point_weights = {});

/// Given affinities as the descent takes them: symmetric, with targets that ascend in every row, and of sum 1. A matrix
/// that is not symmetric becomes the mean of both directions.
struct JointAffinities {
    Graph graph;  ///< empty if cancelled
    bool symmetrized = false;
};
/// Throws Error{bad_input} with the row for weights that are negative or not finite, a point's affinity to itself, a
/// target twice in a row, and if no weight is above 0.
DUNLIN_API JointAffinities joint_affinities(const Graph& affinities, const Run& run = {});

/// Minimizes KL(P, Q) from `start`, with Q of the kernel q = (1 + r^2 / freedom)^-freedom; options.start is ignored.
/// With anchors a and their scale s, KL + (anchor_strength / n) sum |y_i - s a_i|^2 over the points that have one.
/// keeps_start: as Given::keeps_start.
DUNLIN_API Result embed(Graph affinities, const Map& start, const Options& options = {}, const Run& run = {},
                        bool keeps_start = false);

/// All stages: neighbors, affinities, start, optimization.
/// Throws Error{bad_input} for options that contradict each other or the data, Error{out_of_memory} before it starts.
/// If cancelled, it returns the map so far; before the descent, the initial map, or a random one if there is none yet.
DUNLIN_API Result embed(MatrixView<const float> points, const Options& options = {}, const Run& run = {},
                        const Given& given = {});

}  // namespace dunlin::tsne
