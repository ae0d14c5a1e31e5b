// SPDX-License-Identifier: Apache-2.0
#include "neighbors/search_rows.hpp"

#include <dunlin/error.hpp>

#include <numeric>

#include <fmt/format.h>

#include "device/memory.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/codes/product_quantized.hpp"
#include "neighbors/kept_lists.hpp"
#include "neighbors/strategies.hpp"
#include "neighbors/value_range.hpp"
#include "progress/cancel.hpp"

namespace dunlin::neighbors {

namespace {

/// Distinct queries, and the output rows that each one fills.
struct DistinctQueries {
    std::vector<Index> groups;
    std::vector<Offset> offsets{0};
    std::vector<Index> places;   ///< output rows of query q: places[offsets[q] .. offsets[q + 1])
    std::vector<Index> degrees;  ///< of query q: the longest list of its output rows; empty: all have the same length

    [[nodiscard]] std::span<const Index> places_of(Offset q) const {
        const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(q)]);
        return std::span(places).subspan(begin,
                                         static_cast<std::size_t>(offsets[static_cast<std::size_t>(q) + 1]) - begin);
    }
};

DistinctQueries gather_queries(const DistinctRows& groups, std::span<const Index> rows, NeighborCounts wanted) {
    DistinctQueries queries;
    queries.places.resize(rows.size());
    std::iota(queries.places.begin(), queries.places.end(), 0);
    const auto group = [&](Index place) {
        return groups.group_of[static_cast<std::size_t>(rows[static_cast<std::size_t>(place)])];
    };
    std::stable_sort(queries.places.begin(), queries.places.end(),
                     [&](Index a, Index b) { return group(a) < group(b); });
    for (std::size_t at = 0; at < queries.places.size(); ++at) {
        const Index g = group(queries.places[at]);
        if (queries.groups.empty() || queries.groups.back() != g) {
            if (at > 0) queries.offsets.push_back(static_cast<Offset>(at));
            queries.groups.push_back(g);
        }
    }
    queries.offsets.push_back(std::ssize(queries.places));
    if (wanted.each.empty()) return queries;
    for (Offset q = 0; q < std::ssize(queries.groups); ++q) {
        Index most = 0;
        for (const Index place : queries.places_of(q)) most = std::max(most, wanted.of(place));
        queries.degrees.push_back(most);
    }
    return queries;
}

/// Expands the nearest items of an item into the nearest rows of its members.
class ListWriter {
public:
    ListWriter(const distance::Space& space, const DistinctRows& groups, std::span<const Index> rows, Graph& graph)
        : space_(space), groups_(groups), rows_(rows), graph_(graph) {}

    void write(Index group, std::span<const Index> places, std::span<const Candidate> nearest) const {
        Offset most = 0;
        for (const Index place : places) most = std::max(most, offset(place + 1) - offset(place));
        std::vector<Candidate> members;
        gather_members(group, nearest, most, members);
        for (const Index place : places) {
            const Index self = rows_[static_cast<std::size_t>(place)];
            Offset at = offset(place);
            const Offset end = offset(place + 1);
            for (auto next = members.begin(); at < end; ++next) {
                if (next->row == self) continue;
                graph_.targets[static_cast<std::size_t>(at)] = next->row;
                graph_.weights[static_cast<std::size_t>(at++)] = space_.distance(next->key);
            }
        }
    }

private:
    [[nodiscard]] Offset offset(Index place) const { return graph_.offsets[static_cast<std::size_t>(place)]; }

    /// The first points of the item, if the query is one, and of its nearest items, by distance and id, for lists of
    /// `degree`. One row more than that suffices, because the query row may be among them. Later members of an item
    /// cannot matter: the first ones are as near and have smaller ids.
    void gather_members(Index group, std::span<const Candidate> nearest, Offset degree,
                        std::vector<Candidate>& members) const {
        std::vector<Candidate> all(nearest.begin(), nearest.end());
        if (groups_.is_item(group)) {
            const Index first = groups_.first(group);
            const bool products = space_.metric() == Metric::inner_product;  // a row need not be nearest to itself
            const Candidate own{products ? space_.key(first, first) : 0.0, first};
            all.insert(std::lower_bound(all.begin(), all.end(), own), own);
        }
        double last = all.front().key;
        for (const Candidate& candidate : all) {
            if (std::ssize(members) > degree && candidate.key > last) break;
            last = candidate.key;
            add(groups_.group_of[static_cast<std::size_t>(candidate.row)], candidate.key, degree, members);
            if (std::ssize(members) > 4 * (degree + 1)) keep_nearest(degree, members);
        }
        std::sort(members.begin(), members.end());
    }

