// SPDX-License-Identifier: Apache-2.0
#include "mds/forces/partners.hpp"

#include <numeric>

namespace dunlin::mds {

void measure(device::Cpu& cpu, const Source& source, const SpringView& view, Index first, Index size) {
    cpu.each(
        size - first,
        [&](Offset k) {
            const Offset i = first + k;
            for (Offset s = i * view.slots + view.near; s < (i + 1) * view.slots; ++s)
                view.delta[s] = source.between(view.item[i], view.item[view.partner[s]]);
        },
        256);
}

ReversePartners reverse_of(device::Cpu&, SpringState<device::Cpu>& springs, Index size) {
    auto &begin = springs.reverse_begin, &slot = springs.reverse_slot;
    const std::span<const Index> partners(springs.partner.data(),
                                          static_cast<std::size_t>(Offset{size} * springs.slots));
    // Counting sort: begin[p + 2] counts, begin[p + 1] is the next free position of p and finally the end of p
    begin.assign(static_cast<std::size_t>(size) + 2, 0);
    for (const Index partner : partners) {
        if (partner >= 0) ++begin[static_cast<std::size_t>(partner) + 2];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    slot.resize(static_cast<std::size_t>(begin.back()));
    for (std::size_t s = 0; s < partners.size(); ++s) {
        if (partners[s] < 0) continue;
        Offset& next = begin[static_cast<std::size_t>(partners[s]) + 1];
        slot[static_cast<std::size_t>(next++)] = static_cast<Offset>(s);
    }
    return {begin.data(), slot.data()};
}

}  // namespace dunlin::mds
