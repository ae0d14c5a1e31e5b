// SPDX-License-Identifier: Apache-2.0
#include "waves/adaptive_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <dunlin/error.hpp>

#include "progress/cancel.hpp"
#include "waves/law.hpp"
#include "waves/saved_state.hpp"
#include "waves/spans.hpp"

namespace dunlin::waves {

namespace {

constexpr Index coarse = 8, medium = 2;  // distances of nodes, in nodes
constexpr double steep_inflection = 10;  // |v_x| relative to the slope

/// Marks nodes: each criterion reaches to the next node of the coarser grid, because a wave moves.
class Marks {
public:
    explicit Marks(Index n) : marked_(at(n), 0) {}

    void mark(Index from, Index to, Index every = 1) {
        const Index n = static_cast<Index>(marked_.size());
        for (Index i = std::max(from, 0); i <= std::min(to, n - 1); ++i) {
            if (i % every == 0) marked_[at(i)] = 1;
        }
    }
    void list(std::vector<Index>& nodes) const {
        nodes.clear();
        for (std::size_t i = 0; i < marked_.size(); ++i) {
            if (marked_[i] != 0) nodes.push_back(static_cast<Index>(i));
        }
    }

private:
    std::vector<char> marked_;
};

struct Bend {
    Index node = 0;
    double curvature = 0, steepness = 0;
};

}  // namespace

void check_adaptive_grid(const Domain& domain) {
    const bool is_line = domain.graph == nullptr && domain.nodes[1] == 1 && domain.nodes[2] == 1;
    if (is_line && !domain.periodic[0]) return;
    throw Error(Fault::bad_input, "scheme adaptive is for lines; use heun for rings and grids and rkc for graphs",
                {.option = "scheme"});
}

double second_derivative(double before, double v, double after, double distance_before, double distance_after) {
    const double left = difference(before, v) / distance_before, right = difference(after, v) / distance_after;
    return product(2 / (distance_before + distance_after), sum(left, right));
}

void choose_nodes(const LineState& state, double slope, double radius, std::span<const Stimulus> always,
                  std::vector<Index>& nodes) {
    const auto n = static_cast<Index>(state.v.size());
    const auto reach = static_cast<Index>(std::min<double>(radius / state.spacing, n));
    Marks marks(n);
    marks.mark(0, n - 1, coarse);
    marks.mark(0, 1);
    marks.mark(n - 2, n - 1);
    for (const Stimulus& s : always) marks.mark(s.vertex, s.vertex);
    Bend last;
    for (Index i = 0; i < n; ++i) {
        const double v = state.v[at(i)], left = state.v[at(std::max(i - 1, 0))],
                     right = state.v[at(std::min(i + 1, n - 1))];
        const Bend bend{i, laplacian_1d(v, left, right), std::abs(right - left) / (2 * state.spacing)};
        if (bend.steepness > slope) marks.mark(i - coarse, i + coarse, medium);
        if (std::abs(state.rate[at(i)]) > slope) marks.mark(i - medium, i + medium);
        if (bend.curvature == 0) continue;
        const bool inflects = (last.curvature < 0 && bend.curvature > 0) || (last.curvature > 0 && bend.curvature < 0);
        if (inflects && std::max(last.steepness, bend.steepness) > steep_inflection * slope)
            marks.mark(last.node - reach, i + reach);
        last = bend;
    }
    marks.list(nodes);
}

AdaptiveEngine::AdaptiveEngine(device::Cpu& cpu, const Problem& problem, State start)
    : cpu_(cpu),
      problem_(problem),
      field_rates_(problem),
      activation_(std::move(start.activation)),
      rate_(at(problem.size())),
      nodes_(at(problem.size())) {
    now_.v = std::move(start.v);
    now_.w = std::move(start.w);
    next_ = scratch_ = Values(problem);
    std::iota(nodes_.begin(), nodes_.end(), 0);  // the first step takes all nodes, whose rates are not known
}

/// Values between the nodes in use are linear; mirrored ones give mirrored bits.
void AdaptiveEngine::interpolate(std::vector<double>& values) const {
    for (std::size_t k = 0; k + 1 < nodes_.size(); ++k) {
        const Index a = nodes_[k], b = nodes_[k + 1];
        for (Index i = a + 1; i < b; ++i) {
            const double of_a = product(values[at(a)], b - i), of_b = product(values[at(b)], i - a);
            values[at(i)] = sum(of_a, of_b) / (b - a);
        }
    }
}

/// Second derivative at the k-th node in use. The unit of length is the spacing of the line.
double AdaptiveEngine::laplacian(const std::vector<double>& values, std::size_t k) const {
    const auto count = static_cast<Index>(nodes_.size()), i = static_cast<Index>(k);
    if (count < 2) return 0;
    const Index here = nodes_[k];
    const Index before = nodes_[at(node_before(i, count, false))], after = nodes_[at(node_after(i, count, false))];
    return second_derivative(values[at(before)], values[at(here)], values[at(after)], std::abs(here - before),
                             std::abs(after - here));
}

template <class Law>
void AdaptiveEngine::take_step(double dt) {
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        const std::size_t i = at(nodes_[k]);
        Node u{now_.v[i], 0}, curved{laplacian(now_.v, k), 0};
        if constexpr (Law::recovers) u.w = now_.w[i];
        if constexpr (Law::spreads) curved.w = laplacian(now_.w, k);
        const double current = Law::driven ? problem_.current[i] : 0;
        const Node rate = rates<Law>(problem_.coefficients, u, curved, current);
        rate_[i] = rate.v;
        next_.v[i] = euler(dt, rate.v, u.v);
        if constexpr (Law::recovers) next_.w[i] = euler(dt, rate.w, u.w);
    }
}

void AdaptiveEngine::advance(Offset first, Offset steps, double dt) {
    const Options& o = problem_.options;
    for (Offset k = first; k < first + steps; ++k) {
        progress::cancellation_point();
        const progress::Uncancellable whole;
        if (completed_ > 0) {
            const LineState state{now_.v, rate_, problem_.domain.spacing};
            choose_nodes(state, o.slope, o.radius, problem_.stimuli, nodes_);
        }
        with_law(problem_, [&]<class Law>() { take_step<Law>(dt); });
        hold(problem_, time_of(dt, k + 1), next_.watched(problem_));
        next_.each_species([&](auto species) { interpolate(next_.*species); });
        interpolate(rate_);
        activate_span(time_of(dt, k), dt, *o.level, now_.watched(problem_).data(), next_.watched(problem_).data(),
                      activation_.data(), problem_.size());
        std::swap(now_, next_);
        skipped_ += problem_.size() - std::ssize(nodes_);
        ++completed_;
    }
}

/// The nodes in use are chosen anew before each step but the first.
void AdaptiveEngine::write(checkpoint::ArchiveWriter& archive, double time) const {
    archive(now_.v), archive(now_.w), archive(rate_), write_times(archive, activation_, time);
    archive(completed_), archive(skipped_);
}

void AdaptiveEngine::read(checkpoint::ArchiveReader& archive) {
    read_values(archive, now_.v), read_values(archive, now_.w), read_values(archive, rate_);
    read_times(archive, activation_);
    read_count(archive, completed_), read_count(archive, skipped_);
}

double AdaptiveEngine::fastest(double t) { return largest_rate(cpu_, problem_, field_rates_, now_, t, scratch_); }

}  // namespace dunlin::waves
