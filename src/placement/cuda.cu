// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cuda.cuh"
#include "placement/field.hpp"
#include "placement/loss.hpp"
#include "placement/map_loss.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::placement {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// A batch of queries on the GPU: lists begin at offsets[first] of the task's.
template <int D, class Law>
struct DeviceQueries {
    Field<D, Law> field;
    double repulsion;
    const Offset* offsets;
    const Index* targets;
    const float* weights;
    MinimizeRule rule;
    int starts;
    double apart;        ///< least distance of two starts
    const float* start;  ///< one place per query, in place of the usual starts; or null

    [[nodiscard]] __device__ Edges edges(Offset query) const {
        const Offset begin = offsets[query] - offsets[0];
        return {field.map, targets + begin, weights + begin, static_cast<Index>(offsets[query + 1] - offsets[query])};
    }
};

/// One thread per query and start: its minimum.
template <int D, class Law>
struct MinimizeFromStart {
    DeviceQueries<D, Law> queries;
    Minimum<D>* found;
    int* counts;

    __device__ void operator()(Offset i) const {
        const Offset query = i / queries.starts;
        const auto start = static_cast<int>(i % queries.starts);
        const Edges edges = queries.edges(query);
        double starts[most_starts][D];
        int count = 1;
        if (queries.start != nullptr) {
            for (int d = 0; d < D; ++d) starts[0][d] = static_cast<double>(queries.start[query * D + d]);
        } else {
            count = starts_of<D>(queries.field.map, edges.targets, edges.count, queries.starts, queries.apart, starts);
        }
        if (start == 0) counts[query] = count;
        if (start >= count) return;
        const auto loss = loss_of_new(queries.field, edges, queries.repulsion);
        found[i] = minimize<D>(loss, starts[start], queries.rule, [](const double(&)[D]) { return false; });
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
        const Place<D> place = lowest_of<D>(found + query * starts, counts[query], separation);
        for (int d = 0; d < D; ++d) places[query * D + d] = static_cast<float>(place.minimum.y[d]);
        cost[query] = static_cast<float>(place.minimum.loss.value);
        gap[query] = static_cast<float>(place.gap);
    }
};

template <class T>
void copy_to(const std::vector<T>& values, std::vector<T>& all, Offset first) {
    std::copy(values.begin(), values.end(), all.begin() + first);
}

template <int D, class Law>
void place_with(Cuda& cuda, const PlaceTask& task, const MapLoss<Law>& on_host, const Run& run, Result& placed) {
    CudaBuffer<float> map, grid;
    cuda.upload(map, std::span(task.map.data, static_cast<std::size_t>(task.map.size())));
    cuda.upload(grid, on_host.field.grid_values());
    Field<D, Law> field = on_host.field.template view<D>();
    field.map = map.data();
    if (field.spline.values != nullptr) field.spline.values = grid.data();

    constexpr Offset chunk = 1 << 18;
    const Offset m = task.edges.size();
    progress::ProgressReporter reporter(run, "place", m);
    reporter.announce(0);
    CudaBuffer<Offset> offsets;
    CudaBuffer<Index> targets;
    CudaBuffer<float> weights, start, places, cost, gap;
    const int starts = task.start != nullptr ? 1 : task.starts;
    CudaBuffer<Minimum<D>> found;
    CudaBuffer<int> counts;
    for (Offset first = 0; first < m; first += chunk) {
        const auto count = static_cast<std::size_t>(std::min(chunk, m - first));
        const Offset *const from = task.edges.offsets.data() + first, begin = from[0];
        const auto edges = static_cast<std::size_t>(from[count] - begin);
        cuda.upload(offsets, std::span(from, count + 1));
        cuda.upload(targets, std::span(task.edges.targets.data() + begin, edges));
        cuda.upload(weights, std::span(task.edges.weights.data() + begin, edges));
        if (task.start != nullptr)
            cuda.upload(start,
                        std::span(task.start->coordinates).subspan(static_cast<std::size_t>(first * D), count * D));
        cuda.resize(found, count * static_cast<std::size_t>(starts));
        cuda.resize(counts, count);
        cuda.resize(places, count * D);
        cuda.resize(cost, count);
        cuda.resize(gap, count);
        const DeviceQueries<D, Law> queries{field,
                                            on_host.repulsion,
                                            offsets.data(),
                                            targets.data(),
                                            weights.data(),
                                            task.minimize,
                                            starts,
                                            same_place * task.separation,
                                            task.start != nullptr ? start.data() : nullptr};
        cuda.each(static_cast<Offset>(found.size()), MinimizeFromStart<D, Law>{queries, found.data(), counts.data()});
        cuda.each(static_cast<Offset>(count), TakeLowest<D>{found.data(), counts.data(), starts, task.separation,
                                                            places.data(), cost.data(), gap.data()});
        copy_to(cuda.host(places), placed.map.coordinates, first * D);
        copy_to(cuda.host(cost), placed.cost, first);
        copy_to(cuda.host(gap), placed.gap, first);
        reporter.tick(first + static_cast<Offset>(count));
        progress::cancellation_point();
    }
}

}  // namespace

template <class Law>
void backend::place_on_cuda(const PlaceTask& task, const MapLoss<Law>& loss, const Run& run, Result& placed) {
    Cuda cuda(run);
    if (task.map.cols == 1) return place_with<1>(cuda, task, loss, run, placed);
    task.map.cols == 2 ? place_with<2>(cuda, task, loss, run, placed) : place_with<3>(cuda, task, loss, run, placed);
}

template void backend::place_on_cuda(const PlaceTask&, const MapLoss<forces::StudentT>&, const Run&, Result&);
template void backend::place_on_cuda(const PlaceTask&, const MapLoss<forces::GeneralStudentT>&, const Run&, Result&);
template void backend::place_on_cuda(const PlaceTask&, const MapLoss<forces::Fuzzy>&, const Run&, Result&);
template void backend::place_on_cuda(const PlaceTask&, const MapLoss<forces::FurtherPairs>&, const Run&, Result&);

}  // namespace dunlin::placement
