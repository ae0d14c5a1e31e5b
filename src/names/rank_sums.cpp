// SPDX-License-Identifier: Apache-2.0
#include "names/rank_sums.hpp"

#include <bit>
#include <utility>

#include "math/float_order.hpp"

namespace dunlin::naming {

namespace {

bool holds_any(const GroupTree& tree, Index group, Index first, Index end) {
    return group < end && tree.groups[at(group)].end > first;
}

}  // namespace

RankSums::RankSums(const GroupTree& tree, const Children& children, const std::vector<Offset>& sizes, Against against)
    : tree_(tree), children_(children), sizes_(sizes), against_(against), sums_(tree.groups.size()) {}

void RankSums::sort(std::span<const HomeValue> entries) {
    constexpr int bits = 32;
    keyed_.clear();
    for (const HomeValue& entry : entries)
        keyed_.push_back({math::order_of_bits(std::bit_cast<std::uint32_t>(entry.value)), entry.home});
    radix_.sort(alone_, keyed_, bits);
    sorted_.clear();
    for (const numerics::Keyed& entry : keyed_)
        sorted_.push_back({entry.item, std::bit_cast<float>(math::bits_of_order(entry.key))});
}

template <class GroupOf>
RankSums::Shared RankSums::add_ranks(const Segment& segment, const GroupOf& group_of) {
    Shared shared;
    const auto entries = static_cast<double>(segment.end - segment.begin);
    const auto points = static_cast<double>(sizes_[at(segment.base)]);
    const double zeros = points - entries;
    double ranked = 0;  // how many have ranks already
    const auto mean_rank = [&](double count) {
        const double rank = ranked + (count + 1) / 2;
        shared.ties += count * count * count - count;
        ranked += count;
        return rank;
    };
    bool passed_zero = false;
    const auto pass_zero = [&] {
        if (!std::exchange(passed_zero, true) && zeros > 0) shared.zero_rank = mean_rank(zeros);
    };
    for (std::size_t i = segment.begin, last = i; i < segment.end; i = last) {
        const float value = sorted_[i].value;
        while (last < segment.end && sorted_[last].value == value) ++last;
        if (value > 0) pass_zero();
        const double rank = mean_rank(static_cast<double>(last - i)), x = static_cast<double>(value);
        const auto count = static_cast<double>(last - i);
        const Moments added{count, count * x, count * x * x};
        shared.moments = {shared.moments.count + added.count, shared.moments.sum + added.sum,
                          shared.moments.squares + added.squares};
        for (std::size_t e = i; e < last; ++e) {
            const Index group = group_of(sorted_[e].home);
            if (group < 0) continue;
            Sums& sums = sums_[at(group)];
            sums.ranks += rank;
            sums.moments = {sums.moments.count + 1, sums.moments.sum + x, sums.moments.squares + x * x};
        }
    }
    pass_zero();
    shared.moments.count = points;
    return shared;
}

void RankSums::tell(Index group, const Shared& shared, Index base, const UseColumn& use) {
    const Sums& sums = sums_[at(group)];
    const auto size = static_cast<double>(sizes_[at(group)]), all = static_cast<double>(sizes_[at(base)]);
    if (size == 0 || size == all) return;
    const double ranks = sums.ranks + (size - sums.moments.count) * shared.zero_rank;
    use({group,
         rank_test(ranks, size, all, shared.ties),
         {size, sums.moments.sum, sums.moments.squares},
         shared.moments});
}

void RankSums::visit_rest(Index first, Index end, const UseColumn& use) {
    const Shared shared = add_ranks({0, 0, sorted_.size()}, [](Index home) { return home; });
    for (std::size_t g = sums_.size(); g-- > 1;) {
        Sums& parent = sums_[at(tree_.groups[g].parent)];
        const Moments& own = sums_[g].moments;
        parent.ranks += sums_[g].ranks;
        parent.moments = {parent.moments.count + own.count, parent.moments.sum + own.sum,
                          parent.moments.squares + own.squares};
    }
    for (Index g = std::max<Index>(first, 1); g < end; ++g) tell(g, shared, 0, use);
    std::fill(sums_.begin(), sums_.end(), Sums{});
}

void RankSums::visit_siblings(const Segment& segment, Index first, Index end, const UseColumn& use) {
    const Shared shared = add_ranks(segment, [&](Index home) { return children_.holding(segment.base, home); });
    for (const Index child : children_.of(segment.base)) {
        if (child >= first && child < end) tell(child, shared, segment.base, use);
    }
}

/// Moves the entries of children that have children to spare_, each child's together, and lists their segments.
void RankSums::distribute(const Segment& segment, std::vector<Segment>& segments) {
    const auto has_children = [&](Index group) { return group >= 0 && !children_.of(group).empty(); };
    for (const Index child : children_.of(segment.base)) {
        const auto count = static_cast<std::size_t>(sums_[at(child)].moments.count);
        if (count == 0 || !has_children(child)) continue;
        sums_[at(child)].next = std::ssize(spare_);
        segments.push_back({child, spare_.size(), spare_.size() + count});
        spare_.resize(spare_.size() + count);
    }
    for (std::size_t e = segment.begin; e < segment.end; ++e) {
        const Index child = children_.holding(segment.base, sorted_[e].home);
        if (has_children(child)) spare_[at(sums_[at(child)].next++)] = sorted_[e];
    }
}

void RankSums::visit(std::span<const HomeValue> entries, Index first, Index end, const UseColumn& use) {
    sort(entries);
    if (sums_.empty()) return;
    if (against_ == Against::rest) return visit_rest(first, end, use);
    if (sorted_.empty()) return;
    std::vector<Segment> level{{0, 0, sorted_.size()}}, next;
    while (!level.empty()) {
        next.clear();
        spare_.clear();
        for (const Segment& segment : level) {
            if (!holds_any(tree_, segment.base, first, end)) continue;
            visit_siblings(segment, first, end, use);
            distribute(segment, next);
            for (const Index child : children_.of(segment.base)) sums_[at(child)] = {};
        }
        sorted_.swap(spare_);
        level.swap(next);
    }
}

}  // namespace dunlin::naming
