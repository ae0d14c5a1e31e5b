// SPDX-License-Identifier: Apache-2.0
#include "reliability/home.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "initialization/pca.hpp"
#include "math/at.hpp"
#include "neighbors/nearest_lists.hpp"
#include "placement/reference.hpp"
#include "progress/cancel.hpp"
#include "reliability/left_out.hpp"
#include "reliability/summarize.hpp"

namespace dunlin::reliability {

namespace {

constexpr float not_found = std::numeric_limits<float>::quiet_NaN();

using placement::targets_of, placement::weights_of;

/// Minima nearer to each other count as one; 1 if the map has no unit.
double separation_of(const LeftOut& left_out) { return std::isnan(left_out.nn_distance) ? 1 : left_out.nn_distance; }

/// Perturbed rows of the data, 2 per axis and row: along the axis, and against it.
Matrix perturbed_rows(device::Cpu& cpu, const Perturbation& how, std::span<const Index> rows,
                      const std::vector<std::vector<float>>& axes) {
    const auto variants = static_cast<Offset>(2 * axes.size());
    const Index cols = how.points.cols;
    std::vector<float> values(at(std::ssize(rows) * variants * cols));
    cpu.each(
        std::ssize(rows) * variants,
        [&](Offset q) {
            const auto from = how.points.row(rows[at(q / variants)]);
            const std::vector<float>& axis = axes[at(q % variants / 2)];
            const float length = q % 2 == 0 ? how.length : -how.length;
            for (Index c = 0; c < cols; ++c) values[at(q * cols + c)] = from[at(c)] + length * axis[at(c)];
        },
        64);
    return {static_cast<Index>(std::ssize(rows) * variants), cols, std::move(values)};
}

/// The lists of the queries without the points that were perturbed, each with at most k neighbors.
Graph without_own(const Graph& lists, std::span<const Index> rows, Offset variants, Index k) {
    Graph others;
    for (Index q = 0; q < lists.size(); ++q) {
        const auto targets = targets_of(lists, q);
        const auto distances = weights_of(lists, q);
        Index kept = 0;
        for (std::size_t e = 0; e < targets.size() && kept < k; ++e) {
            if (targets[e] == rows[at(q / variants)]) continue;
            others.targets.push_back(targets[e]);
            others.weights.push_back(distances[e]);
            ++kept;
        }
        others.offsets.push_back(static_cast<Offset>(others.targets.size()));
    }
    return others;
}

}  // namespace

Homes homes_of(const Where& where, const LeftOut& left_out, std::span<const Index> rows,
               progress::ProgressReporter& reporter) {
    const auto n = at(left_out.map.size());
    Homes found{std::vector<float>(n, not_found), std::vector<float>(n, not_found)};
    const LeftOutTask task{.map = left_out.map,
                           .field = left_out.field,
                           .points = rows,
                           .edges = left_out.affinities,
                           .scale = static_cast<double>(left_out.map.size()),
                           .nearest = left_out.nearest,
                           .by_point = true,
                           .starts = left_out.starts,
                           .separation = separation_of(left_out)};
    const Minima minima = minima_of(where, task, &reporter);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        found.home[at(rows[r])] = static_cast<float>(minima.moved[r] / left_out.nn_distance);
        found.gap[at(rows[r])] = static_cast<float>(minima.gap[r]);
    }
    return found;
}

std::vector<float> perturbations_of(const Where& where, const LeftOut& left_out, const Perturbation& how,
                                    std::span<const Index> rows, const Run& run, progress::ProgressReporter& reporter) {
    std::vector<float> found(at(left_out.map.size()), not_found);
    const std::vector<std::vector<float>> axes = principal_axes(where.cpu, how.points);
    const Graph lists = neighbors::first_neighbors(left_out.nearest, how.k);
    const placement::Options affinities{.perplexity = how.perplexity, .k = how.k};
    const placement::Reference reference = placement::reference_of(where.cpu, lists, affinities);
    if (axes.empty()) return found;
    const auto variants = static_cast<Offset>(2 * axes.size());
    // Queries that take at most 256 MB
    const Offset chunk = std::clamp<Offset>((Offset{1} << 26) / (variants * how.points.cols), 1, std::ssize(rows));
    for (Offset first = 0; first < std::ssize(rows); first += chunk) {
        const auto some = rows.subspan(at(first), at(std::min(chunk, std::ssize(rows) - first)));
        const Matrix queries = perturbed_rows(where.cpu, how, some, axes);
        const Graph near =
            neighbors::search(how.points, queries.view(),
                              {.k = how.k + 1, .metric = how.metric, .method = how.search, .recall = how.recall}, run)
                .graph;
        progress::cancellation_point();
        const Graph others = without_own(near, some, variants, how.k);
        const Graph edges = placement::edges_of_queries(where.cpu, others, reference, affinities);
        const LeftOutTask task{.map = left_out.map,
                               .field = left_out.field,
                               .points = some,
                               .variants = variants,
                               .edges = edges,
                               .nearest = edges,
                               .starts = left_out.starts,
                               .separation = separation_of(left_out)};
        const Minima minima = minima_of(where, task, nullptr);
        for (std::size_t r = 0; r < some.size(); ++r) {
            const auto of_point = minima.moved.begin() + static_cast<Offset>(r) * variants;
            const double farthest = *std::max_element(of_point, of_point + variants);
            found[at(some[r])] = static_cast<float>(farthest / left_out.nn_distance);
        }
        reporter.tick(first + std::ssize(some));
    }
    return found;
}

float default_length(const Graph& nearest) {
    constexpr Offset neighbor = 15;
    std::vector<float> distances;
    for (Index i = 0; i < nearest.size(); ++i) {
        const auto weights = weights_of(nearest, i);
        if (!weights.empty()) distances.push_back(weights[at(std::min(neighbor, std::ssize(weights)) - 1)]);
    }
    return static_cast<float>(median_of(std::move(distances)) / 2);
}

std::vector<std::vector<float>> principal_axes(device::Cpu& cpu, MatrixView<const float> points) {
    const Index count = std::min<Index>(3, points.cols);
    const std::vector<float> scores = initialization::principal_coordinates(cpu, points, count);
    std::vector<std::vector<float>> axes;
    for (Index a = 0; a < count; ++a) {
        // With X the centered points, X^T X v = s v and the scores X v: v is X^T (X v), normalized
        std::vector<double> axis(at(points.cols));
        cpu.each(
            points.cols,
            [&](Offset c) {
                double sum = 0;
                for (Index i = 0; i < points.rows; ++i) {
                    sum += static_cast<double>(scores[at(Offset{i} * count + a)]) *
                           static_cast<double>(points(i, static_cast<Index>(c)));
                }
                axis[at(c)] = sum;
            },
            8);
        double square = 0;
        for (const double value : axis) square += value * value;
        if (!(square > 0)) break;
        std::vector<float>& unit = axes.emplace_back();
        for (const double value : axis) unit.push_back(static_cast<float>(value / std::sqrt(square)));
    }
    return axes;
}

}  // namespace dunlin::reliability
