// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "distance/measure.hpp"
#include "math/at.hpp"
#include "neighbors/strategies.hpp"
#include "progress/cancel.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index block_queries = 16, block_items = 512;  ///< of a block of pairs; its items stay in the L2 cache

/// Buffers of one thread.
struct TermWorkspace {
    std::array<double, block_items> distances;
    std::vector<TopK> best;
};

}  // namespace

std::uint64_t by_terms_bytes(const SearchSize& size) {
    // Blocks of bits have twice as many queries; their items are held twice
    const std::uint64_t worker =
        sizeof(TermWorkspace) + 2 * block_queries * (TopK::bytes(size.k) + sizeof(TopK)) + 1024;
    return 2 * distance::PairMeasure::bytes(size.groups(), size.cols, size.metric) +
           (bytes(size.items) + bytes(size.queries)) * 2 * sizeof(Offset) +
           size.busy(size.queries / block_queries + 1) * worker;
}

void search_by_terms(device::Cpu& cpu, const distance::Space& space, const DistinctRows& items,
                     std::span<const Index> queries, Index k, SearchProgress& progress, const ResultCallback& take) {
    const distance::PairMeasure& measure = *space.measure();
    if (measure.word_count() > 0) return search_by_bits(cpu, measure, items, queries, k, progress, take);
    std::vector<Index> rows(at(items.size()));
    for (Index item = 0; item < items.size(); ++item) rows[at(item)] = items.first(item);
    std::vector<TermWorkspace> workers(at(cpu.threads()));
    cpu.blocks(std::ssize(queries), block_queries, [&](Offset begin, Offset end, int worker) {
        TermWorkspace& w = workers[at(worker)];
        const auto block = queries.subspan(at(begin), at(end - begin));
        w.best.resize(at(block_queries));
        for (TopK& best : w.best) best.reset(k);
        for (Index first = 0; first < items.size(); first += block_items) {
            progress::cancellation_point();
            const auto some = std::span(rows).subspan(at(first), at(std::min(items.size() - first, block_items)));
            for (std::size_t q = 0; q < block.size(); ++q) {
                measure.between(items.first(block[q]), some, w.distances.data());
                for (std::size_t i = 0; i < some.size(); ++i) {
                    if (first + static_cast<Index>(i) == block[q]) continue;
                    w.best[q].offer({w.distances[i], some[i]});
                }
            }
        }
        for (std::size_t q = 0; q < block.size(); ++q) {
            const auto nearest = w.best[q].sorted();
            if (!nearest.empty() && !std::isfinite(space.distance(nearest.back().key)))
                fail_for_infinite_distance(items.first(block[q]), space.points().rows, space.metric());
            take(begin + static_cast<Offset>(q), nearest);
        }
        progress.advance(end - begin, worker);
    });
}

}  // namespace dunlin::neighbors
