// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>

#include "device/cancel.hpp"
#include "math/at.hpp"
#include "neighbors/exact/all_pairs.hpp"
#include "neighbors/exact/fine_rows.hpp"
#include "neighbors/exact/high_dimensional.hpp"
#include "neighbors/exact/query_lists.hpp"
#include "neighbors/partition_tree.hpp"
#include "neighbors/recall/recall_sample.hpp"
#include "neighbors/strategies.hpp"
#include "neighbors/vectors.hpp"

namespace dunlin::neighbors {

namespace {

constexpr double looseness = 1 + 1e-4;  ///< covers rounding in the float32 means and radii
constexpr float far_radii = 2;          ///< a query is far if it is more of the largest leaf radii from all leaves

/// Filtered scan for high dimensions, where a tree prunes little: each block of queries scans all leaves, or the
/// nearest ones, in quantized coordinates, nearest leaves first.
template <Norm norm>
class FilteredScan {
    static constexpr Index cell = norm == Norm::l2 ? 4 : 8;
    using Row = std::conditional_t<norm == Norm::l2, std::int8_t, std::uint8_t>;

    struct RankedLeaf {
        float distance;
        Index leaf;
        [[nodiscard]] bool operator<(const RankedLeaf& other) const {
            return distance != other.distance ? distance < other.distance : leaf < other.leaf;
        }
    };

    /// The leaf of a query: its own if it is an item, else the one with the nearest mean.
    struct NearLeaf {
        Index leaf;
        float distance;
    };

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
        : cpu_(cpu),
          transform_(transform),
          k_(k),
          quantized_(quantize_items(statistics)),
          leaves_(cpu, transform.items(), distance::block_columns,
                  [this](auto items, auto keys) { spread_along_axis(items, keys); }) {
        lay_out_leaves();
        leaves_probed_ = leaves_.count();
        if (transform.cols() > projected_beyond && axes_ && transform.cols() <= most_fine_columns)
            fine_.emplace(cpu, transform, statistics, leaves_.order());
    }

    /// Approximate search: each block scans the nearest leaves only. Lists are complete. The probes follow from the
    /// items alone.
    SearchOutcome approximate(const SearchParameters& parameters, Index degree, std::span<const Index> queries,
                              SearchProgress& progress, const ResultCallback& take) {
        RecallSample sample = sample_items(transform_, sample_size(parameters), degree, parameters.seed);
        const std::vector<std::vector<Index>> ranks = find_truth(sample);
        // At least as many leaves as hold k items besides the query, so that lists are complete
        const Index least = k_ / (transform_.items() / leaves_.count()) + 2;
        const Index cells = cell_count(transform_.items(), parameters);
        const Index wanted = parameters.probes ? rescale_up(*parameters.probes, leaves_.count(), cells)
                                               : leaves_for(parameters.recall, degree, sample, ranks);
        leaves_probed_ = std::clamp(wanted, std::min(least, leaves_.count()), leaves_.count());
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
        return {rescale_up(leaves_probed_, cells, leaves_.count()), sample.recall()};
    }

    void run(std::span<const Index> queries, SearchProgress& progress, const ResultCallback& take) {
        search_queries(queries, leaves_of(queries), take,
                       [&](Offset count, int worker) { progress.advance(count, worker); });
    }

private:
    /// Searches far queries, whose leaves tell little, by all pairs. Each is near or far by itself.
    void run_near_and_far(std::span<const Index> queries, SearchProgress& progress, const ResultCallback& take) const {
        const float most = far_radii * *std::max_element(radii_.begin(), radii_.end());
        const std::vector<NearLeaf> leaves = leaves_of(queries);
        std::vector<Index> near;
        std::vector<NearLeaf> near_leaves;
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
    void search_queries(std::span<const Index> queries, std::span<const NearLeaf> leaves, const ResultCallback& take,
                        const Advance& advance) const {
        std::vector<Index> places;
        places.reserve(queries.size());
        for (std::size_t q = 0; q < queries.size(); ++q) {
            places.push_back(transform_.is_item(queries[q]) ? leaves_.place_of(queries[q])
                                                            : leaves_.begin(leaves[q].leaf));
        }
        const QueryBlocks blocks = cut_queries(leaves_, places, all_probed() ? 8 * distance::group_rows : 1,
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
            load_block(w, leaves_.leaf_at(places[at(blocks.order[begin])]));
            scan_nearest_leaves(w);
            for (std::size_t q = begin; q < end; ++q) take(blocks.order[q], w.lists.best[q - begin].sorted());
            advance(static_cast<Offset>(end - begin), worker);
        });
    }

