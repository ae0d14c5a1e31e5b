// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "distance/tile.hpp"
#include "neighbors/exact/boxes.hpp"
#include "neighbors/exact/query_lists.hpp"
#include "neighbors/partition_tree.hpp"
#include "neighbors/strategies.hpp"
#include "progress/cancel.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index leaf_items = distance::group_columns;

/// A k-d tree with small leaves for low dimensions. All queries of a leaf traverse the tree together.
template <Norm norm>
class KdTreeSearch {
    struct TreeWorkspace {
        QueryLists lists;
        std::vector<float> rows;  ///< padded to whole groups
        std::vector<float> box;
        distance::Hits hits;
    };
    using Node = PartitionTree::Node;

public:
    KdTreeSearch(device::Cpu& cpu, const ItemTransform& transform)
        : cpu_(cpu),
          transform_(transform),
          quantized_(transform_to_floats(cpu, transform, all_items(transform.groups()))),
          leaves_(cpu, transform.items(), leaf_items,
                  [this](auto items, auto keys) { spread_along_axis(items, keys); }) {
        boxes_.resize(static_cast<std::size_t>(leaves_.nodes()) * 2 * static_cast<std::size_t>(quantized_.dims));
        errors_.resize(static_cast<std::size_t>(leaves_.nodes()));
        panels_.resize(static_cast<std::size_t>(leaves_.count()) * distance::group_columns *
                       static_cast<std::size_t>(quantized_.dims));
        enclose_all(leaves_.root());
        cpu.each(
            leaves_.count(),
            [&](Offset leaf) {
                lay_out<float>(quantized_, leaves_.items(static_cast<Index>(leaf)), 1,
                               panels_.data() + leaf * distance::group_columns * quantized_.dims);
            },
            16);
    }

    void run(std::span<const Index> queries, NeighborCounts wanted, SearchProgress& progress,
             const ResultCallback& take) {
        const Index items = transform_.items();
        const Offset most = QueryLists::most_rows(std::min(wanted.most, items), leaf_items);
        const QueryBlocks blocks = cut_queries(leaves_, places_of(queries), distance::group_rows, most);
        std::vector<TreeWorkspace> workers(static_cast<std::size_t>(cpu_.threads()));
        cpu_.blocks(std::ssize(blocks.cuts) - 1, 1, [&](Offset b, Offset, int worker) {
            TreeWorkspace& w = workers[static_cast<std::size_t>(worker)];
            const auto begin = static_cast<std::size_t>(blocks.cuts[static_cast<std::size_t>(b)]);
            const auto end = static_cast<std::size_t>(blocks.cuts[static_cast<std::size_t>(b) + 1]);
            w.lists.items.clear();
            for (std::size_t q = begin; q < end; ++q) {
                w.lists.items.push_back(queries[static_cast<std::size_t>(blocks.order[q])]);
            }
            w.lists.reset_each([&](std::size_t i) { return std::min(wanted.of(blocks.order[begin + i]), items); });
            load_block(w);
            visit(w, leaves_.root());
            for (std::size_t q = begin; q < end; ++q) take(blocks.order[q], w.lists.best[q - begin].sorted());
            progress.advance(static_cast<Offset>(end - begin), worker);
        });
    }

private:
    /// A place of the tree near each query: its own for an item, else the first of the leaf that a descent finds.
    [[nodiscard]] std::vector<Index> places_of(std::span<const Index> queries) const {
        std::vector<Index> places(queries.size());
        cpu_.each(std::ssize(queries), [&](Offset q) {
            const Index query = queries[static_cast<std::size_t>(q)];
            places[static_cast<std::size_t>(q)] =
                transform_.is_item(query) ? leaves_.place_of(query) : leaves_.begin(leaf_near(query));
        });
        return places;
    }

    [[nodiscard]] Index leaf_near(Index query) const {
        std::vector<float> point(2 * static_cast<std::size_t>(quantized_.dims));
        enclose_items({&query, 1}, point.data());
        Node node = leaves_.root();
        while (node.leaves > 1) {
            const bool right = gap(point.data(), box(node.right())) < gap(point.data(), box(node.left()));
            node = right ? node.right() : node.left();
        }
        return node.first;
    }

