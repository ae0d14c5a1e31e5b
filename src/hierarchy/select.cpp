// SPDX-License-Identifier: Apache-2.0
#include "hierarchy/select.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hierarchy/condense.hpp"
#include "math/at.hpp"

namespace dunlin::hierarchy {

namespace {

/// In ascending order of the terms, so that it does not depend on the order of siblings.
double sum_of(std::vector<double>& terms) {
    std::sort(terms.begin(), terms.end());
    return std::accumulate(terms.begin(), terms.end(), 0.0);
}

/// Groups that win and have no ancestor that wins.
std::vector<Index> topmost(const GroupTree& tree, const std::vector<char>& wins) {
    std::vector<Index> selected;
    for (Index g = 0; g < std::ssize(tree.groups);) {
        if (wins[at(g)] != 0) selected.push_back(g);
        g = wins[at(g)] != 0 ? tree.groups[at(g)].end : g + 1;
    }
    return selected;
}

std::vector<Index> most_stable(const GroupTree& tree, const SelectionRule& rule) {
    const auto count = tree.groups.size();
    std::vector<double> best(count), terms;
    std::vector<char> wins(count);
    for (std::size_t g = count; g-- > 0;) {  // children before parents
        const Group& group = tree.groups[g];
        terms.clear();
        for (Index child = static_cast<Index>(g) + 1; child < group.end; child = tree.groups[at(child)].end)
            terms.push_back(best[at(child)]);
        const double below = sum_of(terms);
        const bool too_large = rule.most && group.size > *rule.most;
        wins[g] = !(below > group.stability || too_large) && (g > 0 || rule.single);
        best[g] = wins[g] != 0 ? group.stability : below;
    }
    return topmost(tree, wins);
}

std::vector<Index> leaves_of(const GroupTree& tree) {
    std::vector<Index> leaves;
    for (Index g = 1; g < std::ssize(tree.groups); ++g) {
        if (tree.groups[at(g)].end == g + 1) leaves.push_back(g);
    }
    return leaves;
}

/// The group that takes the place of a cluster born below epsilon.
Index risen(const GroupTree& tree, Index group, const SelectionRule& rule) {
    for (;;) {
        const Index parent = tree.groups[at(group)].parent;
        if (parent == 0) return rule.single ? parent : group;
        group = parent;
        if (tree.groups[at(group)].birth > rule.epsilon) return group;
    }
}

}  // namespace

std::vector<Index> select(const GroupTree& tree, const SelectionRule& rule) {
    if (tree.groups.empty()) return {};
    std::vector<Index> selected = rule.leaves ? leaves_of(tree) : most_stable(tree, rule);
    if (rule.epsilon == 0 || selected == std::vector<Index>{0}) return selected;
    std::vector<char> wins(tree.groups.size());
    Index covered = 0;  // descendants of the last one that rose: groups below this number
    for (const Index group : selected) {
        const bool stays = tree.groups[at(group)].birth >= rule.epsilon;
        if (!stays && group < covered) continue;
        const Index winner = stays ? group : risen(tree, group, rule);
        wins[at(winner)] = 1;
        if (!stays) covered = tree.groups[at(winner)].end;
    }
    return topmost(tree, wins);
}

Members members_of(device::Cpu& cpu, const GroupTree& tree, const std::vector<Index>& selected, double epsilon) {
    Members members{tree.labels_of(selected), std::vector<double>(tree.home.size())};
    const bool only_root = selected == std::vector<Index>{0};
    const double latest = !only_root     ? std::numeric_limits<double>::infinity()
                          : epsilon != 0 ? epsilon
                                         : tree.groups[0].death;
    cpu.each(std::ssize(tree.home), [&](Offset i) {
        const std::size_t p = at(i);
        Index& label = members.labels[p];
        if (label >= 0 && tree.leaves_at[p] > latest) label = -1;
        if (label < 0) return;
        const double mine = lambda_of(tree.leaves_at[p]), most = lambda_of(tree.groups[at(selected[at(label)])].death);
        members.strengths[p] = most == 0 || std::isinf(mine) ? 1 : std::min(mine, most) / most;
    });
    return members;
}

std::vector<double> outlier_scores(device::Cpu& cpu, const GroupTree& tree) {
    std::vector<double> least(tree.groups.size()), scores(tree.home.size());  // least: level in the group and below
    for (std::size_t g = 0; g < least.size(); ++g) least[g] = tree.groups[g].death;
    for (std::size_t g = least.size(); g-- > 1;) {
        double& above = least[at(tree.groups[g].parent)];
        above = std::min(above, least[g]);
    }
    cpu.each(std::ssize(scores), [&](Offset i) {
        const std::size_t p = at(i);
        if (tree.home[p] < 0) {
            scores[p] = std::numeric_limits<double>::quiet_NaN();
            return;
        }
        const double mine = lambda_of(tree.leaves_at[p]), most = lambda_of(least[at(tree.home[p])]);
        scores[p] = most == 0 || std::isinf(mine) ? 0 : std::isinf(most) ? 1 : (most - mine) / most;
    });
    return scores;
}

void set_persistence(GroupTree& tree, std::optional<Index> root_size) {
    double least = std::numeric_limits<double>::infinity();
    for (const double level : tree.leaves_at) least = std::min(least, level);
    const double most = lambda_of(least);
    for (std::size_t g = 0; g < tree.groups.size(); ++g) {
        Group& group = tree.groups[g];
        const Index size = g == 0 && root_size ? *root_size : group.size;
        group.persistence = std::isinf(most) || most == 0 || size == 0 ? 1 : group.stability / (size * most);
    }
}

}  // namespace dunlin::hierarchy
