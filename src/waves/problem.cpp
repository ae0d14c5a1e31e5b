// SPDX-License-Identifier: Apache-2.0
#include "waves/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>

#include "device/memory.hpp"
#include "device/pieces.hpp"
#include "graph/check.hpp"
#include "math/at.hpp"
#include "options/check.hpp"
#include "waves/adaptive_grid.hpp"
#include "waves/implicit/engine.hpp"
#include "waves/step.hpp"
#include "waves/values.hpp"

namespace dunlin::waves {

namespace {

void require(bool holds, const std::string& sentence, ErrorLocation place = {}) {
    if (!holds) throw Error(Fault::bad_input, sentence, std::move(place));
}

/// Both directions of an edge have one conductance, else the limit of the step is not proven.
void require_symmetric(device::Cpu& cpu, const Graph& graph) {
    cpu.each(graph.size(), [&](Offset v) {
        for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e) {
            const Index target = graph.targets[at(e)];
            const auto row = graph.targets.begin() + graph.offsets[at(target)];
            const auto back =
                std::lower_bound(row, graph.targets.begin() + graph.offsets[at(target) + 1], static_cast<Index>(v)) -
                graph.targets.begin();
            require(graph.weights[at(back)] == graph.weights[at(e)],
                    fmt::format("edge {} - {} has weight {} and its reverse {}; a conductance is the same in both "
                                "directions",
                                v, target, graph.weights[at(e)], graph.weights[at(back)]),
                    {.row = v, .column = target});
        }
    });
}

void check_domain(device::Cpu& cpu, const Domain& domain) {
    if (domain.graph != nullptr) {
        graph::require_undirected(cpu, *domain.graph);
        require_symmetric(cpu, *domain.graph);
        return;
    }
    double size = 1;
    for (const Index n : domain.nodes) {
        require(n >= 0, fmt::format("an axis of the grid has {} nodes; it must have at least 0", n));
        size *= n;
    }
    require(size <= std::numeric_limits<Index>::max(),
            fmt::format("the grid has {} nodes; at most {} are possible", size, std::numeric_limits<Index>::max()));
    require(domain.spacing > 0 && std::isfinite(domain.spacing),
            fmt::format("the spacing is {}; it must be above 0", domain.spacing), {.option = "spacing"});
}

/// Checks one number per node.
void check_values(const char* what, std::span<const double> values, Offset n) {
    if (values.empty()) return;
    require(
        std::ssize(values) == n,
        fmt::format("the {} has {} values and there are {} nodes; there must be one for each", what, values.size(), n));
    const auto bad = std::find_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
    if (bad == values.end()) return;
    const Offset node = bad - values.begin();
    throw Error(Fault::bad_input, fmt::format("the {} of node {} is {}; it must be a number", what, node, *bad),
                {.row = node});
}

void check_stimulus(const Stimulus& s, Offset n) {
    const auto refuse = [&](const std::string& why) {
        throw Error(Fault::bad_input, fmt::format("the stimulus of vertex {}: {}", s.vertex, why), {.row = s.vertex});
    };
    if (s.vertex < 0 || s.vertex >= n) refuse(fmt::format("there are {} vertices, from 0", n));
    if (!std::isfinite(s.value)) refuse(fmt::format("its value is {}; it must be a number", s.value));
    if (!(s.from >= 0 && s.from < forever)) refuse(fmt::format("it begins at {}; it must be at least 0", s.from));
    if (!(s.to > s.from)) refuse(fmt::format("it ends at {}, not after its begin {}", s.to, s.from));
    if (!(s.every >= 0 && s.every < forever)) refuse(fmt::format("its period is {}; it must be at least 0", s.every));
    if (s.every > 0 && s.to - s.from > s.every)
        refuse(fmt::format("it lasts {}, longer than its period {}", s.to - s.from, s.every));
}

void check_given(const Problem& problem, const Given& given) {
    const Offset n = problem.size();
    check_values("start of v", given.v, n);
    check_values("start of w", given.w, n);
    check_values("current", given.current, n);
    require(given.w.empty() || problem.recovers(),
            fmt::format("model {} has no w; leave its start out", name_of(problem.options.model)));
    for (const Stimulus& s : given.stimuli) check_stimulus(s, n);
    require(std::is_sorted(given.snapshots.begin(), given.snapshots.end()), "the times of snapshots must ascend");
    const double end = problem.options.until.value_or(forever);
    for (const double t : given.snapshots) {
        require(t >= 0 && std::isfinite(t) && t <= end * (1 + 1e-12),
                fmt::format("a snapshot is at time {}; it must be from 0 to the end of the run, {}", t, end));
    }
}

void settle_scheme(Options& o, const Domain& domain, Device device) {
    const bool takes_stages = domain.graph != nullptr || is_by_tolerance(o, device);
    if (o.scheme == Scheme::automatic)
        o.scheme = o.noise > 0 ? Scheme::euler : takes_stages ? Scheme::rkc : Scheme::heun;
    require(o.noise == 0 || o.scheme == Scheme::euler,
            fmt::format("noise is {}, but scheme {} has none; use scheme euler", o.noise, name_of(o.scheme)),
            {.option = "noise"});
    require(!o.tolerance || o.scheme == Scheme::heun || o.scheme == Scheme::rkc,
            fmt::format("tolerance is {}, but scheme {} does not estimate its error; use scheme heun or rkc",
                        o.tolerance.value_or(0), name_of(o.scheme)),
            {.option = "tolerance"});
    if (is_implicit(o.scheme)) check_implicit(o, domain);
    if (o.scheme == Scheme::adaptive) check_adaptive_grid(domain);
}

Coefficients coefficients_of(const Options& o, const Domain& domain) {
    const double area = domain.graph != nullptr ? 1 : domain.spacing * domain.spacing;
    Coefficients c{.diffusion = *o.diffusion / area,
                   .recovery_diffusion = o.recovery_diffusion.value_or(0) / area,
                   .threshold = o.threshold,
                   .one_plus_threshold = 1 + o.threshold,
                   .epsilon = o.epsilon,
                   .gamma = o.gamma,
                   .feed = o.feed,
                   .feed_plus_kill = o.feed + o.kill};
    return c;
}

std::vector<double> currents_of(const Options& o, const Given& given, Offset n) {
    if (given.current.empty() && o.current == 0) return {};
    std::vector<double> current(at(n), o.current);
    for (std::size_t i = 0; i < given.current.size(); ++i) current[i] += given.current[i];
    return current;
}

std::vector<double> inverse_degrees(const Graph& graph) {
    std::vector<double> inverse(at(graph.size()), 0.0);
    for (Index v = 0; v < graph.size(); ++v) {
        double degree = 0;
        for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e)
            degree += static_cast<double>(graph.weights[at(e)]);
        if (degree > 0) inverse[at(v)] = 1 / degree;
    }
    return inverse;
}

