// SPDX-License-Identifier: Apache-2.0
#include "clusters/finish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <dunlin/check.hpp>

#include "device/fail.hpp"
#include "hierarchy/condense.hpp"
#include "hierarchy/layers.hpp"
#include "hierarchy/select.hpp"
#include "progress/cancel.hpp"

namespace dunlin::clusters {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Values of the points that take part as values of all.
template <class T>
void spread(std::vector<T>& values, const FiniteRows& finite, T other) {
    if (finite.labels.empty()) return;
    std::vector<T> all(finite.labels.size(), other);
    for (std::size_t i = 0; i < values.size(); ++i) all[at(finite.row(static_cast<Index>(i)))] = values[i];
    values = std::move(all);
}

void spread(Result& result, const FiniteRows& finite) {
    spread(result.core, finite, missing);
    spread(result.outlier_scores, finite, missing);
    spread(result.strengths, finite, 0.0);
    spread(result.tree.home, finite, Index{-1});
    spread(result.tree.leaves_at, finite, missing);
    spread(result.labels, finite, noise);
    for (std::size_t r = 0; r < finite.labels.size(); ++r) {
        if (finite.labels[r] == 0) continue;
        result.labels[r] = finite.labels[r];
        if (finite.labels[r] == missing_row) result.strengths[r] = missing;
    }
    for (Group& group : result.tree.groups) group.least = finite.row(group.least);
}

}  // namespace

Options resolve(Index points, Options o) {
    options::check(o);
    if (!o.min_samples) o.min_samples = std::max(1, std::min(o.min_size, points));
    if (*o.min_samples > std::max(1, points)) {
        device::bad_option(
            "min-samples",
            fmt::format("min-samples is {}, but there are {} points; it must be at most that", *o.min_samples, points));
    }
    return o;
}

void finish(device::Cpu& cpu, std::vector<hierarchy::Edge> edges, const FiniteRows& finite, Result& result) {
    const hierarchy::MergeTree merges = hierarchy::merge_tree(finite.count, std::move(edges));
    progress::cancellation_point();
    result.linkage = hierarchy::linkage_of(merges);
    result.tree = hierarchy::condense(merges, result.options.min_size);
    finish_condensed(cpu, finite, result);
}

void finish_condensed(device::Cpu& cpu, const FiniteRows& finite, Result& result) {
    const Options& o = result.options;
    progress::cancellation_point();
    const std::vector<Index> selected = hierarchy::select(
        result.tree,
        {.leaves = o.select == Selection::leaf, .epsilon = o.epsilon, .most = o.max_size, .single = o.single});
    hierarchy::Members members = hierarchy::members_of(cpu, result.tree, selected, o.epsilon);
    result.clusters = static_cast<Index>(selected.size());
    result.labels = std::move(members.labels);
    result.strengths = std::move(members.strengths);
    result.outlier_scores = hierarchy::outlier_scores(cpu, result.tree);
    std::optional<Index> root_size;
    if (selected == std::vector<Index>{0})
        root_size = static_cast<Index>(std::count(result.labels.begin(), result.labels.end(), 0));
    hierarchy::set_persistence(result.tree, root_size);
    result.tree.layers = hierarchy::layers_above(result.tree, selected, o.layers);
    hierarchy::number_layers(result.tree);
    spread(result, finite);
}

std::uint64_t finish_bytes(Index points, Offset edges) {
    constexpr std::uint64_t of_point = sizeof(Merge) + 7 * sizeof(double) + 16 * sizeof(Index) + sizeof(Group) / 2;
    return at(points) * of_point + at(edges) * 2 * sizeof(hierarchy::Edge);
}

}  // namespace dunlin::clusters
