// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Force-directed drawings of graphs.
namespace dunlin::layout {

/// docs/layout.md has the equations.
/// multilevel: the graph is coarsened; from the coarsest graph to the graph itself vertices are placed so that
///     distances in the map are those along edges (stress, from pivots); then all settle under t-FDP's bounded forces
///     (Zhong et al. 2023). Ends when steps fall below `tolerance` in the root mean square (default 1e-3). With a given
///     start, only the last.
/// eades: Eades 1984, as masses and springs moved by time steps: 1 / d^2 between all, a logarithmic spring along edges,
///     damped velocities; steps are linearly implicit, hence none is too long. Ends when the kinetic energy falls below
///     `tolerance` (default 1e-4 a vertex).
/// fruchterman-reingold: Fruchterman and Reingold 1991: k^2 / d between all, d^2 / k along edges, steps no longer than
///     a temperature that falls; ends when steps fall below `tolerance` k in the root mean square (default 1e-3).
/// forceatlas2: Jacomy, Venturini, Heymann and Bastian 2014, with Gephi's speeds; ends when steps fall below
///     `tolerance` in the root mean square (default 0.01). Its gravity is drawn by degree and 1 by default. With
///     prevent_overlap (their "Preventing overlapping", Gephi's adjustSizes), all distances are those between the
///     borders of discs, once they have been placed as points in at most half of the iterations.
/// annealing: random moves of single vertices, kept if they lower the drawing's cost or raise it by little enough, ever
///     less; for small graphs. Ends when a stage of moves changes nothing.
/// stress: distances in the map are those along edges, as nearly as can be, errors by the square of the distance: over
///     all pairs up to 20,000 vertices (on a GPU 100,000), by stochastic gradient descent (Zheng, Pawar and Goodman
///     2018), beyond from multilevel's map over edges and the pairs of up to 1,000 random pivots, by majorization; the
///     better of start and end. Ends after `iterations`.
///     With a given start it goes on from there, and components stay where they are.
enum class Method { multilevel, eades, fruchterman_reingold, forceatlas2, annealing, stress };
constexpr std::array<std::string_view, 6> names(Method) {
    return {"multilevel", "eades", "fruchterman-reingold", "forceatlas2", "annealing", "stress"};
}

/// How the repulsion of all by all is summed. automatic: exact for small graphs, the tree for others.
enum class Repulsion { automatic, exact, tree, grid };
constexpr std::array<std::string_view, 4> names(Repulsion) { return {"auto", "exact", "tree", "grid"}; }

/// What an edge's weight is: how strongly it pulls, or how long it should be (it then pulls by 1 / length).
enum class Weights { strength, length };
constexpr std::array<std::string_view, 2> names(Weights) { return {"strength", "length"}; }

/// What annealing weighs. energy: charge / d between all, attraction (d log d - d + 1) along edges, whose slopes are
/// the forces of eades; davidson-harel: charge / d^2 between all, attraction d^2 along edges (Davidson and Harel 1996).
enum class Cost { energy, davidson_harel };
constexpr std::array<std::string_view, 2> names(Cost) { return {"energy", "davidson-harel"}; }

/// Which rises of the cost annealing takes. threshold: those below the temperature; metropolis: a rise r with
/// probability exp(-r / temperature).
enum class Acceptance { threshold, metropolis };
constexpr std::array<std::string_view, 2> names(Acceptance) { return {"threshold", "metropolis"}; }

/// An option that is not set goes by the method's default; one that the method does not have is an error.
struct Options {
    Method method = Method::multilevel;
    int dim = 2;                          ///< 2 or 3
    Weights weights = Weights::strength;  ///< relative to the mean: a graph whose weights are all equal has none
    float length = 1;                     ///< the ideal length of an edge, in map units: k
    std::optional<int> iterations = {};   ///< at most; default by method
    std::optional<float> tolerance = {};  ///< when to stop; its meaning and default are the method's
    Repulsion repulsion = Repulsion::automatic;
    std::optional<float> theta = {};    ///< tree: largest cell side over distance; default 0.9, multilevel: 1.2
    std::optional<float> gravity = {};  ///< pull towards the center, of equal strength at any distance; default 0

