// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/agreed_stop.hpp"
#include "mds/axes.hpp"
#include "mds/backend.hpp"
#include "mds/forces/forces.hpp"
#include "mds/resolve.hpp"
#include "mds/smacof/fixed.hpp"
#include "mds/smacof/minimize.hpp"
#include "mds/smacof/nonmetric.hpp"

namespace dunlin::mds {

/// Dispatches to the method; a template over the executor.
template <class Exec, class Pulling>
ScalingOutput place_on(Exec& exec, const ScalingInput& task, const Pulling& items) {
    const Method method = task.options.method;
    if (task.given.fixed != nullptr) return place_fixed(exec, task, items);
    if (task.options.transform != Transform::ratio) return place_transformed(exec, task, items);
    if (moves_by_forces(method)) return place_by_forces(exec, task, *items.source);
    return minimizes_stress(method) ? minimize(exec, task, items) : place_by_axes(exec, task, *items.source);
}

/// work(task, null), or of several ranks work(the task with a stop that all notice at the same point, that stop).
template <class Work>
ScalingOutput with_agreed_stop(const ScalingInput& task, const Work& work) {
    if (device::Rank::current() == nullptr) return work(task, nullptr);
    device::AgreedStop stop(*device::Rank::current(), task.run.stop);
    const Run own = stop.in(task.run);
    return work(ScalingInput{task.items, task.options, task.given, own, task.bounded, task.reads}, &stop);
}

}  // namespace dunlin::mds
