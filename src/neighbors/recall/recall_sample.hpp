// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "neighbors/recall/recall.hpp"
#include "neighbors/search_parameters.hpp"
#include "neighbors/top_k.hpp"
#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// Number of sampled rows, and how many of them calibrate.
struct SampleSize {
    Index calibration, all;
};
constexpr SampleSize sample_of_rows{1000, 3000};
constexpr SampleSize sample_by_codes{300, 1000};  ///< smaller, because calibration by codes costs more

/// The sample size of a search, the same on both devices. With given probes nothing is calibrated.
[[nodiscard]] constexpr SampleSize sample_size(const SearchParameters& parameters) {
    const SampleSize size = parameters.codes > 0 ? sample_by_codes : sample_of_rows;
    return {parameters.probes ? 0 : size.calibration, size.all};
}

/// A neighboring item.
struct NearItem {
    double key;
    Index item;
    Index copies;  ///< number of rows that equal the item
};

/// The sample of rows that calibrates and measures the recall of an approximate search, on both devices. Calibration
/// rows determine the number of cells, test rows estimate the resulting recall. One row is drawn from each of equal
/// parts of all rows. Rows are sampled, not items, so that duplicates count as often as in the graph. With at most
/// `all` rows, every row is both, and the recall is exact.
class RecallSample {
public:
    /// Draws the rows. degree: length of a row's list, copies included; 0: no sample.
    RecallSample(Index rows, SampleSize size, Index degree, std::uint64_t seed);

    /// The sampled rows, ascending; the test rows among them.
    [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }
    [[nodiscard]] std::vector<Index> test_rows() const;

    /// Sets the item of each of rows(), and its number of copies.
    void set_items(std::span<const Index> item_of_row, std::span<const Index> copies);
    /// Renumbers items: item i becomes place[i]. Returns the previous index of each of the new items().
    std::vector<std::size_t> renumber(std::span<const Index> place);

    /// The items of the rows, distinct, ascending.
    [[nodiscard]] const std::vector<Index>& items() const { return items_; }
    /// Whether any row of items()[i] is a calibration row, or a test row.
    [[nodiscard]] bool calibrates(std::size_t i) const { return counts_[i].calibration > 0; }
    [[nodiscard]] bool measures(std::size_t i) const { return counts_[i].test > 0; }
    /// Safety margin of the calibration, in standard errors.
    [[nodiscard]] double margin() const { return all_ ? 0 : 3; }

    /// Sets the exact nearest items of items()[i], ascending. Once per item, from any thread.
    void set_truth(std::size_t i, std::span<const NearItem> nearest);

    /// For each position of the true list of items()[i] that `found` fills: rank_of(item) of the row in it. Ascending.
    /// The row's own copies are always found and have rank 0.
    template <class RankOf>
    [[nodiscard]] std::vector<Index> ranks_of(std::size_t i, std::span<const NearItem> found,
                                              const RankOf& rank_of) const {
        std::vector<Index> ranks;
        each_listed(i, found, [&](Index item, Index rows) {
            ranks.insert(ranks.end(), static_cast<std::size_t>(rows), item == items_[i] ? 0 : rank_of(item));
        });
        std::sort(ranks.begin(), ranks.end());
        return ranks;
    }

    /// The ranks of each calibration row's item, or of each test row's.
    using Ranks = std::vector<std::span<const Index>>;
    [[nodiscard]] Ranks of_calibration(const std::vector<std::vector<Index>>& ranks) const;
    [[nodiscard]] Ranks of_test(const std::vector<std::vector<Index>>& ranks) const;

    /// Records what a search found for items()[i]. From any thread; the last call counts.
    void record(std::size_t i, std::span<const NearItem> found);
    /// Recorded values, one per item. 0: nothing recorded. With several ranks each records some items: their sum has
    /// all.
    [[nodiscard]] std::span<double> recorded() { return shares_; }
    /// Recall of the test rows, from what was recorded.
    [[nodiscard]] Recall recall() const;

private:
    /// Calls take(item, rows) for the items that fill `rows` positions of the true list of items()[i].
    template <class Take>
    void each_listed(std::size_t i, std::span<const NearItem> found, const Take& take) const {
        Index left = degree_;
        const auto fill = [&](Index item, Index copies) {
            const Index rows = std::min(copies, left);
            if (rows > 0) take(item, rows);
            left -= rows;
        };
        fill(items_[i], counts_[i].copies - 1);
        for (const NearItem& near : found) {
            if (near.key <= limits_[i]) fill(near.item, near.copies);
        }
    }

    struct Counts {
        Index copies = 0;                 ///< rows of the item
        Index calibration = 0, test = 0;  ///< of these, in the sample
    };

    Index degree_;
    bool all_ = false;  ///< every row calibrates and measures
    std::vector<Index> rows_;
    std::vector<bool> is_calibration_;  ///< per row of rows_, unless all_
    std::vector<Index> items_;
    std::vector<Counts> counts_;
    std::vector<double> limits_;  ///< per item: the largest key of the rows' true lists
    std::vector<double> shares_;  ///< per item: share found
};

/// The least number of cells, nearest first, with which the calibration rows reach this recall with the margin, and the
/// test rows without it. If a search finds every neighbor in its cells, this predicts the measured recall. ranks: per
/// item of the sample, from ranks_of.
Index cells_for_recall(const RecallSample& sample, const std::vector<std::vector<Index>>& ranks, Index degree,
                       Index cells, double recall);

/// Recall of some rows if all cells are searched.
double share_in_all_cells(const RecallSample::Ranks& ranks, Index degree);

/// A sample with its items set, for a search on a CPU.
RecallSample sample_items(const ItemTransform& transform, SampleSize size, Index degree, std::uint64_t seed);
/// Candidates as items.
std::vector<NearItem> near_items(const ItemTransform& transform, std::span<const Candidate> nearest);
/// Records what was found for an item, if it is in the sample.
void record(RecallSample& sample, const ItemTransform& transform, Index item, std::span<const Candidate> found);

}  // namespace dunlin::neighbors