    // Leaves of queries

    [[nodiscard]] std::vector<NearLeaf> leaves_of(std::span<const Index> queries) const {
        std::vector<NearLeaf> leaves(queries.size());
        cpu_.blocks(std::ssize(queries), 16, [&](Offset begin, Offset end, int) {
            ByteGrid::Batch batch;
            std::vector<float> point(at(quantized_.dims), static_cast<float>(ByteGrid::zero));
            for (Offset q = begin; q < end; ++q) {
                const Index query = queries[at(q)];
                leaves[at(q)] = transform_.is_item(query) ? NearLeaf{leaves_.leaf_of(query), 0}
                                                          : leaf_near(query, batch, point.data());
            }
        });
        return leaves;
    }

    /// Of a query alone: a matrix product of several rows may round differently.
    NearLeaf leaf_near(Index query, ByteGrid::Batch& batch, float* point) const {
        grid_->locate({&query, 1}, batch);
        for (std::size_t c = 0; c < batch.coordinates.size(); ++c)
            point[c] = static_cast<float>(grid_->in_steps(batch.coordinates[c]));
        NearLeaf nearest{0, std::numeric_limits<float>::infinity()};
        for (Index leaf = 0; leaf < leaves_.count(); ++leaf) {
            const float away = length(norm, mean_of_leaf(leaf), point, quantized_.dims);
            if (away < nearest.distance) nearest = {leaf, away};
        }
        return nearest;
    }

    /// Position in the order of the leaves, followed by the queries that are no items.
    [[nodiscard]] Index fine_place(Index group) const {
        return transform_.is_item(group) ? leaves_.place_of(group) : group;
    }

    // Number of leaves to scan

    /// Finds the exact neighbors of the sample's items. Returns the ranks of the leaves that contain them.
    std::vector<std::vector<Index>> find_truth(RecallSample& sample) const {
        std::vector<std::vector<Index>> ranks(sample.items().size());
        search_queries(
            sample.items(), leaves_of(sample.items()),
            [&](Offset q, std::span<const Candidate> nearest) {
                const auto i = static_cast<std::size_t>(q);
                const std::vector<Index> rank_of = ranks_of_leaves(leaves_.leaf_of(sample.items()[i]));
                const std::vector<NearItem> near = near_items(transform_, nearest);
                sample.set_truth(i, near);
                ranks[i] = sample.ranks_of(i, near, [&](Index item) { return rank_of[at(leaves_.leaf_of(item))]; });
            },
            [](Offset, int) {});
        return ranks;
    }

    [[nodiscard]] Index leaves_for(double recall, Index degree, const RecallSample& sample,
                                   const std::vector<std::vector<Index>>& ranks) const {
        return cells_for_recall(sample, ranks, degree, leaves_.count(), recall);
    }

    /// The rank of each leaf by distance from the leaf `own`, as for a block of its queries.
    [[nodiscard]] std::vector<Index> ranks_of_leaves(Index own) const {
        std::vector<RankedLeaf> ranked;
        rank_leaves(mean_of_leaf(own), ranked);
        std::vector<Index> rank_of(ranked.size());
        for (std::size_t r = 0; r < ranked.size(); ++r) rank_of[at(ranked[r].leaf)] = static_cast<Index>(r);
        return rank_of;
    }

    [[nodiscard]] bool all_probed() const { return leaves_probed_ == leaves_.count(); }
    [[nodiscard]] const float* mean_of_leaf(Index leaf) const { return means_.data() + Offset{leaf} * quantized_.dims; }

    QuantizedRows<std::uint8_t> quantize_items(const ValueStatistics& statistics) {
        const bool projected = transform_.cols() > projected_beyond;
        const bool as_they_are =
            norm == Norm::l1 || (statistics.bytes() && !transform_.space().unit_rows() && !projected);
        if (!as_they_are) {
            const auto sampled = static_cast<Index>(transform_.sample().size());
            axes_.emplace(transform_.sample_rows(sampled).view(), projected ? axes_kept : transform_.cols());
        }
        grid_.emplace(transform_, statistics, axes_ ? &*axes_ : nullptr);
        return quantize_to_bytes(cpu_, *grid_, all_items(transform_.groups()), cell);
    }

    // Leaves

