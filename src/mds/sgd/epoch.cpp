// SPDX-License-Identifier: Apache-2.0
#include "mds/sgd/epoch.hpp"

namespace dunlin::mds {

namespace {

/// The items of group g; -1: an empty slot.
std::array<Index, group_size> items_of(Offset g, const Subset& some, const math::Permutation& shuffle) {
    std::array<Index, group_size> items;
    const Offset first = g * group_size;
    for (int slot = 0; slot < group_size; ++slot) {
        const Offset place = first + slot;
        items[static_cast<std::size_t>(slot)] = place < some.count ? some[shuffle(static_cast<Index>(place))] : -1;
    }
    return items;
}

}  // namespace

void sgd_epoch(device::Cpu& cpu, const Source& source, Configuration<device::Cpu>& configuration, const Subset& some,
               const math::Permutation& shuffle, float mu) {
    const Offset groups = (Offset{some.count} + group_size - 1) / group_size;
    const int dim = configuration.dim;
    cpu.blocks(groups, 16, [&](Offset begin, Offset end, int) {
        std::vector<float> scratch, y(static_cast<std::size_t>(dim) * group_size);
        alignas(64) std::array<float, group_pairs> delta, weight;
        for (Offset g = begin; g < end; ++g) {
            const auto items = items_of(g, some, shuffle);
            source.group(items.data(), scratch, delta.data());
            if (source.weighted()) source.group_weights(items.data(), weight.data());
            const auto each_coordinate = [&](const auto& visit) {
                for (std::size_t slot = 0; slot < group_size; ++slot) {
                    if (items[slot] < 0) continue;
                    float* place = configuration.y.data() + Offset{items[slot]} * dim;
                    for (int c = 0; c < dim; ++c) visit(place[c], y[static_cast<std::size_t>(c) * group_size + slot]);
                }
            };
            each_coordinate([](float here, float& there) { there = here; });
            step_group(y.data(), dim, delta.data(), source.weighted() ? weight.data() : nullptr, mu);
            each_coordinate([](float& here, float there) { here = there; });
        }
    });
}

}  // namespace dunlin::mds