    void add(Index group, double key, Offset degree, std::vector<Candidate>& members) const {
        const auto all = groups_.of(group);
        const auto enough = std::min(all.size(), static_cast<std::size_t>(degree) + 1);
        for (const Index row : all.first(enough)) members.push_back({key, row});
        // The query row may be a later member of its own group; it is not needed then
    }

    static void keep_nearest(Offset degree, std::vector<Candidate>& members) {
        const auto enough = members.begin() + degree + 1;
        std::nth_element(members.begin(), enough, members.end());
        members.erase(enough, members.end());
    }

    const distance::Space& space_;
    const DistinctRows& groups_;
    std::span<const Index> rows_;
    Graph& graph_;
};

/// What is searched: the lists of some rows, which are numbered points first, then queries.
struct Wanted {
    MatrixView<const float> points, queries;
    std::span<const Index> rows;
    NeighborCounts counts;
    Metric metric;
};

constexpr std::uint64_t program_bytes = std::uint64_t{2} << 20;  ///< the process itself, its libraries and messages

/// The graph; means, lengths, groups and lists per row; per thread its output buffer, stack and heap overhead.
std::uint64_t row_bytes(const device::Cpu& cpu, Offset rows, Offset lists, Offset edges, Index k) {
    const std::uint64_t graph = bytes(edges) * (sizeof(Index) + sizeof(float)) + bytes(lists) * sizeof(Offset);
    const std::uint64_t thread = 16 * 14 * (bytes(k) + 2) + (std::uint64_t{128} << 10);
    return program_bytes + graph + bytes(rows) * 36 + bytes(lists) * 32 + bytes(cpu.threads()) * thread;
}

/// Upper bound of the memory used besides points and queries, in bytes, for `edges` neighbors: that of rows, and the
/// search.
std::uint64_t all_bytes(device::Cpu& cpu, const Wanted& wanted, Offset edges, const SearchParameters& parameters) {
    const Offset lists = std::ssize(wanted.rows);
    const Index k = wanted.counts.most;
    if (parameters.codes > 0) {
        const std::uint64_t graph = bytes(edges) * (sizeof(Index) + sizeof(float)) + bytes(lists) * sizeof(Offset);
        return graph + product_quantized_bytes(wanted.points, wanted.queries.rows, k, parameters, cpu.threads());
    }
    const Offset rows = Offset{wanted.points.rows} + wanted.queries.rows;
    return row_bytes(cpu, rows, lists, edges, k) +
           search_bytes(cpu, wanted.points, wanted.queries, lists, k, wanted.metric, parameters);
}

void check(MatrixView<const float> points, std::span<const Index> rows, Index k) {
    check_search(points.rows, k);
    for (const Index row : rows) {
        if (row < 0 || row >= points.rows) {
            throw Error(Fault::bad_input, fmt::format("row {} is out of range: rows are 0 to {}", row, points.rows - 1),
                        {.row = row});
        }
    }
}

/// Sum of the lengths of all lists.
Offset edges_of(Offset rows, NeighborCounts wanted) {
    if (wanted.each.empty()) return rows * wanted.most;
    return std::accumulate(wanted.each.begin(), wanted.each.end(), Offset{0});
}

Graph empty_lists(std::size_t rows, NeighborCounts wanted) {
    Graph graph;
    graph.offsets.assign(rows + 1, 0);
    for (std::size_t r = 0; r < rows; ++r) graph.offsets[r + 1] = graph.offsets[r] + wanted.of(static_cast<Offset>(r));
    graph.targets.resize(static_cast<std::size_t>(graph.edges()));
    graph.weights.resize(static_cast<std::size_t>(graph.edges()));
    return graph;
}

