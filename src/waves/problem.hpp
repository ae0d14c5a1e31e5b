// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "device/cpu.hpp"
#include "device/slice.hpp"
#include "waves/formulas.hpp"

namespace dunlin::waves {

/// A checked input with every default resolved: what an engine needs besides the values.
struct Problem {
    Options options;  ///< resolved; options.step: the first time step
    Domain domain;
    Coefficients coefficients;
    std::vector<Stimulus> stimuli = {};       ///< ascending in vertex; of one vertex in the given order
    std::vector<double> current = {};         ///< input current of each node; empty: none
    std::vector<double> inverse_degree = {};  ///< random-walk Laplacian: per vertex; empty: combinatorial
    Node at_rest = {};                        ///< the state that stays as it is without input
    double noise = 0;                         ///< factor of `coins` before sqrt(dt): sigma / sqrt(volume of a node)
    double step_limit = 0;                    ///< largest stable step of the scheme
    double stiffness = 0;                     ///< bound of the largest rate at which a mode decays
    double scale = 1;                         ///< how far values are from each other at first, never 0
    double magnitude = 1;                     ///< the largest of the start and the stimuli, at least the scale
    std::uint64_t seed = 1;
    bool until_all_active = false;  ///< ends as soon as every node is activated

    // Only for a part (shares.hpp): the nodes that it computes, and their numbers in the whole, on which noise depends
    std::optional<device::Slice> own_part = {};
    NodeNumbers numbers = {};

    [[nodiscard]] Offset size() const { return domain.size(); }
    [[nodiscard]] device::Slice own() const { return own_part.value_or(device::Slice{0, size()}); }
    [[nodiscard]] bool recovers() const { return has_recovery(options.model); }
    [[nodiscard]] bool watches_recovery() const { return waves::watches_recovery(options.model); }
};

/// Values between calls of an engine.
struct State {
    std::vector<double> v, w;        ///< w: empty for models of one species
    std::vector<double> activation;  ///< per node, `never` until then
};

/// Checks everything; throws what simulate throws. The default scheme and step depend on the device.
Problem problem_of(device::Cpu& cpu, const Domain& domain, const Options& options, const Run& run, const Given& given,
                   Device device = Device::cpu);

/// The start, with the stimuli of time 0.
State start_of(const Problem& problem, const Given& given);

}  // namespace dunlin::waves
