// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "waves/formulas.hpp"

namespace dunlin::waves {

/// A checked input with every default resolved: what an engine needs besides the values.
struct Problem {
    Options options;  ///< resolved
    Domain domain;
    Coefficients coefficients;
    std::vector<Stimulus> stimuli;       ///< ascending in vertex
    std::vector<double> current;         ///< input current of each node; empty: none
    std::vector<double> inverse_degree;  ///< random-walk Laplacian: per vertex; empty: combinatorial
    Node at_rest;                        ///< the state that stays as it is without input
    double noise = 0;                    ///< factor of `coins` before sqrt(dt): sigma / sqrt(volume of a node)
    double step_limit = 0;               ///< largest stable step
    double spectral_bound = 0;           ///< largest eigenvalue of the negative Laplacian times D_v
    std::uint64_t seed = 1;

    [[nodiscard]] Offset size() const { return domain.size(); }
    [[nodiscard]] bool recovers() const { return has_recovery(options.model); }
    /// The species whose activation is recorded and which stimuli hold is w.
    [[nodiscard]] bool watches_recovery() const { return options.model == Model::gray_scott; }
};

/// Values between calls of an engine.
struct State {
    std::vector<double> v, w;        ///< w: empty for models of one species
    std::vector<double> activation;  ///< per node, `never` until then
};

}  // namespace dunlin::waves
