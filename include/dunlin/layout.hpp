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
/// multilevel: the graph is coarsened; from the coarsest level to the finest, vertices are placed by low stress
///     (distances in the map approximate path lengths, from pivots); then the bounded forces of t-FDP (Zhong et al.
///     2023) refine the finest level. Stops when the root mean square step is below `tolerance` (default 1e-3). With a
///     given start, only the refinement.
/// eades: Eades 1984, as masses and springs in time steps: repulsion 1 / d^2 between all pairs, a logarithmic spring
///     along edges, damped velocities; steps are linearly implicit, hence stable at any length. Stops when the kinetic
///     energy is below `tolerance` (default 1e-4 per vertex).
/// fruchterman-reingold: Fruchterman and Reingold 1991: repulsion k^2 / d between all pairs, attraction d^2 / k along
///     edges, steps limited by a falling temperature. Stops when the root mean square step is below `tolerance` k
///     (default 1e-3).
/// forceatlas2: Jacomy, Venturini, Heymann and Bastian 2014, with Gephi's speeds. Stops when the root mean square step
///     is below `tolerance` (default 0.01). Gravity is weighted by degree and 1 by default. With prevent_overlap (the
///     paper's "Preventing overlapping", Gephi's adjustSizes) all distances are between disc borders, after at most
///     half of the iterations with points.
/// annealing: simulated annealing: random moves of single vertices, accepted if they lower the cost or raise it by
///     little; for small graphs. Stops when a stage accepts no move.
/// stress: distances in the map approximate path lengths, errors weighted by 1 / length^2. Up to 20,000 vertices (on a
///     GPU 50,000) over all pairs, by stochastic gradient descent (Zheng, Pawar and Goodman 2018); above, from
///     multilevel's map over edges and the pairs of up to 1,000 random pivots, by majorization, and the better of start
///     and end is returned. Stops after `iterations`. With a given start it continues from there, and components are
///     not packed.
/// On a line (dim 1) vertices hardly pass each other, so all methods begin with the order of least stress that
/// multilevel finds, instead of random positions.
enum class Method { multilevel, eades, fruchterman_reingold, forceatlas2, annealing, stress };
constexpr std::array<std::string_view, 6> names(Method) {
    return {"multilevel", "eades", "fruchterman-reingold", "forceatlas2", "annealing", "stress"};
}

/// Engine of the repulsion between all pairs. automatic: exact for small graphs, the tree for others.
enum class Repulsion { automatic, exact, tree, grid };
constexpr std::array<std::string_view, 4> names(Repulsion) { return {"auto", "exact", "tree", "grid"}; }

/// Meaning of edge weights: strength of the attraction, or ideal length (the strength is then 1 / length).
enum class Weights { strength, length };
constexpr std::array<std::string_view, 2> names(Weights) { return {"strength", "length"}; }

/// Cost of a drawing for annealing. energy: charge / d between all pairs, attraction (d log d - d + 1) along edges, the
/// potential of eades' forces; davidson-harel: charge / d^2 between all pairs, attraction d^2 along edges (Davidson and
/// Harel 1996).
enum class Cost { energy, davidson_harel };
constexpr std::array<std::string_view, 2> names(Cost) { return {"energy", "davidson-harel"}; }

/// Acceptance rule of annealing for a rise r of the cost. threshold: r below the temperature; metropolis: with
/// probability exp(-r / temperature).
enum class Acceptance { threshold, metropolis };
constexpr std::array<std::string_view, 2> names(Acceptance) { return {"threshold", "metropolis"}; }

/// How components are packed. automatic: if the largest has more than half of the vertices, the others are drawn
/// smaller, by one factor, where the largest would get less than its share of the drawing (docs/layout.md); not with
/// weights length or radii, where distances have a meaning. lengths: one scale.
enum class Pack { automatic, lengths };
constexpr std::array<std::string_view, 2> names(Pack) { return {"auto", "lengths"}; }

/// Options that are not set take the method's default; an option that the method does not have is an error.
struct Options {
    Method method = Method::multilevel;
    int dim = 2;                          ///< 1, 2 or 3
    Weights weights = Weights::strength;  ///< relative to their mean; equal weights have no effect
    float length = 1;                     ///< the ideal length of an edge, in map units: k
    std::optional<int> iterations = {};   ///< maximum; default by method
    std::optional<float> tolerance = {};  ///< stopping tolerance; meaning and default by method
    Pack pack = Pack::automatic;
    Repulsion repulsion = Repulsion::automatic;
    std::optional<float> theta = {};    ///< tree: largest cell side over distance; default 0.9, multilevel: 1.2
    std::optional<float> gravity = {};  ///< attraction to the center, independent of the distance; default 0

