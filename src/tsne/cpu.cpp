#include <dunlin/metrics.hpp>

#include "tsne/backend.hpp"
#include "tsne/descend.hpp"
#include "tsne/reorder.hpp"
#include "tsne/repeller.hpp"

namespace dunlin::tsne {

Descent descend_on_cpu(Graph affinities, const Map& start, const Options& options, const Run& run) {
    device::Cpu cpu(run);
    auto flock = flock_at(cpu, start.coordinates, start.dim);
    Repeller repeller(options);
    const Ending ending = descend(cpu, flock, affinities, repeller, options, run);

    // Scored in the flock's order, which the affinities have too
    const Map placed{start.dim, std::move(flock.y)};
    const metrics::Score kl = placed.size() > 1 ? metrics::kl(affinities, placed, {}, run) : metrics::Score{};
    return {Map{start.dim, in_original_order(placed.coordinates, flock.original, start.dim)}, ending, kl,
            cpu.threads()};
}

}  // namespace dunlin::tsne
