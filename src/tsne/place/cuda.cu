// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cancel.hpp"
#include "device/cuda.cuh"
#include "device/progress.hpp"
#include "placement/field.hpp"
#include "placement/loss.hpp"
#include "tsne/place/backend.hpp"
#include "tsne/place/reference.hpp"

namespace dunlin::tsne {

namespace {

using device::Cuda;
using device::CudaBuffer;
using placement::Field, placement::Minimum;

/// A batch of queries on the GPU: lists begin at offsets[first] of the task's.
template <int D>
struct DeviceQueries {
    Field<D, forces::StudentT> field;
    double normalizer;
    const Offset* offsets;
    const Index* targets;
    const float* affinities;
    placement::MinimizeRule rule;
    int starts;
    const float* start;  ///< one place per query, in place of the usual starts; or null

    [[nodiscard]] __device__ placement::Edges edges(Offset query) const {
        const Offset begin = offsets[query] - offsets[0];
        return {field.map, targets + begin, affinities + begin,
                static_cast<Index>(offsets[query + 1] - offsets[query])};
    }
};

/// One thread per query and start: its minimum.
template <int D>
struct MinimizeFromStart {
    DeviceQueries<D> queries;
    Minimum<D>* found;
    int* counts;

    __device__ void operator()(Offset i) const {
        const Offset query = i / queries.starts;
        const auto start = static_cast<int>(i % queries.starts);
        const placement::Edges edges = queries.edges(query);
        double starts[placement::most_starts][D];
        int count = 1;
        if (queries.start != nullptr) {
            for (int d = 0; d < D; ++d) starts[0][d] = static_cast<double>(queries.start[query * D + d]);
        } else {
            count = placement::starts_of<D>(queries.field.map, edges.targets, edges.count, queries.starts, starts);
        }
        if (start == 0) counts[query] = count;
        if (start >= count) return;
        const auto loss = placement::loss_of_new(queries.field, edges, queries.normalizer);
        found[i] = placement::minimize<D>(loss, starts[start], queries.rule, [](const double(&)[D]) { return false; });
    }
};

/// One thread per query: the lowest of its minima.
template <int D>
struct TakeLowest {
    const Minimum<D>* found;
    const int* counts;
    int starts;
    double separation;
    float *places, *cost, *gap;

    __device__ void operator()(Offset query) const {
        const placement::Place<D> place = placement::lowest_of<D>(found + query * starts, counts[query], separation);
        for (int d = 0; d < D; ++d) places[query * D + d] = static_cast<float>(place.minimum.y[d]);
        cost[query] = static_cast<float>(place.minimum.loss.value);
        gap[query] = static_cast<float>(place.gap);
    }
};

template <class T>
void copy_to(const std::vector<T>& values, std::vector<T>& all, Offset first) {
    std::copy(values.begin(), values.end(), all.begin() + first);
}

template <int D>
void place_with(Cuda& cuda, const PlaceTask& task, const placement::MapField<forces::StudentT>& on_host, const Run& run,
                Placed& placed) {
    CudaBuffer<float> map, grid;
    cuda.upload(map, std::span(task.map.data, static_cast<std::size_t>(task.map.size())));
    cuda.upload(grid, on_host.grid_values());
    Field<D, forces::StudentT> field = on_host.view<D>();
    field.map = map.data();
    if (field.spline.values != nullptr) field.spline.values = grid.data();

    constexpr Offset chunk = 1 << 18;
    const Offset m = task.lists.size();
    device::ProgressReporter reporter(run, "place", m);
    reporter.announce(0);
    CudaBuffer<Offset> offsets;
    CudaBuffer<Index> targets;
    CudaBuffer<float> affinities, start, places, cost, gap;
    const int starts = task.start != nullptr ? 1 : task.starts;
    CudaBuffer<Minimum<D>> found;
    CudaBuffer<int> counts;
    for (Offset first = 0; first < m; first += chunk) {
        const auto count = static_cast<std::size_t>(std::min(chunk, m - first));
        const Offset *const from = task.lists.offsets.data() + first, begin = from[0];
        const auto edges = static_cast<std::size_t>(from[count] - begin);
        cuda.upload(offsets, std::span(from, count + 1));
        cuda.upload(targets, std::span(task.lists.targets.data() + begin, edges));
        cuda.upload(affinities, task.affinities.subspan(static_cast<std::size_t>(begin), edges));
        if (task.start != nullptr)
            cuda.upload(start,
                        std::span(task.start->coordinates).subspan(static_cast<std::size_t>(first * D), count * D));
        cuda.resize(found, count * static_cast<std::size_t>(starts));
        cuda.resize(counts, count);
        cuda.resize(places, count * D);
        cuda.resize(cost, count);
        cuda.resize(gap, count);
        const DeviceQueries<D> queries{field,
                                       on_host.normalizer(),
                                       offsets.data(),
                                       targets.data(),
                                       affinities.data(),
                                       task.minimize,
                                       starts,
                                       task.start != nullptr ? start.data() : nullptr};
        cuda.each(static_cast<Offset>(found.size()), MinimizeFromStart<D>{queries, found.data(), counts.data()});
        cuda.each(static_cast<Offset>(count), TakeLowest<D>{found.data(), counts.data(), starts, task.separation,
                                                            places.data(), cost.data(), gap.data()});
        copy_to(cuda.host(places), placed.map.coordinates, first * D);
        copy_to(cuda.host(cost), placed.cost, first);
        copy_to(cuda.host(gap), placed.gap, first);
        reporter.tick(first + static_cast<Offset>(count));
        device::cancellation_point();
    }
}

}  // namespace

void backend::place_on_cuda(const PlaceTask& task, const placement::MapField<forces::StudentT>& field, const Run& run,
                            Placed& placed) {
    Cuda cuda(run);
    if (task.map.cols == 1) return place_with<1>(cuda, task, field, run, placed);
    task.map.cols == 2 ? place_with<2>(cuda, task, field, run, placed) : place_with<3>(cuda, task, field, run, placed);
}

}  // namespace dunlin::tsne
