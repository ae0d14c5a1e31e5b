// SPDX-License-Identifier: Apache-2.0
#include "reliability/local_ranks.hpp"

#include <algorithm>

#include "math/at.hpp"

namespace dunlin::reliability {

namespace {

std::span<const Index> row_of(const Graph& graph, Index row, Index most) {
    const Offset begin = graph.offsets[at(row)], end = graph.offsets[at(row) + 1];
    return {graph.targets.data() + begin, at(std::min<Offset>(most, end - begin))};
}

}  // namespace

double largest_excess(Index n, Index k, Index ranks) {
    double sum = 0;
    for (Index m = 0; m < std::min(k, n - 1); ++m) sum += std::max(0, std::min(n - 1 - m, ranks + 1) - k);
    return sum;
}

std::vector<float> excess_ranks(device::Cpu& cpu, const Graph& from, const Graph& ranked, Index k, Index ranks) {
    const Index n = from.size();
    std::vector<float> shares(at(n));
    const double largest = largest_excess(n, k, ranks);
    if (!(largest > 0)) return shares;  // every point is among the k nearest
    cpu.each(
        n,
        [&](Offset point) {
            const auto i = static_cast<Index>(point);
            const auto others = row_of(ranked, i, ranks);
            double excess = 0;
            for (const Index j : row_of(from, i, k)) {
                const auto rank = static_cast<Index>(std::find(others.begin(), others.end(), j) - others.begin()) + 1;
                excess += std::max(0, (rank > std::ssize(others) ? ranks + 1 : rank) - k);
            }
            shares[at(point)] = static_cast<float>(excess / largest);
        },
        256);
    return shares;
}

}  // namespace dunlin::reliability
