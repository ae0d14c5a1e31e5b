// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>

#include "math/at.hpp"
#include "neighbors/exact/all_pairs.hpp"
#include "neighbors/exact/fine_rows.hpp"
#include "neighbors/exact/quantized_leaves.hpp"
#include "neighbors/exact/query_lists.hpp"
#include "neighbors/recall/recall_sample.hpp"
#include "neighbors/strategies.hpp"
#include "progress/cancel.hpp"

namespace dunlin::neighbors {

namespace {

constexpr double looseness = 1 + 1e-4;  ///< covers rounding in the float32 means and radii
constexpr float far_radii = 2;          ///< a query is far if it is more of the largest leaf radii from all leaves

/// Filtered scan for high dimensions, where a tree prunes little: each block of queries scans all leaves, or the
/// nearest ones, in quantized coordinates, nearest leaves first.
template <Norm norm>
class FilteredScan {
    using Row = std::conditional_t<norm == Norm::l2, std::int8_t, std::uint8_t>;

    struct ScanWorkspace {
        QueryLists lists;
        std::vector<Row> rows;  ///< padded to whole groups
        std::vector<distance::ByteSums> sums;
        std::vector<std::int8_t> fine_rows;
        std::vector<double> fine_limits;
        std::vector<float> mean;
        float radius = 0;
        std::vector<RankedLeaf> ranked;
        std::vector<std::int64_t> squares;
        distance::Hits hits;
    };

public:
    FilteredScan(device::Cpu& cpu, const ItemTransform& transform, const ValueStatistics& statistics, Index k)
        : cpu_(cpu), transform_(transform), k_(k), leaves_(cpu, transform, statistics), tree_(leaves_.tree()) {
        leaves_probed_ = tree_.count();
        if (transform.cols() > projected_beyond && leaves_.on_axes() && transform.cols() <= most_fine_columns)
            fine_.emplace(cpu, transform, statistics, tree_.order());
    }

    /// Approximate search: each block scans the nearest leaves only. Lists are complete. The probes follow from the
    /// items alone.
    SearchOutcome approximate(const SearchParameters& parameters, Index degree, std::span<const Index> queries,
                              SearchProgress& progress, const ResultCallback& take) {
        RecallSample sample = sample_items(transform_, sample_size(parameters), degree, parameters.seed);
        const std::vector<std::vector<Index>> ranks = find_truth(sample);
        // At least as many leaves as hold k items besides the query, so that lists are complete
        const Index least = k_ / (transform_.items() / tree_.count()) + 2;
        const Index cells = cell_count(transform_.items(), parameters);
        const Index wanted = parameters.probes ? rescale_up(*parameters.probes, tree_.count(), cells)
                                               : leaves_for(parameters.recall, degree, sample, ranks);
        leaves_probed_ = std::clamp(wanted, std::min(least, tree_.count()), tree_.count());
        if (transform_.space().has_queries()) {
            search_queries(
                sample.items(), leaves_of(sample.items()),
                [&](Offset i, std::span<const Candidate> nearest) {
                    sample.record(at(i), near_items(transform_, nearest));
                },
                [](Offset, int) {});
            run_near_and_far(queries, progress, take);
        } else {  // all items
            run(queries, progress, [&](Offset item, std::span<const Candidate> nearest) {
                take(item, nearest);
                record(sample, transform_, static_cast<Index>(item), nearest);
            });
        }
        return {rescale_up(leaves_probed_, cells, tree_.count()), sample.recall()};
    }

