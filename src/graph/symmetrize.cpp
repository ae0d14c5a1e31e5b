// SPDX-License-Identifier: Apache-2.0
#include "graph/symmetrize.hpp"

#include <algorithm>
#include <numeric>

#include "math/at.hpp"

namespace dunlin::graph {

namespace {

/// A' with sources ascending in every row. Each thread fills a range of targets and reads all edges: sequential reads
/// are cheap, and the scattered writes are distributed.
Graph transpose(device::Cpu& cpu, const Graph& a, std::span<const float> weights) {
    const Index n = a.size();
    Graph t;
    t.offsets.assign(at(n) + 1, 0);
    t.targets.resize(at(a.edges()));
    t.weights.resize(at(a.edges()));
    for (const Index target : a.targets) ++t.offsets[at(target) + 1];
    std::partial_sum(t.offsets.begin(), t.offsets.end(), t.offsets.begin());

    std::vector<Offset> next(t.offsets.begin(), t.offsets.end() - 1);
    const Index stripe = (n + cpu.threads() - 1) / std::max(1, cpu.threads());
    cpu.blocks(n, std::max(stripe, 1), [&](Offset begin, Offset end, int) {
        for (Index i = 0; i < n; ++i) {
            for (Offset e = a.offsets[at(i)]; e < a.offsets[at(i) + 1]; ++e) {
                const Index j = a.targets[at(e)];
                if (j < begin || j >= end) continue;
                const Offset place = next[at(j)]++;
                t.targets[at(place)] = i;
                t.weights[at(place)] = weights[at(e)];
            }
        }
    });
    return t;
}

struct RowEntry {
    Index target;
    float weight;
};

/// Row i of A, targets ascending.
void sorted_row(const Graph& a, std::span<const float> weights, Offset i, std::vector<RowEntry>& row) {
    row.clear();
    for (Offset e = a.offsets[at(i)]; e < a.offsets[at(i) + 1]; ++e) row.push_back({a.targets[at(e)], weights[at(e)]});
    std::sort(row.begin(), row.end(), [](const RowEntry& x, const RowEntry& y) { return x.target < y.target; });
}

/// Calls emit(target, sum of both weights) for the union of two ascending rows.
template <class Emit>
void merge(const std::vector<RowEntry>& out, std::span<const Index> in, std::span<const float> in_weights,
           const Emit& emit) {
    std::size_t o = 0, i = 0;
    while (o < out.size() || i < in.size()) {
        if (i == in.size() || (o < out.size() && out[o].target < in[i])) {
            emit(out[o].target, out[o].weight, 0.0F);
            ++o;
        } else if (o == out.size() || in[i] < out[o].target) {
            emit(in[i], in_weights[i], 0.0F);
            ++i;
        } else {
            emit(in[i], out[o].weight, in_weights[i]);
            ++o, ++i;
        }
    }
}

}  // namespace

template <class Rule>
Graph symmetrize(device::Cpu& cpu, const Graph& pattern, std::span<const float> weights, const Rule& rule) {
    const Index n = pattern.size();
    const Graph reverse = transpose(cpu, pattern, weights);
    const auto merge_row = [&](Offset i, std::vector<RowEntry>& row, const auto& emit) {
        sorted_row(pattern, weights, i, row);
        const auto first = at(reverse.offsets[at(i)]);
        const auto count = at(reverse.offsets[at(i) + 1]) - first;
        merge(row, {reverse.targets.data() + first, count}, {reverse.weights.data() + first, count}, emit);
    };

    // Two passes, count and fill, so that the merged graph is never held twice
    Graph merged;
    merged.offsets.assign(at(n) + 1, 0);
    cpu.blocks(n, 1024, [&](Offset begin, Offset end, int) {
        std::vector<RowEntry> row;
        for (Offset i = begin; i < end; ++i) {
            Offset count = 0;
            merge_row(i, row, [&](Index, float, float) { ++count; });
            merged.offsets[at(i) + 1] = count;
        }
    });
    std::partial_sum(merged.offsets.begin(), merged.offsets.end(), merged.offsets.begin());
    merged.targets.resize(at(merged.edges()));
    merged.weights.resize(at(merged.edges()));
    cpu.blocks(n, 1024, [&](Offset begin, Offset end, int) {
        std::vector<RowEntry> row;
        for (Offset i = begin; i < end; ++i) {
            std::size_t place = at(merged.offsets[at(i)]);
            merge_row(i, row, [&](Index target, float weight, float reverse_weight) {
                merged.targets[place] = target;
                merged.weights[place] =
                    static_cast<float>(rule(static_cast<double>(weight), static_cast<double>(reverse_weight)));
                ++place;
            });
        }
    });
    return merged;
}

template Graph symmetrize(device::Cpu&, const Graph&, std::span<const float>, const ScaledSum&);
template Graph symmetrize(device::Cpu&, const Graph&, std::span<const float>, const FuzzyMix&);
template Graph symmetrize(device::Cpu&, const Graph&, std::span<const float>, const Larger&);
template Graph symmetrize(device::Cpu&, const Graph&, std::span<const float>, const Smaller&);

}  // namespace dunlin::graph
