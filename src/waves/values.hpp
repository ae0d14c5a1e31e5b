// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "device/pieces.hpp"
#include "math/at.hpp"
#include "waves/problem.hpp"

namespace dunlin::waves {

/// A value of each species per node.
struct Values {
    std::vector<double> v, w;  ///< w: empty for models of one species

    Values() = default;
    explicit Values(const Problem& problem)
        : v(device::in_large_pages(at(problem.size()), problem.at_rest.v)),
          w(device::in_large_pages(problem.recovers() ? at(problem.size()) : 0, problem.at_rest.w)) {}

    /// Calls visit(species) for each that the model has; species: &Values::v or &Values::w.
    template <class Visit>
    void each_species(const Visit& visit) const {
        visit(&Values::v);
        if (!w.empty()) visit(&Values::w);
    }
    /// The species that stimuli hold and whose activation is recorded.
    [[nodiscard]] std::vector<double>& watched(const Problem& problem) { return problem.watches_recovery() ? w : v; }
    [[nodiscard]] const std::vector<double>& watched(const Problem& problem) const {
        return problem.watches_recovery() ? w : v;
    }
};

/// Where the values are; w: null for models of one species.
struct ValuePointers {
    double *v = nullptr, *w = nullptr;
};

/// Sets the values of vertices that stimuli hold at time t, to the stimulus' value (of several for one vertex the last
/// counts) or to a given one.
inline void hold(const Problem& problem, double t, std::vector<double>& watched, std::optional<double> value = {}) {
    for (const Stimulus& s : problem.stimuli) {
        if (is_held(s.from, s.to, s.every, t)) watched[at(s.vertex)] = value.value_or(s.value);
    }
}

/// Adds a step's noise to the values of the nodes first, first + 1, ...
inline void add_noise(const Problem& problem, double dt, Offset step, Offset first, double* v, Offset n) {
    const double scale = problem.noise * std::sqrt(dt);
    for (Offset i = 0; i < n; ++i) {
        const auto node = static_cast<std::uint64_t>(problem.numbers.at(first + i));
        v[i] = fused(scale, coins(problem.seed, node, static_cast<std::uint64_t>(step)), v[i]);
    }
}

}  // namespace dunlin::waves
