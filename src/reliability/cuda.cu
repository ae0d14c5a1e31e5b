// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cuda.cuh"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "reliability/left_out.hpp"
#include "reliability/point_terms.hpp"

namespace dunlin::reliability {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Points or queries whose lists are on the GPU at a time.
constexpr Offset chunk = 1 << 17;

/// The map and its field on the GPU.
template <int D>
class MapOnGpu {
public:
    MapOnGpu(Cuda& cuda, const Map& map, const MapField& field) : field_(field.view<D>()) {
        cuda.upload(map_, std::span(map.coordinates));
        field_.map = map_.data();
        if (field_.spline.values == nullptr) return;
        cuda.upload(grid_, field.grid_values());
        field_.spline.values = grid_.data();
    }
    [[nodiscard]] const placement::Field<D, Law>& field() const { return field_; }

private:
    placement::Field<D, Law> field_;
    CudaBuffer<float> map_, grid_;
};

/// Some rows of a graph, as kernels see them.
struct ListsView {
    const Offset* offsets;
    const Index* targets;
    const float* weights;

    [[nodiscard]] __device__ placement::Edges edges(Offset list, const float* map, double scale) const {
        const Offset begin = offsets[list];
        return {map, targets + begin, weights + begin, static_cast<Index>(offsets[list + 1] - begin), scale};
    }
};

/// Some rows of a graph on the GPU.
class Lists {
public:
    /// row(i): the row of list i of `count`.
    template <class Row>
    ListsView upload(Cuda& cuda, const Graph& graph, Offset count, const Row& row) {
        host_.offsets.assign(1, 0);
        host_.targets.clear();
        host_.weights.clear();
        for (Offset i = 0; i < count; ++i) {
            const Offset begin = graph.offsets[at(row(i))], end = graph.offsets[at(row(i)) + 1];
            host_.targets.insert(host_.targets.end(), graph.targets.begin() + begin, graph.targets.begin() + end);
            host_.weights.insert(host_.weights.end(), graph.weights.begin() + begin, graph.weights.begin() + end);
            host_.offsets.push_back(std::ssize(host_.targets));
        }
        cuda.upload(offsets_, std::span<const Offset>(host_.offsets));
        cuda.upload(targets_, std::span<const Index>(host_.targets));
        cuda.upload(weights_, std::span<const float>(host_.weights));
        return {offsets_.data(), targets_.data(), weights_.data()};
    }

private:
    Graph host_;
    CudaBuffer<Offset> offsets_;
    CudaBuffer<Index> targets_;
    CudaBuffer<float> weights_;
};

/// One thread per point.
template <int D>
struct FindCurvature {
    placement::Field<D, Law> field;
    double normalizer;
    ListsView affinities;
    Index first;
    PointCurvature* found;

    __device__ void operator()(Offset i) const {
        const placement::Edges edges = affinities.edges(i, field.map, static_cast<double>(field.points));
        found[i] = curvature_at<D>(field, normalizer, edges, first + static_cast<Index>(i));
    }
};

template <int D>
void find_curvatures(Cuda& cuda, const Graph& affinities, const Map& map, const MapField& whole, Curvature& found) {
    const MapOnGpu<D> on_gpu(cuda, map, whole);
    Lists lists;
    CudaBuffer<PointCurvature> some;
    for (Offset first = 0; first < map.size(); first += chunk) {
        const Offset count = std::min<Offset>(chunk, map.size() - first);
        const ListsView view = lists.upload(cuda, affinities, count, [first](Offset i) { return first + i; });
        cuda.resize(some, at(count));
        cuda.each(count,
                  FindCurvature<D>{on_gpu.field(), whole.normalizer(), view, static_cast<Index>(first), some.data()});
        const auto host = cuda.host(some);
        for (std::size_t i = 0; i < host.size(); ++i) {
            found.kl[at(first) + i] = host[i].kl;
            found.singularity[at(first) + i] = host[i].singularity;
            found.newton_step[at(first) + i] = host[i].newton_step;
        }
        progress::cancellation_point();
    }
}

/// One thread per query and start: its minimum.
template <int D>
struct MinimizeFromStart {
    Minimizer<D> minimizer;
    const Index* points;  ///< of each query
    ListsView edges, nearest;
    double scale;
    placement::Minimum<D>* found;
    int* counts;

