// SPDX-License-Identifier: Apache-2.0
#include <dunlin/matrix_neighbors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/error.hpp>

#include "device/complete.hpp"
#include "device/cpu.hpp"
#include "device/memory.hpp"
#include "math/at.hpp"
#include "neighbors/top_k.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::neighbors {

namespace {

/// Offers the items of a row to `nearest`. Returns what is wrong with the row, as the end of a sentence; empty if it is
/// valid.
std::string rank_row(std::span<const float> row, Index self, TopK& nearest) {
    for (Index j = 0; j < std::ssize(row); ++j) {
        const float value = row[at(j)];
        if (std::isnan(value)) continue;  // missing
        if (!(value >= 0) || std::isinf(value))
            return fmt::format("has the dissimilarity {} to item {}; dissimilarities are finite and at least 0", value,
                               j);
        if (j != self) {
            nearest.offer({static_cast<double>(value), j});
        } else if (value != 0) {
            return fmt::format("has the dissimilarity {} to itself; it must be 0", value);
        }
    }
    return "";
}

/// Lists with room for k neighbors each, of which the first `counts` are filled.
struct FoundLists {
    Index k;
    std::vector<Index> counts, targets;
    std::vector<float> weights;

    FoundLists(Index n, Index most) : k(most), counts(at(n)), targets(at(Offset{n} * most)), weights(targets.size()) {}

    void fill(Index row, std::span<const Candidate> nearest) {
        counts[at(row)] = static_cast<Index>(nearest.size());
        for (std::size_t e = 0; e < nearest.size(); ++e) {
            targets[at(Offset{row} * k) + e] = nearest[e].row;
            weights[at(Offset{row} * k) + e] = static_cast<float>(nearest[e].key);
        }
    }
    [[nodiscard]] Offset short_lists() const {
        return std::count_if(counts.begin(), counts.end(), [&](Index count) { return count < k; });
    }
    /// Moves the lists together.
    [[nodiscard]] Graph graph() && {
        Graph graph;
        graph.offsets = {0};
        for (std::size_t row = 0; row < counts.size(); ++row) {
            const Offset from = static_cast<Offset>(row) * k, to = graph.offsets.back();
            std::copy_n(targets.begin() + from, counts[row], targets.begin() + to);
            std::copy_n(weights.begin() + from, counts[row], weights.begin() + to);
            graph.offsets.push_back(to + counts[row]);
        }
        targets.resize(at(graph.offsets.back()));
        weights.resize(targets.size());
        graph.targets = std::move(targets);
        graph.weights = std::move(weights);
        return graph;
    }
};

/// Throws for the first row at fault.
void fill(device::Cpu& cpu, MatrixView<const float> matrix, const Run& run, FoundLists& lists) {
    constexpr Offset grain = 64;
    progress::ProgressReporter reporter(run, "neighbors", 1);
    std::vector<std::pair<Index, std::string>> faults(
        at((matrix.rows + grain - 1) / grain));  // the first of each block
    cpu.blocks(matrix.rows, grain, [&](Offset begin, Offset end, int) {
        TopK nearest;
        auto& [row, fault] = faults[at(begin / grain)];
        for (Offset i = begin; i < end && fault.empty(); ++i) {
            row = static_cast<Index>(i);
            nearest.reset(lists.k);
            fault = rank_row(matrix.row(row), row, nearest);
            lists.fill(row, nearest.sorted());
            if (fault.empty() && lists.k > 0 && lists.counts[at(row)] == 0)
                fault = "has no dissimilarity to another item, all are missing; leave it out";
        }
    });
    for (const auto& [row, fault] : faults) {
        if (fault.empty()) continue;
        throw Error(Fault::bad_input, fmt::format("dissimilarities: row {} (counting from 0) {}", row, fault),
                    {.row = row});
    }
    reporter.tick(1);
    if (const Offset few = lists.short_lists(); few > 0 && run.on_notice) {
        run.on_notice(Notice::note,
                      fmt::format("{} of {} items have fewer than {} dissimilarities that are not missing, "
                                  "and as many neighbors",
                                  few, matrix.rows, lists.k));
    }
}

}  // namespace

Result search_matrix(MatrixView<const float> matrix, Index k, const Run& run) {
    const Index n = matrix.rows;
    if (n < 1 || matrix.cols != n) {
        throw Error(Fault::bad_input, fmt::format("the matrix of dissimilarities has {} rows and {} columns; it is "
                                                  "square, with a row per item",
                                                  n, matrix.cols));
    }
    if (k < 1) throw Error(Fault::bad_input, fmt::format("k is {}; it must be at least 1", k), {.option = "k"});
    Result result;
    result.options = {.k = std::min(k, n - 1), .method = Method::exact};
    device::require_memory(run, static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(result.options.k) * 8,
                           "the neighbors of this many items");
    device::Cpu cpu(run);
    result.threads = cpu.threads();
    progress::Stopwatch watch;
    FoundLists lists(n, result.options.k);
    const bool done = progress::run_cancellable(run.stop, [&] { fill(cpu, matrix, run, lists); });
    result.seconds["neighbors"] = watch.lap();
    result.stopped = done ? Stopped::converged : Stopped::cancelled;
    if (done) result.graph = std::move(lists).graph();
    result.engines.push_back({"neighbors", name_of(Method::exact), 0});
    device::complete(result, Device::cpu, run);
    return result;
}

}  // namespace dunlin::neighbors