    void run(std::span<const Index> queries, SearchProgress& progress, const ResultCallback& take) {
        search_queries(queries, leaves_of(queries), take,
                       [&](Offset count, int worker) { progress.advance(count, worker); });
    }

private:
    /// Searches far queries, whose leaves tell little, by all pairs. Each is near or far by itself.
    void run_near_and_far(std::span<const Index> queries, SearchProgress& progress, const ResultCallback& take) const {
        const float most = far_radii * leaves_.largest_radius();
        const std::vector<RankedLeaf> leaves = leaves_of(queries);
        std::vector<Index> near;
        std::vector<RankedLeaf> near_leaves;
        std::vector<Offset> numbers, far;  // of the near and of the far queries
        for (std::size_t q = 0; q < queries.size(); ++q) {
            const bool is_near = leaves[q].distance <= most;
            (is_near ? numbers : far).push_back(static_cast<Offset>(q));
            if (!is_near) continue;
            near.push_back(queries[q]);
            near_leaves.push_back(leaves[q]);
        }
        search_queries(
            near, near_leaves, [&](Offset q, std::span<const Candidate> nearest) { take(numbers[at(q)], nearest); },
            [&](Offset count, int worker) { progress.advance(count, worker); });
        search_all_pairs(cpu_, transform_, queries, far, k_, progress, take);
    }

    template <class Advance>
    void search_queries(std::span<const Index> queries, std::span<const RankedLeaf> leaves, const ResultCallback& take,
                        const Advance& advance) const {
        std::vector<Index> places;
        places.reserve(queries.size());
        for (std::size_t q = 0; q < queries.size(); ++q) {
            places.push_back(transform_.is_item(queries[q]) ? tree_.place_of(queries[q]) : tree_.begin(leaves[q].leaf));
        }
        const QueryBlocks blocks = cut_queries(tree_, places, all_probed() ? 8 * distance::group_rows : 1,
                                               QueryLists::most_rows(k_, distance::block_columns));
        std::vector<ScanWorkspace> workers(static_cast<std::size_t>(cpu_.threads()));
        cpu_.blocks(std::ssize(blocks.cuts) - 1, 1, [&](Offset b, Offset, int worker) {
            ScanWorkspace& w = workers[static_cast<std::size_t>(worker)];
            const auto begin = static_cast<std::size_t>(blocks.cuts[static_cast<std::size_t>(b)]);
            const auto end = static_cast<std::size_t>(blocks.cuts[static_cast<std::size_t>(b) + 1]);
            w.lists.items.clear();
            for (std::size_t q = begin; q < end; ++q) {
                w.lists.items.push_back(queries[static_cast<std::size_t>(blocks.order[q])]);
            }
            load_block(w, tree_.leaf_at(places[at(blocks.order[begin])]));
            scan_nearest_leaves(w);
            for (std::size_t q = begin; q < end; ++q) take(blocks.order[q], w.lists.best[q - begin].sorted());
            advance(static_cast<Offset>(end - begin), worker);
        });
    }

    // Leaves of queries

    /// The leaf of each query: its own, at distance 0, if it is an item, else the one with the nearest mean.
    [[nodiscard]] std::vector<RankedLeaf> leaves_of(std::span<const Index> queries) const {
        std::vector<RankedLeaf> leaves(queries.size());
        cpu_.blocks(std::ssize(queries), 16, [&](Offset begin, Offset end, int) {
            typename QuantizedLeaves<norm>::LocatingWorkspace w;
            for (Offset q = begin; q < end; ++q) {
                const Index query = queries[at(q)];
                leaves[at(q)] =
                    transform_.is_item(query) ? RankedLeaf{0, tree_.leaf_of(query)} : leaves_.nearest(query, w);
            }
        });
        return leaves;
    }

    /// Position in the order of the leaves, followed by the queries that are no items.
    [[nodiscard]] Index fine_place(Index group) const {
        return transform_.is_item(group) ? tree_.place_of(group) : group;
    }

    // Number of leaves to scan

    /// Finds the exact neighbors of the sample's items. Returns the ranks of the leaves that contain them.
    std::vector<std::vector<Index>> find_truth(RecallSample& sample) const {
        std::vector<std::vector<Index>> ranks(sample.items().size());
        search_queries(
            sample.items(), leaves_of(sample.items()),
            [&](Offset q, std::span<const Candidate> nearest) {
                const auto i = static_cast<std::size_t>(q);
                const std::vector<Index> rank_of = leaves_.ranks_from(tree_.leaf_of(sample.items()[i]));
                const std::vector<NearItem> near = near_items(transform_, nearest);
                sample.set_truth(i, near);
                ranks[i] = sample.ranks_of(i, near, [&](Index item) { return rank_of[at(tree_.leaf_of(item))]; });
            },
            [](Offset, int) {});
        return ranks;
    }

