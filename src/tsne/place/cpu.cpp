// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/progress.hpp"
#include "placement/loss.hpp"
#include "tsne/place/backend.hpp"
#include "tsne/place/reference.hpp"

namespace dunlin::tsne {

namespace {

template <int D>
void place_query(const PlaceTask& task, const placement::Field<D, forces::StudentT>& field, double normalizer,
                 Offset query, Placed& placed) {
    const auto targets = targets_of(task.lists, query);
    const placement::Edges edges{task.map.data, targets.data(), task.affinities.data() + task.lists.offsets[at(query)],
                                 static_cast<Index>(targets.size())};
    double starts[placement::most_starts][D];
    int count = 1;
    if (task.start != nullptr) {
        for (int d = 0; d < D; ++d) starts[0][d] = static_cast<double>(task.start->coordinates[at(query * D + d)]);
    } else {
        count = placement::starts_of<D>(task.map.data, targets.data(), edges.count, task.starts, starts);
    }
    const auto place = placement::place_from<D>(placement::loss_of_new(field, edges, normalizer), starts, count,
                                                task.minimize, task.separation);
    for (int d = 0; d < D; ++d) {
        placed.map.coordinates[at(query * D + d)] = static_cast<float>(place.minimum.y[d]);
    }
    placed.cost[at(query)] = static_cast<float>(place.minimum.loss.value);
    placed.gap[at(query)] = static_cast<float>(place.gap);
}

}  // namespace

void place_on_cpu(device::Cpu& cpu, const PlaceTask& task, const placement::MapField<forces::StudentT>& field,
                  const Run& run, Placed& placed) {
    constexpr Offset grain = 16, chunk = 4096;
    const Offset m = task.lists.size();
    device::ProgressReporter reporter(run, "place", m);
    reporter.announce(0);
    const auto with = [&]<int D>() {
        const auto view = field.view<D>();
        for (Offset first = 0; first < m; first += chunk) {
            const Offset count = std::min(chunk, m - first);
            cpu.each(
                count, [&](Offset q) { place_query<D>(task, view, field.normalizer(), first + q, placed); }, grain);
            reporter.tick(first + count);
        }
    };
    if (task.map.cols == 1) return with.operator()<1>();
    task.map.cols == 2 ? with.operator()<2>() : with.operator()<3>();
}

}  // namespace dunlin::tsne
