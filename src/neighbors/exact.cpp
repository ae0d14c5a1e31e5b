#include "neighbors/exact.hpp"

namespace dunlin::neighbors {

void search_groups(device::Cpu& cpu, const Space& space, const Duplicates& groups, std::span<const Index> queries,
                   Index k, Watch& watch, const Take& take) {
    const Index wanted = std::min(k, groups.size() - 1);
    std::vector<Best> best(static_cast<std::size_t>(cpu.threads()));
    cpu.blocks(std::ssize(queries), 1, [&](Offset q, Offset, int worker) {
        if (watch.stopped()) return;
        Best& list = best[static_cast<std::size_t>(worker)];
        list.reset(wanted);
        const Index query = queries[static_cast<std::size_t>(q)];
        for (Index g = 0; g < groups.size(); ++g) {
            if (g != query) list.offer({space.key(groups.first(query), groups.first(g)), groups.first(g)});
        }
        take(q, list.sorted());
        watch.advance(1, worker);
    });
}

}  // namespace dunlin::neighbors