    [[nodiscard]] Index leaves_for(double recall, Index degree, const RecallSample& sample,
                                   const std::vector<std::vector<Index>>& ranks) const {
        return cells_for_recall(sample, ranks, degree, tree_.count(), recall);
    }

    [[nodiscard]] bool all_probed() const { return leaves_probed_ == tree_.count(); }

    // A block of queries

    /// leaf: of the first query.
    void load_block(ScanWorkspace& w, Index leaf) const {
        const auto dims = static_cast<std::size_t>(leaves_.rows().dims);
        const std::size_t count = w.lists.items.size();
        w.lists.reset(k_);
        w.rows.assign((count + distance::group_rows - 1) / distance::group_rows * distance::group_rows * dims, Row{});
        w.sums.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t* row = leaves_.rows().row(w.lists.items[i]);
            if constexpr (norm == Norm::l2) {
                distance::to_signed(row, leaves_.rows().dims, w.rows.data() + i * dims);
            } else {
                std::copy_n(row, dims, w.rows.data() + i * dims);
            }
            w.sums[i] = distance::sums_of(row, leaves_.rows().dims);
        }
        w.mean.resize(dims);
        if (all_probed()) {
            leaves_.mean_of(w.lists.items, 1, w.mean.data());
        } else {  // one mean per leaf, so that all blocks of a leaf scan the same leaves
            std::copy_n(leaves_.mean(leaf), dims, w.mean.data());
        }
        w.radius = leaves_.radius_of(w.lists.items, w.mean.data());
        if (!fine_) return;
        w.fine_limits.assign(count, std::numeric_limits<double>::infinity());
        w.fine_rows.resize(count * static_cast<std::size_t>(fine_->dims()));
        for (std::size_t i = 0; i < count; ++i) {
            fine_->load(fine_place(w.lists.items[i]), w.fine_rows.data() + i * static_cast<std::size_t>(fine_->dims()));
        }
    }

    /// Scans the leaves, nearest mean first, except those that the search radius excludes as a whole.
    void scan_nearest_leaves(ScanWorkspace& w) const {
        leaves_.rank(w.mean.data(), w.ranked);
        const auto probed = std::span(w.ranked).first(static_cast<std::size_t>(leaves_probed_));
        for (const RankedLeaf& next : probed) {
            const double radii = static_cast<double>(w.radius) + static_cast<double>(leaves_.radius(next.leaf));
            const double reach = w.lists.largest_search_radius() + static_cast<double>(leaves_.error(next.leaf));
            if (static_cast<double>(next.distance) > (radii + reach) * looseness) continue;
            progress::cancellation_point();
            scan_leaf(w, next.leaf);
        }
    }

    void scan_leaf(ScanWorkspace& w, Index leaf) const {
        const auto dims = static_cast<std::size_t>(leaves_.rows().dims);
        const auto items = tree_.items(leaf);
        const distance::ColumnBlock<std::uint8_t> block = leaves_.columns(leaf);
        for (std::size_t first = 0; first < w.lists.items.size(); first += distance::group_rows) {
            const std::size_t rows = std::min<std::size_t>(distance::group_rows, w.lists.items.size() - first);
            std::int32_t bounds[distance::group_rows];
            for (std::size_t r = 0; r < distance::group_rows; ++r) {
                bounds[r] = bound(w, first + std::min(r, rows - 1), static_cast<double>(leaves_.error(leaf)));
            }
            std::fill(std::begin(w.hits.count), std::end(w.hits.count), 0);
            if constexpr (norm == Norm::l2) {
                distance::scan_dots(block, leaves_.starts(leaf), w.rows.data() + first * dims, bounds, w.hits);
            } else {
                distance::scan_absolute(block, w.rows.data() + first * dims, bounds, w.hits);
            }
            for (std::size_t r = 0; r < rows; ++r) {
                offer_hits(w, first + r, leaf,
                           std::span(w.hits.columns[r]).first(static_cast<std::size_t>(w.hits.count[r])));
            }
        }
    }

