// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/tsne.hpp>

#include "descent/descend.hpp"
#include "descent/repulsion.hpp"
#include "forces/attraction/attraction.hpp"
#include "tsne/convergence.hpp"
#include "tsne/law.hpp"
#include "tsne/springs.hpp"

/// t-SNE as an objective of descent/descend.hpp.
namespace dunlin::tsne {

using descent::DescentState;
using descent::repulsion_of;

inline descent::StepParameters step_parameters_at(const Options& o, int iteration) {
    const float limit = descent::step_limit(o.longest_step);
    if (iteration < o.exaggerated_iterations)
        return {o.exaggeration, *o.learning_rate, o.first_momentum, o.least_gain, limit};
    return {*o.late_exaggeration, *o.late_learning_rate, o.momentum, o.least_gain, limit};
}

template <class Exec, class Law, class Affinities, class Repeller>
void find_forces(Exec& exec, const Law& law, DescentState<Exec>& state, const Affinities& affinities,
                 Repeller& repeller) {
    const MatrixView<const float> y = state.positions();
    repeller.repel(exec, y, {state.repulsion.data(), state.n, state.dim}, state.mass);
    forces::attract(exec, law, affinities, y, {state.attraction.data(), state.n, state.dim}, state.share.rows);
}

/// KL(P, Q) of the map, with Z from the last find_forces; waits for the device.
template <class Exec, class Law, class Affinities>
double cost_now(Exec& exec, const Law& law, DescentState<Exec>& state, const Affinities& affinities) {
    forces::attract_cost(exec, law, affinities, state.positions(), state.cost);
    return exec.read(state.cost) + std::log(descent::normalizer(exec.read(state.mass)));
}

/// Minimizes KL(P, Q); options are resolved. After early exaggeration the descent stops at the first check at which a
/// rule holds: those of Convergence, or a gradient of at most options.min_gradient.
template <class Law, class Exec>
class Objective {
public:
    using Step = descent::GainStep;

    static constexpr float initial_gain = 1;

    /// At the start of the descent. anchors: of options.anchor given.
    Objective(Exec& exec, const Options& options, const Law& law, DescentState<Exec>& start, const Map* anchors)
        : options_(options), law_(law), convergence_(options), springs_(exec, options, start, anchors) {}

    [[nodiscard]] const Options& options() const { return options_; }
    template <class Affinities>
    void set(Exec&, const Affinities&, const live::Act& act) {
        live::set_option(options_, act);
    }

    [[nodiscard]] int iterations() const { return options_.iterations; }
    [[nodiscard]] bool changes_at(int t) const { return t == 0 || t == options_.exaggerated_iterations; }
    [[nodiscard]] descent::StepParameters parameters_at(int t) const { return step_parameters_at(options_, t); }

    static bool prepare(Exec&, int) { return false; }

    template <class Affinities, class Repeller>
    void find_forces(Exec& exec, DescentState<Exec>& state, const Affinities& affinities, Repeller& repeller) {
        tsne::find_forces(exec, law_, state, affinities, repeller);
        springs_.pull(exec, state);
    }

    void step(Exec& exec, DescentState<Exec>& state) {
        springs_.are_there() ? springs_.step(exec, state) : descent::step<Step>(exec, state);
    }

    template <class Affinities>
    bool is_reached(Exec& exec, DescentState<Exec>& state, const Affinities& affinities, int t,
                    progress::ProgressReporter& reporter) {
        const double cost = descent::require_finite(cost_now(exec, law_, state, affinities), t);
        reporter.cost(cost);
        if (convergence_.is_reached(t, cost)) return true;
        return options_.min_gradient > 0 && t >= options_.exaggerated_iterations &&
               descent::gradient_norm(exec, state) <= static_cast<double>(options_.min_gradient);
    }

    template <class Affinities>
    void follow(Exec&, const Affinities&) const {}

    using Memory = Convergence::Memory;
    [[nodiscard]] const Memory& memory() const { return convergence_.memory(); }
    void recall(const Memory& memory) { convergence_.recall(memory); }

private:
    Options options_;
    Law law_;
    Convergence convergence_;
    Springs<Exec> springs_;
};

}  // namespace dunlin::tsne
