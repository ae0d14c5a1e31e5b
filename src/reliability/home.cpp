// SPDX-License-Identifier: Apache-2.0
#include "reliability/home.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "device/cancel.hpp"
#include "initialization/pca.hpp"
#include "math/at.hpp"
#include "placement/loss.hpp"
#include "placement/minimize.hpp"
#include "placement/reference.hpp"
#include "reliability/local_ranks.hpp"
#include "reliability/summarize.hpp"

namespace dunlin::reliability {

namespace {

constexpr float not_found = std::numeric_limits<float>::quiet_NaN();

/// Rows between two ticks of the reporter, which only the caller's thread may do.
constexpr Offset rows_at_once = 4096;

using placement::targets_of, placement::weights_of;

/// The search for the minimum of the loss of single points of a map.
template <int D>
class Minimizer {
public:
    explicit Minimizer(const LeftOut& left_out)
        : map_(left_out.map.coordinates.data()),
          field_(left_out.field.view<D>()),
          normalizer_(left_out.field.normalizer()),
          starts_(left_out.starts),
          separation_(std::isnan(left_out.nn_distance) ? 1 : left_out.nn_distance) {}

    /// The lowest minimum of point i with these edges; nearest: the neighbors whose positions are starts.
    [[nodiscard]] placement::Place<D> find(Index i, const placement::Edges& edges,
                                           std::span<const Index> nearest) const {
        const auto loss = placement::loss_of_left_out(field_, edges, normalizer_, i);
        double starts[placement::most_starts][D]{};
        int count = placement::starts_of<D>(map_, nearest.data(), static_cast<Index>(nearest.size()), starts_, starts);
        if (count == placement::most_starts) --count;
        for (int d = 0; d < D; ++d) {
            starts[count][d] = starts[0][d];
            starts[0][d] = static_cast<double>(map_[Offset{i} * D + d]);
        }
        return placement::place_from<D>(loss, starts, count + 1, {50, 1e-4 * separation_}, separation_);
    }

    /// Distance of the point from a minimum.
    [[nodiscard]] double moved(Index i, const placement::Place<D>& place) const {
        double y[D];
        for (int d = 0; d < D; ++d) y[d] = static_cast<double>(map_[Offset{i} * D + d]);
        return placement::distance_between<D>(place.minimum.y, y);
    }

    [[nodiscard]] const float* map() const { return map_; }

private:
    const float* map_;
    placement::Field<D, Law> field_;
    double normalizer_;
    int starts_;
    double separation_;
};

template <int D>
void find_homes(device::Cpu& cpu, const LeftOut& left_out, std::span<const Index> rows,
                device::ProgressReporter& reporter, Homes& found) {
    const Minimizer<D> minimizer(left_out);
    for (Offset first = 0; first < std::ssize(rows); first += rows_at_once) {
        const Offset count = std::min(rows_at_once, std::ssize(rows) - first);
        cpu.each(
            count,
            [&](Offset r) {
                const Index i = rows[at(first + r)];
                const auto targets = targets_of(left_out.affinities, i);
                const placement::Edges edges{minimizer.map(), targets.data(), weights_of(left_out.affinities, i).data(),
                                             static_cast<Index>(targets.size()),
                                             static_cast<double>(left_out.map.size())};
                const auto place = minimizer.find(i, edges, targets_of(left_out.nearest, i));
                found.home[at(i)] = static_cast<float>(minimizer.moved(i, place) / left_out.nn_distance);
                found.gap[at(i)] = static_cast<float>(place.gap);
            },
            16);
        reporter.tick(first + count);
    }
}

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

template <int D>
void find_perturbations(device::Cpu& cpu, const LeftOut& left_out, const Perturbation& how, std::span<const Index> rows,
                        const Run& run, device::ProgressReporter& reporter, std::vector<float>& found) {
    const Minimizer<D> minimizer(left_out);
    const std::vector<std::vector<float>> axes = principal_axes(cpu, how.points);
    const Graph lists = first_neighbors(left_out.nearest, how.k);
    const placement::Options affinities{.perplexity = how.perplexity, .k = how.k};
    const placement::Reference reference = placement::reference_of(cpu, lists, affinities);
    if (axes.empty()) return;
    const auto variants = static_cast<Offset>(2 * axes.size());
    // Queries that take at most 256 MB
    const Offset chunk = std::clamp<Offset>((Offset{1} << 26) / (variants * how.points.cols), 1, std::ssize(rows));
    for (Offset first = 0; first < std::ssize(rows); first += chunk) {
        const auto some = rows.subspan(at(first), at(std::min(chunk, std::ssize(rows) - first)));
        const Matrix queries = perturbed_rows(cpu, how, some, axes);
        const Graph near =
            neighbors::search(how.points, queries.view(),
                              {.k = how.k + 1, .metric = how.metric, .method = how.search, .recall = how.recall}, run)
                .graph;
        device::cancellation_point();
        const Graph others = without_own(near, some, variants, how.k);
        const Graph edges_of = placement::edges_of_queries(cpu, others, reference, affinities);
        cpu.each(
            std::ssize(some),
            [&](Offset r) {
                const Index i = some[at(r)];
                double farthest = 0;
                for (Offset q = r * variants; q < (r + 1) * variants; ++q) {
                    const auto targets = targets_of(edges_of, q);
                    const placement::Edges edges{minimizer.map(), targets.data(), weights_of(edges_of, q).data(),
                                                 static_cast<Index>(targets.size())};
                    farthest = std::max(farthest, minimizer.moved(i, minimizer.find(i, edges, targets)));
                }
                found[at(i)] = static_cast<float>(farthest / left_out.nn_distance);
            },
            4);
        reporter.tick(first + std::ssize(some));
    }
}

}  // namespace

Homes homes_of(device::Cpu& cpu, const LeftOut& left_out, std::span<const Index> rows,
               device::ProgressReporter& reporter) {
    const auto n = at(left_out.map.size());
    Homes found{std::vector<float>(n, not_found), std::vector<float>(n, not_found)};
    if (left_out.map.dim == 1) find_homes<1>(cpu, left_out, rows, reporter, found);
    if (left_out.map.dim == 2) find_homes<2>(cpu, left_out, rows, reporter, found);
    if (left_out.map.dim == 3) find_homes<3>(cpu, left_out, rows, reporter, found);
    return found;
}

std::vector<float> perturbations_of(device::Cpu& cpu, const LeftOut& left_out, const Perturbation& how,
                                    std::span<const Index> rows, const Run& run, device::ProgressReporter& reporter) {
    std::vector<float> found(at(left_out.map.size()), not_found);
    if (left_out.map.dim == 1) find_perturbations<1>(cpu, left_out, how, rows, run, reporter, found);
    if (left_out.map.dim == 2) find_perturbations<2>(cpu, left_out, how, rows, run, reporter, found);
    if (left_out.map.dim == 3) find_perturbations<3>(cpu, left_out, how, rows, run, reporter, found);
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
