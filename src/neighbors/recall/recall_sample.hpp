// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "neighbors/recall/recall.hpp"
#include "neighbors/search_parameters.hpp"
#include "neighbors/top_k.hpp"
#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// How many rows are sampled, and how many of these calibrate.
struct SampleSize {
    Index calibration, all;
};
constexpr SampleSize sample_of_rows{1000, 3000};
constexpr SampleSize sample_by_codes{300, 1000};  ///< of a search by codes, whose calibration costs more

/// The sample of a search, the same on both devices; where probes are given there is nothing to calibrate.
[[nodiscard]] constexpr SampleSize sample_size(const SearchParameters& parameters) {
    const SampleSize size = parameters.codes > 0 ? sample_by_codes : sample_of_rows;
    return {parameters.probes ? 0 : size.calibration, size.all};
}

/// An item (a group of equal rows) near another one.
struct NearItem {
    double key;
    Index item;
    Index copies;  ///< rows of the item
};

/// A sample of rows by which the recall of an approximate search is calibrated and measured, on both devices: some rows
/// set how many cells are searched (calibration rows), the others measure the recall that results (test rows). One row
/// is drawn from each of equal parts of all rows. The sample is of rows and not of items, so that an item counts as
/// often as it has copies, as in the lists that are written. Up to `all` rows all are both, and the recall is exact.
class RecallSample {
public:
    /// Draws the rows. degree: neighbors of a row, copies included; 0: no sample.
    RecallSample(Index rows, SampleSize size, Index degree, std::uint64_t seed);

    /// The rows, ascending, and those that measure.
    [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }
    [[nodiscard]] std::vector<Index> test_rows() const;

    /// The item of each of rows(), and how many rows that item has.
    void set_items(std::span<const Index> item_of_row, std::span<const Index> copies);
    /// Item i is item place[i] from now on. Returns for each of the new items() which it was.
    std::vector<std::size_t> renumber(std::span<const Index> place);

    /// The items of the rows, each once, ascending.
    [[nodiscard]] const std::vector<Index>& items() const { return items_; }
    /// Some row of items()[i] calibrates, or measures.
    [[nodiscard]] bool calibrates(std::size_t i) const { return counts_[i].calibration > 0; }
    [[nodiscard]] bool measures(std::size_t i) const { return counts_[i].test > 0; }
    /// Standard errors by which calibration exceeds the wanted recall.
    [[nodiscard]] double margin() const { return all_ ? 0 : 3; }

    /// The exact nearest items of items()[i], ascending. Once for each, from any worker.
    void set_truth(std::size_t i, std::span<const NearItem> nearest);

    /// For each place of the true list of a row of items()[i] that `found` fills: the rank of the cell whose row does,
    /// rank_of(item). Ascending; a row's own copies, which are always found, have rank 0.
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

    /// For each calibration row, or test row, what `ranks` has for its item.
    using Ranks = std::vector<std::span<const Index>>;
    [[nodiscard]] Ranks of_calibration(const std::vector<std::vector<Index>>& ranks) const;
    [[nodiscard]] Ranks of_test(const std::vector<std::vector<Index>>& ranks) const;

    /// What a search found for items()[i]. From any worker; of several times the last counts.
    void record(std::size_t i, std::span<const NearItem> found);
    /// Of the test rows, by what was recorded.
    [[nodiscard]] Recall recall() const;

private:
    /// take(item, rows): the item fills so many places of the true list of a row of items()[i].
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
        Index copies = 0;                 ///< rows of an item
        Index calibration = 0, test = 0;  ///< of these, rows of the sample
    };

    Index degree_;
    bool all_ = false;  ///< all rows calibrate and measure
    std::vector<Index> rows_;
    std::vector<bool> is_calibration_;  ///< per row of rows_, unless all are both
    std::vector<Index> items_;
    std::vector<Counts> counts_;
    std::vector<double> limits_;  ///< of each item: the key within which its rows' true lists lie
    std::vector<double> shares_;  ///< found, of each item
};

/// The least number of cells, nearest first, in which the calibration rows would find this share of their neighbors
/// with the margin, and the test rows without: where a search finds all that its cells hold, the recall that will be
/// measured is known before. ranks: of each of the sample's items (ranks_of).
Index cells_for_recall(const RecallSample& sample, const std::vector<std::vector<Index>>& ranks, Index degree,
                       Index cells, double recall);

/// The share of some rows' lists that is found among all cells.
double share_in_all_cells(const RecallSample::Ranks& ranks, Index degree);

/// A sample of items on the host, with its items set.
RecallSample sample_items(const ItemTransform& transform, SampleSize size, Index degree, std::uint64_t seed);
/// Candidates by their items.
std::vector<NearItem> near_items(const ItemTransform& transform, std::span<const Candidate> nearest);
/// Records what was found for an item, if it is one of the sample's.
void record(RecallSample& sample, const ItemTransform& transform, Index item, std::span<const Candidate> found);

}  // namespace dunlin::neighbors
