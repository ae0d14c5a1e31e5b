// SPDX-License-Identifier: Apache-2.0
#include "neighbors/codes/refinement.hpp"

#include <numeric>

#include "math/at.hpp"

namespace dunlin::neighbors {

namespace {

void fetch(std::span<const float> row) {
    constexpr std::size_t line = 64 / sizeof(float);
    for (std::size_t c = 0; c < row.size(); c += line) __builtin_prefetch(&row[c]);
}

/// take(pair) for all pairs, whose rows are in order: each is on its way while those who chose the one before are
/// served.
template <class Pairs, class Take>
void each(const distance::Space& space, Pairs& pairs, const Take& take) {
    for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
        const Index row = pairs[begin].row;
        while (end < pairs.size() && pairs[end].row == row) ++end;
        if (end < pairs.size()) fetch(space.points().row(pairs[end].row));
        for (std::size_t i = begin; i < end; ++i) take(pairs[i]);
    }
}

}  // namespace

void Ranking::rank(const Frame& frame, std::span<const Index> queries, std::span<const Shortlist> lists,
                   std::span<const Index> met, Index k) {
    gather(frame, queries, lists, met);
    look_roughly(frame.space(), k);
    keep_the_near(frame.space());
    look_exactly(frame.space(), k);
}

/// A counting sort.
void Ranking::gather(const Frame& frame, std::span<const Index> queries, std::span<const Shortlist> lists,
                     std::span<const Index> met) {
    const auto each_choice = [&](const auto& take) {
        for (std::size_t q = 0; q < queries.size(); ++q) {
            for (const Index number : lists[q].items()) {
                if (met[at(number)] != queries[q]) take(at(number), static_cast<Index>(q));
            }
        }
    };
    rows_.clear();
    for (const Index query : queries) rows_.push_back(frame.row_of(query));
    next_.assign(met.size(), 0);
    each_choice([&](std::size_t number, Index) { ++next_[number]; });
    pairs_.resize(at(std::reduce(next_.begin(), next_.end())));
    std::exclusive_scan(next_.begin(), next_.end(), next_.begin(), 0);
    each_choice([&](std::size_t number, Index q) { pairs_[at(next_[number]++)] = {frame.row_of(met[number]), q, 0}; });
}

void Ranking::look_roughly(const distance::Space& space, Index k) {
    if (near_.size() < rows_.size()) near_.resize(rows_.size());
    for (std::size_t q = 0; q < rows_.size(); ++q) near_[q].reset(k);
    each(space, pairs_, [&](Pair& pair) {
        pair.rough = space.rough_key(rows_[at(pair.query)], pair.row);
        near_[at(pair.query)].offer(pair.rough, pair.row);
    });
}

void Ranking::keep_the_near(const distance::Space& space) {
    std::vector<float> reaches;
    for (std::size_t q = 0; q < rows_.size(); ++q) {
        near_[q].shrink();
        reaches.push_back(space.rough_reach(near_[q].limit()));
    }
    std::erase_if(pairs_, [&](const Pair& pair) { return pair.rough > reaches[at(pair.query)]; });
}

void Ranking::look_exactly(const distance::Space& space, Index k) {
    if (nearest_.size() < rows_.size()) nearest_.resize(rows_.size());
    for (std::size_t q = 0; q < rows_.size(); ++q) nearest_[q].reset(k);
    each(space, pairs_, [&](const Pair& pair) {
        nearest_[at(pair.query)].offer({space.key(rows_[at(pair.query)], pair.row), pair.row});
    });
}

}  // namespace dunlin::neighbors