    std::int32_t bound(const ScanWorkspace& w, std::size_t row, double error) const {
        const double reach = w.lists.search_radii[row] + error;
        return norm == Norm::l2 ? distance::least_dot(w.sums[row], reach)
                                : static_cast<std::int32_t>(std::min(reach, 1e9));
    }

    /// Computes the keys of the hits and offers them to the row's list.
    void offer_hits(ScanWorkspace& w, std::size_t row, Index leaf, std::span<std::uint16_t> columns) const {
        const auto items = tree_.items(leaf);
        while (!columns.empty() && columns.back() >= items.size()) columns = columns.first(columns.size() - 1);
        if (columns.empty()) return;
        const Index query = w.lists.items[row];
        TopK& best = w.lists.best[row];
        const std::int64_t* squares = fine_ ? fine_squares(w, row, leaf, columns) : nullptr;
        for (std::size_t h = 0; h < columns.size(); ++h) {
            if (squares != nullptr && static_cast<double>(squares[h]) > w.fine_limits[row]) continue;
            const Index item = items[columns[h]];
            if (item == query) continue;
            const Index name = transform_.row_of(item);
            const bool known = squares != nullptr && fine_->exact(fine_place(query));
            best.offer(
                {known ? static_cast<double>(squares[h]) : transform_.space().key(transform_.row_of(query), name),
                 name});
        }
        if (w.lists.tighten(row)) update_thresholds(w, row);
    }

    const std::int64_t* fine_squares(ScanWorkspace& w, std::size_t row, Index leaf,
                                     std::span<const std::uint16_t> columns) const {
        w.squares.resize(distance::block_columns);
        fine_->squares(fine_place(w.lists.items[row]),
                       w.fine_rows.data() + row * static_cast<std::size_t>(fine_->dims()), tree_.begin(leaf), columns,
                       w.squares.data());
        return w.squares.data();
    }

    void update_thresholds(ScanWorkspace& w, std::size_t row) const {
        const double limit = w.lists.limits[row];
        const double distance = (norm == Norm::l2 ? std::sqrt(limit) : limit) * (1 + 1e-12);
        const Index item = w.lists.items[row];
        w.lists.search_radii[row] = leaves_.rows().scale * distance +
                                    static_cast<double>(leaves_.rows().errors[static_cast<std::size_t>(item)]);
        if (fine_) w.fine_limits[row] = fine_->most_squares(fine_place(item), distance);
    }

    device::Cpu& cpu_;
    const ItemTransform& transform_;
    Index k_;
    QuantizedLeaves<norm> leaves_;
    const PartitionTree& tree_;  ///< of leaves_
    Index leaves_probed_ = 0;    ///< leaves scanned by a block of queries
    std::optional<FineRows> fine_;
};

}  // namespace

SearchOutcome search_high_dimensional(device::Cpu& cpu, const ItemTransform& transform,
                                      const ValueStatistics& statistics, std::span<const Index> queries, Index k,
                                      SearchParameters parameters, SearchProgress& progress,
                                      const ResultCallback& take) {
    const auto search = [&](auto norm) -> SearchOutcome {
        FilteredScan<norm.value> columns(cpu, transform, statistics, std::min(k, transform.items()));
        if (!parameters.exact) {
            const Index degree = std::min(k, transform.points() - 1);
            return columns.approximate(parameters, degree, queries, progress, take);
        }
        columns.run(queries, progress, take);
        return {};
    };
    if (transform.space().metric() == Metric::manhattan) return search(std::integral_constant<Norm, Norm::l1>());
    return search(std::integral_constant<Norm, Norm::l2>());
}

}  // namespace dunlin::neighbors
