// SPDX-License-Identifier: Apache-2.0
#include "mds/input/on_demand_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>

#include "device/mapped.hpp"
#include "graph/paths.hpp"
#include "math/at.hpp"
#include "mds/input/entries.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::mds {

namespace {

constexpr float unknown = -1;
constexpr std::size_t pairs_at_once = 65536;

}  // namespace

OnDemandRows::OnDemandRows(Index n, std::size_t batch_rows, Fill fill, Prefetch prefetch)
    : n_(n),
      batch_rows_(std::max<std::size_t>(1, batch_rows)),
      fill_(std::move(fill)),
      prefetch_(std::move(prefetch)),
      budget_(all_pairs()),
      rows_(at(n)) {}

Index OnDemandRows::rows_within(double share_of_budget) const {
    const auto left = static_cast<Offset>(share_of_budget * static_cast<double>(budget_)) - usage_.computed;
    const auto unknown_rows = static_cast<Index>(n_ - std::ssize(known_));
    if (all_read_) return unknown_rows;
    Index rows = 0;
    for (Offset cost = cost_of_next(0); rows < unknown_rows && cost <= left; cost += cost_of_next(rows)) ++rows;
    return rows;
}

bool OnDemandRows::request(device::Cpu& cpu, std::span<const Index> items, const Run& run) {
    usage_.requested += std::ssize(items) * Offset{n_ - 1};
    std::vector<Index> fresh;
    std::vector<bool> taken(at(n_), false);
    for (const Index item : items) {
        if (!is_known(item) && !taken[at(item)]) fresh.push_back(item);
        taken[at(item)] = true;
    }
    const std::size_t granted = std::min(fresh.size(), at(rows_within(1)));
    const auto batch_from = [&](std::size_t first) {
        return std::span(fresh).subspan(first, std::min(batch_rows_, granted - first));
    };
    progress::ProgressReporter reporter(run, "distances", static_cast<Offset>(granted));
    if (prefetch_) prefetch_(batch_from(0));
    for (std::size_t done = 0; done < granted;) {
        const auto batch = batch_from(done);
        done += batch.size();
        if (prefetch_) prefetch_(batch_from(done));
        try {
            if (!progress::run_cancellable(run.stop, [&] { compute(cpu, batch); })) return false;
        } catch (const Error&) {  // a caller's function may throw because of the cancellation
            if (run.stop.stop_requested()) return false;
            throw;
        }
        reporter.tick(static_cast<Offset>(done));
    }
    return granted == fresh.size();
}

void OnDemandRows::compute(device::Cpu& cpu, std::span<const Index> items) {
    std::vector<std::vector<float>> rows(items.size());
    std::vector<float*> targets;
    for (std::size_t r = 0; r < items.size(); ++r) {
        rows[r].assign(at(n_), unknown);
        for (const Index known : known_) rows[r][at(known)] = row(known)[items[r]];
        rows[r][at(items[r])] = 0;
        targets.push_back(rows[r].data());
    }
    fill_(cpu, items, targets);
    for (std::size_t r = 0; r < items.size(); ++r) {
        if (!all_read_) usage_.computed += cost_of_next(0);
        rows_[at(items[r])] = std::move(rows[r]);
        known_.push_back(items[r]);
    }
}

DistanceUsage OnDemandRows::usage() const {
    DistanceUsage usage = usage_;
    usage.requested += reads_.total();
    usage.share = n_ > 1 ? static_cast<double>(usage.computed) / static_cast<double>(all_pairs()) : 0;
    usage.exhausted = is_limited() && rows_within(method_share_of_budget) == 0;
    return usage;
}

void OnDemandRows::note_all_read() {
    all_read_ = true;
    usage_.computed = all_pairs();
}

void OnDemandRows::add_usage(const DistanceUsage& part) {
    usage_.requested += part.requested;
    usage_.computed += part.computed;
}

void OnDemandRows::adopt_row(Index item, std::vector<float> row) {
    if (is_known(item)) return;
    rows_[at(item)] = std::move(row);
    known_.push_back(item);
}

OnDemandRows::Fill fill_by_pairs(Index n, Distances distances) {
    return [n, distances = std::move(distances)](device::Cpu&, std::span<const Index> items,
                                                 std::span<float* const> rows) {
        std::vector<Index> from, to;
        std::vector<float*> targets;
        for (std::size_t r = 0; r < items.size(); ++r) {
            for (Index j = 0; j < n; ++j) {
                if (!(rows[r][j] < 0)) continue;
                from.push_back(items[r]);
                to.push_back(j);
                targets.push_back(rows[r] + j);
            }
            for (std::size_t later = r + 1; later < items.size(); ++later) rows[later][items[r]] = 0;
        }
        std::vector<float> answers(std::min(targets.size(), pairs_at_once));
        for (std::size_t first = 0; first < targets.size(); first += pairs_at_once) {
            const std::size_t count = std::min(pairs_at_once, targets.size() - first);
            const auto i = std::span(from).subspan(first, count), j = std::span(to).subspan(first, count);
            distances(i, j, std::span(answers).first(count));
            for (std::size_t k = 0; k < count; ++k) {
                if (const std::string fault = fault_of(answers[k]); !fault.empty())
                    throw Error(Fault::bad_input, fmt::format("the distance of items {} and {} {}", i[k], j[k], fault));
                *targets[first + k] = answers[k];
            }
        }
        for (std::size_t r = 0; r < items.size(); ++r) {
            for (std::size_t later = r + 1; later < items.size(); ++later)
                rows[later][items[r]] = rows[r][items[later]];
        }
    };
}

OnDemandRows::Fill fill_by_paths(const Graph& graph, std::span<const float> lengths) {
    return [&graph, lengths](device::Cpu& cpu, std::span<const Index> items, std::span<float* const> rows) {
        std::vector<graph::Paths> paths(at(cpu.threads()), graph::Paths(graph, lengths));
        cpu.blocks(std::ssize(items), graph::Paths::max_sources, [&](Offset begin, Offset end, int worker) {
            for (Offset r = begin; r < end; ++r) {
                std::fill_n(rows[at(r)], graph.size(), std::numeric_limits<float>::quiet_NaN());
                rows[at(r)][items[at(r)]] = 0;
            }
            const auto sources = items.subspan(at(begin), at(end - begin));
            paths[at(worker)].run(
                sources, [&](int k, Index v, double length) { rows[at(begin + k)][v] = static_cast<float>(length); });
        });
    };
}

OnDemandRows::Fill fill_by_matrix(Matrix matrix) {
    return [matrix = std::move(matrix)](device::Cpu& cpu, std::span<const Index> items, std::span<float* const> rows) {
        cpu.each(
            std::ssize(items),
            [&](Offset r) {
                const auto given = matrix.row(items[at(r)]);
                for (Index j = 0; j < matrix.cols(); ++j) {
                    const float value = given[at(j)], known = rows[at(r)][j];
                    // A valid entry that equals the known one needs no further check
                    const bool plain = value >= 0 && value <= largest && (known < 0 || known == value);
                    if (!plain) refuse_entry(items[at(r)], j, value, known < 0 ? value : known);
                    rows[at(r)][j] = value;
                }
            },
            1);
    };
}

OnDemandRows::Prefetch prefetch_of(Matrix matrix) {
    device::expect(matrix.view(), device::Reading::here_and_there);
    return [matrix = std::move(matrix)](std::span<const Index> items) {
        for (const Index item : items) device::load_ahead(matrix.row(item));
    };
}

}  // namespace dunlin::mds
