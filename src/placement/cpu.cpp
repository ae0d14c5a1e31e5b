// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "placement/loss.hpp"
#include "placement/map_loss.hpp"
#include "placement/reference.hpp"
#include "progress/progress.hpp"

namespace dunlin::placement {

namespace {

template <int D, class Law>
void place_query(const PlaceTask& task, const Field<D, Law>& field, double repulsion, Offset query, Result& placed) {
    const auto targets = targets_of(task.edges, query);
    const Edges edges{task.map.data, targets.data(), weights_of(task.edges, query).data(),
                      static_cast<Index>(targets.size())};
    double starts[most_starts][D];
    int count = 1;
    if (task.start != nullptr) {
        for (int d = 0; d < D; ++d) starts[0][d] = static_cast<double>(task.start->coordinates[at(query * D + d)]);
    } else {
        count =
            starts_of<D>(task.map.data, targets.data(), edges.count, task.starts, same_place * task.separation, starts);
    }
    const auto place =
        place_from<D>(loss_of_new(field, edges, repulsion), starts, count, task.minimize, task.separation);
    for (int d = 0; d < D; ++d) {
        placed.map.coordinates[at(query * D + d)] = static_cast<float>(place.minimum.y[d]);
    }
    placed.cost[at(query)] = static_cast<float>(place.minimum.loss.value);
    placed.gap[at(query)] = static_cast<float>(place.gap);
}

}  // namespace

template <class Law>
void place_on_cpu(device::Cpu& cpu, const PlaceTask& task, const MapLoss<Law>& loss, const Run& run, Result& placed) {
    constexpr Offset grain = 16, chunk = 4096;
    const Offset m = task.edges.size();
    progress::ProgressReporter reporter(run, "place", m);
    reporter.announce(0);
    const auto with = [&]<int D>() {
        const auto view = loss.field.template view<D>();
        for (Offset first = 0; first < m; first += chunk) {
            const Offset count = std::min(chunk, m - first);
            cpu.each(count, [&](Offset q) { place_query<D>(task, view, loss.repulsion, first + q, placed); }, grain);
            reporter.tick(first + count);
        }
    };
    if (task.map.cols == 1) return with.template operator()<1>();
    task.map.cols == 2 ? with.template operator()<2>() : with.template operator()<3>();
}

#define DUNLIN_PLACE(Law) \
    template void place_on_cpu(device::Cpu&, const PlaceTask&, const MapLoss<forces::Law>&, const Run&, Result&);

DUNLIN_PLACE(StudentT)
DUNLIN_PLACE(GeneralStudentT)
DUNLIN_PLACE(Fuzzy)
DUNLIN_PLACE(FurtherPairs)

}  // namespace dunlin::placement
