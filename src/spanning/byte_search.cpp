// SPDX-License-Identifier: Apache-2.0
#include "spanning/byte_search.hpp"

#include <cmath>
#include <limits>
#include <memory>

#include "neighbors/exact/quantized_leaves.hpp"
#include "progress/cancel.hpp"

namespace dunlin::spanning {

namespace {

constexpr double looseness = 1 + 1e-4;  ///< covers rounding in the float32 means and radii

template <Norm norm>
class ByteSearch {
    using Row = std::conditional_t<norm == Norm::l2, std::int8_t, std::uint8_t>;

    struct Query {
        Index item, component;
        double limit;   ///< exits of interest weigh less
        double radius;  ///< of these, in coarse coordinates, without the other item's error
    };

    struct Workspace {
        std::vector<Query> queries;
        std::vector<Index> items;
        std::vector<Row> rows;  ///< padded to whole groups
        std::vector<distance::ByteSums> sums;
        std::vector<float> mean;
        std::vector<neighbors::RankedLeaf> ranked;
        std::vector<KeysOfItem> keys;
        distance::Hits hits;
    };

public:
    ByteSearch(device::Cpu& cpu, const neighbors::ItemTransform& transform,
               const neighbors::ValueStatistics& statistics, const PointSource& source,
               const neighbors::DistinctRows& groups, Rounds& rounds)
        : cpu_(cpu),
          source_(source),
          groups_(groups),
          rounds_(rounds),
          leaves_(cpu, transform, statistics),
          tree_(leaves_.tree()),
          leaf_component_(at(tree_.count())),
          leaf_core_(at(tree_.count())),
          workers_(at(cpu.threads())) {}

    void search() {
        cpu_.each(tree_.count(), [&](Offset leaf) { find_component(static_cast<Index>(leaf)); }, 16);
        cpu_.blocks(tree_.count(), 1, [&](Offset leaf, Offset, int worker) {
            Workspace& w = workers_[at(worker)];
            load(static_cast<Index>(leaf), w);
            if (w.queries.empty()) return;
            scan_nearest_leaves(w);
            for (const Query& query : w.queries) rounds_.raise_floor(query.item, query.limit);
        });
    }

private:
    /// The component of all items of a leaf, or -1; their least core distance.
    void find_component(Index leaf) {
        const auto items = tree_.items(leaf);
        Index component = rounds_.component(items[0]);
        double core = std::numeric_limits<double>::infinity();
        for (const Index item : items) {
            if (rounds_.component(item) != component) component = -1;
            core = std::min(core, rounds_.core(item));
        }
        leaf_component_[at(leaf)] = component;
        leaf_core_[at(leaf)] = core;
    }

    void load(Index leaf, Workspace& w) const {
        w.queries.clear();
        w.items.clear();
        w.keys.clear();
        for (const Index item : tree_.items(leaf)) {
            if (!rounds_.needs_search(item)) continue;
            w.queries.push_back({item, rounds_.component(item), std::numeric_limits<double>::infinity(), 0});
            w.items.push_back(item);
            w.keys.emplace_back(source_, groups_, item);
        }
        const auto dims = at(leaves_.rows().dims);
        const std::size_t count = w.items.size();
        w.rows.assign((count + distance::group_rows - 1) / distance::group_rows * distance::group_rows * dims, Row{});
        w.sums.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t* const row = leaves_.rows().row(w.items[i]);
            if constexpr (norm == Norm::l2) {
                distance::to_signed(row, leaves_.rows().dims, w.rows.data() + i * dims);
            } else {
                std::copy_n(row, dims, w.rows.data() + i * dims);
            }
            w.sums[i] = distance::sums_of(row, leaves_.rows().dims);
            lower(w.queries[i]);
        }
    }

    /// Lowers the limit of a query to the least known exit of its component.
    void lower(Query& query) const {
        query.limit = std::min(query.limit, rounds_.least(query.component));
        const double key = query.limit / rounds_.scale();
        const double distance = (norm == Norm::l2 ? std::sqrt(key) : key) * (1 + 1e-12);
        const QuantizedRows& rows = leaves_.rows();
        query.radius = rows.scale * distance + static_cast<double>(rows.errors[at(query.item)]);
    }

