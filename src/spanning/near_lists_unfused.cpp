// SPDX-License-Identifier: Apache-2.0
// Compiled without fused multiply-add (cmake/kernels.cmake): bounds of boxes hold exactly.
#include "spanning/near_lists.hpp"

#include <limits>
#include <memory>

#include "neighbors/search_progress.hpp"
#include "neighbors/top_k.hpp"
#include "spanning/walk.hpp"

namespace dunlin::spanning {

namespace {

using neighbors::TopK;

constexpr Index least_width = 8, tree_width = 16;  ///< of lists by the tree
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Fills the list of a place; nearest: ascending, at least k - 1 and lists.width of n - 1 others.
void keep(std::span<const neighbors::Candidate> nearest, Index k, Index n, Index place, NearLists& lists) {
    const std::size_t width = at(lists.width), row = at(place) * width;
    for (std::size_t i = 0; i < width; ++i) {
        lists.places[row + i] = nearest[i].row;
        lists.keys[row + i] = nearest[i].key;
    }
    lists.core[at(place)] = k > 1 ? nearest[at(k - 2)].key : 0;
    lists.reach[at(place)] = lists.width == n - 1 ? infinity : nearest[width - 1].key;
}

/// The lists of a leaf's points, which walk through the tree together.
template <Norm norm>
class LeafSearch {
public:
    LeafSearch(const PointTree& tree, Index count)
        : tree_(tree), count_(count), points_(leaf_points * at(tree.cols())) {}

    void search(const PointTree::BoxNode& own, const double* box) {
        size_ = own.end - own.begin;
        begin_ = own.begin;
        for (Index q = 0; q < size_; ++q) {
            best_[at(q)].reset(count_);
            tree_.point(own.leaf, q, points_.data() + Offset{q} * tree_.cols());
        }
        const auto key_to = [&](Index node) { return box_key<norm>(box, tree_.box(node), tree_.cols()); };
        const auto is_within = [&](Index, double key) { return key < limit_; };
        limit_ = infinity;
        walk(tree_, key_to, is_within, [&](Index node) { scan(node); });
    }

    [[nodiscard]] std::span<const neighbors::Candidate> sorted(Index query) { return best_[at(query)].sorted(); }

private:
    void scan(Index node) {
        const PointTree::BoxNode& leaf = tree_.nodes()[at(node)];
        double keys[leaf_points];
        limit_ = 0;
        for (Index q = 0; q < size_; ++q) {
            TopK& best = best_[at(q)];
            const double* const point = points_.data() + Offset{q} * tree_.cols();
            if (point_to_box(point, tree_.box(node)) < best.limit()) {
                panel_keys(norm, tree_.panel(leaf.leaf), point, tree_.cols(), keys);
                for (Index i = 0; i < leaf.end - leaf.begin; ++i) {
                    if (keys[i] < best.limit() && leaf.begin + i != begin_ + q) best.offer({keys[i], leaf.begin + i});
                }
                best.tighten();
            }
            limit_ = std::max(limit_, best.limit());
        }
    }

    [[nodiscard]] double point_to_box(const double* point, const double* box) const {
        const Index cols = tree_.cols();
        return sum_of_columns(cols, [&](Index c) {
            return key_term<norm>(std::max({box[c] - point[c], point[c] - box[cols + c], 0.0}));
        });
    }

    const PointTree& tree_;
    Index count_;
    std::vector<double> points_;
    TopK best_[leaf_points];
    Index size_ = 0, begin_ = 0;
    double limit_ = 0;
};

template <Norm norm>
void search_leaves(device::Cpu& cpu, const PointTree& tree, Index k, const Run& run, NearLists& lists) {
    const Index n = tree.points(), count = std::min(std::max(k - 1, lists.width), n - 1);
    neighbors::SearchProgress progress(run, tree.leaves());
    std::vector<std::unique_ptr<LeafSearch<norm>>> workers(at(cpu.threads()));
    cpu.blocks(tree.leaves(), 16, [&](Offset first, Offset end, int worker) {
        auto& search = workers[at(worker)];
        if (!search) search = std::make_unique<LeafSearch<norm>>(tree, count);
        for (Offset l = first; l < end; ++l) {
            const PointTree::BoxNode& leaf = tree.leaf(l);
            search->search(leaf, tree.box_of_leaf(leaf.leaf));
            for (Index q = 0; q < leaf.end - leaf.begin; ++q) keep(search->sorted(q), k, n, leaf.begin + q, lists);
        }
        progress.advance(end - first, worker);
    });
}

void search_leaves(device::Cpu& cpu, const PointTree& tree, Index k, const Run& run, NearLists& lists) {
    if (tree.norm() == Norm::l2) return search_leaves<Norm::l2>(cpu, tree, k, run, lists);
    search_leaves<Norm::l1>(cpu, tree, k, run, lists);
}

NearLists empty_lists(Index n, Index width) {
    NearLists lists;
    lists.width = std::min(width, n - 1);
    lists.places.resize(at(n) * at(lists.width));
    lists.keys.resize(lists.places.size());
    lists.core.resize(at(n));
    lists.reach.assign(at(n), infinity);
    return lists;
}

}  // namespace

NearLists near_lists(device::Cpu& cpu, const PointTree& tree, Index k, const Run& run) {
    const Index n = tree.points();
    NearLists lists = empty_lists(n, std::clamp(k - 1, least_width, tree_width));
    if (n > 1) search_leaves(cpu, tree, k, run, lists);
    return lists;
}

std::uint64_t NearLists::bytes(Index points, Index k, int threads) {
    const std::uint64_t row = at(std::clamp(k - 1, least_width, most_width)) * 12 + 16;
    return at(points) * row + at(threads) * leaf_points * TopK::bytes(std::max(k, most_width));
}

}  // namespace dunlin::spanning
