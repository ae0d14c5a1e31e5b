// SPDX-License-Identifier: Apache-2.0
#include "neighbors/exact/all_pairs.hpp"

#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::neighbors {

void search_all_pairs(device::Cpu& cpu, const ItemTransform& transform, std::span<const Index> queries,
                      std::span<const Offset> numbers, Index k, SearchProgress& progress, const ResultCallback& take) {
    constexpr Index between_polls = 256;
    cpu.blocks(std::ssize(numbers), 1, [&](Offset i, Offset, int worker) {
        const Offset q = numbers[at(i)];
        const Index query = queries[at(q)];
        TopK best(std::min(k, transform.items()));
        for (Index item = 0; item < transform.items(); ++item) {
            if (item % between_polls == 0) progress::cancellation_point();
            if (item == query) continue;
            const Index row = transform.row_of(item);
            best.offer({transform.space().key(transform.row_of(query), row), row});
        }
        take(q, best.sorted());
        progress.advance(1, worker);
    });
}

}  // namespace dunlin::neighbors
