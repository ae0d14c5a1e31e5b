// SPDX-License-Identifier: Apache-2.0
#include "communities/numbering.hpp"

#include <algorithm>
#include <numeric>

#include "math/at.hpp"

namespace dunlin::communities {

Index number_by_first(std::vector<Index>& labels) {
    std::vector<Index> number(labels.size(), -1);
    Index next = 0;
    for (Index& label : labels) {
        Index& its = number[at(label)];
        if (its < 0) its = next++;
        label = its;
    }
    return next;
}

Index number_by_size(std::vector<Index>& labels) {
    const Index count = number_by_first(labels);
    std::vector<Index> sizes(at(count)), order(at(count)), number(at(count));
    for (const Index label : labels) ++sizes[at(label)];
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return sizes[at(a)] > sizes[at(b)]; });
    for (std::size_t rank = 0; rank < order.size(); ++rank) number[at(order[rank])] = static_cast<Index>(rank);
    for (Index& label : labels) label = number[at(label)];
    return count;
}

}  // namespace dunlin::communities
