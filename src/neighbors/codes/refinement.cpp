// SPDX-License-Identifier: Apache-2.0
#include "neighbors/codes/refinement.hpp"

#include <numeric>

#include "math/at.hpp"

namespace dunlin::neighbors {

namespace {

void prefetch(std::span<const float> row) {
    constexpr std::size_t line = 64 / sizeof(float);
    for (std::size_t c = 0; c < row.size(); c += line) __builtin_prefetch(&row[c]);
}

/// take(pair) for all pairs, which are in the order of their rows. The next row is prefetched meanwhile.
template <class Pairs, class Take>
void each(const distance::Space& space, Pairs& pairs, const Take& take) {
    for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
        const Index row = pairs[begin].row;
        while (end < pairs.size() && pairs[end].row == row) ++end;
        if (end < pairs.size()) prefetch(space.row(pairs[end].row));
        for (std::size_t i = begin; i < end; ++i) take(pairs[i]);
    }
}

}  // namespace

void Refinement::refine(const ItemTransform& transform, std::span<const Index> queries,
                        std::span<const TopKBuffer> lists, std::span<const Index> scanned, Index k) {
    gather_pairs(transform, queries, lists, scanned);
    compute_rough_keys(transform.space(), k);
    drop_far_pairs(transform.space());
    compute_exact_keys(transform.space(), k);
}

/// A counting sort by row.
void Refinement::gather_pairs(const ItemTransform& transform, std::span<const Index> queries,
                              std::span<const TopKBuffer> lists, std::span<const Index> scanned) {
    const auto each_choice = [&](const auto& take) {
        for (std::size_t q = 0; q < queries.size(); ++q) {
            for (const Index number : lists[q].items()) {
                if (scanned[at(number)] != queries[q]) take(at(number), static_cast<Index>(q));
            }
        }
    };
    rows_.clear();
    for (const Index query : queries) rows_.push_back(transform.row_of(query));
    next_.assign(scanned.size(), 0);
    each_choice([&](std::size_t number, Index) { ++next_[number]; });
    pairs_.resize(at(std::reduce(next_.begin(), next_.end())));
    std::exclusive_scan(next_.begin(), next_.end(), next_.begin(), 0);
    each_choice(
        [&](std::size_t number, Index q) { pairs_[at(next_[number]++)] = {transform.row_of(scanned[number]), q, 0}; });
}

void Refinement::compute_rough_keys(const distance::Space& space, Index k) {
    if (near_.size() < rows_.size()) near_.resize(rows_.size());
    for (std::size_t q = 0; q < rows_.size(); ++q) near_[q].reset(k);
    each(space, pairs_, [&](CandidatePair& pair) {
        pair.rough = space.rough_key(rows_[at(pair.query)], pair.row);
        near_[at(pair.query)].offer(pair.rough, pair.row);
    });
}

void Refinement::drop_far_pairs(const distance::Space& space) {
    std::vector<float> reaches;
    for (std::size_t q = 0; q < rows_.size(); ++q) {
        near_[q].shrink();
        reaches.push_back(space.rough_reach(near_[q].limit()));
    }
    std::erase_if(pairs_, [&](const CandidatePair& pair) { return pair.rough > reaches[at(pair.query)]; });
}

void Refinement::compute_exact_keys(const distance::Space& space, Index k) {
    if (nearest_.size() < rows_.size()) nearest_.resize(rows_.size());
    for (std::size_t q = 0; q < rows_.size(); ++q) nearest_[q].reset(k);
    each(space, pairs_, [&](const CandidatePair& pair) {
        nearest_[at(pair.query)].offer({space.key(rows_[at(pair.query)], pair.row), pair.row});
    });
}

}  // namespace dunlin::neighbors
