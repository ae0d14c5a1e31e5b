// SPDX-License-Identifier: Apache-2.0
#include "spanning/rounds.hpp"

#include <algorithm>
#include <numeric>

#include "progress/cancel.hpp"

namespace dunlin::spanning {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

Rounds::Rounds(device::Cpu& cpu, const NearLists& lists, double scale)
    : cpu_(cpu),
      lists_(lists),
      scale_(scale),
      component_(lists.core.size()),
      sizes_(lists.core.size(), 1),
      sets_(static_cast<Index>(lists.core.size())),
      floor_(lists.core.size()),
      listed_(lists.places.size()),
      next_(lists.core.size(), 0),
      found_(lists.core.size()),
      least_(lists.core.size()) {
    std::iota(component_.begin(), component_.end(), 0);
    cpu_.each(points(), [&](Offset p) { order_list(p); });
}

void Rounds::lower(std::atomic<double>& least, double value) {
    double seen = least.load(std::memory_order_relaxed);
    while (value < seen && !least.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
}

/// Turns a list of nearest points into exits by weight, and sets the floor of all others.
void Rounds::order_list(Offset p) {
    Exit* const mine = listed_.data() + p * lists_.width;
    for (Index i = 0; i < lists_.width; ++i) {
        const std::size_t entry = at(p * lists_.width + i);
        mine[i] = {weight(static_cast<Index>(p), lists_.places[entry], lists_.keys[entry]), lists_.places[entry]};
    }
    std::sort(mine, mine + lists_.width,
              [](const Exit& a, const Exit& b) { return a.weight != b.weight ? a.weight < b.weight : a.to < b.to; });
    floor_[at(p)] = std::max(lists_.core[at(p)], scale_ * lists_.reach[at(p)]);
}

/// Adds an edge, unless its ends are in one component.
void Rounds::add(const hierarchy::Edge& edge) {
    if (sets_.join(edge.a, edge.b)) edges_.push_back(edge);
}

/// The least exit of each component that is known without a search.
void Rounds::take_listed() {
    largest_ = static_cast<Index>(std::max_element(sizes_.begin(), sizes_.end()) - sizes_.begin());
    for (Index c = 0; c < components(); ++c) least_[at(c)].store(infinity, std::memory_order_relaxed);
    cpu_.each(points(), [&](Offset p) {
        const Index mine = component_[at(p)];
        if (mine == largest_) return;
        std::uint8_t& next = next_[at(p)];
        const Exit* const list = listed_.data() + p * lists_.width;
        while (next < lists_.width && component(list[next].to) == mine) ++next;
        if (next < lists_.width) lower(least_[at(mine)], list[next].weight);
        Exit& found = found_[at(p)];
        if (found.to >= 0 && component(found.to) == mine) found = {};
        if (found.to >= 0) lower(least_[at(mine)], found.weight);
    });
}

/// Joins each component along its least exit.
void Rounds::join() {
    std::vector<Exit> exits(sizes_.size());
    std::vector<Index> from(sizes_.size(), -1);
    for (Index p = 0; p < points(); ++p) {
        const std::size_t mine = at(component(p));
        if (component(p) == largest_) continue;
        const auto offer = [&](const Exit& exit) {
            if (exit.to < 0 || !(exit.weight < exits[mine].weight)) return;
            exits[mine] = exit;
            from[mine] = p;
        };
        if (next_[at(p)] < lists_.width) offer(listed_[at(Offset{p} * lists_.width + next_[at(p)])]);
        offer(found_[at(p)]);
    }
    progress::cancellation_point();
    for (std::size_t c = 0; c < exits.size(); ++c) {
        if (from[c] >= 0) add({exits[c].weight, from[c], exits[c].to});
    }
    relabel();
}

/// Numbers the components anew.
void Rounds::relabel() {
    std::vector<Index> numbers(sizes_.size(), -1), of_root(at(points()), -1);
    sizes_.clear();
    for (Index p = 0; p < points(); ++p) {
        Index& number = numbers[at(component(p))];
        if (number < 0) {
            Index& of = of_root[at(sets_.find(p))];
            if (of < 0) {
                of = components();
                sizes_.push_back(0);
            }
            number = of;
        }
        component_[at(p)] = number;
        ++sizes_[at(number)];
    }
}

std::vector<hierarchy::Edge> listed_forest(const NearLists& lists, double scale) {
    std::vector<hierarchy::Edge> edges;
    const auto n = static_cast<Index>(lists.core.size());
    for (Index p = 0; p < n; ++p) {
        for (Index i = 0; i < lists.width; ++i) {
            const std::size_t entry = at(Offset{p} * lists.width + i);
            const Index q = lists.places[entry];
            edges.push_back({std::max({lists.core[at(p)], lists.core[at(q)], scale * lists.keys[entry]}), p, q});
        }
    }
    std::sort(edges.begin(), edges.end(), [](const hierarchy::Edge& a, const hierarchy::Edge& b) {
        if (a.weight != b.weight) return a.weight < b.weight;
        return a.a != b.a ? a.a < b.a : a.b < b.b;
    });
    hierarchy::DisjointSets sets(n);
    std::erase_if(edges, [&](const hierarchy::Edge& edge) { return !sets.join(edge.a, edge.b); });
    return edges;
}

}  // namespace dunlin::spanning
