// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "device/cpu.hpp"
#include "device/memory.hpp"
#include "distance/check.hpp"
#include "distance/measure.hpp"
#include "graph/check.hpp"
#include "graph/components.hpp"
#include "math/at.hpp"
#include "mds/input/entries.hpp"
#include "mds/input/on_demand_rows.hpp"
#include "neighbors/checks.hpp"
#include "progress/cancel.hpp"

namespace dunlin::mds {

namespace {

void check_points(device::Cpu& cpu, MatrixView<const float> x) {
    device::Cell<double> bad;
    const auto whole = [&](Offset i) {
        for (const float value : x.row(static_cast<Index>(i))) {
            if (!std::isfinite(value)) return false;
        }
        return true;
    };
    cpu.sum(x.rows, [&](Offset i) { return whole(i) ? 0.0 : 1.0; }, bad, 256);
    if (bad.value == 0) return;
    Offset row = 0;
    while (whole(row)) ++row;
    throw Error(Fault::bad_input, fmt::format("row {} of the points is not finite; correct it or leave it out", row),
                {.row = row});
}

constexpr Index block = 64;

/// Calls look(i, j) for i <= j, tile by tile; row blocks run in parallel.
template <class Look>
void each_pair(device::Cpu& cpu, Index n, const Look& look) {
    cpu.blocks(n, block, [&](Offset begin, Offset end, int) {
        for (Offset column = begin; column < n; column += block) {
            for (Offset i = begin; i < end; ++i) {
                for (Offset j = std::max(i, column); j < std::min<Offset>(n, column + block); ++j) {
                    look(static_cast<Index>(i), static_cast<Index>(j));
                }
            }
        }
    });
}

/// Refuses dissimilarities, or lengths of edges, that are all so small that their squares vanish in float32.
void require_not_tiny(float largest_of_all, std::string_view what) {
    if (largest_of_all == 0 || largest_of_all >= smallest) return;
    throw Error(Fault::bad_input, fmt::format("the largest {} is {:g}; scaling needs at least {:g}: multiply them all",
                                              what, largest_of_all, smallest));
}

/// Refuses items whose dissimilarities are all missing.
void require_known(MatrixView<const float> m) {
    for (Index i = 0; i < m.rows; ++i) {
        const auto row = m.row(i);
        const auto is_known = [&](const float& entry) { return &entry != &row[at(i)] && !std::isnan(entry); };
        if (std::any_of(row.begin(), row.end(), is_known)) continue;
        throw Error(Fault::bad_input, fmt::format("item {} has no dissimilarity to any other, all are missing; leave "
                                                  "it out; items count from 0",
                                                  i));
    }
}

/// Refuses the first invalid entry in row order, and a matrix of tiny entries; returns the number of missing pairs.
Offset check_matrix(device::Cpu& cpu, MatrixView<const float> m) {
    if (m.rows == 0) return 0;
    std::vector<Offset> first(at(m.rows), std::numeric_limits<Offset>::max()), missing(at(m.rows), 0);
    std::vector<float> top(at(m.rows), 0.0F);
    each_pair(cpu, m.rows, [&](Index i, Index j) {
        const float a = m(i, j);
        top[at(i)] = std::max(top[at(i)], a);
        const bool plain = i == j ? a == 0 : a >= 0 && a <= largest && a == m(j, i);
        if (plain) return;
        if (!fault_of_entry(i, j, a, m(j, i)).empty()) first[at(i)] = std::min(first[at(i)], Offset{j});
        if (i != j && std::isnan(a)) ++missing[at(i)];
    });
    Offset total = 0;
    for (Index i = 0; i < m.rows; ++i) {
        if (first[at(i)] < m.rows) {
            const auto j = static_cast<Index>(first[at(i)]);
            refuse_entry(i, j, m(i, j), m(j, i));
        }
        total += missing[at(i)];
    }
    if (total > 0) require_known(m);
    require_not_tiny(*std::max_element(top.begin(), top.end()), "dissimilarity");
    return total;
}

/// Refuses numbers whose squared differences leave the range of float32.
void require_range(device::Cpu& cpu, MatrixView<const float> x) {
    constexpr float most = 1e15F;
    std::vector<float> tops(at(x.rows), 0.0F);
    const auto measure = [&](Offset i) {
        for (const float value : x.row(static_cast<Index>(i))) tops[at(i)] = std::max(tops[at(i)], std::abs(value));
    };
    cpu.each(x.rows, measure, 256);
    const auto highest = std::max_element(tops.begin(), tops.end());
    const float top = tops.empty() ? 0.0F : *highest;
    const Offset row = highest - tops.begin();
    if (top > most) {
        throw Error(Fault::bad_input,
                    fmt::format("row {} of the points holds a number of magnitude {:g}; scaling works with numbers up "
                                "to {:g}: divide the points",
                                row, top, most),
                    {.row = row});
    }
    require_not_tiny(top, "magnitude of the points");
}

Offset pairs_of(Index n) { return Offset{n} * (n - 1) / 2; }

/// Whether the rows of a matrix are to stay in its file, as they are more than run.memory. Throws if there is no such
/// limit and they are more than is free: what is free must not choose the method.
bool is_too_large(const Matrix& matrix, const Run& run) {
    const auto bytes = static_cast<std::uint64_t>(matrix.view().size()) * sizeof(float);
    if (run.memory > 0) return bytes > run.memory;
    device::require_memory(
        run, bytes, "the matrix of dissimilarities",
        "give a limit (memory), with which the methods dunlin, landmark and pivot read the rows that "
        "they need,");
    return false;
}

/// All distances of points by a metric of terms.
Matrix distances_by_terms(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric, const Run& run) {
    const Index n = points.rows;
    device::require_memory(
        run, static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n) * (sizeof(float) + sizeof(double)),
        fmt::format("the matrix of {} distances of this many points", name_of(metric)));
    const distance::PairMeasure measure(cpu, points, metric);
    std::vector<Index> all(at(n));
    std::iota(all.begin(), all.end(), 0);
    std::vector<float> values(at(Offset{n} * n));
    cpu.blocks(n, 16, [&](Offset begin, Offset end, int) {
        std::vector<double> row(at(n));
        for (Offset i = begin; i < end; ++i) {
            progress::cancellation_point();
            measure.between(static_cast<Index>(i), all, row.data());
            for (Index j = 0; j < n; ++j) values[at(i * n + j)] = static_cast<float>(row[at(j)]);
        }
    });
    return {n, n, std::move(values)};
}

}  // namespace

