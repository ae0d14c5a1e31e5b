// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/clusters.hpp>
#include <dunlin/error.hpp>

#include "clusters/source.hpp"
#include "device/choose.hpp"
#include "hierarchy/condense.hpp"
#include "neighbors/search_rows.hpp"
#include "progress/cancel.hpp"

namespace dunlin::clusters {

namespace {

/// A fitted point and its key to a query.
struct NearPoint {
    double key;
    Index point;  ///< among the finite ones
};

class Predicting {
public:
    Predicting(const Result& result, const FiniteRows& finite, const spanning::PointSource& source)
        : result_(result), finite_(finite), source_(source) {
        const auto& selected = result.tree.layers.front();
        label_of_.assign(result.tree.groups.size(), noise);
        for (std::size_t s = 0; s < selected.size(); ++s) {
            for (Index g = selected[s]; g < result.tree.groups[at(selected[s])].end; ++g)
                label_of_[at(g)] = static_cast<Index>(s);
        }
        latest_ = std::numeric_limits<double>::infinity();
        if (selected == std::vector<Index>{0})
            latest_ = result.options.epsilon != 0 ? result.options.epsilon : result.tree.groups[0].death;
    }

    /// query: its row in the source; targets: its nearest points.
    void place(Index query, std::span<const Index> targets, Index& label, double& strength) const {
        const std::vector<NearPoint> nearest = keys_to(query, targets);
        const Index first = finite_.row(nearest.front().point);
        if (nearest.front().key == 0) {
            label = result_.labels[at(first)];
            strength = result_.strengths[at(first)];
            return;
        }
        const auto [level, point] = joins(nearest);
        const auto& groups = result_.tree.groups;
        Index group = result_.tree.home[at(point)];
        while (group > 0 && groups[at(group)].birth <= level) group = groups[at(group)].parent;
        label = level <= latest_ ? label_of_[at(group)] : noise;
        if (label == noise) return;
        const double mine = hierarchy::lambda_of(level);
        const Index cluster = result_.tree.layers.front()[at(label)];
        const double most = hierarchy::lambda_of(groups[at(cluster)].death);
        strength = most == 0 || std::isinf(mine) ? 1 : std::min(mine, most) / most;
    }

private:
    [[nodiscard]] std::vector<NearPoint> keys_to(Index query, std::span<const Index> targets) const {
        std::vector<double> rows(2 * at(source_.cols));
        double *const mine = rows.data(), *const other = mine + source_.cols;
        source_.write(query, mine);
        std::vector<NearPoint> nearest;
        for (const Index target : targets) {
            source_.write(target, other);
            nearest.push_back({spanning::row_key(source_.norm, mine, other, source_.cols), target});
        }
        std::sort(nearest.begin(), nearest.end(), [](const NearPoint& a, const NearPoint& b) {
            return a.key != b.key ? a.key < b.key : a.point < b.point;
        });
        return nearest;
    }

    /// The level at which a query joins the tree, and the fitted point where it does.
    [[nodiscard]] std::pair<double, Index> joins(const std::vector<NearPoint>& nearest) const {
        const Options& o = result_.options;
        const Index others = *o.min_samples - 1;
        const double core = others > 0 ? source_.distance_of(nearest[at(others - 1)].key) : 0;
        double least = std::numeric_limits<double>::infinity();
        Index best = finite_.row(nearest.front().point);
        for (const NearPoint& near : nearest) {
            const Index point = finite_.row(near.point);
            const double reachability =
                std::max({core, result_.core[at(point)], source_.distance_of(near.key) / o.alpha});
            if (reachability > least || (reachability == least && point > best)) continue;
            least = reachability;
            best = point;
        }
        return {std::max(least, result_.tree.leaves_at[at(best)]), best};
    }

    const Result& result_;
    const FiniteRows& finite_;
    const spanning::PointSource& source_;
    std::vector<Index> label_of_;  ///< per group
    double latest_;                ///< level up to which a point may be in a cluster
};

void check(const Result& result, MatrixView<const float> points, MatrixView<const float> queries) {
    if (std::ssize(result.labels) != points.rows || result.tree.layers.empty()) {
        throw Error(Fault::bad_input, fmt::format("the result has labels of {} points, but {} points are given; they "
                                                  "must be those that were clustered",
                                                  result.labels.size(), points.rows));
    }
    if (queries.cols != points.cols) {
        throw Error(Fault::bad_input, fmt::format("the queries have {} columns, but the points have {}; they must have "
                                                  "as many",
                                                  queries.cols, points.cols));
    }
}

}  // namespace

Predicted predict(const Result& result, MatrixView<const float> points, MatrixView<const float> queries,
                  const Run& run) {
    device::check(run, device::several_gpus);
    check(result, points, queries);
    device::Cpu cpu(run);
    const FiniteRows finite = find_finite_rows(cpu, points), usable = find_finite_rows(cpu, queries);
    Predicted all{std::vector<Index>(at(queries.rows), noise), std::vector<double>(at(queries.rows))};
    for (std::size_t q = 0; q < usable.labels.size(); ++q) {
        if (usable.labels[q] == 0) continue;
        all.labels[q] = usable.labels[q];
        if (usable.labels[q] == missing_row) all.strengths[q] = std::numeric_limits<double>::quiet_NaN();
    }
    if (finite.count == 0 || usable.count == 0) return all;
    const bool done = progress::run_cancellable(run.stop, [&] {
        std::vector<float> kept, kept_queries;
        const MatrixView<const float> rows = finite_part(points, finite, kept);
        const MatrixView<const float> wanted = finite_part(queries, usable, kept_queries);
        const Index length = std::min(2 * *result.options.min_samples, finite.count);
        const Graph near = neighbors::search_queries(cpu, rows, wanted, length, result.options.metric, run).graph;
        progress::cancellation_point();
        const MetricSource metric(cpu, rows, result.options.metric, wanted);
        const Predicting predicting(result, finite, metric.source());
        cpu.each(
            usable.count,
            [&](Offset q) {
                const auto targets = std::span(near.targets).subspan(at(near.offsets[at(q)]), at(Offset{length}));
                const std::size_t row = at(usable.row(static_cast<Index>(q)));
                predicting.place(finite.count + static_cast<Index>(q), targets, all.labels[row], all.strengths[row]);
            },
            64);
    });
    return done ? std::move(all) : Predicted{};
}

}  // namespace dunlin::clusters
