#include "neighbors/rows.hpp"

#include <dunlin/error.hpp>

#include <numeric>

#include <fmt/format.h>

#include "device/cancel.hpp"
#include "device/memory.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/coded.hpp"
#include "neighbors/range.hpp"
#include "neighbors/search_parts.hpp"

namespace dunlin::neighbors {

namespace {

/// Who asks: the groups to look for, each once, and the rows of the result that each answers.
struct Asked {
    std::vector<Index> groups;
    std::vector<Offset> offsets{0};
    std::vector<Index> places;  ///< of query q: places[offsets[q] .. offsets[q + 1])
};

Asked gather(const Duplicates& groups, std::span<const Index> rows) {
    Asked asked;
    asked.places.resize(rows.size());
    std::iota(asked.places.begin(), asked.places.end(), 0);
    const auto group = [&](Index place) {
        return groups.group_of[static_cast<std::size_t>(rows[static_cast<std::size_t>(place)])];
    };
    std::stable_sort(asked.places.begin(), asked.places.end(), [&](Index a, Index b) { return group(a) < group(b); });
    for (std::size_t at = 0; at < asked.places.size(); ++at) {
        const Index g = group(asked.places[at]);
        if (asked.groups.empty() || asked.groups.back() != g) {
            if (at > 0) asked.offsets.push_back(static_cast<Offset>(at));
            asked.groups.push_back(g);
        }
    }
    asked.offsets.push_back(std::ssize(asked.places));
    return asked;
}

/// Turns the nearest groups of a group into the nearest rows of its members.
class Writer {
public:
    Writer(const distance::Space& space, const Duplicates& groups, std::span<const Index> rows, Index degree,
           Graph& graph)
        : space_(space), groups_(groups), rows_(rows), degree_(degree), graph_(graph) {}

    void write(Index group, std::span<const Index> places, std::span<const Candidate> nearest) const {
        std::vector<Candidate> members;
        gather_members(group, nearest, members);
        for (const Index place : places) {
            const Index self = rows_[static_cast<std::size_t>(place)];
            Offset at = Offset{place} * degree_;
            const Offset end = at + degree_;
            for (auto next = members.begin(); at < end; ++next) {
                if (next->row == self) continue;
                graph_.targets[static_cast<std::size_t>(at)] = next->row;
                graph_.weights[static_cast<std::size_t>(at++)] = space_.distance(next->key);
            }
        }
    }

private:
    /// The first members of the group itself and of its nearest groups, by distance and id. One row more than are
    /// wanted suffices: the row that asks may be among them. A row beyond the first members of its group cannot matter,
    /// for they are as near and have smaller ids.
    void gather_members(Index group, std::span<const Candidate> nearest, std::vector<Candidate>& members) const {
        std::vector<Candidate> all(nearest.begin(), nearest.end());
        const Index first = groups_.first(group);
        const bool products = space_.metric() == Metric::inner_product;  // a row need not be near itself
        const Candidate own{products ? space_.key(first, first) : 0.0, first};
        all.insert(std::lower_bound(all.begin(), all.end(), own), own);
        double last = all.front().key;
        for (const Candidate& candidate : all) {
            if (std::ssize(members) > degree_ && candidate.key > last) break;
            last = candidate.key;
            add(groups_.group_of[static_cast<std::size_t>(candidate.row)], candidate.key, members);
            if (std::ssize(members) > 4 * (Offset{degree_} + 1)) keep_nearest(members);
        }
        std::sort(members.begin(), members.end());
    }

    void add(Index group, double key, std::vector<Candidate>& members) const {
        const auto all = groups_.of(group);
        const auto enough = std::min(all.size(), static_cast<std::size_t>(degree_) + 1);
        for (const Index row : all.first(enough)) members.push_back({key, row});
        // The row that asks may lie beyond the first members of its own group: that does no harm, it is not wanted
    }

    void keep_nearest(std::vector<Candidate>& members) const {
        const auto enough = members.begin() + degree_ + 1;
        std::nth_element(members.begin(), enough, members.end());
        members.erase(enough, members.end());
    }

