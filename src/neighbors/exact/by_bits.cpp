// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cmath>

#include "distance/common_bits.hpp"
#include "distance/measure.hpp"
#include "math/at.hpp"
#include "neighbors/strategies.hpp"
#include "progress/cancel.hpp"

namespace dunlin::neighbors {

namespace {

using distance::bit_lanes;

constexpr Index block_queries = 4 * bit_lanes;  ///< that read a panel while it is in the L1 cache
constexpr Index stride_panels = 8;              ///< between two looks at the bounds

/// Search of rows of bits. Items are sorted by their number of ones, so that a query looks at those with about as many
/// first: two rows have at most the lesser number in common, which bounds their distance from below, and the walk ends
/// on either side where the bound is above all distances kept.
class BitSearch {
    struct BitWorkspace {
        std::vector<TopK> best;
        std::array<std::uint64_t, bit_lanes * bit_lanes> counts;
    };

    /// Queries of a block: groups, with places in the caller's order; the last one fills up the block.
    struct BlockOfQueries {
        std::span<const Offset> places;
        std::array<const std::uint64_t*, block_queries> words;
        std::array<Index, block_queries> groups, ones;
    };

public:
    BitSearch(device::Cpu& cpu, const distance::PairMeasure& measure, const DistinctRows& items, Index k)
        : cpu_(cpu), measure_(measure), items_(items), k_(k), order_(all_items(items.size())) {
        std::stable_sort(order_.begin(), order_.end(), [&](Index a, Index b) { return ones_of(a) < ones_of(b); });
        panels_.assign(at(Offset{panel_count()} * bit_lanes * measure.word_count()), 0);
        cpu.each(items.size(), [&](Offset place) {
            const std::uint64_t* words = measure.words(items.first(order_[at(place)]));
            std::uint64_t* out =
                panels_.data() + place / bit_lanes * bit_lanes * measure.word_count() + place % bit_lanes;
            for (Index w = 0; w < measure.word_count(); ++w) out[Offset{w} * bit_lanes] = words[w];
        });
    }

    void run(std::span<const Index> queries, SearchProgress& progress, const ResultCallback& take) const {
        std::vector<Offset> places(queries.size());
        std::iota(places.begin(), places.end(), 0);
        std::stable_sort(places.begin(), places.end(),
                         [&](Offset a, Offset b) { return ones_of(queries[at(a)]) < ones_of(queries[at(b)]); });
        std::vector<BitWorkspace> workers(at(cpu_.threads()));
        cpu_.blocks(std::ssize(places), block_queries, [&](Offset begin, Offset end, int worker) {
            BitWorkspace& w = workers[at(worker)];
            w.best.resize(at(block_queries));
            for (TopK& best : w.best) best.reset(k_);
            const BlockOfQueries block = block_of(queries, std::span(places).subspan(at(begin), at(end - begin)));
            find(w, block);
            for (std::size_t q = 0; q < block.places.size(); ++q) take(block.places[q], w.best[q].sorted());
            progress.advance(end - begin, worker);
        });
    }

private:
    [[nodiscard]] Index ones_of(Index group) const { return measure_.ones(items_.first(group)); }
    [[nodiscard]] Index panel_count() const { return (items_.size() + bit_lanes - 1) / bit_lanes; }
    [[nodiscard]] Index ones_at(Index place) const {
        return ones_of(order_[at(std::clamp(place, 0, items_.size() - 1))]);
    }

    [[nodiscard]] BlockOfQueries block_of(std::span<const Index> queries, std::span<const Offset> places) const {
        BlockOfQueries block{places, {}, {}, {}};
        for (std::size_t q = 0; q < block.groups.size(); ++q) {
            block.groups[q] = queries[at(places[std::min(q, places.size() - 1)])];
            block.words[q] = measure_.words(items_.first(block.groups[q]));
            block.ones[q] = ones_of(block.groups[q]);
        }
        return block;
    }