/// A fixed step that divides the simulated time.
void fit_step(Options& o) {
    if (!o.until || *o.until == 0 || o.tolerance) return;
    const double count = std::max(1.0, std::ceil(*o.until / *o.step * (1 - 1e-12)));
    o.step = *o.until / count;
}

double volume_of(const Domain& domain) {
    double volume = 1;
    if (domain.graph != nullptr) return volume;
    for (const Index n : domain.nodes) volume *= n > 1 ? domain.spacing : 1;
    return volume;
}

}  // namespace

Problem problem_of(device::Cpu& cpu, const Domain& domain, const Options& options, const Run& run, const Given& given,
                   Device device) {
    options::check(options);
    check_domain(cpu, domain);
    Problem problem;
    problem.options = options;
    problem.domain = domain;
    problem.seed = run.seed;
    problem.domain.spacing = domain.graph != nullptr ? 1 : domain.spacing;
    require(domain.graph != nullptr || options.laplacian == Laplacian::combinatorial,
            "laplacian random-walk is for graphs; leave it out", {.option = "laplacian"});
    settle_scheme(problem.options, domain, device);
    options::settle(problem.options);
    check_given(problem, given);
    device::require_memory(run, static_cast<std::uint64_t>(problem.size()) * 12 * sizeof(double), "the field",
                           "use fewer nodes");
    problem.coefficients = coefficients_of(problem.options, domain);
    problem.current = currents_of(problem.options, given, problem.size());
    if (options.laplacian == Laplacian::random_walk) problem.inverse_degree = inverse_degrees(*domain.graph);
    problem.stimuli = given.stimuli;
    std::stable_sort(problem.stimuli.begin(), problem.stimuli.end(),
                     [](const Stimulus& a, const Stimulus& b) { return a.vertex < b.vertex; });
    if (options.model == Model::gray_scott) problem.at_rest = {1, 0};
    problem.noise = options.noise / std::sqrt(volume_of(domain));
    settle_step(cpu, problem, given, device);
    fit_step(problem.options);
    return problem;
}

State start_of(const Problem& problem, const Given& given) {
    Values values(problem);
    if (!given.v.empty()) values.v.assign(given.v.begin(), given.v.end());
    if (!given.w.empty()) values.w.assign(given.w.begin(), given.w.end());
    hold(problem, 0, values.watched(problem));
    std::vector<double> activation = device::in_large_pages(at(problem.size()), never);
    const std::vector<double>& watched = values.watched(problem);
    for (std::size_t i = 0; i < activation.size(); ++i) {
        if (watched[i] >= *problem.options.level) activation[i] = 0;
    }
    return {std::move(values.v), std::move(values.w), std::move(activation)};
}

}  // namespace dunlin::waves