    void scan_nearest_leaves(Workspace& w) const {
        w.mean.resize(at(leaves_.rows().dims));
        leaves_.mean_of(w.items, 1, w.mean.data());
        const auto own = static_cast<double>(leaves_.radius_of(w.items, w.mean.data()));
        leaves_.rank(w.mean.data(), w.ranked);
        for (const neighbors::RankedLeaf& next : w.ranked) {
            double radius = -1;  // the largest of the queries for which this leaf may have an exit
            for (Query& query : w.queries) {
                lower(query);
                if (may_exit_to(query, next.leaf)) radius = std::max(radius, query.radius);
            }
            const double reach = own + static_cast<double>(leaves_.radius(next.leaf)) + radius +
                                 static_cast<double>(leaves_.error(next.leaf));
            if (radius < 0 || static_cast<double>(next.distance) > reach * looseness) continue;
            progress::cancellation_point();
            scan_leaf(w, next.leaf);
        }
    }

    [[nodiscard]] bool may_exit_to(const Query& query, Index leaf) const {
        return query.component != leaf_component_[at(leaf)] &&
               std::max(rounds_.core(query.item), leaf_core_[at(leaf)]) < query.limit;
    }

    void scan_leaf(Workspace& w, Index leaf) const {
        const auto dims = at(leaves_.rows().dims);
        const distance::ColumnBlock<std::uint8_t> block = leaves_.columns(leaf);
        for (std::size_t first = 0; first < w.queries.size(); first += distance::group_rows) {
            const std::size_t rows = std::min<std::size_t>(distance::group_rows, w.queries.size() - first);
            std::int32_t bounds[distance::group_rows];
            bool any = false;
            for (std::size_t r = 0; r < distance::group_rows; ++r) {
                const bool scanned = r < rows && may_exit_to(w.queries[first + r], leaf);
                bounds[r] = scanned ? bound(w, first + r, leaf) : nothing;
                any |= scanned;
            }
            if (!any) continue;
            std::fill(std::begin(w.hits.count), std::end(w.hits.count), 0);
            if constexpr (norm == Norm::l2) {
                distance::scan_dots(block, leaves_.starts(leaf), w.rows.data() + first * dims, bounds, w.hits);
            } else {
                distance::scan_absolute(block, w.rows.data() + first * dims, bounds, w.hits);
            }
            for (std::size_t r = 0; r < rows; ++r) offer_hits(w, first + r, r, leaf);
        }
    }

    /// A bound that no column passes.
    static constexpr std::int32_t nothing = norm == Norm::l2 ? std::numeric_limits<std::int32_t>::max() : -1;

    [[nodiscard]] std::int32_t bound(const Workspace& w, std::size_t row, Index leaf) const {
        const double reach = w.queries[row].radius + static_cast<double>(leaves_.error(leaf));
        return norm == Norm::l2 ? distance::least_dot(w.sums[row], reach)
                                : static_cast<std::int32_t>(std::min(reach, 1e9));
    }

    void offer_hits(Workspace& w, std::size_t row, std::size_t r, Index leaf) const {
        Query& query = w.queries[row];
        const auto items = tree_.items(leaf);
        for (int h = 0; h < w.hits.count[r]; ++h) {
            const std::size_t column = w.hits.columns[r][h];
            if (column >= items.size()) continue;
            const Index other = items[column];
            if (rounds_.component(other) == query.component || rounds_.core(other) >= query.limit) continue;
            const double weight = rounds_.weight(query.item, other, w.keys[row].to(other));
            if (!(weight < query.limit)) continue;
            query.limit = weight;
            rounds_.found(query.item, other, weight);
        }
    }

    using QuantizedRows = neighbors::QuantizedRows<std::uint8_t>;

    device::Cpu& cpu_;
    const PointSource& source_;
    const neighbors::DistinctRows& groups_;
    Rounds& rounds_;
    neighbors::QuantizedLeaves<norm> leaves_;
    const neighbors::PartitionTree& tree_;
    std::vector<Index> leaf_component_;
    std::vector<double> leaf_core_;
    std::vector<Workspace> workers_;
};

template <Norm norm>
std::function<void()> byte_search_of(device::Cpu& cpu, const neighbors::ItemTransform& transform,
                                     const neighbors::ValueStatistics& statistics, const PointSource& source,
                                     const neighbors::DistinctRows& groups, Rounds& rounds) {
    const auto search = std::make_shared<ByteSearch<norm>>(cpu, transform, statistics, source, groups, rounds);
    return [search] { search->search(); };
}

}  // namespace

std::function<void()> byte_search(device::Cpu& cpu, const neighbors::ItemTransform& transform,
                                  const neighbors::ValueStatistics& statistics, const PointSource& source,
                                  const neighbors::DistinctRows& groups, Rounds& rounds) {
    return (source.norm == Norm::l2 ? byte_search_of<Norm::l2> : byte_search_of<Norm::l1>)(cpu, transform, statistics,
                                                                                           source, groups, rounds);
}

}  // namespace dunlin::spanning
