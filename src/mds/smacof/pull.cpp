// SPDX-License-Identifier: Apache-2.0
#include "mds/smacof/pull.hpp"

#include <numeric>

#include "math/at.hpp"

namespace dunlin::mds {

namespace {

std::vector<Index> all_rows(Index n) {
    std::vector<Index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
}

/// Forces and errors of some rows; the errors of others become 0.
void pull_rows(device::Cpu& cpu, const CpuItems& items, std::span<const Index> rows,
               Configuration<device::Cpu>& configuration) {
    const Offset dim = configuration.dim;
    std::vector<double> force(at(std::ssize(rows) * dim), 0.0);
    std::fill(configuration.error.begin(), configuration.error.end(), 0.0);
    for_each_tile(cpu, *items.source, configuration.y.data(), configuration.dim, items.weights, rows,
                  [&](std::size_t row, const stress::PairRow& pairs) {
                      configuration.error[at(rows[row])] += stress::add_force(pairs, force.data() + row * at(dim));
                  });
    for (Offset row = 0; row < std::ssize(rows); ++row) {
        for (Offset c = 0; c < dim; ++c)
            configuration.force[at(rows[at(row)] * dim + c)] = static_cast<float>(force[at(row * dim + c)]);
    }
}

}  // namespace

std::vector<Offset> borders_of_rows(const device::Rank& rank, Offset n) {
    const Offset parts = (n + rows_of_share - 1) / rows_of_share;
    std::vector<Offset> borders = device::slice_borders(rank, parts, rows_of_share);
    borders.back() = n;
    return borders;
}

void pull_all(device::Cpu& cpu, const CpuItems& items, Configuration<device::Cpu>& configuration) {
    const bool all_move = items.moving.items == nullptr;
    const std::vector<Index> all = all_rows(all_move ? configuration.n : 0);
    const std::span<const Index> rows =
        all_move ? std::span(all) : std::span(items.moving.items, at(items.moving.count));
    if (items.ranks != nullptr && all_move) {
        pull_share(cpu, *items.ranks, configuration, [&](const device::Slice& own) {
            pull_rows(cpu, items, rows.subspan(at(own.begin), at(own.size())), configuration);
        });
    } else {
        pull_rows(cpu, items, rows, configuration);
    }
    const double share = all_move ? 0.5 : 1.0;
    cpu.sum(configuration.n, [&](Offset i) { return share * configuration.error[at(i)]; }, configuration.stress);
}

std::vector<float> steps(device::Cpu& cpu, const CpuItems& items, double relaxation) {
    const Index n = items.source->size();
    if (items.weights == nullptr && items.source->complete()) {
        return std::vector<float>(static_cast<std::size_t>(n), static_cast<float>(relaxation / n));
    }
    const std::vector<float> nowhere(static_cast<std::size_t>(n), 0.0F);
    std::vector<double> weight(nowhere.size(), 0.0);
    for_each_tile(cpu, *items.source, nowhere.data(), 1, items.weights, all_rows(n),
                  [&](std::size_t row, const stress::PairRow& pairs) { weight[row] += weight_of(pairs); });
    std::vector<float> all;
    for (Index i = 0; i < n; ++i) {
        const bool with_itself = items.source->between(i, i) >= 0;
        const double own = !with_itself ? 0.0 : items.weights == nullptr ? 1.0 : items.weights[Offset{i} * n + i];
        all.push_back(step_of(weight[at(i)] - own, relaxation));
    }
    return all;
}

}  // namespace dunlin::mds