    // multilevel: the pull along an edge of length d is stiffness (d + nearness d / (1 + d^2)), the push
    // d / (1 + d^2)^2
    std::optional<float> stiffness = {};  ///< default 0.03: the strength of the long springs, which make the map round
    std::optional<float> nearness = {};   ///< default 5.5 log10 n, 20 at most: how much neighbors hold together

    // eades, in units of its rest length: f = attraction * log(d) along edges, charge / d^2 between all, - damping * v
    std::optional<float> attraction = {};  ///< c1, default 2; annealing has both too (davidson-harel: default 1)
    std::optional<float> charge = {};      ///< c3, default 1
    std::optional<float> damping = {};     ///< b, default 1
    std::optional<float> time_step = {};   ///< default 0.1

    // fruchterman_reingold: where one of the first two is given, length = c * sqrt(area / n)
    std::optional<float> area = {};         ///< of the drawing, in square map units; default n
    std::optional<float> c = {};            ///< default 1
    std::optional<float> temperature = {};  ///< longest first step, in k; default sqrt(n) / 10 (in 3-D its cube root)
    std::optional<float> cooling = {};      ///< factor on the temperature an iteration; default: linear, to zero

    // forceatlas2
    std::optional<float> scaling = {};           ///< of the repulsion; default 2, below 100 vertices 10
    std::optional<float> jitter_tolerance = {};  ///< how much vertices may swing; default 1
    bool linlog = false;                         ///< edges pull by log(1 + d) instead of d
    bool strong_gravity = false;                 ///< gravity grows with the distance
    /// Vertices are discs of Given::radii; between discs repulsion is exact, n^2 an iteration.
    bool prevent_overlap = false;

    // annealing: `iterations` stages; temperature (default: the median rise of first moves) and cooling (default 0.8)
    // are the first stage's and the factor from each to the next; the last stage only goes down
    std::optional<Cost> cost = {};       ///< default energy
    std::optional<float> crossing = {};  ///< the cost of two edges that cross, in 2-D; default 0 (davidson-harel: 1)
    std::optional<Acceptance> acceptance = {};  ///< default threshold
    std::optional<int> moves = {};              ///< of a stage, per vertex; default 30
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    using enum Method;
    const auto method = [&](std::initializer_list<Method> values) { return when("method", o.method, values); };
    const auto by_forces = method({multilevel, eades, fruchterman_reingold, forceatlas2});
    const auto by_energy = method({eades, annealing});
    const auto cools = method({fruchterman_reingold, annealing});
    const auto davidson_harel = when("cost davidson-harel", o.cost == Cost::davidson_harel);

