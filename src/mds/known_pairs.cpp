// SPDX-License-Identifier: Apache-2.0
#include <dunlin/known_pairs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/at.hpp"
#include "mds/input/on_demand_rows.hpp"

namespace dunlin::mds {

namespace {

/// Groups of items that known pairs connect, and the number of known partners of each item, up to `enough`.
class KnownPairs {
public:
    KnownPairs(Index n, Index enough) : enough_(enough), group_(at(n)), partners_(at(n), 0), short_(n), groups_(n) {
        std::iota(group_.begin(), group_.end(), Index{0});
        if (enough == 0) short_ = 0;
    }

    /// Items i and j are of one group.
    void join(Index i, Index j) {
        Index a = root(i), b = root(j);
        if (a == b) return;
        if (b < a) std::swap(a, b);
        group_[at(b)] = a;
        --groups_;
    }
    /// Item i has one more known partner.
    void count(Index i) {
        if (partners_[at(i)] == enough_) return;
        ++partners_[at(i)];
        if (partners_[at(i)] == enough_) --short_;
    }
    /// The place of item i is given.
    void place(Index i) {
        while (partners_[at(i)] < enough_) count(i);
    }
    /// Whether more pairs change nothing.
    [[nodiscard]] bool is_settled() const { return groups_ <= 1 && short_ == 0; }

    /// The first item of the group of item i.
    Index root(Index i) {
        while (group_[at(i)] != i) i = group_[at(i)] = group_[at(group_[at(i)])];  // path halving
        return i;
    }
    [[nodiscard]] Index partners(Index i) const { return partners_[at(i)]; }
    [[nodiscard]] Index groups() const { return groups_; }

private:
    Index enough_;
    std::vector<Index> group_, partners_;
    Index short_;  ///< items with fewer than enough_ partners
    Index groups_;
};

/// Adds the known pairs of item i with all items. delta, weight: its rows, null: all known, all 1. is_read(j): whether
/// the row of item j is added, too, which then counts this pair for i.
template <class IsRead>
void add_row(KnownPairs& pairs, Index n, Index i, const float* delta, const float* weight, const IsRead& is_read) {
    for (Index j = 0; j < n; ++j) {
        const bool known = j != i && (delta == nullptr || delta[j] >= 0) && (weight == nullptr || weight[j] > 0);
        if (!known) continue;
        if (pairs.root(j) != pairs.root(i)) pairs.join(i, j);
        pairs.count(j);
        if (!is_read(j)) pairs.count(i);
    }
}

/// Rows one after another, until they settle everything; with a few rows of most matrices.
void add_rows(KnownPairs& pairs, const Dissimilarities& items, const Matrix* weights) {
    const Index n = items.size();
    const OnDemandRows* const on_demand = items.on_demand();
    if (on_demand != nullptr && !on_demand->known_rows().empty()) {
        for (const Index i : on_demand->known_rows())
            add_row(pairs, n, i, on_demand->row(i), nullptr, [&](Index j) { return on_demand->is_known(j); });
        return;
    }
    const bool has_matrix = !items.has_points() && items.values().rows() == n;
    const auto row_of = [n](const Matrix& matrix, Index i) { return matrix.view().data + Offset{i} * n; };
    for (Index i = 0; i < n && !pairs.is_settled(); ++i) {
        add_row(pairs, n, i, has_matrix ? row_of(items.values(), i) : nullptr,
                weights == nullptr ? nullptr : row_of(*weights, i), [](Index) { return true; });
    }
}

void add_fixed(KnownPairs& pairs, const Map& fixed) {
    Index first = -1;
    for (Index i = 0; i < fixed.size(); ++i) {
        if (!std::isfinite(fixed.view()(i, 0))) continue;
        if (first < 0) first = i;
        pairs.join(first, i);
        pairs.place(i);
    }
}

/// Whether all pairs are known, without a look at them.
bool knows_all(const Dissimilarities& items, const Given& given) {
    if (items.graph() != nullptr || items.by_callback()) return true;
    return given.weights == nullptr && (items.has_points() || (items.on_demand() == nullptr && items.missing() == 0));
}

}  // namespace

OpenPlaces open_places(const Dissimilarities& items, int dim, const Given& given) {
    const Index n = items.size();
    OpenPlaces open;
    open.enough = dim + 1;
    if (n < 2 || knows_all(items, given)) return open;
    KnownPairs pairs(n, std::min(open.enough, n - 1));
    if (given.fixed != nullptr) add_fixed(pairs, *given.fixed);
    add_rows(pairs, items, given.weights);
    open.groups = pairs.groups();
    std::vector<Index> sizes(at(n), 0);
    for (Index i = 0; i < n; ++i) {
        if (pairs.root(i) == i && i > 0 && open.apart[1] == 0) open.apart[1] = i;
        ++sizes[at(pairs.root(i))];
    }
    for (Index i = 0; i < n; ++i) {
        if (pairs.partners(i) >= std::min(open.enough, sizes[at(pairs.root(i))] - 1)) continue;
        if (open.few++ > 0) continue;
        open.example = i;
        open.its_partners = pairs.partners(i);
    }
    return open;
}

std::vector<std::string> sentences_of(const OpenPlaces& open, const std::function<std::string(Index)>& name_of) {
    std::vector<std::string> sentences;
    if (open.groups > 1) {
        sentences.push_back(
            fmt::format("the items fall into {} groups without a known pair between them, such as those of {} and {}: "
                        "the places of different groups to each other mean nothing",
                        open.groups, name_of(open.apart[0]), name_of(open.apart[1])));
    }
    if (open.few > 0) {
        sentences.push_back(
            fmt::format("{} with fewer known pairs than the {} that determine a place, such as {}, which has {}: "
                        "other places fit as well",
                        open.few == 1 ? "there is 1 item" : fmt::format("there are {} items", open.few), open.enough,
                        name_of(open.example), open.its_partners));
    }
    return sentences;
}

}  // namespace dunlin::mds
