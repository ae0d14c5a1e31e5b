// SPDX-License-Identifier: Apache-2.0
#include "placement/map_scale.hpp"

#include <algorithm>
#include <limits>
#include "neighbors/search_rows.hpp"
#include "placement/reference.hpp"
#include "progress/progress.hpp"
#include "scores/sample.hpp"

namespace dunlin::placement {

namespace {

constexpr Index most_rows = 1000;  ///< whose neighbors in the map are searched

double span_of(MatrixView<const float> map) {
    double span = 0;
    for (Index d = 0; d < map.cols; ++d) {
        float least = map(0, d), most = map(0, d);
        for (Index i = 1; i < map.rows; ++i) {
            least = std::min(least, map(i, d));
            most = std::max(most, map(i, d));
        }
        span = std::max(span, static_cast<double>(most) - static_cast<double>(least));
    }
    return span;
}

/// The queries whose places differ.
std::vector<Index> differing(const Map& a, const Map& b) {
    std::vector<Index> rows;
    for (Index q = 0; q < a.size(); ++q) {
        const auto here = a.view().row(q), there = b.view().row(q);
        if (!std::equal(here.begin(), here.end(), there.begin())) rows.push_back(q);
    }
    return rows;
}

std::vector<float> rows_of(const Map& map, std::span<const Index> rows) {
    std::vector<float> places;
    places.reserve(rows.size() * at(map.dim));
    for (const Index q : rows) {
        const auto row = map.view().row(q);
        places.insert(places.end(), row.begin(), row.end());
    }
    return places;
}

/// kept_at the places of `all` of these rows, as half number `half` of the reporter's `steps`, the last one excepted.
std::vector<Kept> kept_of(device::Cpu& cpu, MatrixView<const float> map, const Map& all, const Graph& lists,
                          std::span<const Index> rows, int half, Offset steps, const Run& run,
                          progress::ProgressReporter& reporter) {
    Run search{.threads = run.threads, .seed = run.seed, .memory = run.memory};  // the scope has the stop
    if (run.on_progress) {
        search.on_progress = [&reporter, half, steps](const Progress& progress) {
            const double share =
                progress.total > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : 0;
            const auto done = static_cast<Offset>(0.5 * (half + share) * static_cast<double>(steps));
            reporter.announce(std::min(done, steps - 1));
        };
    }
    const std::vector<float> places = rows_of(all, rows);
    return kept_at(cpu, map, {places.data(), static_cast<Index>(rows.size()), map.cols}, lists, rows, search);
}

}  // namespace

double neighbor_distance_of(device::Cpu& cpu, MatrixView<const float> map) {
    if (map.rows < 2) return 1;
    const Index count = std::min(map.rows, most_rows);
    std::vector<Index> rows(at(count));
    for (Index r = 0; r < count; ++r) rows[at(r)] = static_cast<Index>(Offset{r} * map.rows / count);
    Graph nearest = neighbors::search_rows(cpu, map, rows, 1, neighbors::Metric::euclidean);
    const auto middle = nearest.weights.begin() + std::ssize(nearest.weights) / 2;
    std::nth_element(nearest.weights.begin(), middle, nearest.weights.end());
    const double span = span_of(map);
    return span > 0 ? std::max(static_cast<double>(*middle), 1e-6 * span) : 1;
}

std::vector<Kept> kept_at(device::Cpu& cpu, MatrixView<const float> map, MatrixView<const float> places,
                          const Graph& lists, std::span<const Index> rows, const Run& run) {
    const Graph near = neighbors::search_queries(cpu, map, places, most_kept, neighbors::Metric::euclidean, run).graph;
    std::vector<Kept> kept(rows.size());
    cpu.each(
        std::ssize(rows),
        [&](Offset s) {
            const auto in_map = targets_of(near, s), all = targets_of(lists, rows[at(s)]);
            const auto in_data = all.first(std::min(all.size(), in_map.size()));
            const auto both = std::count_if(in_data.begin(), in_data.end(), [&](Index j) {
                return std::find(in_map.begin(), in_map.end(), j) != in_map.end();
            });
            kept[at(s)] = {static_cast<Index>(both), static_cast<Index>(in_data.size())};
        },
        256);
    return kept;
}

std::uint64_t bytes_of_choice(device::Cpu& cpu, MatrixView<const float> map, Index queries) {
    const auto points = static_cast<std::uint64_t>(map.rows), rows = static_cast<std::uint64_t>(queries),
               dim = static_cast<std::uint64_t>(map.cols), k = std::min<std::uint64_t>(most_kept, points);
    // Other places with cost and gap, copies of those that differ, their numbers and counts, by_own
    const std::uint64_t places = rows * ((2 * dim + 2) * sizeof(float) + 2 * sizeof(Index) + 2 * sizeof(Kept) + 1);
    // What a search has besides its structure: lists, numbers and groups of rows, buffers of each thread
    const std::uint64_t lists =
        rows * (k * (sizeof(Index) + sizeof(float)) + sizeof(Offset) + 32) + (points + rows) * 36;
    const std::uint64_t fixed =
        (std::uint64_t{2} << 20) + static_cast<std::uint64_t>(cpu.threads()) * (std::uint64_t{136} << 10);
    // Not exact: in so few columns the search is exact anyway, and the places, not known yet, are not read
    return places + lists + fixed +
           neighbors::search_bytes(cpu, map, {nullptr, queries, map.cols}, queries, most_kept,
                                   neighbors::Metric::euclidean, {.exact = false});
}

void take_better(device::Cpu& cpu, MatrixView<const float> map, const Graph& lists, const Result& other, const Run& run,
                 Result& placed) {
    const Offset steps = placed.map.size();
    progress::ProgressReporter reporter(run, "place", steps);
    const std::vector<Index> rows = differing(placed.map, other.map);
    std::vector<Kept> here, there;
    if (!rows.empty()) {
        here = kept_of(cpu, map, placed.map, lists, rows, 0, steps, run, reporter);
        there = kept_of(cpu, map, other.map, lists, rows, 1, steps, run, reporter);
    }
    placed.by_own.assign(at(steps), 0);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (there[r].count <= here[r].count) continue;
        const std::size_t q = at(rows[r]);
        placed.by_own[q] = 1;
        placed.cost[q] = other.cost[q];
        placed.gap[q] = other.gap[q];
        const auto dim = at(map.cols);
        std::copy_n(other.map.coordinates.begin() + static_cast<Offset>(q * dim), dim,
                    placed.map.coordinates.begin() + static_cast<Offset>(q * dim));
    }
    if (steps > 0) reporter.announce(steps);
}

scores::Score kept_neighbors(device::Cpu& cpu, MatrixView<const float> map, const Map& placed, const Graph& lists,
                             std::uint64_t seed) {
    const Index m = placed.size();
    if (m == 0) return {std::numeric_limits<double>::quiet_NaN(), 0};
    const std::vector<Index> judged = scores::sample_rows(m, std::min(m, most_rows), seed);
    const std::vector<float> places = rows_of(placed, judged);
    const MatrixView<const float> rows{places.data(), static_cast<Index>(judged.size()), map.cols};
    std::vector<double> shares;
    for (const Kept& kept : kept_at(cpu, map, rows, lists, judged))
        shares.push_back(static_cast<double>(kept.count) / static_cast<double>(kept.of));
    return scores::mean_over(shares, m);
}

}  // namespace dunlin::placement