    /// Keys: the coordinate with the largest spread, between the 5th and 95th percentiles of a sample.
    void spread_along_axis(std::span<const Index> items, std::span<float> keys) const {
        Index widest = 0;
        float most = -1;
        std::vector<float> values;
        const std::size_t step = std::max<std::size_t>(1, items.size() / 256);
        for (Index c = 0; c < quantized_.dims; ++c) {
            values.clear();
            for (std::size_t i = 0; i < items.size(); i += step) values.push_back(quantized_.row(items[i])[c]);
            const auto cut = static_cast<std::ptrdiff_t>(values.size() / 20);
            std::nth_element(values.begin(), values.begin() + cut, values.end());
            const float low = values[static_cast<std::size_t>(cut)];
            std::nth_element(values.begin(), values.end() - 1 - cut, values.end());
            const float extent = *(values.end() - 1 - cut) - low;
            if (extent > most) widest = c;
            most = std::max(most, extent);
        }
        for (std::size_t i = 0; i < items.size(); ++i) keys[i] = quantized_.row(items[i])[widest];
    }

    [[nodiscard]] const float* box(const Node& node) const {
        return boxes_.data() + Offset{node.number} * 2 * quantized_.dims;
    }
    [[nodiscard]] float error(const Node& node) const { return errors_[static_cast<std::size_t>(node.number)]; }

    void enclose_all(const Node& node) {
        float* mine = boxes_.data() + Offset{node.number} * 2 * quantized_.dims;
        float& most = errors_[static_cast<std::size_t>(node.number)];
        if (node.leaves == 1) {
            progress::cancellation_point();
            const auto items = leaves_.items(node.first);
            enclose_items(items, mine);
            for (const Index item : items) most = std::max(most, quantized_.errors[static_cast<std::size_t>(item)]);
            return;
        }
        enclose_all(node.left());
        enclose_all(node.right());
        std::copy_n(box(node.left()), 2 * quantized_.dims, mine);
        enclose(mine, box(node.right()), quantized_.dims);
        enclose(mine, box(node.right()) + quantized_.dims, quantized_.dims);
        most = std::max(error(node.left()), error(node.right()));
    }

    void enclose_items(std::span<const Index> items, float* out) const {
        std::copy_n(quantized_.row(items[0]), quantized_.dims, out);
        std::copy_n(quantized_.row(items[0]), quantized_.dims, out + quantized_.dims);
        for (const Index item : items) enclose(out, quantized_.row(item), quantized_.dims);
    }

    void load_block(TreeWorkspace& w) const {
        const auto dims = static_cast<std::size_t>(quantized_.dims);
        const std::size_t count = w.lists.items.size();
        w.rows.assign((count + distance::group_rows - 1) / distance::group_rows * distance::group_rows * dims, 0.0F);
        w.box.resize(2 * dims);
        for (std::size_t i = 0; i < count; ++i)
            std::copy_n(quantized_.row(w.lists.items[i]), dims, w.rows.data() + i * dims);
        enclose_items(w.lists.items, w.box.data());
    }

    [[nodiscard]] double gap(const float* a, const float* b) const {
        const double sum = box_gap(norm, a, b, quantized_.dims);
        return norm == Norm::l2 ? std::sqrt(sum) : sum;
    }

    /// Depth-first traversal of the nodes within the search radius, nearer child first.
    void visit(TreeWorkspace& w, const Node& node) const {
        if (node.leaves == 1) return scan_leaf(w, node);
        const Node left = node.left(), right = node.right();
        const double to_left = gap(w.box.data(), box(left)), to_right = gap(w.box.data(), box(right));
        const auto enter = [&](const Node& child, double distance) {
            if (distance <= w.lists.largest_search_radius() + static_cast<double>(error(child))) visit(w, child);
        };
        if (to_right < to_left) {
            enter(right, to_right);
            enter(left, to_left);
        } else {
            enter(left, to_left);
            enter(right, to_right);
        }
    }

    void scan_leaf(TreeWorkspace& w, const Node& leaf) const {
        const auto dims = static_cast<std::size_t>(quantized_.dims);
        const distance::ColumnBlock<float> block{
            panels_.data() + Offset{leaf.first} * distance::group_columns * quantized_.dims, distance::group_columns,
            quantized_.dims};
        for (std::size_t first = 0; first < w.lists.items.size(); first += distance::group_rows) {
            const std::size_t rows = std::min<std::size_t>(distance::group_rows, w.lists.items.size() - first);
            float most[distance::group_rows];
            bool any = false;
            for (std::size_t r = 0; r < distance::group_rows; ++r) {
                most[r] = r < rows ? bound(w, first + r, leaf) : -1.0F;
                any = any || most[r] >= 0;
            }
            if (!any) continue;
            std::fill(std::begin(w.hits.count), std::end(w.hits.count), 0);
            scan(block, w.rows.data() + first * dims, most, w.hits);
            for (std::size_t r = 0; r < rows; ++r) offer_hits(w, first + r, leaves_.items(leaf.first), r);
        }
    }