Dissimilarities Dissimilarities::of_points(Matrix points, const PointOptions& options, const Run& run) {
    distance::require_distance(options.metric, "scaling");
    device::Cpu cpu(run);
    check_points(cpu, points.view());
    Dissimilarities items;
    const ColumnScales scales = scales_of(points.view(), options.normalize, run);
    items.values_ = scales.empty() ? std::move(points) : scaled(points.view(), scales, run);
    if (row_of(options.metric).is_by_terms)
        return of_matrix(distances_by_terms(cpu, items.values_.view(), options.metric, run), run);
    const bool by_direction =
        options.metric == neighbors::Metric::cosine || options.metric == neighbors::Metric::correlation;
    if (!by_direction) require_range(cpu, items.values_.view());
    items.metric_ = options.metric;
    items.size_ = items.values_.rows();
    return items;
}

Dissimilarities Dissimilarities::of_matrix(Matrix matrix, const Run& run) {
    if (matrix.rows() != matrix.cols()) {
        throw Error(Fault::bad_input, fmt::format("the matrix of dissimilarities has {} rows and {} columns; it must "
                                                  "have as many of one as of the other",
                                                  matrix.rows(), matrix.cols()));
    }
    Dissimilarities items;
    items.size_ = matrix.rows();
    if (is_too_large(matrix, run)) {
        items.on_demand_ = std::make_shared<OnDemandRows>(items.size_, 64, fill_by_matrix(matrix), prefetch_of(matrix));
    } else {
        device::Cpu cpu(run);
        items.missing_ = check_matrix(cpu, matrix.view());
    }
    items.values_ = std::move(matrix);
    return items;
}

Dissimilarities Dissimilarities::of_callback(Index n, Distances distances) {
    if (n < 0) throw Error(Fault::bad_input, fmt::format("there are {} items; there must be at least 0", n));
    Dissimilarities items;
    items.size_ = n;
    items.by_callback_ = true;
    const auto rows_at_once = 4096 / static_cast<std::size_t>(std::max(n, 1));
    items.on_demand_ = std::make_shared<OnDemandRows>(n, rows_at_once, fill_by_pairs(n, std::move(distances)));
    return items;
}

Dissimilarities Dissimilarities::of_graph(Graph graph, const Run& run) {
    device::Cpu cpu(run);
    graph::require_undirected(cpu, graph);
    if (!graph.weights.empty())
        require_not_tiny(*std::max_element(graph.weights.begin(), graph.weights.end()), "length of an edge");
    Dissimilarities items;
    items.size_ = graph.size();
    const graph::Components components = graph::components(cpu, graph);
    items.missing_ = pairs_of(items.size_);
    for (Index c = 0; c < components.count(); ++c)
        items.missing_ -= pairs_of(static_cast<Index>(components.members_of(c).size()));
    const bool ones = std::all_of(graph.weights.begin(), graph.weights.end(), [](float w) { return w == 1; });
    items.graph_ = std::make_shared<const Graph>(std::move(graph));
    const std::span<const float> lengths = ones ? std::span<const float>() : items.graph_->weights;
    items.on_demand_ = std::make_shared<OnDemandRows>(items.size_, 256, fill_by_paths(*items.graph_, lengths));
    return items;
}

void Dissimilarities::set_budget(Offset distances) {
    if (on_demand_ == nullptr) {
        throw Error(Fault::bad_input, fmt::format("distances is {}; all dissimilarities are given; a budget "
                                                  "is for distances on demand",
                                                  distances));
    }
    if (distances < 0) throw Error(Fault::bad_input, fmt::format("distances is {}; it must be at least 0", distances));
    on_demand_->set_budget(distances);
}

DistanceUsage Dissimilarities::usage() const { return on_demand_ == nullptr ? DistanceUsage{} : on_demand_->usage(); }

}  // namespace dunlin::mds
