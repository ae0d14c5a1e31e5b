// SPDX-License-Identifier: Apache-2.0
#include "spanning/point_tree.hpp"

#include <limits>

#include "neighbors/partition_tree.hpp"
#include "progress/cancel.hpp"

namespace dunlin::spanning {

namespace {

using neighbors::PartitionTree;

constexpr std::size_t sampled = 256;  ///< points that decide along which axis a node is split

/// Keys: the coordinate with the largest extent, between the 5th and 95th percentiles of a sample.
void split_keys(const std::vector<float>& rows, Index cols, std::span<const Index> items, std::span<float> keys) {
    Index widest = 0;
    float most = -1;
    std::vector<float> values;
    const std::size_t step = std::max<std::size_t>(1, items.size() / sampled);
    for (Index c = 0; c < cols; ++c) {
        values.clear();
        for (std::size_t i = 0; i < items.size(); i += step) values.push_back(rows[at(Offset{items[i]} * cols + c)]);
        const auto cut = static_cast<std::ptrdiff_t>(values.size() / 20);
        std::nth_element(values.begin(), values.begin() + cut, values.end());
        const float low = values[static_cast<std::size_t>(cut)];
        std::nth_element(values.begin(), values.end() - 1 - cut, values.end());
        const float extent = *(values.end() - 1 - cut) - low;
        if (extent > most) widest = c;
        most = std::max(most, extent);
    }
    for (std::size_t i = 0; i < items.size(); ++i) keys[i] = rows[at(Offset{items[i]} * cols + widest)];
}

/// The order of the points; float32 is enough to choose it.
std::vector<Index> order_of(device::Cpu& cpu, const PointSource& source) {
    std::vector<float> rows(at(source.points) * at(source.cols));
    cpu.blocks(source.points, 1024, [&](Offset begin, Offset end, int) {
        std::vector<double> row(at(source.cols));
        for (Offset r = begin; r < end; ++r) {
            source.write(static_cast<Index>(r), row.data());
            for (Index c = 0; c < source.cols; ++c) rows[at(r * source.cols + c)] = static_cast<float>(row[at(c)]);
        }
    });
    const PartitionTree parts(cpu, source.points, leaf_points,
                              [&](auto items, auto keys) { split_keys(rows, source.cols, items, keys); });
    return parts.order();
}

}  // namespace

PointTree::PointTree(device::Cpu& cpu, const PointSource& source)
    : cols_(source.cols), norm_(source.norm), order_(order_of(cpu, source)) {
    add_nodes(source.points);
    boxes_.resize(nodes_.size() * 2 * at(cols_));
    panels_.assign(leaf_nodes_.size() * at(cols_) * leaf_points, std::numeric_limits<double>::infinity());
    cpu.each(leaves(), [&](Offset leaf) { fill_leaf(source, leaf); }, 64);
    for (Index v = static_cast<Index>(nodes_.size()) - 1; v >= 0; --v) {  // children before parents
        if (nodes_[at(v)].right == 0) continue;
        double* const mine = boxes_.data() + Offset{v} * 2 * cols_;
        const double *const left = box(v + 1), *const right = box(nodes_[at(v)].right);
        for (Index c = 0; c < cols_; ++c) {
            mine[c] = std::min(left[c], right[c]);
            mine[cols_ + c] = std::max(left[cols_ + c], right[cols_ + c]);
        }
    }
}

/// The nodes of a PartitionTree with its leaves and cuts.
void PointTree::add_nodes(Index points) {
    const Offset count = PartitionTree::leaves_of(points, leaf_points);
    const auto begin = [&](Offset leaf) { return static_cast<Index>(leaf * points / count); };
    std::vector<PartitionTree::Node> open{{0, 0, static_cast<Index>(count)}};
    nodes_.resize(at(2 * count - 1));
    leaf_nodes_.resize(at(count));
    while (!open.empty()) {
        const PartitionTree::Node node = open.back();
        open.pop_back();
        const bool is_leaf = node.leaves == 1;
        nodes_[at(node.number)] = {begin(node.first), begin(Offset{node.first} + node.leaves),
                                   is_leaf ? 0 : node.right().number, is_leaf ? node.first : -1};
        if (is_leaf) {
            leaf_nodes_[at(node.first)] = node.number;
        } else {
            open.push_back(node.left());
            open.push_back(node.right());
        }
    }
}

void PointTree::fill_leaf(const PointSource& source, Offset leaf) {
    const Index number = leaf_nodes_[at(leaf)];
    const BoxNode& node = nodes_[at(number)];
    double* const box = boxes_.data() + Offset{number} * 2 * cols_;
    std::fill_n(box, cols_, std::numeric_limits<double>::infinity());
    std::fill_n(box + cols_, cols_, -std::numeric_limits<double>::infinity());
    double* const columns = panels_.data() + leaf * cols_ * leaf_points;
    std::vector<double> row(at(cols_));
    for (Index place = node.begin; place < node.end; ++place) {
        source.write(order_[at(place)], row.data());
        for (Index c = 0; c < cols_; ++c) {
            columns[Offset{c} * leaf_points + place - node.begin] = row[at(c)];
            box[c] = std::min(box[c], row[at(c)]);
            box[cols_ + c] = std::max(box[cols_ + c], row[at(c)]);
        }
    }
}

std::uint64_t PointTree::bytes(Index points, Index cols) {
    const std::uint64_t leaves = at(PartitionTree::leaves_of(points, leaf_points));
    const std::uint64_t rows = at(points) * at(cols) * sizeof(float), panels = leaves * leaf_points * at(cols) * 8;
    const std::uint64_t nodes = 2 * leaves * (sizeof(BoxNode) + 16 * at(cols));
    return std::max(rows + PartitionTree::bytes(points), panels + nodes) + 8 * at(points);
}

}  // namespace dunlin::spanning