    static void scan(const distance::ColumnBlock<float>& block, const float* rows, const float* most,
                     distance::Hits& hits) {
        if (norm == Norm::l2) return distance::scan_squares(block, rows, most, hits);
        distance::scan_absolute(block, rows, most, hits);
    }

    /// Upper bound of the sum of squares or magnitudes of a neighbor; negative if the leaf is outside the search
    /// radius.
    [[nodiscard]] float bound(const TreeWorkspace& w, std::size_t row, const Node& leaf) const {
        const double reach = w.lists.search_radii[row] + static_cast<double>(error(leaf));
        const float* from = w.rows.data() + row * static_cast<std::size_t>(quantized_.dims);
        double away = 0;
        for (Index c = 0; c < quantized_.dims; ++c) {
            const double apart =
                static_cast<double>(std::max({box(leaf)[c] - from[c], from[c] - box(leaf)[quantized_.dims + c], 0.0F}));
            away += norm == Norm::l2 ? apart * apart : apart;
        }
        const double most = (norm == Norm::l2 ? reach * reach : reach) * (1 + 1e-5);
        return away > most ? -1.0F : static_cast<float>(std::min(most, 3e38));
    }

    /// Computes the keys of the hits and offers them to the row's list.
    void offer_hits(TreeWorkspace& w, std::size_t row, std::span<const Index> items, std::size_t r) const {
        if (w.hits.count[r] == 0) return;
        const Index query = w.lists.items[row];
        for (int h = 0; h < w.hits.count[r]; ++h) {
            const std::size_t column = w.hits.columns[r][h];
            if (column >= items.size() || items[column] == query) continue;
            const Index name = transform_.row_of(items[column]);
            w.lists.best[row].offer({transform_.space().key(transform_.row_of(query), name), name});
        }
        if (!w.lists.tighten(row)) return;
        const double limit = w.lists.limits[row];
        const double distance = (norm == Norm::l2 ? std::sqrt(limit) : limit) * (1 + 1e-12);
        w.lists.search_radii[row] =
            quantized_.scale * distance + static_cast<double>(quantized_.errors[static_cast<std::size_t>(query)]);
    }

    device::Cpu& cpu_;
    const ItemTransform& transform_;
    QuantizedRows<float> quantized_;
    PartitionTree leaves_;
    std::vector<float> boxes_;   ///< per node: least, then greatest coordinates
    std::vector<float> errors_;  ///< per node: the largest error of its items
    std::vector<float> panels_;
};

}  // namespace

std::uint64_t low_dimensional_bytes(const SearchSize& size) {
    const Index leaves = PartitionTree::leaves_of(size.items, leaf_items);
    const std::uint64_t row = bytes(size.cols) * sizeof(float), nodes = 2 * bytes(leaves);
    const std::uint64_t items = bytes(size.groups()) * (row + sizeof(float)) + PartitionTree::bytes(size.items) +
                                nodes * (2 * row + sizeof(float)) + bytes(leaves) * leaf_items * row;
    const Offset most = QueryLists::most_rows(size.k, leaf_items);
    const std::uint64_t worker = QueryLists::bytes(size.k, most) + leaf_items * row + sizeof(distance::Hits);
    return items + query_bytes(leaves, size.queries, most) +
           size.busy(most_blocks(leaves, size.queries, most)) * worker;
}

void search_low_dimensional(device::Cpu& cpu, const ItemTransform& transform, std::span<const Index> queries,
                            NeighborCounts wanted, SearchProgress& progress, const ResultCallback& take) {
    if (transform.space().metric() == Metric::manhattan) {
        KdTreeSearch<Norm::l1>(cpu, transform).run(queries, wanted, progress, take);
    } else {
        KdTreeSearch<Norm::l2>(cpu, transform).run(queries, wanted, progress, take);
    }
}

}  // namespace dunlin::neighbors
