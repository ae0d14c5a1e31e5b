#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
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
///     all pairs up to 12,000 vertices, by stochastic gradient descent (Zheng, Pawar and Goodman 2018), beyond over
///     those with up to 200 pivots (Ortmann, Klimenta and Brandes 2017), by majorisation. Ends after `iterations`.
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
    std::optional<float> gravity = {};  ///< pull towards the centre, of equal strength at any distance; default 0

    // multilevel: the pull along an edge of length d is stiffness (d + nearness d / (1 + d^2)), the push
    // d / (1 + d^2)^2
    std::optional<float> stiffness = {};  ///< default 0.03: the strength of the long springs, which make the map round
    std::optional<float> nearness = {};   ///< default 5.5 log10 n, 20 at most: how much neighbours hold together

    // eades, in units of its rest length: f = attraction * log(d) along edges, charge / d^2 between all, - damping * v
    std::optional<float> attraction = {};  ///< c1, default 2; annealing has both too (davidson-harel: default 1)
    std::optional<float> charge = {};      ///< c3, default 1
    std::optional<float> damping = {};     ///< b, default 1
    std::optional<float> time_step = {};   ///< default 0.1

    // fruchterman_reingold: where one of the first two is given, length = c * sqrt(area / n)
    std::optional<float> area = {};         ///< of the drawing, in square map units; default n
    std::optional<float> c = {};            ///< default 1
    std::optional<float> temperature = {};  ///< longest first step, in k; default sqrt(n) / 10 (in 3-D its cube root)
    std::optional<float> cooling = {};      ///< factor on the temperature an iteration; default: linear, to nought

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
    visit("method", o.method, "how the vertices are placed");
    visit("dim", o.dim, "dimensions of the map, 2 or 3");
    visit("weights", o.weights, "what an edge's weight is");
    visit("length", o.length, "ideal length of an edge, in map units");
    visit("iterations", o.iterations, "iterations at most (default: by method)");
    visit("tolerance", o.tolerance, "when to stop (default and meaning: by method)");
    visit("repulsion", o.repulsion, "how repulsion is summed");
    visit("theta", o.theta, "tree: largest cell side over distance (default: 0.9, multilevel: 1.2)");
    visit("gravity", o.gravity, "pull towards the centre, the same at any distance (default: 0; forceatlas2: 1)");
    visit("stiffness", o.stiffness, "multilevel: strength of springs (default: 0.03)");
    visit("nearness", o.nearness, "multilevel: how much stronger a short spring is (default: 5.5 log10 n, at most 20)");
    visit("attraction", o.attraction, "eades: stiffness of the springs, c1 (default: 2)");
    visit("charge", o.charge, "eades: strength of the repulsion, c3 (default: 1)");
    visit("damping", o.damping, "eades: force against a velocity of 1 (default: 1)");
    visit("time-step", o.time_step, "eades: time between two positions (default: 0.1)");
    visit("area", o.area, "fruchterman-reingold: of the drawing; sets length to c * sqrt(area / vertices)");
    visit("c", o.c, "fruchterman-reingold: see area (default: 1)");
    visit("temperature", o.temperature,
          "fruchterman-reingold: longest first step, in lengths (default: a tenth of the width)");
    visit("cooling", o.cooling, "fruchterman-reingold: factor on the temperature an iteration (default: linear, to 0)");
    visit("scaling", o.scaling, "forceatlas2: strength of the repulsion (default: 2, below 100 vertices 10)");
    visit("jitter-tolerance", o.jitter_tolerance, "forceatlas2: how much vertices may swing (default: 1)");
    visit("linlog", o.linlog, "forceatlas2: edges pull by log(1 + distance)");
    visit("strong-gravity", o.strong_gravity, "forceatlas2: gravity grows with the distance");
    visit("prevent-overlap", o.prevent_overlap, "forceatlas2: forces act between the borders of vertices, not centres");
    visit("cost", o.cost, "annealing: what a drawing costs (default: energy)");
    visit("crossing", o.crossing, "annealing: cost of two edges that cross (default: 0; davidson-harel: 1)");
    visit("acceptance", o.acceptance, "annealing: which rises of the cost are taken (default: threshold)");
    visit("moves", o.moves, "annealing: moves per vertex and iteration (default: 30)");
}

/// What a caller already has; empty: nothing.
struct Given {
    const Map* start = nullptr;                 ///< n points in map units, taken as they are
    std::span<const std::uint8_t> pinned = {};  ///< n values: a vertex with another one than 0 stays at its start
    std::span<const float> radii = {};          ///< n radii of vertices, in map units: components keep their distance
};

/// Seconds spent by stage.
struct Seconds {
    double start = 0, optimise = 0;
};

struct Result {
    Map map;
    int iterations = 0;  ///< done
    Stopped stopped = Stopped::budget;
    double kinetic_energy =
        0;            ///< sum of squared velocities at the end (eades), of the last steps (others), in lengths
    double cost = 0;  ///< annealing: of the drawing
    Options options;  ///< as run: every rule resolved to its value
    Device device = Device::cpu;  ///< where it ran
    int threads = 1;
    std::uint64_t gpu_memory = 0;  ///< the most bytes of GPU memory held
    Seconds seconds;
};

/// Places the vertices of an undirected simple graph: every edge in both directions, no self-loops, targets ascending
/// in a row, weights finite and above 0. Any number of vertices, none too; vertices of one place come apart.
/// Cancelled, it returns the last map it had.
/// Throws Error{bad_input} for a graph that is none of that, naming the edge, for options that contradict each other
/// or that the method does not have, and for what is given in another size.
DUNLIN_API Result place(const Graph& graph, const Options& options = {}, const Run& run = {}, const Given& given = {});

}  // namespace dunlin::layout