/// An exact search: look(items, degrees, progress, take) for the queries that a checkpoint does not have; write(q,
/// nearest) writes the lists of query q into the graph.
template <class Look, class Write>
void search_unfinished(const Run& run, Graph& graph, const DistinctQueries& queries, Index rows, const Look& look,
                       const Write& write) {
    KeptLists kept(graph, std::ssize(queries.groups), rows, [&](Offset q) { return queries.places_of(q); });
    const std::vector<Offset> left = kept.unfinished();
    std::vector<Index> items, degrees;
    for (const Offset q : left) {
        items.push_back(queries.groups[static_cast<std::size_t>(q)]);
        if (!queries.degrees.empty()) degrees.push_back(queries.degrees[static_cast<std::size_t>(q)]);
    }
    SearchProgress progress(run, std::ssize(left));
    progress.call_at_reports([&] { kept.offer(); });
    const auto take = [&](Offset number, std::span<const Candidate> nearest) {
        const Offset q = left[static_cast<std::size_t>(number)];
        write(q, nearest);
        kept.finish(q);
    };
    try {
        if (!left.empty()) look(items, degrees, progress, take);
    } catch (const progress::Cancelled&) {
        kept.save();
        throw;
    }
    kept.end();
}

/// The search, after the checks of arguments and memory.
NeighborGraph search_prepared(device::Cpu& cpu, const Wanted& wanted, const Run& run, SearchParameters parameters) {
    const auto& [points, apart, rows, counts, metric] = wanted;
    const ValueStatistics statistics = collect_statistics(cpu, points);
    if (apart.rows == 0) require_range(cpu, points, metric, statistics);
    if (apart.rows > 0) require_range_of_queries(cpu, points, apart, metric, statistics);
    const distance::Space space(cpu, points, metric, apart);
    const DistinctRows groups = find_distinct_rows(cpu, space);
    const DistinctQueries queries = gather_queries(groups, rows, counts);
    NeighborGraph found{empty_lists(rows.size(), counts)};

    const ListWriter writer(space, groups, rows, found.graph);
    const auto write = [&](Offset q, std::span<const Candidate> nearest) {
        writer.write(queries.groups[static_cast<std::size_t>(q)], queries.places_of(q), nearest);
    };
    const auto look = [&](std::span<const Index> items, std::span<const Index> degrees, SearchProgress& progress,
                          const ResultCallback& take) {
        found.outcome =
            search_distinct(cpu, space, groups, statistics, items, {counts.most, degrees}, parameters, progress, take);
    };
    if (parameters.codes > 0) {
        SearchProgress progress(run, std::ssize(queries.groups));
        found.outcome =
            search_product_quantized(cpu, space, groups, queries.groups, counts.most, parameters, run, progress, write);
    } else if (!parameters.exact) {
        SearchProgress progress(run, std::ssize(queries.groups));
        look(queries.groups, queries.degrees, progress, write);
    } else {
        search_unfinished(run, found.graph, queries, points.rows, look, write);
    }
    return found;
}

/// Searches the k nearest neighbors of sparse rows.
Graph search_prepared(device::Cpu& cpu, const SparseView& points, std::span<const Index> rows, Index k, Metric metric,
                      const Run& run) {
    require_range(cpu, points, metric);
    const distance::Space space(cpu, points, metric);
    const DistinctRows groups = find_distinct_rows(cpu, space);
    Graph graph = empty_lists(rows.size(), {k});
    const ListWriter writer(space, groups, rows, graph);
    const DistinctQueries queries = gather_queries(groups, rows, {k});
    const auto look = [&](std::span<const Index> items, std::span<const Index>, SearchProgress& progress,
                          const ResultCallback& take) {
        search_sparse(cpu, space, groups, items, std::min(k, groups.size() - 1), progress, take);
    };
    search_unfinished(run, graph, queries, points.rows, look, [&](Offset q, std::span<const Candidate> nearest) {
        writer.write(queries.groups[static_cast<std::size_t>(q)], queries.places_of(q), nearest);
    });
    return graph;
}

