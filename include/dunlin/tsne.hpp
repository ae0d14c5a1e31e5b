#pragma once

#include <array>
#include <optional>
#include <string_view>

#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// t-SNE: van der Maaten and Hinton 2008; Barnes-Hut: van der Maaten 2014; grid: after Linderman et al. 2019.
namespace dunlin::tsne {

/// How the repulsion of all by all is summed. automatic: by a measured crossover in n and span.
enum class Repulsion { automatic, exact, tree, grid };
constexpr std::array<std::string_view, 4> names(Repulsion) { return {"auto", "exact", "tree", "grid"}; }

enum class Start { pca, random };
constexpr std::array<std::string_view, 2> names(Start) { return {"pca", "random"}; }

/// Whole sets of constants as other programs have them, for fair comparison.
enum class Preset { opentsne, sklearn, fitsne, bhtsne };
constexpr std::array<std::string_view, 4> names(Preset) { return {"opentsne", "sklearn", "fitsne", "bhtsne"}; }

struct Options {
    int dim = 2;                           ///< 2 or 3
    std::optional<float> perplexity = {};  ///< default 30, or (n - 1) / 3 where that is smaller
    std::optional<Index> k = {};           ///< neighbours per point; default 3 * perplexity
    std::optional<Index> pca = {};         ///< reduce the points to this many principal components first
    neighbors::Metric metric = neighbors::Metric::euclidean;
    neighbors::Method search = neighbors::Method::automatic;
    std::optional<double> recall = {};        ///< of the neighbours an approximate search finds; default 0.99
    Start start = Start::pca;                 ///< first coordinates scaled to a standard deviation of 1e-4
    int iterations = 750;                     ///< in all
    int exaggerated_iterations = 250;         ///< of these, with `exaggeration`
    float exaggeration = 12;                  ///< factor on the affinities at first
    float late_exaggeration = 1;              ///< factor afterwards
    std::optional<float> learning_rate = {};  ///< default n / exaggeration, by phase (gradient without its factor 4)
    float least_learning_rate = 0;            ///< the default rule gives at least this
    bool rate_by_phase = true;                ///< false: the default rule keeps n / exaggeration after the first phase
    float first_momentum = 0.8F;
    float momentum = 0.8F;  ///< after the exaggerated phase
    float least_gain = 0.01F;
    std::optional<float> longest_step = 5.0F;  ///< a point's step is clipped to this length; none: no clipping
    float tolerance = 0;  ///< stop when kl falls by less than this share in 50 iterations; 0: never
    Repulsion repulsion = Repulsion::automatic;
    std::optional<float> theta = {};    ///< tree: largest cell side over distance; default 0.5
    std::optional<float> spacing = {};  ///< grid: largest distance between nodes; default by dim, docs/grid.md
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit("dim", o.dim, "dimensions of the map, 2 or 3");
    visit("perplexity", o.perplexity, "effective number of neighbours (default: 30, or (n - 1) / 3 if smaller)");
    visit("k", o.k, "neighbours per point (default: 3 * perplexity)");
    visit("pca", o.pca, "reduce points of more columns to this many principal components (default: as they are)");
    visit("metric", o.metric, "distance between two points");
    visit("neighbors", o.search, "how neighbours are found");
    visit("recall", o.recall, "share of the true neighbours that an approximate search is to find (default: 0.99)");
    visit("start", o.start, "first positions, scaled to a standard deviation of 1e-4");
    visit("iterations", o.iterations, "iterations in all");
    visit("exaggerated-iterations", o.exaggerated_iterations, "iterations with early exaggeration");
    visit("exaggeration", o.exaggeration, "early exaggeration: factor on the affinities");
    visit("late-exaggeration", o.late_exaggeration, "factor on the affinities afterwards");
    visit("learning-rate", o.learning_rate,
          "step per unit of gradient, gradient without its factor 4 (default: n / exaggeration)");
    visit("least-learning-rate", o.least_learning_rate, "lower bound of the default learning rate");
    visit("rate-by-phase", o.rate_by_phase, "the default learning rate follows the exaggeration of the phase");
    visit("first-momentum", o.first_momentum, "momentum during early exaggeration");
    visit("momentum", o.momentum, "momentum afterwards");
    visit("least-gain", o.least_gain, "lower bound of a coordinate's gain");
    visit("longest-step", o.longest_step, "longest step of a point in one iteration, in map units");
    visit("tolerance", o.tolerance, "stop when kl falls by less than this share in 50 iterations (0: never)");
    visit("repulsion", o.repulsion, "how repulsion is summed");
    visit("theta", o.theta, "tree: largest cell side over distance (default: 0.5)");
    visit("spacing", o.spacing, "grid: largest distance between nodes, in map units (default: by dim)");
}

/// The options of a preset; what it does not name keeps Dunlin's default.
DUNLIN_API Options options_of(Preset preset);

/// Seconds spent by stage.
struct Seconds {
    double neighbors = 0, affinities = 0, start = 0, optimise = 0;
};

struct Result {
    Map map;
    double kl = 0;       ///< KL(P, Q), full normalisation, no exaggeration
    double kl_se = 0;    ///< standard error when the normalisation was sampled; 0: exact
    int iterations = 0;  ///< done
    Stopped stopped = Stopped::budget;
    Options options;               ///< as run: every rule resolved to its value
    Device device = Device::cpu;   ///< where it ran
    std::uint64_t gpu_memory = 0;  ///< the most bytes of GPU memory held
    int threads = 1;
    Offset strays = 0;  ///< grid on a GPU: how often a point that had left the grid acted from its border; 0 is usual
    neighbors::Method search = neighbors::Method::exact;  ///< what ran
    double search_recall = 1, search_recall_se = 0;
    Seconds seconds;
};

/// Symmetric affinities p_ij = (p_j|i + p_i|j) / 2n as one merged graph whose weights sum to 1. Each p_.|i is a
/// Gaussian over the neighbours of i whose entropy is log(perplexity) (van der Maaten and Hinton 2008, eq. 1).
/// `neighbors`: distances as weights, in any order. Throws Error{bad_input} if perplexity is not in
/// [1, least degree], naming the largest legal value, and with the row if a weight is negative or not finite, a point
/// is its own neighbour or another's twice, or weights fall in all rows, as those of similarities do.
DUNLIN_API Graph affinities(const Graph& neighbors, float perplexity, const Run& run = {});

/// Minimises KL(P, Q) from `start` (options.start is not looked at).
DUNLIN_API Result embed(Graph affinities, const Map& start, const Options& options = {}, const Run& run = {});

/// What a caller already has of the stages' results; null: to be computed.
struct Given {
    const Graph* neighbors = nullptr;  ///< n rows, weights are distances, in any order (see affinities)
    const Map* start = nullptr;        ///< n points, taken as they are
};

/// All stages: neighbours, affinities, start, optimisation.
/// Throws Error{bad_input} for options that contradict each other or the data, Error{out_of_memory} before it starts.
/// Cancelled before there is a better map, it returns the start.
DUNLIN_API Result embed(MatrixView<const float> points, const Options& options = {}, const Run& run = {},
                        const Given& given = {});

}  // namespace dunlin::tsne
