// SPDX-License-Identifier: Apache-2.0
#include <dunlin/scores.hpp>

#include "descent/cpu_descent.hpp"
#include "tsne/backend.hpp"
#include "tsne/descend.hpp"

namespace dunlin::tsne {

Descent descend_on_cpu(Graph affinities, const Map& start, const Given& given, const Options& options, const Run& run) {
    device::Cpu cpu(run);
    auto state = descent::descent_state_at(cpu, start.coordinates, start.dim);
    descent::hold_fixed(cpu, state, given.fixed);
    descent::Repeller<forces::StudentT> repeller(repulsion_of(options));
    Objective objective(options);
    return descent::descend_on(cpu, state, affinities, repeller, objective, run, [&] {
        return state.n > 1 ? scores::kl(affinities, {state.dim, state.y}, {}, run) : scores::Score{};
    });
}

}  // namespace dunlin::tsne