    /// From the middle of the block's numbers of ones, outwards.
    void find(BitWorkspace& w, const BlockOfQueries& block) const {
        const Index middle = block.ones[block.places.size() / 2];
        const auto from = std::lower_bound(order_.begin(), order_.end(), middle,
                                           [&](Index item, Index ones) { return ones_of(item) < ones; });
        Index up = static_cast<Index>(from - order_.begin()) / bit_lanes, down = up;
        bool rises = up < panel_count(), falls = down > 0;
        while (rises || falls) {
            progress::cancellation_point();
            if (rises) {
                const Index end = std::min(up + stride_panels, panel_count());
                for (; up < end; ++up) look(w, block, up);
                tighten(w, block);
                rises = up < panel_count() && may_hold(w, block, ones_at(up * bit_lanes), true);
            }
            if (falls) {
                const Index end = std::max(down - stride_panels, 0);
                while (down > end) look(w, block, --down);
                tighten(w, block);
                falls = down > 0 && may_hold(w, block, ones_at(down * bit_lanes - 1), false);
            }
        }
    }

    static void tighten(BitWorkspace& w, const BlockOfQueries& block) {
        for (std::size_t q = 0; q < block.places.size(); ++q) w.best[q].tighten();
    }

    /// Whether a row with so many ones or more (is_least; else or fewer) may be among the nearest of a query.
    [[nodiscard]] bool may_hold(const BitWorkspace& w, const BlockOfQueries& block, Index ones, bool is_least) const {
        for (std::size_t q = 0; q < block.places.size(); ++q) {
            const Index own = block.ones[q];
            const bool is_beyond = is_least ? ones > own : ones < own;
            if (!is_beyond || measure_.by_bits(own, ones, std::min(own, ones)) <= w.best[q].limit()) return true;
        }
        return false;
    }

    void look(BitWorkspace& w, const BlockOfQueries& block, Index panel) const {
        const std::uint64_t* rows = panels_.data() + Offset{panel} * bit_lanes * measure_.word_count();
        const Index first = panel * bit_lanes, least_ones = ones_at(first);
        const auto queries = static_cast<Index>(block.places.size());
        for (Index begin = 0; begin < queries; begin += bit_lanes) {
            distance::common_bits(rows, block.words.data() + begin, measure_.word_count(), w.counts.data());
            for (Index q = begin; q < std::min(begin + bit_lanes, queries); ++q)
                offer(w.best[at(q)], block, q, first, least_ones, w.counts.data() + (q - begin) * bit_lanes);
        }
    }

    /// Of a row with more ones than the panel's first, more must be in common.
    void offer(TopK& best, const BlockOfQueries& block, Index q, Index first, Index least_ones,
               const std::uint64_t* counts) const {
        const double limit = best.limit();
        const double needed = std::isfinite(limit) ? measure_.least_common(block.ones[at(q)], least_ones, limit) : 0.0;
        const auto least = static_cast<std::uint64_t>(std::max(std::ceil(needed), 0.0));
        unsigned passed = 0;
        for (Index l = 0; l < bit_lanes; ++l) passed |= (counts[l] >= least ? 1U : 0U) << l;
        for (; passed != 0; passed &= passed - 1) {
            const Index l = std::countr_zero(passed);
            if (first + l >= items_.size()) break;
            const Index item = order_[at(first + l)];
            if (item == block.groups[at(q)]) continue;
            best.offer({measure_.by_bits(block.ones[at(q)], ones_of(item), static_cast<Offset>(counts[l])),
                        items_.first(item)});
        }
    }

    device::Cpu& cpu_;
    const distance::PairMeasure& measure_;
    const DistinctRows& items_;
    Index k_;
    std::vector<Index> order_;           ///< items by their number of ones
    std::vector<std::uint64_t> panels_;  ///< of items in that order
};

}  // namespace

void search_by_bits(device::Cpu& cpu, const distance::PairMeasure& measure, const DistinctRows& items,
                    std::span<const Index> queries, Index k, SearchProgress& progress, const ResultCallback& take) {
    BitSearch(cpu, measure, items, k).run(queries, progress, take);
}

}  // namespace dunlin::neighbors
