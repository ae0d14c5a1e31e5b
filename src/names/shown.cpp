// SPDX-License-Identifier: Apache-2.0
#include "names/shown.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "math/at.hpp"

namespace dunlin::naming {

ShownPart shown_part(const GroupTree& whole) {
    ShownPart part;
    const std::size_t count = whole.groups.size();
    std::vector<char> is_shown(count, whole.layers.empty() ? 1 : 0);
    if (count > 0) is_shown.front() = 1;
    for (const std::vector<Index>& layer : whole.layers) {
        for (const Index group : layer) is_shown[at(group)] = 1;
    }
    for (std::size_t g = 0; g < count; ++g) {
        if (is_shown[g] != 0) part.groups.push_back(static_cast<Index>(g));
    }
    part.is_all = part.groups.size() == count;
    if (part.is_all) return part;

    // The number of each group, or of the nearest shown one above it
    std::vector<Index> number(count, -1);
    for (std::size_t g = 0; g < count; ++g) {
        const Group& group = whole.groups[g];
        const Index above = g == 0 ? -1 : number[at(group.parent)];
        number[g] = above;
        if (is_shown[g] == 0) continue;
        number[g] = static_cast<Index>(part.tree.groups.size());
        part.tree.groups.push_back(group);
        part.tree.groups.back().parent = above;
        part.tree.groups.back().end = static_cast<Index>(
            std::lower_bound(part.groups.begin(), part.groups.end(), group.end) - part.groups.begin());
    }
    part.tree.home.reserve(whole.home.size());
    for (const Index home : whole.home) part.tree.home.push_back(home < 0 ? home : number[at(home)]);
    part.tree.layers = whole.layers;
    for (std::vector<Index>& layer : part.tree.layers) {
        for (Index& group : layer) group = number[at(group)];
    }
    return part;
}

NamesByNumber::NamesByNumber(const GroupTree& tree) : tree_(tree), within_(tree.groups.size()) {
    for (std::size_t g = within_.size(); g-- > 0;) {
        const Group& group = tree.groups[g];
        if (group.number >= 0) within_[g] = {1, group.number, group.number};
        if (g == 0 || within_[g].count == 0) continue;
        Numbers& above = within_[at(group.parent)];
        const bool is_first = above.count == 0;
        above = {above.count + within_[g].count, is_first ? within_[g].least : std::min(above.least, within_[g].least),
                 is_first ? within_[g].most : std::max(above.most, within_[g].most)};
    }
}

std::string NamesByNumber::of(Index group) const {
    if (group == 0) return "All";
    if (tree_.groups[at(group)].number >= 0) return fmt::format("Group {}", tree_.groups[at(group)].number);
    const auto [count, least, most] = within_[at(group)];
    if (count == 1) return fmt::format("Group {} and more", least);
    if (count > 1 && count == most - least + 1) return fmt::format("Groups {} to {}", least, most);
    if (count > 1) return fmt::format("{} groups from {} to {}", count, least, most);
    Index above = tree_.groups[at(group)].parent;
    while (above > 0 && tree_.groups[at(above)].number < 0) above = tree_.groups[at(above)].parent;
    return above > 0 ? fmt::format("Group {}, part {}", tree_.groups[at(above)].number, group - above)
                     : fmt::format("Part {}", group);
}

}  // namespace dunlin::naming
