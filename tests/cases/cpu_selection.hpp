// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "device/cpu.hpp"

/// The functions of numerics/selection.cuh for the executor of the CPU, so that tests can run there what is made for a
/// GPU.
namespace dunlin::device {

template <class Key>
void sort_by_key(Cpu&, std::vector<Key>& keys, std::vector<Index>& items, int) {
    std::vector<std::pair<Key, Index>> pairs(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) pairs[i] = {keys[i], items[i]};
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < keys.size(); ++i) std::tie(keys[i], items[i]) = pairs[i];
}

template <class Is>
Index select(Cpu&, const Index* from, Index n, const Is& is, std::vector<Index>& to) {
    Index count = 0;
    for (Index i = 0; i < n; ++i) {
        const Index item = from == nullptr ? i : from[i];
        if (is(item)) to[static_cast<std::size_t>(count++)] = item;
    }
    return count;
}

template <class Key, class Add>
void scan_by_key(Cpu&, const Key* keys, Index* values, Index n, const Add& add) {
    for (Index i = 1; i < n; ++i) {
        if (keys[i] == keys[i - 1]) values[i] = add(values[i - 1], values[i]);
    }
}

inline void scan(Cpu&, Index* values, Index n) {
    for (Index i = 1; i < n; ++i) values[i] += values[i - 1];
}

template <class T>
void fetch(Cpu&, const std::vector<T>& from, std::vector<T>& to) {
    to = from;
}

inline void await(Cpu&) {}

}  // namespace dunlin::device
