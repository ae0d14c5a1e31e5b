#include "mds/forces.hpp"

#include "mds/hybrid.hpp"
#include "mds/order.hpp"

namespace dunlin::mds {

bool by_forces(Method method) {
    return method == Method::stochastic || method == Method::gpu_sf || method == Method::glimmer ||
           method == Method::hybrid;
}

Ending run_forces(device::Cpu& cpu, const Source& source, Map& map, const Options& o, const Run& run) {
    auto springs = springs_at(cpu, map, random_order(source.size(), run.seed), *o.near, *o.random);
    const Pace pace{*o.until, *o.iterations, o.method == Method::stochastic};
    const Stage all{0, springs.n, springs.n, 1.0 / 1000};
    const Ending ending = o.method == Method::glimmer  ? glimmer(cpu, source, springs, *o.decimation, pace, run)
                          : o.method == Method::hybrid ? hybrid(cpu, source, springs, o, run)
                                                       : stir(cpu, source, springs, all, pace, run);
    map.coordinates = places_of(cpu, springs);
    return ending;
}

}  // namespace dunlin::mds
