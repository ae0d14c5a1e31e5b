// SPDX-License-Identifier: Apache-2.0
#include "spanning/matrix.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "math/at.hpp"
#include "progress/progress.hpp"

namespace dunlin::spanning {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Offset block = 16384;  ///< items that a thread takes; with fewer in all there is one thread

/// An item outside the tree, its least edge to the tree.
struct Nearest {
    double weight = infinity;
    Index place = -1;  ///< in the list of the items outside
};

}  // namespace

std::vector<double> core_distances(device::Cpu& cpu, MatrixView<const float> distances, Index k) {
    std::vector<double> core(at(distances.rows));
    cpu.blocks(distances.rows, 16, [&](Offset begin, Offset end, int) {
        std::vector<float> row;
        for (Offset i = begin; i < end; ++i) {
            const auto given = distances.row(static_cast<Index>(i));
            row.assign(given.begin(), given.end());
            row[at(i)] = 0;
            std::nth_element(row.begin(), row.begin() + k - 1, row.end());
            core[at(i)] = static_cast<double>(row[at(k - 1)]);
        }
    });
    return core;
}

std::vector<hierarchy::Edge> spanning_tree(device::Cpu& cpu, MatrixView<const float> distances,
                                           const std::vector<double>& core, double alpha, const Run& run) {
    const Index n = distances.rows;
    std::vector<Index> outside(at(n)), from(at(n), 0);  // from: per item
    std::vector<double> least(at(n), infinity);         // per item
    std::iota(outside.begin(), outside.end(), 0);
    std::vector<hierarchy::Edge> edges;
    std::vector<Nearest> blocks(at((n + block - 1) / block));
    progress::ProgressReporter reporter(run, "spanning", n);
    for (Index added = n > 0 ? 0 : -1, place = 0; added >= 0;) {
        outside[at(place)] = outside.back();
        outside.pop_back();
        const auto row = distances.row(added);
        cpu.blocks(std::ssize(outside), block, [&](Offset begin, Offset end, int) {
            Nearest nearest;
            for (Offset o = begin; o < end; ++o) {
                const std::size_t item = at(outside[at(o)]);
                const double weight = std::max({core[at(added)], core[item], static_cast<double>(row[item]) / alpha});
                if (weight < least[item]) {
                    least[item] = weight;
                    from[item] = added;
                }
                if (least[item] < nearest.weight || nearest.place < 0) nearest = {least[item], static_cast<Index>(o)};
            }
            blocks[at(begin / block)] = nearest;
        });
        reporter.tick(n - std::ssize(outside));
        if (outside.empty()) break;
        const auto used = blocks.begin() + (std::ssize(outside) + block - 1) / block;
        place = std::min_element(blocks.begin(), used, [](const Nearest& a, const Nearest& b) {
                    return a.weight < b.weight;
                })->place;
        added = outside[at(place)];
        edges.push_back({least[at(added)], from[at(added)], added});
    }
    return edges;
}

}  // namespace dunlin::spanning