    /// Keys: projections on the first principal direction of a sample of the node's items, by power iteration.
    void spread_along_axis(std::span<const Index> items, std::span<float> keys) const {
        constexpr std::size_t looked_at = 256;
        constexpr int iterations = 6;
        const auto dims = static_cast<std::size_t>(quantized_.dims);
        const std::size_t step = std::max<std::size_t>(1, items.size() / looked_at);
        std::vector<float> mean(dims), direction(dims), next(dims);
        mean_of(items, step, mean.data());
        for (std::size_t c = 0; c < dims; ++c) direction[c] = (c * 7 % 3 == 0) ? 1.0F : -0.5F;
        for (int i = 0; i < iterations; ++i) {
            std::fill(next.begin(), next.end(), 0.0F);
            const float offset = std::inner_product(mean.begin(), mean.end(), direction.begin(), 0.0F);
            for (std::size_t at = 0; at < items.size(); at += step) {
                const std::uint8_t* row = quantized_.row(items[at]);
                const float along = inner(row, direction.data(), quantized_.dims) - offset;
                for (std::size_t c = 0; c < dims; ++c) next[c] += along * (static_cast<float>(row[c]) - mean[c]);
            }
            const float size = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 1e-30F));
            for (std::size_t c = 0; c < dims; ++c) direction[c] = next[c] / size;
        }
        for (std::size_t i = 0; i < items.size(); ++i)
            keys[i] = inner(quantized_.row(items[i]), direction.data(), quantized_.dims);
    }

    void mean_of(std::span<const Index> items, std::size_t step, float* mean) const {
        std::fill_n(mean, quantized_.dims, 0.0F);
        float count = 0;
        for (std::size_t at = 0; at < items.size(); at += step, ++count)
            add_to(quantized_.row(items[at]), quantized_.dims, mean);
        for (Index c = 0; c < quantized_.dims; ++c) mean[c] /= count;
    }

    float radius_of(std::span<const Index> items, const float* mean) const {
        float radius = 0;
        for (const Index item : items)
            radius = std::max(radius, length(norm, quantized_.row(item), mean, quantized_.dims));
        return radius;
    }

    void lay_out_leaves() {
        const Index padded =
            (leaves_.most_items() + distance::group_columns - 1) / distance::group_columns * distance::group_columns;
        const auto count = static_cast<std::size_t>(leaves_.count()), dims = static_cast<std::size_t>(quantized_.dims);
        leaf_columns_ = padded;
        panels_.resize(count * static_cast<std::size_t>(padded) * dims);
        starts_.resize(count * static_cast<std::size_t>(padded));
        means_.resize(count * dims);
        radii_.resize(count);
        errors_.resize(count);
        cpu_.each(
            leaves_.count(),
            [&](Offset leaf) {
                const auto at = static_cast<std::size_t>(leaf);
                const auto items = leaves_.items(static_cast<Index>(leaf));
                lay_out<std::uint8_t>(quantized_, items, cell, panels_.data() + leaf * padded * quantized_.dims);
                mean_of(items, 1, means_.data() + at * dims);
                radii_[at] = radius_of(items, means_.data() + at * dims);
                for (std::size_t i = 0; i < items.size(); ++i) {
                    starts_[at * static_cast<std::size_t>(padded) + i] =
                        distance::sums_of(quantized_.row(items[i]), quantized_.dims).squares / 2;
                    errors_[at] = std::max(errors_[at], quantized_.errors[static_cast<std::size_t>(items[i])]);
                }
            },
            1);
    }

    // A block of queries