/// wanted.counts: at most as many as there are points besides the row.
NeighborGraph search_lists(device::Cpu& cpu, const Wanted& wanted, const Run& run, SearchParameters parameters) {
    const Offset lists = std::ssize(wanted.rows), edges = edges_of(lists, wanted.counts);
    device::require_memory(run, all_bytes(cpu, wanted, edges, parameters),
                           fmt::format("the search for {} neighbors of {} rows", wanted.counts.most, lists),
                           "use fewer points, neighbors or threads");
    parameters.seed = run.seed;
    NeighborGraph found;
    progress::ProgressReporter reporter(run, "neighbors", lists);  // covers the preparation too
    const bool done =
        progress::run_cancellable(run.stop, [&] { found = search_prepared(cpu, wanted, run, parameters); });
    if (done) reporter.tick(lists);
    return done ? std::move(found) : NeighborGraph{};
}

/// The numbers first, first + 1, ...
std::vector<Index> numbers_from(Index first, Index count) {
    std::vector<Index> numbers(static_cast<std::size_t>(std::max<Index>(count, 0)));
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
}

}  // namespace

Graph search_rows(device::Cpu& cpu, MatrixView<const float> points, std::span<const Index> rows, Index k, Metric metric,
                  const Run& run) {
    check(points, rows, k);
    return search_lists(cpu, {points, {}, rows, {std::min(k, points.rows - 1)}, metric}, run, {}).graph;
}

Graph search_rows(device::Cpu& cpu, MatrixView<const float> points, std::span<const Index> rows,
                  std::span<const Index> k, Metric metric, const Run& run) {
    std::vector<Index> degrees(k.begin(), k.end());
    for (Index& degree : degrees) {
        check_search(points.rows, degree);
        degree = std::min(degree, points.rows - 1);
    }
    const Index most = degrees.empty() ? 1 : *std::max_element(degrees.begin(), degrees.end());
    check(points, rows, most);
    return search_lists(cpu, {points, {}, rows, {most, degrees}, metric}, run, {}).graph;
}

NeighborGraph search_all(device::Cpu& cpu, MatrixView<const float> points, Index k, Metric metric, const Run& run,
                         SearchParameters parameters) {
    const std::vector<Index> rows = numbers_from(0, points.rows);
    check(points, rows, k);
    return search_lists(cpu, {points, {}, rows, {std::min(k, points.rows - 1)}, metric}, run, parameters);
}

NeighborGraph search_queries(device::Cpu& cpu, MatrixView<const float> points, MatrixView<const float> queries, Index k,
                             Metric metric, const Run& run, SearchParameters parameters) {
    check_search(points.rows, k);
    check_queries(points, queries);
    if (queries.rows == 0) return {};
    const std::vector<Index> rows = numbers_from(points.rows, queries.rows);
    return search_lists(cpu, {points, queries, rows, {std::min(k, points.rows)}, metric}, run, parameters);
}

Graph search_all(device::Cpu& cpu, const SparseView& points, Index k, Metric metric, const Run& run) {
    check_search(points.rows, k);
    const Index most = std::min(k, points.rows - 1);
    const SearchSize size{points.rows, points.cols, points.rows, most, metric, cpu.threads()};
    const std::uint64_t needed = row_bytes(cpu, points.rows, points.rows, Offset{points.rows} * most, most) +
                                 sparse_bytes(size, bytes(points.nonzeros()));
    device::require_memory(run, needed, fmt::format("the search for {} neighbors of {} sparse rows", most, points.rows),
                           "use fewer points, neighbors or threads");
    const std::vector<Index> rows = all_items(points.rows);
    Graph graph;
    progress::ProgressReporter reporter(run, "neighbors", points.rows);  // covers the preparation too
    const bool done =
        progress::run_cancellable(run.stop, [&] { graph = search_prepared(cpu, points, rows, most, metric, run); });
    if (done) reporter.tick(points.rows);
    return done ? std::move(graph) : Graph{};
}

}  // namespace dunlin::neighbors
