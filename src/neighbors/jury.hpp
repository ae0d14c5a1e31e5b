#pragma once

#include <vector>

#include "neighbors/best.hpp"
#include "neighbors/frame.hpp"
#include "neighbors/recall.hpp"

namespace dunlin::neighbors {

/// The rows by which a search that may miss neighbours is judged: some say how far it must look, the others measure
/// what came of it. They are rows, one drawn from each of equal parts, and not items: lists are asked for and written
/// row by row, copies included, so an item counts as often as it has copies. Of few rows all do both, and what is
/// measured is no estimate then.
class Jury {
public:
    struct Size {
        Index choosing, all;  ///< rows
    };
    /// degree: how long a row's list is, copies included. Where that is 0 nobody judges.
    Jury(const Frame& frame, Size size, Index degree, std::uint64_t seed);

    /// The items of the rows, each once, ascending.
    [[nodiscard]] const std::vector<Index>& items() const { return items_; }
    /// Some row of items()[i] chooses.
    [[nodiscard]] bool chooses(std::size_t i) const { return choosers_of_[i] > 0; }
    [[nodiscard]] bool measures(std::size_t i) const { return measurers_of_[i] > 0; }
    /// Standard errors that choosing leaves to spare.
    [[nodiscard]] double spared() const { return all_ ? 0 : 3; }

    /// The nearest items of items()[i] there are, ascending. Once for each, from any worker.
    void learn(std::size_t i, std::span<const Candidate> nearest);

    /// For each place of the true list of a row of items()[i] that `found` fills: the rank of the cell whose row does,
    /// rank_of(item). Ascending; a row's own copies, which are never missed, lie in the first.
    template <class RankOf>
    [[nodiscard]] std::vector<Index> ranks_of(std::size_t i, std::span<const Candidate> found,
                                              const RankOf& rank_of) const {
        std::vector<Index> ranks;
        each_listed(i, found, [&](Index item, Index rows) {
            ranks.insert(ranks.end(), static_cast<std::size_t>(rows), item == items_[i] ? 0 : rank_of(item));
        });
        std::sort(ranks.begin(), ranks.end());
        return ranks;
    }

    /// For each row that chooses, or measures, what `ranks` has for its item.
    using Ranks = std::vector<std::span<const Index>>;
    [[nodiscard]] Ranks of_choosers(const std::vector<std::vector<Index>>& ranks) const {
        return of_rows(ranks, choosers_of_);
    }
    [[nodiscard]] Ranks of_measurers(const std::vector<std::vector<Index>>& ranks) const {
        return of_rows(ranks, measurers_of_);
    }

    /// What a search found for an item, whether or not that judges. From any worker; of several times the last counts.
    void hear(Index item, std::span<const Candidate> found);
    /// Of the rows that measure, by what was heard.
    [[nodiscard]] Recall recall() const;

private:
    [[nodiscard]] static Ranks of_rows(const std::vector<std::vector<Index>>& ranks, const std::vector<Index>& counts);

    /// take(item, rows): the item fills so many places of the true list of a row of items()[i].
    template <class Take>
    void each_listed(std::size_t i, std::span<const Candidate> found, const Take& take) const {
        Index left = degree_;
        const auto fill = [&](Index item, Index copies) {
            const Index rows = std::min(copies, left);
            if (rows > 0) take(item, rows);
            left -= rows;
        };
        fill(items_[i], frame_.copies(items_[i]) - 1);
        for (const Candidate& near : found) {
            const Index item = frame_.item_of(near.row);
            if (near.key <= limits_[i]) fill(item, frame_.copies(item));
        }
    }

    const Frame& frame_;
    Index degree_;
    bool all_ = false;  ///< all rows judge
    std::vector<Index> items_;
    std::vector<Index> choosers_of_, measurers_of_;  ///< rows of each item
    std::vector<double> limits_;                     ///< of each item: the key within which its rows' true lists lie
    std::vector<double> shares_;                     ///< found, of each item
};

}  // namespace dunlin::neighbors
