#pragma once

#include <type_traits>

#include "device/stopwatch.hpp"
#include "mds/backend.hpp"
#include "mds/disparities.hpp"
#include "mds/start.hpp"

namespace dunlin::mds {

/// The start of a metric map of what is known: the dissimilarities, or their ranks.
template <class OwnSource, class Exec>
void begin_with(Exec& exec, Disparities<Exec>& disparities, Shape<Exec>& shape, const Task& task) {
    Run unlimited = task.run;  // these were counted
    unlimited.memory = 0;
    const auto items = Dissimilarities::of_matrix(disparities.matrix(exec), unlimited);
    begin(exec, items, OwnSource(exec, items), shape, task.options.start, task.run.seed);
}

/// Smacof with disparities (Borg and Groenen 2005, ch. 9), once for every executor: it brings what minimise.hpp and
/// disparities.hpp ask for. What it returns depends on the dissimilarities only through what their transform leaves of
/// them.
template <class Exec, class Pulling>
Placed place_transformed(Exec& exec, const Task& task, const Pulling& items) {
    const Options& o = task.options;
    const bool given = task.given.start != nullptr;
    device::Stopwatch watch;
    Placed result;
    Disparities<Exec> disparities(exec, *items.source, pair_weights(items), o.transform);
    auto shape = given ? shape_at(exec, *task.given.start) : empty_shape(exec, task.items.size(), o.dim);
    if (!given) begin_with<std::remove_cvref_t<decltype(*items.source)>>(exec, disparities, shape, task);
    result.seconds.start = watch.lap();
    const Patience patience{*o.iterations, *o.tolerance, disparities.total_weight()};
    result.ending = smacof(exec, Transformed<Exec>{&disparities}, shape, steps(exec, items, 1), patience, task.run);
    result.map = given ? Map{shape.dim, exec.host(shape.y)} : aligned(exec, std::move(shape));
    result.seconds.optimise = watch.lap();
    return result;
}

/// Kruskal's stress-1 of a map and the best transform.
template <class Exec, class Pulling>
double stress1_after(Exec& exec, const Pulling& items, const Map& map, Transform transform) {
    Disparities<Exec> disparities(exec, *items.source, pair_weights(items), transform);
    typename Exec::template Buffer<float> y;
    exec.upload(y, std::span<const float>(map.coordinates));
    disparities.fit(exec, y.data(), map.dim);
    return disparities.stress1(exec);
}

}  // namespace dunlin::mds