    visit(field("method", o.method, "layout method"));
    visit(field("dim", o.dim, "dimensions of the map").at_least(2).at_most(3));
    visit(field("weights", o.weights, "meaning of the edge weights"));
    visit(field("length", o.length, "ideal length of an edge, in map units").above(0));
    visit(field("iterations", o.iterations, "maximum number of iterations; annealing: of stages")
              .at_least(0)
              .by_rule("by method and number of vertices")
              .otherwise(1000, method({forceatlas2}))
              .otherwise(10000, method({eades}))
              .otherwise(500, method({fruchterman_reingold}))
              .otherwise(60, method({annealing})));
    visit(field("tolerance", o.tolerance,
                "stop below this root mean square of the steps; eades: below this kinetic energy")
              .at_least(0)
              .read(by_forces)
              .otherwise(1e-3F, method({multilevel, fruchterman_reingold}))
              .otherwise(0.01F, method({forceatlas2}))
              .by_rule("0.001; forceatlas2: 0.01; eades: 1e-4 * n"));
    visit(field("repulsion", o.repulsion, "algorithm of the repulsion").read(by_forces));
    visit(field("theta", o.theta, "accuracy of the tree: maximum ratio of cell side to distance")
              .at_least(0)
              .read(by_forces)
              .read(when("repulsion", o.repulsion, {Repulsion::automatic, Repulsion::tree}))
              .otherwise(0.9F)
              .otherwise(1.2F, method({multilevel}))
              .may_change());
    visit(field("gravity", o.gravity, "force towards the center, independent of the distance")
              .at_least(0)
              .read(by_forces)
              .otherwise(0)
              .otherwise(1, method({forceatlas2}))
              .may_change());
    visit(field("stiffness", o.stiffness, "strength of springs")
              .above(0)
              .read(method({multilevel}))
              .otherwise(0.03F)
              .may_change());
    visit(field("nearness", o.nearness, "ratio of short-range to long-range attraction")
              .at_least(0)
              .read(method({multilevel}))
              .by_rule("5.5 log10 n, at most 20")
              .may_change());
    visit(field("attraction", o.attraction, "stiffness of the springs, c1")
              .above(0)
              .read(by_energy)
              .otherwise(2)
              .otherwise(1, davidson_harel));
    visit(field("charge", o.charge, "strength of the repulsion, c3").above(0).read(by_energy).otherwise(1));
    visit(field("damping", o.damping, "damping force per unit of velocity")
              .at_least(0)
              .read(method({eades}))
              .otherwise(1));
    visit(field("time-step", o.time_step, "time of an iteration").above(0).read(method({eades})).otherwise(0.1F));
    visit(field("area", o.area, "area of the drawing; length becomes c * sqrt(area / n)")
              .above(0)
              .read(method({fruchterman_reingold}))
              .by_rule("n if c is given"));
    visit(field("c", o.c, "see area").above(0).read(method({fruchterman_reingold})).by_rule("1 if area is given"));
    visit(field("temperature", o.temperature,
                "maximum first step, in units of length; annealing: initial temperature, in units of cost")
              .above(0)
              .read(cools)
              .by_rule("a tenth of the width; annealing: the median increase of the first moves"));
    visit(field("cooling", o.cooling, "factor of the temperature per iteration or stage")
              .above(0)
              .below(1)
              .read(cools)
              .otherwise(0.8F, method({annealing}))
              .by_rule("linear, to 0; annealing: 0.8"));
    visit(field("scaling", o.scaling, "strength of the repulsion")
              .above(0)
              .read(method({forceatlas2}))
              .by_rule("2; 10 below 100 vertices"));
    visit(field("jitter-tolerance", o.jitter_tolerance, "tolerated swinging of the vertices")
              .above(0)
              .read(method({forceatlas2}))
              .otherwise(1));
    visit(field("linlog", o.linlog, "attraction of log(1 + distance)").read(method({forceatlas2})));
    visit(
        field("strong-gravity", o.strong_gravity, "gravity proportional to the distance").read(method({forceatlas2})));
    visit(field("prevent-overlap", o.prevent_overlap, "forces act between the borders of vertices, not their centers")
              .read(method({forceatlas2})));
    visit(field("cost", o.cost, "cost function").read(method({annealing})).otherwise(Cost::energy));
    visit(field("crossing", o.crossing, "cost of a crossing of two edges, in 2-D")
              .at_least(0)
              .read(method({annealing}))
              .otherwise(0)
              .otherwise(1, when("cost davidson-harel in 2-D", o.cost == Cost::davidson_harel && o.dim == 2)));
    visit(field("acceptance", o.acceptance, "rule that accepts increases of the cost")
              .read(method({annealing}))
              .otherwise(Acceptance::threshold));
    visit(field("moves", o.moves, "moves per vertex and stage").at_least(1).read(method({annealing})).otherwise(30));
}

/// What a caller already has; empty: nothing.
struct Given {
    const Map* start = nullptr;                 ///< n points in map units, taken as they are
    std::span<const std::uint8_t> pinned = {};  ///< n values: a vertex with another one than 0 stays at its start
    std::span<const float> radii = {};          ///< n radii of vertices, in map units: components keep their distance
};

/// Stages: "start", "optimize". Components of a graph are each placed by the defaults of their size: options whose
/// defaults go by size stay absent, and repulsion automatic, where there are several.
struct Result : Outcome<Options> {
    Map map;
    double kinetic_energy =
        0;            ///< sum of squared velocities at the end (eades), of the last steps (others), in lengths
    double cost = 0;  ///< annealing: of the drawing; NaN: cancelled
};

/// Places the vertices of an undirected simple graph: every edge in both directions, no self-loops, targets ascending
/// in a row, weights finite and above 0. Any number of vertices, none too; vertices of one place come apart.
/// Cancelled, it returns the last map it had; before there was one, the start, or else random places.
/// Throws Error{bad_input} for a graph that is none of that, naming the edge, for options that contradict each other
/// or that the method does not have, and for what is given in another size.
DUNLIN_API Result place(const Graph& graph, const Options& options = {}, const Run& run = {}, const Given& given = {});

}  // namespace dunlin::layout
