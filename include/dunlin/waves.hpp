// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Waves of reaction and diffusion on a line, a ring, a grid or a graph. All numbers are double. The same input gives
/// the same bytes for any number of threads and any size of tiles.
namespace dunlin::waves {

/// fitzhugh-nagumo: v' = D_v Lv + v(1 - v)(v - a) - w + I, w' = D_w Lw + epsilon (v - gamma w) (FitzHugh 1961, Nagumo
/// 1962). nagumo: the same without w. diffusion: v' = D_v Lv + I. gray-scott: v' = D_v Lv - v w^2 + F(1 - v) + I,
/// w' = D_w Lw + v w^2 - (F + k) w (Pearson 1993).
enum class Model { fitzhugh_nagumo, nagumo, diffusion, gray_scott };
constexpr std::array<std::string_view, 4> names(Model) {
    return {"fitzhugh-nagumo", "nagumo", "diffusion", "gray-scott"};
}
/// Whether the model has w; the others have v alone.
constexpr bool has_recovery(Model model) { return model == Model::fitzhugh_nagumo || model == Model::gray_scott; }

/// Time integration. euler: forward Euler, order 1. heun: order 2, two evaluations a step. rkc: Runge-Kutta-Chebyshev,
/// order 2, s evaluations for a step that grows with s^2 (Sommeijer, Shampine and Verwer 1997). crank_nicolson: order
/// 2, implicit, for lines and rings, w eliminated, a tridiagonal system per Newton iteration. adi: order 2, for grids,
/// the reaction in halves around a Crank-Nicolson step of the diffusion along each axis (Peaceman and Rachford 1955;
/// Strang 1968). adaptive: euler on some of a line's nodes, chosen anew in each step, the others interpolated
/// (Lewellen, The Antimatroid, 2015-16). automatic: heun on lines and grids, rkc on graphs and for diffusion whose step
/// nothing gives, euler with noise.
enum class Scheme { automatic, euler, heun, rkc, crank_nicolson, adi, adaptive };
constexpr std::array<std::string_view, 7> names(Scheme) {
    return {"auto", "euler", "heun", "rkc", "crank-nicolson", "adi", "adaptive"};
}

/// Solver of the tridiagonal systems of crank_nicolson and adi. thomas: Gaussian elimination, serial in a line.
/// cyclic_reduction: halves the system again and again (Hockney 1965). parallel_reduction: the same for all rows at
/// once, n log n operations. hybrid: cyclic reduction down to 64 rows, then parallel_reduction (Zhang, Cohen and Owens
/// 2010). partition: parts of 1,024 rows side by side (Wang 1981; Polizzi and Sameh 2006). tiles: overlapping tiles,
/// partition where none is wide enough. automatic: partition; adi: eight lines side by side by thomas. All agree to
/// rounding.
enum class Solver { automatic, thomas, cyclic_reduction, parallel_reduction, hybrid, partition, tiles };
constexpr std::array<std::string_view, 7> names(Solver) {
    return {"auto", "thomas", "cyclic-reduction", "parallel-reduction", "hybrid", "partition", "tiles"};
}

/// Laplacian of a graph. combinatorial: sum over the neighbors j of w_ij (v_j - v_i). random-walk: that, divided by the
/// sum of the weights w_ij.
enum class Laplacian { combinatorial, random_walk };
constexpr std::array<std::string_view, 2> names(Laplacian) { return {"combinatorial", "random-walk"}; }

struct Options {
    Model model = Model::fitzhugh_nagumo;
    double threshold = 0.01;
    double epsilon = 0.01;
    double gamma = 2;
    std::optional<double> diffusion = {};
    std::optional<double> recovery_diffusion = {};
    double feed = 0.037;
    double kill = 0.06;
    double current = 0;
    double noise = 0;
    Laplacian laplacian = Laplacian::combinatorial;
    Scheme scheme = Scheme::automatic;
    Solver solver = Solver::automatic;
    std::optional<double> step = {};
    std::optional<double> tolerance = {};
    double slope = 0.005;
    double radius = 4;
    std::optional<double> until = {};
    double rest = 1e-6;
    int steps = 1'000'000;
    std::optional<double> level = {};
    int tile = 0;
    int depth = 0;
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    const auto excitable = when("model", o.model, {Model::fitzhugh_nagumo, Model::nagumo});
    const auto fitzhugh = when("model", o.model, {Model::fitzhugh_nagumo});
    const auto gray = when("model", o.model, {Model::gray_scott});
    visit(field("model", o.model, "reaction"));
    visit(field("threshold", o.threshold, "a: v above it is excited, below it returns to 0")
              .above(0)
              .below(1)
              .read(excitable));
    visit(field("epsilon", o.epsilon, "rate of recovery").at_least(0).read(fitzhugh));
    visit(field("gamma", o.gamma, "decay of w relative to its growth").at_least(0).read(fitzhugh));
    visit(field("diffusion", o.diffusion, "D_v, diffusion of v").at_least(0).otherwise(1).otherwise(0.2, gray));
    visit(field("recovery-diffusion", o.recovery_diffusion, "D_w, diffusion of w")
              .at_least(0)
              .read(when("model", o.model, {Model::fitzhugh_nagumo, Model::gray_scott}))
              .otherwise(0)
              .otherwise(0.1, gray));
    visit(field("feed", o.feed, "F, rate at which v is fed").at_least(0).read(gray));
    visit(field("kill", o.kill, "k: w is removed at the rate F + k").at_least(0).read(gray));
    visit(field("current", o.current, "I, input current at every vertex"));
    visit(field("noise", o.noise, "strength of white noise in space and time added to v (scheme euler)").at_least(0));
    visit(field("laplacian", o.laplacian, "graphs: diffusion along edges, or by the mean of the neighbors"));
    visit(field("scheme", o.scheme, "time integration"));
    visit(
        field("solver", o.solver, "what solves the tridiagonal systems of the implicit schemes; all agree to rounding")
            .read(when("scheme", o.scheme, {Scheme::crank_nicolson, Scheme::adi})));
    visit(field("step", o.step, "time step, at most the limit of the scheme; the last one may be shorter")
              .above(0)
              .by_rule("0.9 of the limit of euler, heun, adaptive; else a quarter of the reaction's time; diffusion: "
                       "by accuracy"));
    visit(field("tolerance", o.tolerance, "largest estimated error of a step; steps are then chosen by it (heun, rkc)")
              .above(0)
              .by_rule("none; diffusion by rkc without a step, on a CPU: 1e-6 of the range of values"));
    const auto adaptive = when("scheme", o.scheme, {Scheme::adaptive});
    visit(
        field("slope", o.slope, "every 2nd node is used where |v_x| is above this, all where |v_t| is, else every 8th")
            .at_least(0)
            .read(adaptive));
    visit(field("radius", o.radius, "all nodes within this distance of an inflection of v with |v_x| above 10 slope")
              .at_least(0)
              .read(adaptive));
    visit(field("until", o.until, "end of the simulated time").at_least(0).by_rule("until rest"));
    visit(
        field(
            "rest", o.rest,
            "rest: no value changes faster than this per unit of time; diffusion: none has more than this of the range "
            "of values to go")
            .at_least(0)
            .read(when("no until is given", !o.until)));
    visit(field("steps", o.steps, "maximum number of steps").at_least(0));
    visit(field("level", o.level, "activation: the value that v (gray-scott: w) first reaches from below")
              .otherwise(0.5)
              .otherwise(0.1, gray));
    visit(field("tile", o.tile, "grids: nodes of a tile along an axis, changes the time only; 0: by the cache")
              .at_least(0));
    visit(field("depth", o.depth, "grids: steps that a tile does at once, changes the time only; 0: by the tile")
              .at_least(0)
              .at_most(1024));
}

/// Where a field lives: the nodes of a line, a ring or a grid in 2 or 3 dimensions, or the vertices of a graph whose
/// weights are conductances. Node (x, y, z) of a grid is number x + nodes[0] (y + nodes[1] z). Ends have no flux, or an
/// axis is periodic.
struct Domain {
    std::array<Index, 3> nodes{0, 1, 1};
    std::array<bool, 3> periodic{};
    double spacing = 1;
    const Graph* graph = nullptr;  ///< not null: the vertices of this graph, which must outlive the domain