    const distance::Space& space_;
    const Duplicates& groups_;
    std::span<const Index> rows_;
    Index degree_;
    Graph& graph_;
};

constexpr std::uint64_t program_bytes = std::uint64_t{2} << 20;  ///< of the process itself, its libraries and messages

/// Most that a search takes beside the points: the graph; means, lengths, groups and who asks, a row each; what the
/// search itself takes; and for each thread what is written at a time, its stack and what its heap keeps.
std::uint64_t all_bytes(device::Cpu& cpu, MatrixView<const float> points, Offset queries, Index k, Metric metric,
                        const Effort& effort) {
    const std::uint64_t graph = bytes(queries) * (bytes(k) * (sizeof(Index) + sizeof(float)) + sizeof(Offset));
    if (effort.codes > 0) return graph + coded_bytes(points, k, effort, cpu.threads());
    const std::uint64_t thread = 16 * 14 * (bytes(k) + 2) + (std::uint64_t{128} << 10);
    return program_bytes + graph + bytes(points.rows) * 36 + bytes(queries) * 32 + bytes(cpu.threads()) * thread +
           search_bytes(cpu, points, queries, k, metric, effort);
}

void check(MatrixView<const float> points, std::span<const Index> rows, Index k) {
    check_search(points.rows, k);
    for (const Index row : rows) {
        if (row < 0 || row >= points.rows) {
            throw Error(Fault::bad_input,
                        fmt::format("row {} asked for, but there are rows 0 to {}", row, points.rows - 1),
                        {.row = row});
        }
    }
}

Graph empty_lists(std::size_t rows, Index degree) {
    Graph graph;
    graph.offsets.resize(rows + 1);
    for (std::size_t r = 0; r <= rows; ++r) graph.offsets[r] = static_cast<Offset>(r) * degree;
    graph.targets.resize(static_cast<std::size_t>(graph.edges()));
    graph.weights.resize(static_cast<std::size_t>(graph.edges()));
    return graph;
}

/// What was asked for is checked, and there is memory for it.
Found look_for(device::Cpu& cpu, MatrixView<const float> points, std::span<const Index> rows, Index degree,
               Metric metric, const Run& run, Effort effort) {
    const Census census = take_census(cpu, points);
    require_range(cpu, points, metric, census);
    const distance::Space space(cpu, points, metric);
    const Duplicates groups = find_duplicates(cpu, space);
    const Asked asked = gather(groups, rows);
    Found found{empty_lists(rows.size(), degree)};

    const Writer writer(space, groups, rows, degree, found.graph);
    SearchProgress progress(run, std::ssize(asked.groups));
    const auto take = [&](Offset q, std::span<const Candidate> nearest) {
        const auto at = static_cast<std::size_t>(q);
        const auto begin = static_cast<std::size_t>(asked.offsets[at]);
        const auto count = static_cast<std::size_t>(asked.offsets[at + 1]) - begin;
        writer.write(asked.groups[at], std::span(asked.places).subspan(begin, count), nearest);
    };
    if (effort.codes > 0) {
        found.how = search_coded(cpu, space, groups, degree, effort, run, progress, take);
    } else {
        found.how = search_groups(cpu, space, groups, census, asked.groups, degree, effort, progress, take);
    }
    return found;
}

Found search_for(device::Cpu& cpu, MatrixView<const float> points, std::span<const Index> rows, Index k, Metric metric,
                 const Run& run, Effort effort) {
    check(points, rows, k);
    const Index degree = std::min(k, points.rows - 1);
    device::require_memory(run, all_bytes(cpu, points, std::ssize(rows), degree, metric, effort),
                           fmt::format("the search for {} neighbors of {} rows", degree, rows.size()),
                           "use fewer points, neighbors or threads");
    effort.seed = run.seed;
    Found found;
    device::ProgressReporter reporter(run, "neighbors", std::ssize(rows));  // from the first look at the data on
    const bool done =
        device::run_cancellable(run.stop, [&] { found = look_for(cpu, points, rows, degree, metric, run, effort); });
    if (done) reporter.tick(std::ssize(rows));
    return done ? std::move(found) : Found{};
}

}  // namespace

Graph search_rows(device::Cpu& cpu, MatrixView<const float> points, std::span<const Index> rows, Index k, Metric metric,
                  const Run& run) {
    return search_for(cpu, points, rows, k, metric, run, {}).graph;
}

Found search_all(device::Cpu& cpu, MatrixView<const float> points, Index k, Metric metric, const Run& run,
                 Effort effort) {
    std::vector<Index> rows(static_cast<std::size_t>(std::max<Index>(points.rows, 0)));
    std::iota(rows.begin(), rows.end(), 0);
    return search_for(cpu, points, rows, k, metric, run, effort);
}

}  // namespace dunlin::neighbors