    // multilevel: attraction along an edge of length d is stiffness (d + nearness d / (1 + d^2)), repulsion d / (1 +
    // d^2)^2
    std::optional<float> stiffness =
        {};  ///< strength of the long-range springs, which make the map round; default 0.03
    std::optional<float> nearness =
        {};  ///< ratio of short-range to long-range attraction; default 5.5 log10 n, at most 20

    // eades, in units of its rest length: f = attraction * log(d) along edges, charge / d^2 between all, - damping * v
    std::optional<float> attraction = {};  ///< c1, default 2; also for annealing (davidson-harel: default 1)
    std::optional<float> charge = {};      ///< c3, default 1
    std::optional<float> damping = {};     ///< b, default 1
    std::optional<float> time_step = {};   ///< default 0.1

    // fruchterman_reingold: if area or c is given, length = c * sqrt(area / n)
    std::optional<float> area = {};  ///< of the drawing, in square map units; default n
    std::optional<float> c = {};     ///< default 1
    std::optional<float> temperature =
        {};                             ///< limit of the first step, in k; default sqrt(n) / 10 (3-D: cbrt; 1-D: 1/2)
    std::optional<float> cooling = {};  ///< factor on the temperature per iteration; default: linear, to zero

    // forceatlas2
    std::optional<float> scaling = {};           ///< factor of the repulsion; default 2, below 100 vertices 10
    std::optional<float> jitter_tolerance = {};  ///< tolerated swinging of vertices; default 1
    bool linlog = false;                         ///< attraction log(1 + d) instead of d
    bool strong_gravity = false;                 ///< gravity grows with the distance
    bool distributed_action = false;             ///< the attraction of a vertex is divided by its mass
    /// Vertices are discs of Given::radii; the repulsion between discs is exact, n^2 per iteration.
    bool prevent_overlap = false;

    // annealing: `iterations` stages. temperature (default: median rise of the first moves) is that of the first stage,
    // cooling (default 0.8) the factor between stages; the last stage accepts no rises
    std::optional<Cost> cost = {};       ///< default energy
    std::optional<float> crossing = {};  ///< cost of a crossing of two edges, 2-D only; default 0 (davidson-harel: 1)
    std::optional<Acceptance> acceptance = {};  ///< default threshold
    std::optional<int> moves = {};              ///< moves per vertex and stage; default 30
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    using enum Method;
    const auto method = [&](std::initializer_list<Method> values) { return when("method", o.method, values); };
    const auto by_forces = method({multilevel, eades, fruchterman_reingold, forceatlas2});
    const auto by_energy = method({eades, annealing});
    const auto cools = method({fruchterman_reingold, annealing});
    const auto davidson_harel = when("cost davidson-harel", o.cost == Cost::davidson_harel);

