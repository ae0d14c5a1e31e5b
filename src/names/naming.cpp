// SPDX-License-Identifier: Apache-2.0
#include "names/naming.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "math/at.hpp"
#include "names/groups.hpp"
#include "names/shown.hpp"
#include "progress/cancel.hpp"

namespace dunlin::naming {

namespace {

/// The keys in the name of a group; none: they are to be chosen.
using Given = std::vector<std::optional<std::vector<Index>>>;

/// Chooses keys from the root down. A key that a group on the way from the root has is taken.
class Naming {
public:
    /// given: of each group; empty: none are given.
    Naming(const GroupTree& tree, const Choices& choices, int terms, Given given = {})
        : tree_(tree),
          choices_(choices),
          terms_(static_cast<std::size_t>(terms)),
          children_(tree),
          given_(std::move(given)),
          taken_(at(choices.keys), 0),
          chosen_(tree.groups.size()),
          next_(tree.groups.size(), 0) {
        for (std::size_t g = 0; g < given_.size(); ++g) {
            if (given_[g]) chosen_[g] = *given_[g];
        }
    }

    /// The keys of each group.
    std::vector<std::vector<Index>> chosen() {
        std::vector<Index> path;
        for (Index g = 0; g < static_cast<Index>(tree_.groups.size()); ++g) {
            progress::cancellation_point();
            for (; !path.empty() && tree_.groups[at(path.back())].end <= g; path.pop_back()) take(path.back(), -1);
            path.push_back(g);
            take(g, 1);
            for (const Index child : children_.of(g)) {
                while (!is_given(child) && chosen_[at(child)].size() < terms_ && add_next(child)) {
                }
            }
            tell_apart(children_.of(g));
        }
        return std::move(chosen_);
    }

private:
    [[nodiscard]] bool is_given(Index group) const { return !given_.empty() && given_[at(group)]; }

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
                for (const Index group : groups) changed = (!is_given(group) && add_next(group)) || changed;
            }
        }
    }

    const GroupTree& tree_;
    const Choices& choices_;
    std::size_t terms_;
    Children children_;
    Given given_;
    std::vector<Index> taken_;                ///< per key: how many groups on the way from the root have it
    std::vector<std::vector<Index>> chosen_;  ///< per group
    std::vector<std::size_t> next_;           ///< per group: the first of its ranked keys that was not looked at
};

/// The texts of keys; of groups without any their numbers.
std::vector<std::string> texts_of(const GroupTree& tree, const Choices& choices,
                                  const std::vector<std::vector<Index>>& chosen) {
    const NamesByNumber by_number(tree);
    std::vector<std::string> names;
    names.reserve(chosen.size());
    for (std::size_t g = 0; g < chosen.size(); ++g) {
        std::string& text = names.emplace_back();
        for (const Index key : chosen[g]) text += (text.empty() ? "" : ", ") + choices.text(key);
        if (text.empty()) text = by_number.of(static_cast<Index>(g));
    }
    return names;
}

/// Numbers equal names of these groups, after those of `others`.
void number_equal(std::span<const Index> groups, std::span<const Index> others, std::vector<std::string>& names) {
    std::unordered_map<std::string, int> seen;
    for (const Index group : others) ++seen[names[at(group)]];
    for (const Index group : groups) {
        std::string& name = names[at(group)];
        const int before = seen[name]++;
        if (before > 0) name += fmt::format(" ({})", before + 1);
    }
}

void tell_shown_apart(const GroupTree& tree, std::vector<std::string>& names) {
    const Children children(tree);
    for (Index g = 0; g < static_cast<Index>(tree.groups.size()); ++g) number_equal(children.of(g), {}, names);
    for (const std::vector<Index>& layer : tree.layers) number_equal(layer, {}, names);
}

/// Groups that are not shown, and their siblings.
void tell_others_apart(const GroupTree& tree, const ShownPart& part, std::vector<std::string>& names) {
    const Children children(tree);
    std::vector<Index> shown, others;
    for (Index g = 0; g < static_cast<Index>(tree.groups.size()); ++g) {
        shown.clear(), others.clear();
        for (const Index child : children.of(g)) {
            const bool is_shown = std::binary_search(part.groups.begin(), part.groups.end(), child);
            (is_shown ? shown : others).push_back(child);
        }
        number_equal(others, shown, names);
    }
}

}  // namespace

std::vector<std::string> choose_names(const GroupTree& tree, const ChoicesOf& choices_of, int terms) {
    std::vector<Index> all(tree.groups.size());
    std::iota(all.begin(), all.end(), Index{0});
    const Choices choices = choices_of(tree, all);
    const ShownPart part = shown_part(tree);
    Given given;
    if (!part.is_all) {
        const auto chosen = Naming(part.tree, choices_of(part.tree, part.groups), terms).chosen();
        given.resize(tree.groups.size());
        for (std::size_t g = 0; g < chosen.size(); ++g) given[at(part.groups[g])] = chosen[g];
    }
    std::vector<std::string> names = texts_of(tree, choices, Naming(tree, choices, terms, std::move(given)).chosen());
    tell_equal_apart(tree, names);
    return names;
}

void tell_equal_apart(const GroupTree& tree, std::vector<std::string>& names) {
    const ShownPart part = shown_part(tree);
    if (part.is_all) return tell_shown_apart(tree, names);
    std::vector<std::string> shown;
    for (const Index group : part.groups) shown.push_back(names[at(group)]);
    tell_shown_apart(part.tree, shown);
    for (std::size_t g = 0; g < shown.size(); ++g) names[at(part.groups[g])] = shown[g];
    tell_others_apart(tree, part, names);
}

}  // namespace dunlin::naming