    __device__ void operator()(Offset i) const {
        const int starts = minimizer.wanted_starts + 1;
        const Offset query = i / starts;
        const auto start = static_cast<int>(i % starts);
        const Index point = points[query];
        const placement::Edges near = nearest.edges(query, minimizer.field.map, 1);
        double all[placement::most_starts][D]{};
        const int count = minimizer.starts_of(point, near.targets, near.count, all);
        if (start == 0) counts[query] = count;
        if (start >= count) return;
        const auto loss = minimizer.loss_of(point, edges.edges(query, minimizer.field.map, scale));
        found[i] = placement::minimize<D>(loss, all[start], minimizer.rule(), [](const double(&)[D]) { return false; });
    }
};

/// One thread per query: the lowest of its minima.
template <int D>
struct TakeLowest {
    Minimizer<D> minimizer;
    const Index* points;
    const placement::Minimum<D>* found;
    const int* counts;
    double *moved, *gap;

    __device__ void operator()(Offset query) const {
        const auto place =
            placement::lowest_of<D>(found + query * (minimizer.wanted_starts + 1), counts[query], minimizer.separation);
        moved[query] = minimizer.moved(points[query], place);
        gap[query] = place.gap;
    }
};

template <int D>
void find_minima(Cuda& cuda, const LeftOutTask& task, progress::ProgressReporter* reporter, Minima& minima) {
    const MapOnGpu<D> on_gpu(cuda, task.map, task.field);
    const Minimizer<D> minimizer{on_gpu.field(), task.field.normalizer(), task.starts, task.separation};
    Lists edges, nearest;
    CudaBuffer<Index> points;
    CudaBuffer<placement::Minimum<D>> found;
    CudaBuffer<int> counts;
    CudaBuffer<double> moved, gap;
    std::vector<Index> of_queries;
    for (Offset first = 0; first < task.queries(); first += chunk) {
        const Offset count = std::min(chunk, task.queries() - first);
        const auto row = [&](Offset q) { return task.row(first + q); };
        const ListsView of_edges = edges.upload(cuda, task.edges, count, row);
        const ListsView of_nearest =
            &task.nearest == &task.edges ? of_edges : nearest.upload(cuda, task.nearest, count, row);
        of_queries.clear();
        for (Offset q = 0; q < count; ++q) of_queries.push_back(task.point(first + q));
        cuda.upload(points, std::span<const Index>(of_queries));
        cuda.resize(found, at(count * (task.starts + 1)));
        cuda.resize(counts, at(count));
        cuda.resize(moved, at(count));
        cuda.resize(gap, at(count));
        cuda.each(count * (task.starts + 1), MinimizeFromStart<D>{minimizer, points.data(), of_edges, of_nearest,
                                                                  task.scale, found.data(), counts.data()});
        cuda.each(count,
                  TakeLowest<D>{minimizer, points.data(), found.data(), counts.data(), moved.data(), gap.data()});
        const auto moves = cuda.host(moved), gaps = cuda.host(gap);
        std::copy(moves.begin(), moves.end(), minima.moved.begin() + first);
        std::copy(gaps.begin(), gaps.end(), minima.gap.begin() + first);
        if (reporter != nullptr) reporter->tick(first + count);
        progress::cancellation_point();
    }
}

}  // namespace

Curvature backend::curvature_on_cuda(const Graph& affinities, const Map& map, const MapField& field, const Run& run) {
    Cuda cuda(run);
    Curvature found(map.size());
    if (map.dim == 1) find_curvatures<1>(cuda, affinities, map, field, found);
    if (map.dim == 2) find_curvatures<2>(cuda, affinities, map, field, found);
    if (map.dim == 3) find_curvatures<3>(cuda, affinities, map, field, found);
    return found;
}

Minima backend::minima_on_cuda(const LeftOutTask& task, const Run& run, progress::ProgressReporter* reporter) {
    Cuda cuda(run);
    Minima found(task.queries());
    if (task.map.dim == 1) find_minima<1>(cuda, task, reporter, found);
    if (task.map.dim == 2) find_minima<2>(cuda, task, reporter, found);
    if (task.map.dim == 3) find_minima<3>(cuda, task, reporter, found);
    return found;
}

}  // namespace dunlin::reliability
