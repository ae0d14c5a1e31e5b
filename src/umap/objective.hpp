// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/umap.hpp>

#include "descent/descend.hpp"
#include "descent/repulsion.hpp"
#include "forces/attraction/attraction.hpp"
#include "forces/law.hpp"

/// UMAP as an objective of descent/descend.hpp.
namespace dunlin::umap {

using descent::DescentState;
using descent::repulsion_of;

inline forces::Fuzzy law_of(const Options& o) { return {*o.a, *o.b, o.softening}; }

/// Number that repels point i: factor * sum of its memberships.
struct RowPush {
    const Offset* offsets;
    const float* weights;
    double factor;
    float* push;
    DUNLIN_HD void operator()(Offset i) const {
        double degree = 0;
        for (Offset e = offsets[i]; e < offsets[i + 1]; ++e) degree += static_cast<double>(weights[e]);
        push[i] = static_cast<float>(factor * degree);
    }
};

struct EdgeWeight {
    const float* weights;
    DUNLIN_HD double operator()(Offset e) const { return static_cast<double>(weights[e]); }
};

struct Push {
    const float* push;
    float* force;
    int width;
    DUNLIN_HD void operator()(Offset i) const {
        for (int c = 0; c < width; ++c) force[i * width + c] *= push[i];
    }
};

/// Descends along the expected field of umap-learn's samples, divided by 4 times the mean degree:
///   G_i = sum_j (mu_ij / mean degree) A (y_i - y_j) - push_i sum_j R (y_i - y_j),
/// with the attraction A and strength R of forces::Fuzzy and push_i = negatives * repulsion strength * d_i / (2 n mean
/// degree), d_i the degree (sum of memberships) of i, since each of an edge's samples pushes its head from `negatives`
/// points. Options are resolved.
template <class Exec>
class Objective {
public:
    using Step = descent::GainStep;

    template <class Edges>
    Objective(Exec& exec, DescentState<Exec>& state, const Edges& edges, const Options& options)
        : options_(options), law_(law_of(options)) {
        typename Exec::template Cell<double> total;
        exec.sum(edges.edges(), EdgeWeight{edges.weights.data()}, total);
        const double sum = exec.read(total), n = state.n;
        if (sum > 0) mean_degree_ = sum / n;
        points_ = n;
        exec.resize(push_, static_cast<std::size_t>(state.n));
        exec.set(state.mass, 1.0);  // the repulsion has no normalizer
        exec.set(potential_, 0.0);
        follow(exec, edges);
    }

    static constexpr float initial_gain = 1;

    [[nodiscard]] const Options& options() const { return options_; }
    template <class Edges>
    void set(Exec& exec, const Edges& edges, const live::Act& act) {
        live::set_option(options_, act);
        follow(exec, edges);
    }

    static bool prepare(Exec&, int) { return false; }
    [[nodiscard]] int iterations() const { return options_.iterations; }
    [[nodiscard]] bool changes_at(int t) const { return t == 0 || t >= begin_of_fall(); }
    [[nodiscard]] descent::StepParameters parameters_at(int t) const {
        const float limit = descent::step_limit(options_.longest_step);
        const auto left = static_cast<float>(options_.iterations - t);
        const auto fall = static_cast<float>(options_.iterations - begin_of_fall());
        const float rate = t < begin_of_fall() ? options_.learning_rate : options_.learning_rate * left / fall;
        return {static_cast<float>(1 / mean_degree_), rate, options_.momentum, options_.least_gain, limit};
    }

    template <class Edges, class Repeller>
    void find_forces(Exec& exec, DescentState<Exec>& state, const Edges& edges, Repeller& repeller) {
        const MatrixView<const float> y = state.positions();
        repeller.repel(exec, y, {state.repulsion.data(), state.n, state.dim}, potential_);
        exec.each(state.n, Push{push_.data(), state.repulsion.data(), state.dim});
        forces::attract(exec, law_, edges, y, {state.attraction.data(), state.n, state.dim}, state.share.rows);
    }

    /// There is no rule but the number of iterations.
    template <class Edges>
    bool is_reached(Exec& exec, DescentState<Exec>& state, const Edges& edges, int t, progress::ProgressReporter&) {
        forces::attract_cost(exec, law_, edges, state.positions(), state.cost);
        descent::require_finite(exec.read(state.cost), t);
        return false;
    }

    template <class Edges>
    void follow(Exec& exec, const Edges& edges) {
        exec.each(static_cast<Offset>(push_.size()),
                  RowPush{edges.offsets.data(), edges.weights.data(), push_factor(), push_.data()});
    }

    using Memory = descent::NoMemory;
    [[nodiscard]] static Memory memory() { return {}; }
    static void recall(const Memory&) {}

    [[nodiscard]] const typename Exec::template Buffer<float>& push() const { return push_; }
    [[nodiscard]] double mean_degree() const { return mean_degree_; }
    [[nodiscard]] const forces::Fuzzy& law() const { return law_; }

private:
    [[nodiscard]] int begin_of_fall() const { return options_.iterations - options_.iterations / 5; }

    [[nodiscard]] double push_factor() const {
        return static_cast<double>(options_.negatives) * static_cast<double>(options_.repulsion_strength) /
               (2 * points_ * mean_degree_);
    }

    Options options_;
    forces::Fuzzy law_;
    double mean_degree_ = 1, points_ = 1;
    typename Exec::template Buffer<float> push_;
    typename Exec::template Cell<double> potential_;
};

/// Factor that scales a start so that its largest coordinate is 10; 1 if all are 0.
inline float start_scale(float largest) { return largest > 0 ? 10.0F / largest : 1.0F; }

struct Scale {
    float* y;
    float factor;
    DUNLIN_HD void operator()(Offset i) const { y[i] *= factor; }
};

inline DUNLIN_HD double distance_from_origin(const float* y, int dim) {
    double r2 = 0;
    for (int d = 0; d < dim; ++d) r2 += static_cast<double>(y[d]) * static_cast<double>(y[d]);
    return std::sqrt(r2);
}

/// Fourth root of a point's distance from the origin.
struct RootOfRadius {
    const float* y;
    int dim;
    DUNLIN_HD double operator()(Offset i) const { return std::sqrt(std::sqrt(distance_from_origin(y + i * dim, dim))); }
};

/// Moves a point at a distance r above `limit` to limit * (1 + log(r / limit)).
struct DrawNear {
    float* y;
    int dim;
    double limit;
    DUNLIN_HD void operator()(Offset i) const {
        float* const place = y + i * dim;
        const double r = distance_from_origin(place, dim);
        if (!(r > limit)) return;
        const double factor = limit * (1 + std::log(r / limit)) / r;
        for (int d = 0; d < dim; ++d) place[d] = static_cast<float>(factor * static_cast<double>(place[d]));
    }
};

/// Draws the outliers of a start nearer, those beyond 3 times the typical distance (the power mean of exponent 1/4), so
/// that they do not leave the other points at one place when the start is scaled.
template <class Exec>
void draw_outliers_near(Exec& exec, DescentState<Exec>& state) {
    if (state.n == 0) return;
    typename Exec::template Cell<double> sum;
    exec.sum(state.n, RootOfRadius{state.y.data(), state.dim}, sum);
    const double typical = std::pow(exec.read(sum) / state.n, 4);
    if (typical > 0) exec.each(state.n, DrawNear{state.y.data(), state.dim, 3 * typical});
}

}  // namespace dunlin::umap
