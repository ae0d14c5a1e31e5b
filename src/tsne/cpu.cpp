// SPDX-License-Identifier: Apache-2.0
#include "descent/cpu_descent.hpp"
#include "scores/kl.hpp"
#include "tsne/backend.hpp"
#include "tsne/descend.hpp"

namespace dunlin::tsne {

Descent descend_on_cpu(Graph affinities, const Map& start, const Given& given, const Options& options, const Run& run) {
    device::Cpu cpu(run);
    auto state = descent::descent_state_at(cpu, start.coordinates, start.dim);
    descent::hold_fixed(cpu, state, given.fixed);
    return with_law(options.freedom, [&]<class Law>(const Law& law) {
        descent::Repeller<Law> repeller(repulsion_of(options), law);
        Objective<Law, device::Cpu> objective(cpu, options, law, state, given.anchors);
        return descent::descend_on(cpu, state, affinities, repeller, objective, run, [&] {
            if (state.n < 2) return scores::Score{};
            return scores::kl_on_cpu(cpu, law, affinities, {state.dim, state.y}, {}, run.seed);
        });
    });
}

}  // namespace dunlin::tsne
