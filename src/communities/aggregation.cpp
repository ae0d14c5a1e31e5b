// SPDX-License-Identifier: Apache-2.0
#include "communities/aggregation.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "math/at.hpp"

namespace dunlin::communities {

void Aggregation::list_members(const std::vector<Index>& part, Index parts) {
    offsets_.assign(at(parts) + 1, 0);
    for (const Index p : part) ++offsets_[at(p) + 1];
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    places_.assign(offsets_.begin(), offsets_.end() - 1);
    members_.resize(part.size());
    for (std::size_t v = 0; v < part.size(); ++v) members_[at(places_[at(part[v])]++)] = static_cast<Index>(v);
}

void Aggregation::add_row(const WeightedLevel& level, const std::vector<Index>& part, Index p, LinkSums& links,
                          Block& block) const {
    const auto members = std::span(members_).subspan(at(offsets_[at(p)]), at(offsets_[at(p) + 1] - offsets_[at(p)]));
    Offset entries = 0;
    for (const Index v : members) entries += level.degree(v);
    links.begin(std::min<Offset>(entries, std::ssize(offsets_)));
    for (const Index v : members) {
        each_link(
            level, v, [&](Index u) { return part[at(u)]; },
            [&](Index other, Weight weight) {
                if (other != p) links.add(other, weight);
            });
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
        block.targets.push_back(links[i].community);
        block.weights.push_back(links[i].weight);
    }
}

void Aggregation::run(const WeightedLevel& level, const std::vector<Index>& part, Index parts, WeightedLevel& next) {
    list_members(part, parts);
    const Offset grain = std::max<Offset>(16, parts / 256);
    blocks_.resize(std::max(blocks_.size(), at((parts + grain - 1) / grain)));
    next.offsets.assign(at(parts) + 1, 0);
    next.masses.assign(at(parts), 0);
    cpu_.blocks(parts, grain, [&](Offset begin, Offset end, int worker) {
        Block& block = blocks_[at(begin / grain)];
        block.targets.clear();
        block.weights.clear();
        Offset most = 0;
        for (Offset m = offsets_[at(begin)]; m < offsets_[at(end)]; ++m) most += level.degree(members_[at(m)]);
        block.targets.reserve(at(most));
        block.weights.reserve(at(most));
        LinkSums& links = sums_[at(worker)];
        for (Offset p = begin; p < end; ++p) {
            add_row(level, part, static_cast<Index>(p), links, block);
            next.offsets[at(p) + 1] = static_cast<Offset>(links.size());
            for (Offset m = offsets_[at(p)]; m < offsets_[at(p) + 1]; ++m)
                next.masses[at(p)] += level.masses[at(members_[at(m)])];
        }
    });
    std::partial_sum(next.offsets.begin(), next.offsets.end(), next.offsets.begin());
    next.targets.resize(at(next.edges()));
    next.weights.resize(at(next.edges()));
    cpu_.blocks(parts, grain, [&](Offset begin, Offset, int) {
        const Block& block = blocks_[at(begin / grain)];
        const Offset place = next.offsets[at(begin)];
        std::copy(block.targets.begin(), block.targets.end(), next.targets.begin() + place);
        std::copy(block.weights.begin(), block.weights.end(), next.weights.begin() + place);
    });
}

}  // namespace dunlin::communities
