// SPDX-License-Identifier: Apache-2.0
#include "names/naming.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "math/at.hpp"
#include "names/groups.hpp"
#include "progress/cancel.hpp"

namespace dunlin::naming {

namespace {

/// Gives names from the root down. A key that a group on the way from the root has is taken.
class Naming {
public:
    Naming(const GroupTree& tree, const Choices& choices, int terms)
        : tree_(tree),
          choices_(choices),
          terms_(static_cast<std::size_t>(terms)),
          children_(tree),
          taken_(at(choices.keys), 0),
          chosen_(tree.groups.size()),
          next_(tree.groups.size(), 0) {}

    std::vector<std::string> names() {
        std::vector<Index> path;
        for (Index g = 0; g < static_cast<Index>(tree_.groups.size()); ++g) {
            progress::cancellation_point();
            for (; !path.empty() && tree_.groups[at(path.back())].end <= g; path.pop_back()) take(path.back(), -1);
            path.push_back(g);
            take(g, 1);
            for (const Index child : children_.of(g)) {
                while (chosen_[at(child)].size() < terms_ && add_next(child)) {
                }
            }
            tell_apart(children_.of(g));
        }
        std::vector<std::string> names;
        names.reserve(chosen_.size());
        for (std::size_t g = 0; g < chosen_.size(); ++g) names.push_back(text_of(static_cast<Index>(g)));
        return names;
    }

private:
    void take(Index group, int change) {
        for (const Index key : chosen_[at(group)]) taken_[at(key)] += change;
    }

    /// Adds the group's next key that may stand beside those it has; false: there is none.
    bool add_next(Index group) {
        const std::vector<Index>& ranked = choices_.ranked[at(group)];
        std::vector<Index>& chosen = chosen_[at(group)];
        for (std::size_t& next = next_[at(group)]; next < ranked.size();) {
            const Index key = ranked[next++];
            if (taken_[at(key)] > 0) continue;
            const auto clashes = [&](Index other) { return other == key || choices_.clashes(other, key); };
            if (std::any_of(chosen.begin(), chosen.end(), clashes)) continue;
            chosen.push_back(key);
            return true;
        }
        return false;
    }

    /// Siblings with the same keys get a further one each, as long as any of them has one.
    void tell_apart(std::span<const Index> siblings) {
        for (bool changed = true; changed;) {
            changed = false;
            std::map<std::vector<Index>, std::vector<Index>> groups_with;
            for (const Index group : siblings) {
                std::vector<Index> keys = chosen_[at(group)];
                if (keys.empty()) continue;
                std::sort(keys.begin(), keys.end());
                groups_with[std::move(keys)].push_back(group);
            }
            for (const auto& [keys, groups] : groups_with) {
                if (groups.size() < 2) continue;
                for (const Index group : groups) changed = add_next(group) || changed;
            }
        }
    }

    [[nodiscard]] std::string text_of(Index group) const {
        std::string text;
        for (const Index key : chosen_[at(group)]) text += (text.empty() ? "" : ", ") + choices_.text(key);
        return text.empty() ? name_by_number(group) : text;
    }

    const GroupTree& tree_;
    const Choices& choices_;
    std::size_t terms_;
    Children children_;
    std::vector<Index> taken_;                ///< per key: how many groups on the way from the root have it
    std::vector<std::vector<Index>> chosen_;  ///< per group
    std::vector<std::size_t> next_;           ///< per group: the first of its ranked keys that was not looked at
};

}  // namespace

std::string name_by_number(Index group) { return group == 0 ? "All" : fmt::format("Group {}", group); }

std::vector<std::string> choose_names(const GroupTree& tree, const Choices& choices, int terms) {
    std::vector<std::string> names = Naming(tree, choices, terms).names();
    tell_equal_apart(tree, names);
    return names;
}

void tell_equal_apart(const GroupTree& tree, std::vector<std::string>& names) {
    const auto number = [&](std::span<const Index> groups) {
        std::unordered_map<std::string, int> seen;
        for (const Index group : groups) {
            std::string& name = names[at(group)];
            const int before = seen[name]++;
            if (before > 0) name += fmt::format(" ({})", before + 1);
        }
    };
    const Children children(tree);
    for (Index g = 0; g < static_cast<Index>(tree.groups.size()); ++g) number(children.of(g));
    for (const std::vector<Index>& layer : tree.layers) number(layer);
}

}  // namespace dunlin::naming
