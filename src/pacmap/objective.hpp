// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <dunlin/pacmap.hpp>

#include "descent/descend.hpp"
#include "descent/repulsion.hpp"
#include "forces/attraction/attraction.hpp"
#include "forces/law.hpp"
#include "pacmap/pairs.hpp"

/// PaCMAP as an objective of descent/descend.hpp.
namespace dunlin::pacmap {

using descent::DescentState;
using descent::repulsion_of;

constexpr forces::PairLoss near_loss{10}, mid_near_loss{10000};

/// Number of iterations of the three phases, and the weights of pairs.
struct Phases {
    std::array<int, 3> length;

    [[nodiscard]] int iterations() const { return length[0] + length[1] + length[2]; }
    [[nodiscard]] bool is_last(int t) const { return t >= length[0] + length[1]; }
    [[nodiscard]] float near_weight(int t) const { return t < length[0] ? 2.0F : is_last(t) ? 1.0F : 3.0F; }
    [[nodiscard]] float mid_near_weight(int t) const {
        if (is_last(t)) return 0;
        if (t >= length[0]) return 3;
        const float share = static_cast<float>(t) / static_cast<float>(length[0]);
        return (1 - share) * 1000 + share * 3;
    }
};

/// Force per unit of strength of all other points: 2 for the gradient of d, and `further` pairs chosen from each end of
/// the n - 1 possible ones.
inline double further_factor(const Options& options, Index n) {
    return n > 1 ? 4 * static_cast<double>(options.further) / (n - 1) : 0;
}

/// attraction += ratio * mid.
struct AddScaled {
    const float* ratio;
    const float* mid;
    float* attraction;
    DUNLIN_HD void operator()(Offset i) const { attraction[i] += *ratio * mid[i]; }
};

/// Descends along the gradient of
///   w_near sum d / (10 + d) + w_mid sum d / (10000 + d) + expectation of sum 1 / (1 + d), d = 1 + |y_i - y_j|^2,
/// over near, mid-near and further pairs. Options are resolved.
template <class Exec>
class Objective {
public:
    using Step = descent::AdamStep;
    static constexpr float initial_gain = 0;  // Adam's mean of squares

    [[nodiscard]] const Options& options() const { return options_; }
    template <class G>
    void set(Exec&, const Pairs<G>&, const live::Act& act) {
        live::set_option(options_, act);
    }

    Objective(Exec& exec, DescentState<Exec>& state, const Options& options)
        : options_(options), phases_{phases_of(options.iterations)} {
        const std::size_t size = state.y.size();
        exec.fill(state.gain, size, initial_gain);
        exec.fill(mid_force_, size, 0.0F);
        const double factor = further_factor(options, state.n);
        exec.set(state.mass, factor > 0 ? 1 / factor : std::numeric_limits<double>::infinity());
        exec.set(potential_, 0.0);
        exec.set(ratio_, 0.0F);
    }

    [[nodiscard]] int iterations() const { return phases_.iterations(); }
    [[nodiscard]] static bool changes_at(int) { return true; }
    [[nodiscard]] descent::StepParameters parameters_at(int t) const {
        const float rate = options_.learning_rate * descent::AdamStep::bias_correction(t);
        return {phases_.near_weight(t), rate, 0, 0, std::numeric_limits<float>::infinity()};
    }

    bool prepare(Exec& exec, int t) {
        const float ratio = phases_.mid_near_weight(t) / phases_.near_weight(t);
        const bool other_work = (ratio > 0) != has_mid_near_;
        if (ratio != last_ratio_) exec.set(ratio_, ratio);
        last_ratio_ = ratio;
        has_mid_near_ = ratio > 0;
        return other_work;
    }

    template <class G, class Repeller>
    void find_forces(Exec& exec, DescentState<Exec>& state, const Pairs<G>& pairs, Repeller& repeller) {
        const MatrixView<const float> y = state.positions();
        repeller.repel(exec, y, {state.repulsion.data(), state.n, state.dim}, potential_);
        forces::attract(exec, near_loss, pairs.near, y, {state.attraction.data(), state.n, state.dim},
                        state.share.rows);
        if (!has_mid_near_) return;
        forces::attract(exec, mid_near_loss, pairs.mid, y, {mid_force_.data(), state.n, state.dim}, state.share.rows);
        exec.each(static_cast<Offset>(mid_force_.size()),
                  AddScaled{exec.address(ratio_), mid_force_.data(), state.attraction.data()});
    }

    /// There is no rule but the number of iterations.
    template <class G>
    bool is_reached(Exec& exec, DescentState<Exec>& state, const Pairs<G>& pairs, int t, progress::ProgressReporter&) {
        forces::attract_cost(exec, near_loss, pairs.near, state.positions(), state.cost);
        descent::require_finite(exec.read(state.cost), t);
        return false;
    }

    template <class G>
    void follow(Exec&, const Pairs<G>&) const {}

    using Memory = descent::NoMemory;
    [[nodiscard]] static Memory memory() { return {}; }
    static void recall(const Memory&) {}

private:
    Options options_;
    Phases phases_;
    float last_ratio_ = -1;
    bool has_mid_near_ = false;
    typename Exec::template Buffer<float> mid_force_;
    typename Exec::template Cell<float> ratio_;
    typename Exec::template Cell<double> potential_;
};

/// Share of a row in the loss, given the sum of potentials of all others: the mean of its own further pairs.
inline double further_loss(const Options& options, Index n, double potentials) {
    return n > 1 ? static_cast<double>(options.further) / (n - 1) * potentials : 0;
}

}  // namespace dunlin::pacmap
