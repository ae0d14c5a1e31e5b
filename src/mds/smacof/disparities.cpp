// SPDX-License-Identifier: Apache-2.0
#include "mds/smacof/disparities.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "device/pieces.hpp"
#include "math/at.hpp"

namespace dunlin::mds {

std::vector<float> matrix_of(device::Cpu& cpu, const Source& source, Index stride) {
    const Index n = source.size();
    std::vector<Index> rows(at(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    std::vector<float> matrix;
    device::assign_in_pieces(matrix, at(Offset{n} * stride), NAN);
    std::vector<Index> filled(rows.size(), 0);
    for_each_tile(cpu, source, std::vector<float>(rows.size(), 0.0F).data(), 1, nullptr, rows,
                  [&](std::size_t row, const stress::PairRow& meeting) {
                      std::copy_n(meeting.delta, meeting.count,
                                  matrix.data() + static_cast<Offset>(row) * stride + filled[row]);
                      filled[row] += meeting.count;
                  });
    return matrix;
}

void sort_pairs(device::Cpu&, std::vector<float>& delta, std::vector<ItemPair>& pairs) {
    struct Entry {
        float delta;
        ItemPair pair;
    };
    std::vector<Entry> entries;
    entries.reserve(pairs.size());
    constexpr std::size_t piece = 65536;
    device::in_pieces(pairs.size(), piece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) entries.push_back({delta[k], pairs[k]});
    });
    device::sort_in_pieces(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.delta, a.pair.i, a.pair.j) < std::tie(b.delta, b.pair.i, b.pair.j);
    });
    device::in_pieces(pairs.size(), piece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            delta[k] = entries[k].delta;
            pairs[k] = entries[k].pair;
        }
    });
}

void sort_ties(device::Cpu&, const std::vector<std::uint32_t>& tie, const std::vector<double>& distance,
               std::vector<ItemPair>& pairs) {
    struct Entry {
        double distance;
        ItemPair pair;
    };
    std::vector<Entry> equals;
    for (std::size_t begin = 0, end = 0; begin < tie.size(); begin = end) {
        equals.clear();
        for (; end < tie.size() && tie[end] == tie[begin]; ++end) equals.push_back({distance[end], pairs[end]});
        if (equals.size() == 1) continue;
        device::sort_in_pieces(equals.begin(), equals.end(), [](const Entry& a, const Entry& b) {
            return std::tie(a.distance, a.pair.i, a.pair.j) < std::tie(b.distance, b.pair.i, b.pair.j);
        });
        std::transform(equals.begin(), equals.end(), pairs.begin() + static_cast<Offset>(begin),
                       [](const Entry& entry) { return entry.pair; });
    }
}

void make_monotone(device::Cpu&, const WeightedValues& all) {
    make_monotone(std::span(all.values, at(all.count)),
                  std::span(all.weights, all.weights == nullptr ? 0 : at(all.count)));
}

void pull_in(device::Cpu& cpu, const SquareMatrix& matrix, const float* weights,
             Configuration<device::Cpu>& configuration) {
    const MapByAxis axes(configuration.y.data(), configuration.n, configuration.dim);
    const std::vector<const float*> others = axes.from(0);
    cpu.each(
        configuration.n,
        [&](Offset i) {
            std::vector<double> force(at(configuration.dim), 0.0);
            const float* weight = weights == nullptr ? nullptr : weights + i * configuration.n;
            configuration.error[at(i)] =
                stress::add_force({matrix.values + i * matrix.stride, weight, others.data(),
                                   configuration.y.data() + i * configuration.dim, configuration.dim, configuration.n},
                                  force.data());
            std::transform(force.begin(), force.end(), configuration.force.begin() + i * configuration.dim,
                           [](double f) { return static_cast<float>(f); });
        },
        16);
    cpu.sum(configuration.n, [&](Offset i) { return configuration.error[at(i)] / 2; }, configuration.stress);
}

}  // namespace dunlin::mds