    /// leaf: of the first query.
    void load_block(ScanWorkspace& w, Index leaf) const {
        const auto dims = static_cast<std::size_t>(quantized_.dims);
        const std::size_t count = w.lists.items.size();
        w.lists.reset(k_);
        w.rows.assign((count + distance::group_rows - 1) / distance::group_rows * distance::group_rows * dims, Row{});
        w.sums.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t* row = quantized_.row(w.lists.items[i]);
            if constexpr (norm == Norm::l2) {
                distance::to_signed(row, quantized_.dims, w.rows.data() + i * dims);
            } else {
                std::copy_n(row, dims, w.rows.data() + i * dims);
            }
            w.sums[i] = distance::sums_of(row, quantized_.dims);
        }
        w.mean.resize(dims);
        if (all_probed()) {
            mean_of(w.lists.items, 1, w.mean.data());
        } else {  // one mean per leaf, so that all blocks of a leaf scan the same leaves
            std::copy_n(mean_of_leaf(leaf), dims, w.mean.data());
        }
        w.radius = radius_of(w.lists.items, w.mean.data());
        if (!fine_) return;
        w.fine_limits.assign(count, std::numeric_limits<double>::infinity());
        w.fine_rows.resize(count * static_cast<std::size_t>(fine_->dims()));
        for (std::size_t i = 0; i < count; ++i) {
            fine_->load(fine_place(w.lists.items[i]), w.fine_rows.data() + i * static_cast<std::size_t>(fine_->dims()));
        }
    }

    /// Scans the leaves, nearest mean first, except those that the search radius excludes as a whole.
    void scan_nearest_leaves(ScanWorkspace& w) const {
        rank_leaves(w.mean.data(), w.ranked);
        const auto probed = std::span(w.ranked).first(static_cast<std::size_t>(leaves_probed_));
        for (const RankedLeaf& next : probed) {
            const auto leaf = static_cast<std::size_t>(next.leaf);
            const double radii = static_cast<double>(w.radius) + static_cast<double>(radii_[leaf]);
            const double reach = w.lists.largest_search_radius() + static_cast<double>(errors_[leaf]);
            if (static_cast<double>(next.distance) > (radii + reach) * looseness) continue;
            device::cancellation_point();
            scan_leaf(w, next.leaf);
        }
    }

    /// Sorts the leaves by the distance of their means from this one.
    void rank_leaves(const float* mean, std::vector<RankedLeaf>& ranked) const {
        ranked.resize(static_cast<std::size_t>(leaves_.count()));
        for (Index leaf = 0; leaf < leaves_.count(); ++leaf) {
            ranked[static_cast<std::size_t>(leaf)] = {
                length(norm, means_.data() + Offset{leaf} * quantized_.dims, mean, quantized_.dims), leaf};
        }
        std::sort(ranked.begin(), ranked.end());
    }

    void scan_leaf(ScanWorkspace& w, Index leaf) const {
        const auto dims = static_cast<std::size_t>(quantized_.dims);
        const auto items = leaves_.items(leaf);
        const Offset column = Offset{leaf} * leaf_columns_;
        const auto columns = (static_cast<int>(items.size()) + distance::group_columns - 1) / distance::group_columns *
                             distance::group_columns;
        const distance::ColumnBlock<std::uint8_t> block{panels_.data() + column * quantized_.dims, columns,
                                                        quantized_.dims};
        for (std::size_t first = 0; first < w.lists.items.size(); first += distance::group_rows) {
            const std::size_t rows = std::min<std::size_t>(distance::group_rows, w.lists.items.size() - first);
            std::int32_t bounds[distance::group_rows];
            for (std::size_t r = 0; r < distance::group_rows; ++r) {
                bounds[r] = bound(w, first + std::min(r, rows - 1),
                                  static_cast<double>(errors_[static_cast<std::size_t>(leaf)]));
            }
            std::fill(std::begin(w.hits.count), std::end(w.hits.count), 0);
            if constexpr (norm == Norm::l2) {
                distance::scan_dots(block, starts_.data() + column, w.rows.data() + first * dims, bounds, w.hits);
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
        const auto items = leaves_.items(leaf);
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
                       w.fine_rows.data() + row * static_cast<std::size_t>(fine_->dims()), leaves_.begin(leaf), columns,
                       w.squares.data());
        return w.squares.data();
    }

    void update_thresholds(ScanWorkspace& w, std::size_t row) const {
        const double limit = w.lists.limits[row];
        const double distance = (norm == Norm::l2 ? std::sqrt(limit) : limit) * (1 + 1e-12);
        const Index item = w.lists.items[row];
        w.lists.search_radii[row] =
            quantized_.scale * distance + static_cast<double>(quantized_.errors[static_cast<std::size_t>(item)]);
        if (fine_) w.fine_limits[row] = fine_->most_squares(fine_place(item), distance);
    }

    device::Cpu& cpu_;
    const ItemTransform& transform_;
    Index k_;
    std::optional<PrincipalAxes> axes_;
    std::optional<ByteGrid> grid_;
    QuantizedRows<std::uint8_t> quantized_;
    PartitionTree leaves_;
    Index leaves_probed_ = 0;  ///< leaves scanned by a block of queries
    Index leaf_columns_ = 0;
    std::vector<std::uint8_t> panels_;  ///< per leaf: leaf_columns_ columns
    std::vector<std::int32_t> starts_;  ///< per column: half its squared norm
    std::vector<float> means_, radii_;  ///< per leaf
    std::vector<float> errors_;         ///< per leaf: the largest error of its items
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