    visit(field("method", o.method, "method of layout"));
    visit(field("dim", o.dim, "dimensions of the map").at_least(1).at_most(3));
    visit(field("weights", o.weights, "meaning of edge weights"));
    visit(field("length", o.length, "ideal length of an edge, in map units").above(0));
    visit(field("pack", o.pack, "scale of the components: smaller but for the largest, or one for all"));
    visit(field("iterations", o.iterations, "maximum number of iterations; annealing: stages")
              .at_least(0)
              .by_rule("by method and number of vertices")
              .otherwise(1000, method({forceatlas2}))
              .otherwise(10000, method({eades}))
              .otherwise(500, method({fruchterman_reingold}))
              .otherwise(60, method({annealing})));
    visit(field("tolerance", o.tolerance, "stopping tolerance: root mean square step; eades: kinetic energy")
              .at_least(0)
              .read(by_forces)
              .otherwise(1e-3F, method({multilevel, fruchterman_reingold}))
              .otherwise(0.01F, method({forceatlas2}))
              .by_rule("0.001; forceatlas2: 0.01; eades: 1e-4 * n"));
    visit(field("repulsion", o.repulsion, "engine of the repulsion").read(by_forces));
    visit(field("theta", o.theta, "largest cell side over distance")
              .at_least(0)
              .read(by_forces)
              .read(when("repulsion", o.repulsion, {Repulsion::automatic, Repulsion::tree}))
              .otherwise(0.9F)
              .otherwise(1.2F, method({multilevel}))
              .may_change());
    visit(field("gravity", o.gravity, "attraction to the center, independent of the distance")
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
              .otherwise(1, davidson_harel)
              .may_change());
    visit(
        field("charge", o.charge, "strength of the repulsion, c3").above(0).read(by_energy).otherwise(1).may_change());
    visit(field("damping", o.damping, "damping force per unit of velocity")
              .at_least(0)
              .read(method({eades}))
              .otherwise(1)
              .may_change());
    visit(field("time-step", o.time_step, "time of an iteration").above(0).read(method({eades})).otherwise(0.1F));
    visit(field("area", o.area, "area of the drawing; length becomes c * sqrt(area / n)")
              .above(0)
              .read(method({fruchterman_reingold}))
              .by_rule("n, if c is given"));
    visit(field("c", o.c, "see area").above(0).read(method({fruchterman_reingold})).by_rule("1, if area is given"));
    visit(field("temperature", o.temperature,
                "limit of the first step, in lengths; annealing: of the first stage, in costs")
              .above(0)
              .read(cools)
              .by_rule("a tenth of the width, in 1-D half a length; annealing: the median rise of first moves"));
    visit(field("cooling", o.cooling, "factor on the temperature per iteration or stage")
              .above(0)
              .below(1)
              .read(cools)
              .otherwise(0.8F, method({annealing}))
              .by_rule("linear, to 0; annealing: 0.8"));
    visit(field("scaling", o.scaling, "strength of the repulsion")
              .above(0)
              .read(method({forceatlas2}))
              .by_rule("2, below 100 vertices 10")
              .may_change());
    visit(field("jitter-tolerance", o.jitter_tolerance, "tolerated swinging of vertices")
              .above(0)
              .read(method({forceatlas2}))
              .otherwise(1)
              .may_change());
    visit(field("linlog", o.linlog, "attraction log(1 + distance)").read(method({forceatlas2})));
    visit(field("strong-gravity", o.strong_gravity, "gravity grows with the distance").read(method({forceatlas2})));
    visit(field("distributed-action", o.distributed_action, "divide the attraction of a vertex by its mass")
              .read(method({forceatlas2})));
    visit(field("prevent-overlap", o.prevent_overlap, "forces act between the borders of vertices, not their centers")
              .read(method({forceatlas2})));
    visit(field("cost", o.cost, "cost function of a drawing").read(method({annealing})).otherwise(Cost::energy));
    visit(field("crossing", o.crossing, "cost of two edges that cross, in 2-D")
              .at_least(0)
              .read(method({annealing}))
              .otherwise(0)
              .otherwise(1, when("cost davidson-harel in 2-D", o.cost == Cost::davidson_harel && o.dim == 2)));
    visit(field("acceptance", o.acceptance, "acceptance rule for rises of the cost")
              .read(method({annealing}))
              .otherwise(Acceptance::threshold));
    visit(field("moves", o.moves, "moves per vertex and stage").at_least(1).read(method({annealing})).otherwise(30));
}

/// Optional inputs; empty: none.
struct Given {
    const Map* start = nullptr;                 ///< n points in map units, used as they are
    std::span<const std::uint8_t> pinned = {};  ///< n values: nonzero fixes a vertex at its start
    std::span<const float> radii = {};   ///< n radii of vertices, in map units; packing keeps components apart by them
    std::span<const float> masses = {};  ///< n masses of vertices above 0, for forceatlas2; default 1 + degree
};

/// Stages: "start", "optimize". With several components, each uses the defaults of its own size: options with
/// size-dependent defaults stay unset, and repulsion stays automatic.
struct Result : Outcome<Options> {
    Map map;
    double kinetic_energy =
        0;            ///< sum of squared velocities at the end (eades), of the last steps (others), in lengths
    double cost = 0;  ///< annealing: cost of the drawing; NaN if cancelled
    double component_scale = 1;  ///< of all components but the largest
};

/// Places the vertices of an undirected simple graph: every edge in both directions, no self-loops, targets ascending
/// in each row, weights finite and above 0. Empty graphs are allowed; coincident vertices are separated. If cancelled,
/// returns the last map; if there was none, the start or random positions. Throws Error{bad_input}, naming the edge,
/// for an invalid graph, for options that contradict each other or that the method does not have, and for inputs of the
/// wrong size.
DUNLIN_API Result place(const Graph& graph, const Options& options = {}, const Run& run = {}, const Given& given = {});

}  // namespace dunlin::layout