    static Domain line(Index n, double spacing = 1) { return {.nodes = {n, 1, 1}, .spacing = spacing}; }
    static Domain ring(Index n, double spacing = 1) {
        return {.nodes = {n, 1, 1}, .periodic = {true, false, false}, .spacing = spacing};
    }
    static Domain grid(std::array<Index, 3> nodes, double spacing = 1, bool periodic = false) {
        return {.nodes = nodes, .periodic = {periodic, periodic, periodic}, .spacing = spacing};
    }
    static Domain on(const Graph& graph) { return {.graph = &graph}; }

    [[nodiscard]] Offset size() const {
        return graph != nullptr ? graph->size() : Offset{nodes[0]} * nodes[1] * nodes[2];
    }
};

/// Values on a domain, one of each species per node. w is empty for models of one species.
struct Field {
    std::vector<double> v, w;
};

constexpr double forever = std::numeric_limits<double>::infinity();

/// Holds v (gray-scott: w) of a vertex at `value` for from <= t < to, again after each `every` (0: once).
struct Stimulus {
    Index vertex = 0;
    double value = 1;
    double from = 0, to = forever, every = 0;
};

/// Optional inputs; empty: none.
struct Given {
    std::span<const double> v = {}, w = {};  ///< start, one value per node; empty: rest
    std::vector<Stimulus> stimuli = {};
    std::span<const double> current = {};  ///< input current of each node, added to options.current
    std::vector<double> snapshots = {};    ///< times, ascending; fields are those of the next step's end
};

struct Snapshot {
    double time = 0;
    Field field;
};

/// Stages: "start", "optimize". iterations: steps. Stopped::converged: rest, or the end of the simulated time;
/// Stopped::budget: options.steps.
struct Result : Outcome<Options> {
    Field field;  ///< at `time`
    double time = 0;
    std::vector<Snapshot> snapshots;
    std::vector<double> activation;    ///< time at which a node is first activated; infinity: never
    double step = 0;                   ///< (last) time step
    double step_limit = 0;             ///< largest stable step of the scheme
    Offset rejected = 0;               ///< steps repeated with a smaller step (tolerance)
    Offset evaluations = 0;            ///< of the right-hand side
    Offset newton = 0;                 ///< iterations of Newton's method (crank-nicolson)
    Offset skipped = 0;                ///< node-steps not computed: of tiles at rest, or interpolated (adaptive)
    double smallest = 0, largest = 0;  ///< v at the end
    std::optional<double> speed;       ///< of the front on a line or ring, see front_speed
};

/// Simulates from `given.v`, `given.w` or rest until options.until, or until rest: no stimulus is to come and no rate
/// exceeds options.rest (diffusion: no value has more than options.rest of the range of values to go). Throws
/// Error{bad_input} for a step beyond the limit (naming it), NaN or infinity in the start or the current (with the
/// vertex), a stimulus at a vertex that is not there, an edge without a positive weight or without its reverse. If
/// cancelled, the state of the last complete step is returned.
DUNLIN_API Result simulate(const Domain& domain, const Options& options = {}, const Run& run = {},
                           const Given& given = {});

/// Matrix n x n, row-major, of activation times: entry (i, j) is the mean of the time at which j is activated by
/// `stimulus` at i and the reverse; 0 on the diagonal. One simulation per vertex. Empty if cancelled. Throws what
/// simulate throws, and Error{bad_input} if some vertex is never activated by another (naming both).
DUNLIN_API std::vector<float> activation_matrix(const Domain& domain, const Options& options = {}, const Run& run = {},
                                                const Stimulus& stimulus = {});

/// Speed of a front from activation times along the first axis: distance over time within the middle half of the
/// longest run of nodes whose times strictly ascend or descend; none with fewer than 5 such nodes.
DUNLIN_API std::optional<double> front_speed(std::span<const double> activation, double spacing);

/// Largest eigenvalue of the negative Laplacian, or an upper bound: 4 / spacing^2 per axis of a grid; for a graph the
/// largest sum of the weighted degrees of an edge's ends (Anderson and Morley 1985), 2 for random-walk.
DUNLIN_API double spectral_bound(const Domain& domain, Laplacian laplacian = Laplacian::combinatorial);

}  // namespace dunlin::waves
