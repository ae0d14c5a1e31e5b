// SPDX-License-Identifier: Apache-2.0
#include "placement/sample.hpp"

#include <algorithm>

#include "forces/width.hpp"
#include "math/at.hpp"
#include "math/permutation.hpp"
#include "placement/map_loss.hpp"
#include "placement/reference.hpp"
#include "progress/progress.hpp"

namespace dunlin::placement {

MapSample::MapSample(MatrixView<const float> places, bool all, std::uint64_t seed)
    : dim(places.cols), points(places.rows), chosen(at(places.rows)) {
    const auto width = at(forces::width_of(dim)), axes = at(dim);
    map.resize(at(points) * width);
    for (std::size_t i = 0; i < at(points); ++i)
        std::copy_n(places.data + i * axes, axes, map.begin() + static_cast<Offset>(i * width));
    size_ = all ? points : std::min(points, sampled_points);
    const auto order = math::Permutation::of(points, seed, 0);
    for (Index s = 0; s < size_; ++s) chosen[at(size_ < points ? order(s) : s)] = 1;
    rows.reserve(at(size_) * width);
    for (std::size_t i = 0; i < at(points); ++i) {
        if (chosen[i] == 0) continue;
        const auto row = map.begin() + static_cast<Offset>(i * width);
        rows.insert(rows.end(), row, row + static_cast<Offset>(width));
    }
}

double MapSample::weight(const Edges& neighbors) const {
    Index both = 0;
    for (Index e = 0; e < neighbors.count; ++e) both += chosen[at(neighbors.targets[e])];
    return size_ > both ? (points - neighbors.count) / static_cast<double>(size_ - both) : 0;
}

namespace {

template <int W, class Law>
void place_query(const PlaceTask& task, const SampledMapLoss<Law>& loss, Offset query, Result& placed) {
    const MapSample& sample = *loss.sample;
    const auto targets = targets_of(task.edges, query);
    const Edges edges{sample.map.data(), targets.data(), weights_of(task.edges, query).data(),
                      static_cast<Index>(targets.size())};
    double starts[most_starts][W]{};
    int count = 1;
    const auto dim = at(sample.dim);
    float* const place = placed.map.coordinates.data() + at(query) * dim;
    if (task.start != nullptr) {
        const float* start = task.start->coordinates.data() + at(query) * dim;
        for (std::size_t d = 0; d < dim; ++d) starts[0][d] = static_cast<double>(start[d]);
    } else {
        count = starts_of<W>(sample.map.data(), targets.data(), edges.count, task.starts, same_place * task.separation,
                             starts);
    }
    const SampledLoss<W, Law> of_query{sample, loss.law, edges, repulsion_of_new(loss.law, edges, loss.repulsion).push,
                                       sample.weight(edges)};
    const auto found = place_from<W>(of_query, starts, count, task.minimize, task.separation);
    for (std::size_t d = 0; d < dim; ++d) place[d] = static_cast<float>(found.minimum.y[d]);
    placed.cost[at(query)] = static_cast<float>(found.minimum.loss.value);
    placed.gap[at(query)] = static_cast<float>(found.gap);
}

}  // namespace

template <class Law>
void place_by_sample(device::Cpu& cpu, const PlaceTask& task, const SampledMapLoss<Law>& loss, const Run& run,
                     Result& placed) {
    constexpr Offset chunk = 512;
    const Offset m = task.edges.size();
    progress::ProgressReporter reporter(run, "place", m);
    reporter.announce(0);
    forces::with_wide(forces::width_of(loss.sample->dim), [&]<int W>() {
        for (Offset first = 0; first < m; first += chunk) {
            const Offset count = std::min(chunk, m - first);
            cpu.each(count, [&](Offset q) { place_query<W>(task, loss, first + q, placed); }, 4);
            reporter.tick(first + count);
        }
    });
}

template void place_by_sample(device::Cpu&, const PlaceTask&, const SampledMapLoss<forces::Fuzzy>&, const Run&,
                              Result&);
template void place_by_sample(device::Cpu&, const PlaceTask&, const SampledMapLoss<forces::FurtherPairs>&, const Run&,
                              Result&);

}  // namespace dunlin::placement
