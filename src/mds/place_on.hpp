#pragma once

#include "mds/axes.hpp"
#include "mds/forces.hpp"
#include "mds/minimise.hpp"
#include "mds/resolve.hpp"

namespace dunlin::mds {

/// Any method, of dissimilarities as they are, nobody being fixed; once for every executor.
template <class Exec, class Pulling>
Placed place_on(Exec& exec, const Task& task, const Pulling& items) {
    const Method method = task.options.method;
    if (by_forces(method)) return place_by_forces(exec, task, *items.source);
    return minimises(method) ? minimise(exec, task, items) : place_by_axes(exec, task, *items.source);
}

}  // namespace dunlin::mds
