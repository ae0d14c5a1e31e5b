// SPDX-License-Identifier: Apache-2.0
#include "reliability/left_out.hpp"

#include <algorithm>

#include "math/at.hpp"
#include "placement/reference.hpp"
#include "reliability/point_terms.hpp"

namespace dunlin::reliability {

namespace {

/// Queries between two ticks of the reporter, which only the caller's thread may do.
constexpr Offset queries_at_once = 4096;

using placement::targets_of, placement::weights_of;

template <int D>
void find_minima(device::Cpu& cpu, const LeftOutTask& task, progress::ProgressReporter* reporter, Minima& found) {
    const Minimizer<D> minimizer{task.field.view<D>(), task.field.normalizer(), task.starts, task.separation};
    for (Offset first = 0; first < task.queries(); first += queries_at_once) {
        const Offset count = std::min(queries_at_once, task.queries() - first);
        cpu.each(
            count,
            [&](Offset q) {
                const Index i = task.point(first + q);
                const Offset row = task.row(first + q);
                const auto targets = targets_of(task.edges, row), nearest = targets_of(task.nearest, row);
                const placement::Edges edges{minimizer.field.map, targets.data(), weights_of(task.edges, row).data(),
                                             static_cast<Index>(targets.size()), task.scale};
                double starts[placement::most_starts][D]{};
                const int wanted = minimizer.starts_of(i, nearest.data(), static_cast<Index>(nearest.size()), starts);
                const auto place = placement::place_from<D>(minimizer.loss_of(i, edges), starts, wanted,
                                                            minimizer.rule(), task.separation);
                found.moved[at(first + q)] = minimizer.moved(i, place);
                found.gap[at(first + q)] = place.gap;
            },
            16);
        if (reporter != nullptr) reporter->tick(first + count);
    }
}

}  // namespace

Minima minima_on_cpu(device::Cpu& cpu, const LeftOutTask& task, progress::ProgressReporter* reporter) {
    Minima found(task.queries());
    if (task.map.dim == 1) find_minima<1>(cpu, task, reporter, found);
    if (task.map.dim == 2) find_minima<2>(cpu, task, reporter, found);
    if (task.map.dim == 3) find_minima<3>(cpu, task, reporter, found);
    return found;
}

Minima minima_of(const Where& where, const LeftOutTask& task, progress::ProgressReporter* reporter) {
    return where.gpu != nullptr ? minima_on_cuda(task, *where.gpu, reporter) : minima_on_cpu(where.cpu, task, reporter);
}

}  // namespace dunlin::reliability
